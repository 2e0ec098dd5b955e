// How often ranks change and where they go then: rates and moves of targets, shrunk to those of targets like them.

import { ctr } from '../changes/visibility.ts';
import { sumOf } from '../figures.ts';
import { pageOfRank, type TargetEvidence } from './sightings.ts';

/** A gamma distribution of rates: `shape` changes in `days` days. Its mean is shape / days, changes a day. */
export interface RatePrior {
  readonly shape: number;
  readonly days: number;
}

/** Ranks that behave alike, by the last known rank. */
const rankBands = ['1', '2-3', '4-10', '11-20', '21+', 'not_found'] as const;
export type RankBand = (typeof rankBands)[number];

/** The band of a rank; null: not found. */
export function rankBandOf(rank: number | null): RankBand {
  if (rank === null) return 'not_found';
  if (rank <= 1) return '1';
  if (rank <= 3) return '2-3';
  if (rank <= 10) return '4-10';
  return rank <= 20 ? '11-20' : '21+';
}

/**
 * Changes a day before a project has history. From a real rank export (692 series on three dates, 6 and 14 days apart):
 * the gamma mixture P(same after t days) = (b / (b + t))^a fitted to the shares of unchanged ranks.
 */
export const usualRates: Readonly<Record<RankBand, number>> = Object.freeze({
  '1': 0.02,
  '2-3': 0.07,
  '4-10': 0.2,
  '11-20': 0.28,
  '21+': 0.25,
  not_found: 0.018,
});

/** The spread of rates within a band of the same export: the shape a of the mixture. */
const usualShape = 1.1;
/** The pooled rate of a band weighs the usual rate as much as this many days. */
const usualDays = 60;
const iterationsMax = 40;

/**
 * The rate, in changes a day, of a Poisson process that is seen at irregular moments: the mode of log(rate) under the
 * gamma prior. An interval of t days in which the rank differs says only that one or more changes happened, with
 * probability 1 - exp(-rate t) (Cho and Garcia-Molina 2003, Estimating frequency of change, section 5, where the
 * likelihood equation is sum over changed of t / (exp(rate t) - 1) = sum over unchanged of t; the prior adds shape /
 * rate on the left and its days on the right). Newton's method from below: the left side is convex and falls.
 */
export function changeRate(evidence: Pick<TargetEvidence, 'changedDays' | 'stillDays'>, prior: RatePrior): number {
  const still = evidence.stillDays + prior.days;
  let rate = prior.shape / still;
  for (let iteration = 0; iteration < iterationsMax; iteration += 1) {
    let value = prior.shape / rate - still;
    let slope = prior.shape / rate ** 2;
    for (const days of evidence.changedDays) {
      const grown = Math.expm1(rate * days);
      value += days / grown;
      slope += (days * days * (grown + 1)) / (grown * grown);
    }
    const step = value / slope;
    rate += step;
    if (step < rate * 1e-6) break;
  }
  return rate;
}

/**
 * The prior of a band: the pooled rate of its members, shrunk to the usual rate (empirical Bayes: Robbins 1956). The
 * members pull the mean, the shape stays.
 */
export function bandPrior(
  band: RankBand,
  members: Iterable<Pick<TargetEvidence, 'changedDays' | 'stillDays'>>,
): RatePrior {
  const usual = usualRates[band];
  let changes = usual * usualDays;
  let days = usualDays;
  for (const { changedDays, stillDays } of members) {
    days += stillDays;
    for (const length of changedDays) {
      const events = usual * length;
      changes += events / -Math.expm1(-events);
      days += length;
    }
  }
  return priorOfMean(changes / days);
}

/** The prior with this mean, in changes a day. */
export function priorOfMean(rate: number): RatePrior {
  return { shape: usualShape, days: usualShape / rate };
}

/** The probability of at least one change within so many days. */
export function changeChance(rate: number, days: number): number {
  return -Math.expm1(-rate * days);
}

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

/** Where a target counts as ranked that so many pages do not have. */
export function rankBelow(pages: number): number {
  return Math.round(10 * pages * belowFactor);
}

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
  const sum = sumOf(chances);
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

/**
 * Where targets start in a project without any history: the shares of ranks in the real export above, as
 * the first and the last rank of a range. 0: not found.
 */
export const usualStarts: readonly (readonly [share: number, from: number, to: number])[] = [
  [0.09, 1, 1],
  [0.11, 2, 3],
  [0.26, 4, 10],
  [0.32, 11, 20],
  [0.09, 21, 60],
  [0.13, 0, 0],
];

/** What first checks of searches like it have read. */
export interface FirstReads {
  readonly checks: number;
  readonly pages: number;
}

/** The usual pages of a first check weigh as much as this many measured ones, and others' as much as own ones. */
const usualFirsts = 20;

/**
 * Pages that the first check of a search reads on average, until found or to its depth: the usual ones, shrunk to those
 * of other projects, and these to its own ones.
 */
export function firstPages(depth: number, others: FirstReads, own: FirstReads): number {
  const usual = sumOf(usualStarts, ([share, from, to]) => share * pagesFrom(from, to, depth));
  const shrunk = (prior: number, { pages, checks }: FirstReads): number =>
    (usualFirsts * prior + pages) / (usualFirsts + checks);
  return shrunk(shrunk(usual, others), own);
}

/** The mean over these ranks; from 0: not found. */
function pagesFrom(from: number, to: number, depth: number): number {
  if (from === 0) return depth;
  let pages = 0;
  for (let rank = from; rank <= to; rank += 1) pages += Math.min(depth, pageOfRank(rank));
  return pages / (to - from + 1);
}

/** What is shared by the searches of a group. */
export interface GroupPriors {
  readonly rates: Readonly<Record<RankBand, RatePrior>>;
  readonly spreads: Readonly<Record<RankBand, number>>;
  /** Searches a month, for searches whose volume is unknown. */
  readonly volume: number;
}

/** Of a search: its targets, and its searches a month. */
interface GroupMember {
  readonly targets: readonly TargetEvidence[];
  readonly volume: number | null;
}

/** Shared rates, move sizes and volumes per group. */
export function priorsOf(searches: readonly (GroupMember & { readonly group: string })[]): Map<string, GroupPriors> {
  const groups = Map.groupBy(searches, ({ group }) => group);
  return new Map([...groups].map(([group, members]) => [group, groupPriors(members)]));
}

/** What the history of searches of one market says about all of them: empirical Bayes priors. */
export function groupPriors(members: readonly GroupMember[]): GroupPriors {
  const byBand = new Map<RankBand, TargetEvidence[]>(rankBands.map((band) => [band, []]));
  for (const { targets } of members) for (const target of targets) byBand.get(rankBandOf(target.rank))?.push(target);
  const rates = {} as Record<RankBand, RatePrior>; // filled for every band below
  const spreads = {} as Record<RankBand, number>; // filled for every band below
  for (const [band, targets] of byBand) {
    rates[band] = bandPrior(band, targets);
    const sum = sumOf(targets, ({ logMoveSum }) => logMoveSum);
    const count = sumOf(targets, ({ logMoves }) => logMoves);
    spreads[band] = moveSpread(band, sum, count);
  }
  const volumes = members.flatMap(({ volume }) => volume ?? []).toSorted((a, b) => a - b);
  return { rates, spreads, volume: volumes[Math.floor(volumes.length / 2)] ?? 1 };
}

export const unknownPriors: GroupPriors = groupPriors([]);
