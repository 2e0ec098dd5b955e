// Says when a run lost too much at once to be believed without a second look. Counting is left to the jobs.

/** What a run, or one project in it, saw. */
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
  /** What is suspicious, with its numbers; null where nothing is. */
  readonly reason: string | null;
}

/**
 * The thresholds. Between dates of a real rank export (368 keywords, 6 and 14 days apart) 3 of 300 ranked keywords were lost (1 %), so that
 * half of ten is far outside what a results page does by itself. Fewer than ten ranked rows, or three failures, say too little.
 */
const suspicionLimits = Object.freeze({
  lostPercentMin: 50,
  rankedBeforeMin: 10,
  failedPercentOver: 30,
  failedChecksMin: 3,
});

/** Whether at least half of ten or more ranked rows are lost, or more than 30 % of the checks failed (three or more). */
export function suspicion(counts: RunCounts): Suspicion {
  const { checks, failedChecks, rankedBefore, lost } = counts;
  const limits = suspicionLimits;
  const reasons: string[] = [];
  if (rankedBefore >= limits.rankedBeforeMin && lost * 100 >= limits.lostPercentMin * rankedBefore) {
    reasons.push(`${lost} of ${rankedBefore} ranked keywords were lost at once`);
  }
  if (failedChecks >= limits.failedChecksMin && failedChecks * 100 > limits.failedPercentOver * checks) {
    reasons.push(`${failedChecks} of ${checks} checks failed`);
  }
  return reasons.length === 0 ? { suspect: false, reason: null } : { suspect: true, reason: reasons.join('; ') };
}
