// Says when a run of a project lost more at once than chance allows. Counting is left to the jobs.

/** What a run saw of one project. */
export interface RunCounts {
  /** Checks that ended, deferred ones left out. */
  readonly checks: number;
  /** Of these: failed, or paid for without an answer. */
  readonly failedChecks: number;
  /** Rows with a comparable earlier rank and a complete check now. */
  readonly rankedBefore: number;
  /** Of these: not found now. */
  readonly lost: number;
}

export interface Suspicion {
  readonly suspect: boolean;
  /** What is suspicious, with the numbers that decided; null where nothing is. */
  readonly reason: string | null;
}

/** What is taken for granted of a project without history, and when chance is ruled out. */
export const suspicionLimits = Object.freeze({
  /**
   * Share of ranked keywords that are lost, and of checks that fail, from one run to the next. Between dates of a real rank export (368 keywords, 6 and 14
   * days apart) 3 of 300 ranked keywords were lost.
   */
  priorRate: 0.01,
  /** How many rows of history the prior counts as: a project of 170 ranked keywords has as many of its own after a month of daily runs. */
  priorWeight: 5000,
  /** A run is suspect where so much or more would be seen by chance with a smaller probability. */
  chanceMin: 1e-4,
});

const nothing: RunCounts = { checks: 0, failedChecks: 0, rankedBefore: 0, lost: 0 };

/**
 * Whether the project lost too many ranks, or too many of its checks failed, to be chance. Each is a one-sided binomial test: with the rate p that is
 * expected, k or more of n have the probability sum(i = k..n) C(n, i) p^i (1 - p)^(n - i). The expected rate is the mean of a beta distribution
 * (events of the past + prior rate * prior weight) / (rows of the past + prior weight), as in Gelman et al., Bayesian Data Analysis, section 2.4.
 * `past`: the counts of earlier runs of the project, summed up; suspect ones are part of it, so that a project which always loses much is not suspect
 * for ever.
 */
export function suspicion(now: RunCounts, past: RunCounts = nothing): Suspicion {
  const reasons = [
    unlikely(now.lost, now.rankedBefore, past.lost, past.rankedBefore, 'ranked keywords were lost at once'),
    unlikely(now.failedChecks, now.checks, past.failedChecks, past.checks, 'checks failed'),
  ].filter((reason) => reason !== null);
  return { suspect: reasons.length > 0, reason: reasons.length === 0 ? null : reasons.join('; ') };
}

function unlikely(seen: number, of: number, seenBefore: number, ofBefore: number, what: string): string | null {
  const { priorRate, priorWeight, chanceMin } = suspicionLimits;
  const rate = (seenBefore + priorRate * priorWeight) / (ofBefore + priorWeight);
  if (seen <= rate * of) return null;
  const chance = binomialTail(seen, of, rate);
  if (chance >= chanceMin) return null;
  const expected = `${(rate * of).toFixed(1)} expected at ${(100 * rate).toPrecision(2)} % a run`;
  return `${seen} of ${of} ${what} (${expected}, chance ${chance < 1e-12 ? 'below 1e-12' : chance.toExponential(1)})`;
}

/** The probability of `least` or more events in `count` tries of the probability `rate`. */
export function binomialTail(least: number, count: number, rate: number): number {
  if (least <= 0) return 1;
  if (least > count) return 0;
  // in logarithms, because the first term may be too small for a number
  let log = least * Math.log(rate) + (count - least) * Math.log1p(-rate);
  for (let index = 1; index <= least; index += 1) log += Math.log((count - least + index) / index);
  let term = Math.exp(log);
  let sum = 0;
  for (let index = least; index <= count && term > sum * 1e-15; index += 1) {
    sum += term;
    term *= ((count - index) / (index + 1)) * (rate / (1 - rate));
  }
  return Math.min(1, sum);
}
