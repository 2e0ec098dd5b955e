// Counts which target passed which over some dates.

import { decodeRank, rankCodes } from '../../src/report/html/data/trail.ts';
import type { Target } from '../../src/tracker/project.ts';
import type { CompetitorSeries } from '../../src/workspace/competitor-records.ts';
import type { TargetRanks } from './columns/rank-trails.ts';

/** A target with its ranks by date. */
export interface TargetColumns extends Pick<TargetRanks, 'column'> {
  readonly target: Target;
  readonly isOwn: boolean;
}

/** The rank of a code; infinity: on none of the pages; not a number: not proven. */
export function standingOf(code: number): number {
  if (code === rankCodes.notFound || code === rankCodes.notFollowed) return Number.POSITIVE_INFINITY;
  return decodeRank(code) ?? Number.NaN;
}

/**
 * The order of two targets in the first and the last check of a search that prove any. `places`: of the searches, in
 * the columns; `indices`: of the dates.
 */
export function countPasses(
  all: readonly TargetColumns[],
  places: Int32Array,
  indices: readonly number[],
): CompetitorSeries['passes'] {
  const first = provenDates(all, places, indices);
  const last = provenDates(all, places, indices.toReversed());
  const counts = all.map(() => all.map(() => 0));
  const known = new Map<number, readonly Uint16Array[]>();
  const columnsOn = (date: number): readonly Uint16Array[] => {
    const columns = known.get(date) ?? all.map(({ column }) => column(date));
    known.set(date, columns);
    return columns;
  };
  for (const [at, place] of places.entries()) {
    const [start, end] = [first[at] ?? -1, last[at] ?? -1];
    if (start === end) continue;
    const before = columnsOn(start).map((codes) => standingOf(codes[place] ?? 0));
    const after = columnsOn(end).map((codes) => standingOf(codes[place] ?? 0));
    for (const [winner, row] of counts.entries()) {
      for (const loser of row.keys()) {
        // two that are both absent, or of which one is unproven, have no order
        const wasBehind = (before[loser] ?? Number.NaN) < (before[winner] ?? Number.NaN);
        const isAhead = (after[winner] ?? Number.NaN) < (after[loser] ?? Number.NaN);
        if (wasBehind && isAhead) row[loser] = (row[loser] ?? 0) + 1;
      }
    }
  }
  const name = (index: number): string => all[index]?.target.value ?? '';
  return counts
    .flatMap((row, winner) => row.map((searches, loser) => ({ target: name(winner), passed: name(loser), searches })))
    .filter(({ searches }) => searches > 0)
    .sort((a, b) => b.searches - a.searches);
}

/** By search: the first of these dates on which the standing of any target is proven; -1: none. */
function provenDates(all: readonly TargetColumns[], places: Int32Array, dates: readonly number[]): Int32Array {
  const found = new Int32Array(places.length).fill(-1);
  let missing = places.length;
  for (const date of dates) {
    if (missing === 0) break;
    const columns = all.map(({ column }) => column(date));
    for (let at = 0; at < places.length; at += 1) {
      if (found[at] !== -1) continue;
      const place = places[at] ?? 0;
      if (columns.every((codes) => Number.isNaN(standingOf(codes[place] ?? 0)))) continue;
      found[at] = date;
      missing -= 1;
    }
  }
  return found;
}
