// Whether a failed call is sent again, and when. A host with a queue of its own asks for one attempt.
import { ServiceError } from '../errors.ts';

export interface RetryOptions {
  /** Times that one call may be sent in all. */
  readonly attemptsMax: number;
  /**
   * The provider keeps idempotency keys, as our own server does: a call whose cost is unknown (a lost answer, a 5xx) may then be sent again, and is
   * paid once. Default: false, and only what has cost nothing is sent again.
   */
  readonly keepsKeys?: boolean;
  /** 0 to 1, for the jitter. */
  readonly random?: () => number;
}

const firstDelayMs = 500;
const delayMsMax = 30_000;

/**
 * Milliseconds to wait before the next attempt; undefined where there is none. What the provider asks for (`Retry-After`) counts, else half of a doubling
 * delay and up to as much again by chance.
 */
export function nextDelayMs(options: RetryOptions, attempt: number, error: unknown): number | undefined {
  if (attempt >= options.attemptsMax || !(error instanceof ServiceError)) return undefined;
  if (error.disposition !== 'retry' && error.disposition !== 'wait') return undefined;
  if (error.charged !== 'no' && !(error.charged === 'unknown' && options.keepsKeys === true)) return undefined;
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  const most = Math.min(delayMsMax, firstDelayMs * 2 ** (attempt - 1));
  return most / 2 + (most / 2) * (options.random ?? Math.random)();
}
