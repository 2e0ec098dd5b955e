// How often the rank of a target changes: a rate from irregular, censored looks, shrunk to targets like it.
import type { TargetEvidence } from './evidence.ts';

/** A gamma distribution of rates: `shape` changes in `days` days. Its mean is shape / days, changes a day. */
export interface RatePrior {
  readonly shape: number;
  readonly days: number;
}

/** Ranks that behave alike, by the last known rank. */
export const rankBands = ['1', '2-3', '4-10', '11-20', '21+', 'not_found'] as const;
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
