// Sums of rows over time, by day, week or month.

import { type Bucket, buckets } from '../../tracker/changes/visibility.ts';
import { rankCodes, rankOfCode } from '../../tracker/rank-codes.ts';
import { addDays } from '../../tracker/schedule/local-time.ts';
import type { Granularity } from '../contract.ts';
import type { NoteRecord, RankTrend, SeriesAnswer } from '../records.ts';
import type { DatedSums } from './code-sums.ts';
import { TargetTimeline } from './timeline.ts';

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

/** Ranks over dates, from their codes. */
export function trendOf(dates: readonly string[], codes: readonly number[]): RankTrend {
  return { dates, ranks: codes.map((code) => (code === rankCodes.not_found ? 'not_found' : rankOfCode(code))) };
}

/** The ranks of one row: a rank code per date. */
export interface SeriesRow {
  readonly trail: ArrayLike<number>;
  readonly searchVolume: number | null;
}

/** Sums the trails of these rows on these of the dates. Volumes are today's, so that only ranks change the sums. */
export function sumSeries(
  rows: Iterable<SeriesRow>,
  dates: readonly string[],
  indices: readonly number[],
  ctrCurve: string,
  notes: readonly NoteRecord[],
): SeriesAnswer {
  const timeline = new TargetTimeline(indices.length, ctrCurve);
  const chosen = new Uint16Array(indices.length);
  for (const { trail, searchVolume } of rows) {
    for (const [at, index] of indices.entries()) chosen[at] = trail[index] ?? 0;
    timeline.add(chosen, searchVolume);
  }
  return answerOf(timeline, dates, indices, notes);
}

/** The same, of sums of columns: date by date, which a hundred thousand rows of a year need. */
export function sumDates(
  sums: Iterable<DatedSums>,
  dates: readonly string[],
  indices: readonly number[],
  ctrCurve: string,
  notes: readonly NoteRecord[],
): SeriesAnswer {
  const timeline = new TargetTimeline(indices.length, ctrCurve);
  for (const dated of sums) timeline.addSums(dated, indices);
  return answerOf(timeline, dates, indices, notes);
}

function answerOf(
  timeline: TargetTimeline,
  dates: readonly string[],
  indices: readonly number[],
  notes: readonly NoteRecord[],
): SeriesAnswer {
  const distribution = timeline.distribution();
  return {
    dates: indices.map((index) => dates[index] ?? ''),
    averageRank: [...timeline.averageRank()],
    visibility: [...timeline.visibility()],
    estimatedClicks: [...timeline.clicks()],
    checked: timeline.checked().map((count) => count ?? 0),
    buckets: Object.fromEntries(
      buckets.map((bucket, index) => [bucket, (distribution[index] ?? []).map((count) => count ?? 0)]),
    ) as Record<Bucket, number[]>,
    notes,
  };
}
