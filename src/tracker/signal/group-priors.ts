// What the searches of a market share: rates, move sizes and volumes, as priors of each.
import { bandPrior, type RankBand, type RatePrior, rankBandOf, rankBands } from './change-rate.ts';
import type { GroupPriors, SearchOutlook } from './check-value.ts';
import type { TargetEvidence } from './evidence.ts';
import { moveSpread } from './move.ts';

/** Shared rates, move sizes and volumes per group. */
export function priorsOf(searches: readonly SearchOutlook[]): Map<string, GroupPriors> {
  const groups = Map.groupBy(searches, ({ group }) => group);
  return new Map([...groups].map(([group, members]) => [group, groupPriors(members)]));
}

/** What the history of searches of one market says about all of them: empirical Bayes priors. */
export function groupPriors(members: readonly Pick<SearchOutlook, 'targets' | 'volume'>[]): GroupPriors {
  const byBand = new Map<RankBand, TargetEvidence[]>(rankBands.map((band) => [band, []]));
  for (const { targets } of members) for (const target of targets) byBand.get(rankBandOf(target.rank))?.push(target);
  const rates = {} as Record<RankBand, RatePrior>; // filled for every band below
  const spreads = {} as Record<RankBand, number>; // filled for every band below
  for (const [band, targets] of byBand) {
    rates[band] = bandPrior(band, targets);
    const sum = targets.reduce((total, { logMoveSum }) => total + logMoveSum, 0);
    const count = targets.reduce((total, { logMoves }) => total + logMoves, 0);
    spreads[band] = moveSpread(band, sum, count);
  }
  const volumes = members.flatMap(({ volume }) => volume ?? []).toSorted((a, b) => a - b);
  return { rates, spreads, volume: volumes[Math.floor(volumes.length / 2)] ?? 1 };
}

export const unknownPriors: GroupPriors = groupPriors([]);
