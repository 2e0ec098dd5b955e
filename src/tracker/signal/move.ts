// Where a target goes when its rank changes: the size of moves, the page that holds it then, and what that is worth.
import { ctr } from '../changes/visibility.ts';
import type { RankBand } from './change-rate.ts';
import { pageOfRank } from './sighting.ts';

/**
 * Mean of |ln(new rank / old rank)| over changes, by the old rank. From the same real export as `usualRates`, reduced
 * by a fifth, because some of its intervals hold several changes.
 */
const usualSpread: Readonly<Record<RankBand, number>> = Object.freeze({
  '1': 0.9,
  '2-3': 0.5,
  '4-10': 0.35,
  '11-20': 0.2,
  '21+': 0.2,
  not_found: 1,
});

/** The usual spread weighs as much as this many moves of one's own project. */
const usualMoves = 20;

/** A target that is not found counts as if it ranked this much below the last rank that was read, times. */
const belowFactor = 1.3;

/** A move after a change, by last rank and by pages that a check reads. */
export interface MoveOutlook {
  /** Expected |change of the click-through rate| that such a check sees, given that a change happened. */
  readonly worth: number;
  /** Pages that it reads on average: until found, else all of `pages`. */
  readonly pagesRead: number;
}

/** Mean size of moves per band: own ones, shrunk to the usual. `moves`: their sums as in TargetEvidence. */
export function moveSpread(band: RankBand, logMoveSum: number, logMoves: number): number {
  return (usualSpread[band] * usualMoves + logMoveSum) / (usualMoves + logMoves);
}

/**
 * The probability of each new rank after a change from `rank` (null: not found down to `depth` pages): a Laplace
 * distribution of the logarithm of the rank with mean size `spread`, in whole ranks, without the old one. Index 0 is
 * rank 1; the last entry stands for all ranks below `depth` pages.
 */
export function ranksAfterChange(rank: number | null, depth: number, spread: number): number[] {
  const last = depth * 10;
  const from = rank ?? last * belowFactor;
  const below = (at: number): number => laplaceBelow(Math.log(at / from) / spread);
  const chances: number[] = [];
  let before = 0;
  for (let to = 1; to <= last; to += 1) {
    const until = below(to + 0.5);
    chances.push(to === rank ? 0 : until - before);
    before = until;
  }
  chances.push(rank === null ? 0 : 1 - before);
  const sum = chances.reduce((total, chance) => total + chance, 0);
  return sum === 0 ? chances : chances.map((chance) => chance / sum);
}

/**
 * What a check of `pages` pages sees of a change from `rank`, and what it costs then. It sees a change if the old or
 * the new rank is on the pages read. `depth`: pages of a full check. Throws RangeError for an unknown curve.
 */
export function moveOutlook(
  rank: number | null,
  { depth, pages, spread, curve }: { depth: number; pages: number; spread: number; curve: string },
): MoveOutlook {
  const chances = ranksAfterChange(rank, depth, spread);
  const reach = pages * 10;
  const rateBefore = ctr(curve, rank);
  let [worth, pagesRead] = [0, 0];
  for (const [index, chance] of chances.entries()) {
    const to = index === depth * 10 ? null : index + 1;
    const isFound = to !== null && to <= reach;
    pagesRead += chance * (isFound ? pageOfRank(to) : pages);
    if (isFound || (rank !== null && rank <= reach)) worth += chance * Math.abs(ctr(curve, to) - rateBefore);
  }
  return { worth, pagesRead };
}

/** Pages of a check that finds the target where it was, or all `pages` where it was not found in them. */
export function pagesWithoutChange(rank: number | null, pages: number): number {
  return rank === null ? pages : Math.min(pageOfRank(rank), pages);
}

/** The distribution function of a Laplace distribution of scale 1. */
function laplaceBelow(x: number): number {
  return x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2;
}
