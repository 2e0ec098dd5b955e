// Counts which target passed which over some dates.

import type { Target } from '../../src/tracker/project.ts';
import { rankCodes, rankOfCode } from '../../src/tracker/rank-codes.ts';
import type { CompetitorSeries } from '../../src/workspace/records.ts';
import type { TargetRanks } from './columns/rank-trails.ts';

/** A target with its ranks by date. */
export interface TargetColumns extends Pick<TargetRanks, 'column'> {
  readonly target: Target;
  readonly isOwn: boolean;
}

/** The rank of a code; infinity: on none of the pages; not a number: not proven. */
export function standingOf(code: number): number {
  if (code === rankCodes.not_found || code === rankCodes.not_followed) return Number.POSITIVE_INFINITY;
  return rankOfCode(code) ?? Number.NaN;
}

/**
 * The order of two targets in the first and the last check of a search that prove any. `searchIndices`: in the
 * columns; `indices`: of the dates.
 */
export function countPasses(
  all: readonly TargetColumns[],
  searchIndices: Int32Array,
  indices: readonly number[],
): CompetitorSeries['passes'] {
  const first = provenDates(all, searchIndices, indices);
  const last = provenDates(all, searchIndices, indices.toReversed());
  const standings = all.map(({ target, column }) => ({
    name: target.value,
    before: standingsOn(column, searchIndices, first),
    after: standingsOn(column, searchIndices, last),
  }));
  return standings
    .flatMap((winner) =>
      standings.map((loser) => ({ target: winner.name, passed: loser.name, searches: countPassed(winner, loser) })),
    )
    .filter(({ searches }) => searches > 0)
    .sort((a, b) => b.searches - a.searches);
}

/** By search, on its date. Not a number: not proven. */
function standingsOn(column: TargetColumns['column'], searchIndices: Int32Array, dates: Int32Array): Float64Array {
  const found = new Float64Array(searchIndices.length).fill(Number.NaN);
  for (let at = 0; at < searchIndices.length; at += 1) {
    const date = dates[at] ?? -1;
    if (date >= 0) found[at] = standingOf(column(date)[searchIndices[at] ?? 0] ?? 0);
  }
  return found;
}

interface Standings {
  readonly before: Float64Array;
  readonly after: Float64Array;
}

/** Searches. Two that are both absent, or of which one is unproven, have no order. */
function countPassed(winner: Standings, loser: Standings): number {
  let searches = 0;
  for (let at = 0; at < winner.before.length; at += 1) {
    const wasBehind = (loser.before[at] ?? Number.NaN) < (winner.before[at] ?? Number.NaN);
    if (wasBehind && (winner.after[at] ?? Number.NaN) < (loser.after[at] ?? Number.NaN)) searches += 1;
  }
  return searches;
}

/** By search: the first of these dates on which the standing of any target is proven; -1: none. */
function provenDates(all: readonly TargetColumns[], searchIndices: Int32Array, dates: readonly number[]): Int32Array {
  const found = new Int32Array(searchIndices.length).fill(-1);
  let missing = searchIndices.length;
  for (const date of dates) {
    if (missing === 0) break;
    const columns = all.map(({ column }) => column(date));
    for (let at = 0; at < searchIndices.length; at += 1) {
      if (found[at] !== -1) continue;
      const searchIndex = searchIndices[at] ?? 0;
      if (columns.every((codes) => Number.isNaN(standingOf(codes[searchIndex] ?? 0)))) continue;
      found[at] = date;
      missing -= 1;
    }
  }
  return found;
}
