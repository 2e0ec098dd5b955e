// Decides whether a failed call is sent again, and when. A host with its own queue sets one attempt.

import { ServiceError } from '../model/errors.ts';
import { backoffMs } from '../model/time/backoff.ts';

export interface RetryOptions {
  /** Times that one call may be sent in all. */
  readonly attemptsMax: number;
  /**
   * The provider keeps idempotency keys, as our own server does: a call whose cost is unknown (a lost answer, a 5xx)
   * may then be sent again, and is paid once. Default: false, and only what has cost nothing is sent again.
   */
  readonly keepsKeys?: boolean;
  /** 0 to 1, for the jitter. */
  readonly random?: () => number;
}

const backoff = { firstMs: 500, maxMs: 30_000 };

/**
 * Milliseconds to wait before the next attempt; undefined where there is none. The provider's `Retry-After` counts;
 * without one the wait doubles.
 */
export function nextDelayMs(options: RetryOptions, attempt: number, error: unknown): number | undefined {
  if (attempt >= options.attemptsMax || !(error instanceof ServiceError)) return undefined;
  if (error.disposition !== 'retry' && error.disposition !== 'wait') return undefined;
  if (error.charged !== 'no' && !(error.charged === 'unknown' && options.keepsKeys === true)) return undefined;
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  return backoffMs(backoff, attempt, (options.random ?? Math.random)());
}
