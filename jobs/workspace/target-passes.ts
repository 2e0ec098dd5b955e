// Counts which target passed which over some dates.
import type { Target } from '../../src/tracker/project.ts';
import type { CompetitorSeries } from '../../src/workspace/competitor-records.ts';
import type { RankTrail, TargetRanks } from './columns/rank-trails.ts';

/** A rank; infinity: on none of the pages; null: not proven. */
export type Standing = number | null;

/** A target with its trails by search. */
export interface TargetTrails {
  readonly target: Target;
  readonly isOwn: boolean;
  readonly trails: Pick<TargetRanks, 'get'>;
}

/** The order of two targets in the first and the last check of a search that prove both. */
export function countPasses(
  all: readonly TargetTrails[],
  keys: Iterable<string>,
  indices: readonly number[],
  standing: (trail: RankTrail | undefined, index: number) => Standing,
): CompetitorSeries['passes'] {
  const counts = all.map(() => all.map(() => 0));
  for (const key of keys) {
    const trails = all.map((of) => of.trails.get(key));
    const at = (index: number): Standing[] => trails.map((trail) => standing(trail, index));
    const isProven = (index: number): boolean => at(index).some((value) => value !== null);
    const [first, last] = [indices.find(isProven), indices.findLast(isProven)];
    if (first === undefined || last === undefined || first === last) continue;
    const [before, after] = [at(first), at(last)];
    for (const [winner, row] of counts.entries()) {
      for (const loser of row.keys()) {
        if (isAbove(before, loser, winner) && isAbove(after, winner, loser)) row[loser] = (row[loser] ?? 0) + 1;
      }
    }
  }
  const name = (index: number): string => all[index]?.target.value ?? '';
  return counts
    .flatMap((row, winner) => row.map((searches, loser) => ({ target: name(winner), passed: name(loser), searches })))
    .filter(({ searches }) => searches > 0)
    .sort((a, b) => b.searches - a.searches);
}

/** Two that are both absent have no order. */
function isAbove(standings: readonly Standing[], one: number, other: number): boolean {
  const [rank, otherRank] = [standings[one], standings[other]];
  return rank != null && otherRank != null && rank < otherRank;
}
