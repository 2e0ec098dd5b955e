// Own targets and competitors over the same searches and dates.
import { decodeRank } from '../../src/report/html/client/trail.js';
import { TargetTimeline } from '../../src/report/html/timeline.ts';
import type { Project, Target } from '../../src/tracker/project.ts';
import type { CompetitorSeries } from '../../src/workspace/competitor-records.ts';
import type { TableRow } from './keyword-rows.ts';
import { type RankTrail, type RankTrails, trailKey } from './rank-trails.ts';

/** A search of the filtered rows, once for all own targets. */
interface SearchVolume {
  readonly key: string;
  readonly volume: number | null;
}

export function competitorSeries(
  project: Project,
  rows: readonly TableRow[],
  trails: RankTrails,
  indices: readonly number[],
  ctrCurve: string,
): CompetitorSeries {
  const searches = new Map<string, SearchVolume>();
  for (const { row } of rows) {
    const key = trailKey(row.keyword, row);
    searches.set(key, { key, volume: row.searchVolume });
  }
  const last = indices.at(-1);
  const best = bestOwnRanks(project, searches.keys(), trails, last);
  const line = (target: Target, isOwn: boolean): CompetitorSeries['targets'][number] => {
    const ofTarget = trails.of(target);
    const timeline = new TargetTimeline(indices.length, ctrCurve);
    const ranks: number[] = [];
    let [wins, losses] = [0, 0];
    for (const { key, volume } of searches.values()) {
      const trail = ofTarget.get(key);
      if (trail === undefined) continue;
      timeline.add(
        Uint16Array.from(indices, (index) => trail[index] ?? 0),
        volume,
      );
      const rank = rankOn(trail, last);
      if (rank !== null) ranks.push(rank);
      const own = best.get(key) ?? null;
      if (own !== null && (rank === null || own < rank)) wins += 1;
      else if (rank !== null && (own === null || rank < own)) losses += 1;
    }
    return {
      target: target.value,
      isOwn,
      visibility: [...timeline.visibility()],
      averageRank: ranks.length === 0 ? null : Math.round((100 * sum(ranks)) / ranks.length) / 100,
      top10: (timeline.checked().at(-1) ?? null) === null ? null : ranks.filter((rank) => rank <= 10).length,
      wins: isOwn ? null : wins,
      losses: isOwn ? null : losses,
    };
  };
  return {
    dates: indices.map((index) => trails.dates[index] ?? ''),
    targets: [
      ...project.targets.map((target) => line(target, true)),
      ...project.competitors.map((target) => line(target, false)),
    ],
  };
}

/** The best rank of all own targets, by search, on one date. */
function bestOwnRanks(
  { targets }: Project,
  keys: Iterable<string>,
  trails: RankTrails,
  index: number | undefined,
): ReadonlyMap<string, number | null> {
  return new Map(
    [...keys].map((key) => {
      const ranks = targets.flatMap((target) => {
        const trail = trails.of(target).get(key);
        return (trail === undefined ? null : rankOn(trail, index)) ?? [];
      });
      return [key, ranks.length === 0 ? null : Math.min(...ranks)];
    }),
  );
}

function rankOn(trail: RankTrail, index: number | undefined): number | null {
  return index === undefined ? null : decodeRank(trail[index] ?? 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
