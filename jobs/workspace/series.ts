// Sums of rows over time, by day, week or month.
import { decodeRank } from '../../src/report/html/client/trail.js';
import { TargetTimeline } from '../../src/report/html/timeline.ts';
import { addDays } from '../../src/tracker/baseline.ts';
import { type Bucket, buckets } from '../../src/tracker/visibility.ts';
import type { Granularity } from '../../src/workspace/contract.ts';
import type { NoteRecord, SeriesAnswer } from '../../src/workspace/records.ts';
import type { TableRow } from './keyword-rows.ts';
import { type RankTrail, type RankTrails, trailKey } from './rank-trails.ts';

const defaultDates = 90;

/** The indices of the dates in a chart: of each week or month the last one. */
export function chosenDates(
  dates: readonly string[],
  {
    from,
    to,
    granularity,
  }: { readonly from?: string | undefined; readonly to?: string | undefined; readonly granularity: Granularity },
): number[] {
  const last = to ?? dates.at(-1) ?? '';
  const until = dates.filter((date) => date <= last);
  const first = from ?? until.at(-defaultDates) ?? '';
  const lastOfPeriod = new Map<string, number>();
  for (const [index, date] of dates.entries()) {
    if (date >= first && date <= last) lastOfPeriod.set(periodOf(date, granularity), index);
  }
  return [...lastOfPeriod.values()];
}

/** Weeks begin on Monday. */
function periodOf(date: string, granularity: Granularity): string {
  if (granularity === 'day') return date;
  if (granularity === 'month') return date.slice(0, 7);
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return addDays(date, -((weekday + 6) % 7));
}

/** Sums the trails of these rows on these dates. Volumes are today's, so that only ranks change the sums. */
export function sumSeries(
  rows: readonly TableRow[],
  trails: RankTrails,
  indices: readonly number[],
  ctrCurve: string,
  notes: readonly NoteRecord[],
): SeriesAnswer {
  const timeline = new TargetTimeline(indices.length, ctrCurve);
  const rankSums = new Float64Array(indices.length);
  const rankCounts = new Uint32Array(indices.length);
  const chosen = new Uint16Array(indices.length);
  for (const { row, own } of rows) {
    const trail: RankTrail | undefined = trails.of(own).get(trailKey(row.keyword, row));
    if (trail === undefined) continue;
    for (const [at, index] of indices.entries()) {
      const code = trail[index] ?? 0;
      chosen[at] = code;
      const rank = decodeRank(code);
      if (rank === null) continue;
      rankSums[at] = (rankSums[at] ?? 0) + rank;
      rankCounts[at] = (rankCounts[at] ?? 0) + 1;
    }
    timeline.add(chosen, row.searchVolume);
  }
  const distribution = timeline.distribution();
  return {
    dates: indices.map((index) => trails.dates[index] ?? ''),
    averageRank: Array.from(rankCounts, (count, at) => (count === 0 ? null : hundredths((rankSums[at] ?? 0) / count))),
    visibility: [...timeline.visibility()],
    estimatedClicks: [...timeline.clicks()],
    checked: timeline.checked().map((count) => count ?? 0),
    buckets: Object.fromEntries(
      buckets.map((bucket, index) => [bucket, (distribution[index] ?? []).map((count) => count ?? 0)]),
    ) as Record<Bucket, number[]>,
    notes,
  };
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
