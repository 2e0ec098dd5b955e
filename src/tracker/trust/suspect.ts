// Detects runs that lost more rankings, or failed more often, than chance explains.

/** Counts of one project in a run. */
export interface RunCounts {
  /** Ended checks, without deferred ones. */
  readonly checks: number;
  /** Of these: failed, or paid for without a result. */
  readonly failedChecks: number;
  /** Rows with a comparable earlier rank and a complete check now. */
  readonly rankedBefore: number;
  /** Of these: not found now. */
  readonly lost: number;
}

interface Suspicion {
  readonly suspect: boolean;
  /** Explanation with the deciding numbers; null: not suspect. */
  readonly reason: string | null;
}

/** Why the ranks of a run are suspect, for all of its projects in one text; null: they are not. */
export function describeSuspicions(
  slots: readonly { readonly project: string; readonly suspectReason: string | null }[],
): string | null {
  const isOne = new Set(slots.map(({ project }) => project)).size === 1;
  const reasons = slots.flatMap(({ project, suspectReason }) =>
    suspectReason === null ? [] : [isOne ? suspectReason : `${project}: ${suspectReason}`],
  );
  return reasons.length === 0 ? null : [...new Set(reasons)].join('; ');
}

/** Assumptions for a project without history, and the threshold that excludes chance. */
const suspicionLimits = Object.freeze({
  /**
   * Share of ranked keywords lost, and of checks failed, from one run to the next. In a real rank export (368 keywords,
   * dates 6 and 14 days apart) 3 of 300 ranked keywords were lost.
   */
  priorRate: 0.01,
  /** How many rows of history the prior weighs: 170 ranked keywords collect as many in a month of daily runs. */
  priorWeight: 5000,
  /** A run is suspect if chance would cause such a loss with a smaller probability. */
  chanceMin: 1e-4,
});

const nothing: RunCounts = { checks: 0, failedChecks: 0, rankedBefore: 0, lost: 0 };

/**
 * Whether the project lost too many ranks, or too many of its checks failed, to be chance. Each is a one-sided binomial
 * test: at the expected rate p, k or more of n have the probability sum(i = k..n) C(n, i) p^i (1 - p)^(n - i). The
 * expected rate is the mean of a beta distribution, (past events + prior rate * prior weight) / (past rows + prior
 * weight), as in Gelman et al., Bayesian Data Analysis, section 2.4. `past` sums earlier runs of the project. It
 * includes suspect runs, so that a project which always loses much does not stay suspect.
 */
export function assessRun(now: RunCounts, past: RunCounts = nothing): Suspicion {
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

/** The probability of `least` or more events in `count` trials at `rate`. */
export function binomialTail(least: number, count: number, rate: number): number {
  if (least <= 0) return 1;
  if (least > count) return 0;
  // logarithms, because the first term may underflow
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
