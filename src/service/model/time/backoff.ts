// Exponential backoff: how long to wait before the next attempt.

export interface Backoff {
  /** The wait after the first attempt; it doubles after each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Milliseconds to wait after `attempt` (1 for the first). `random`, 0 to 1, is the jitter over the upper half of the
 * wait, so that attempts that failed together are not repeated together. Default: the whole wait.
 */
export function backoffMs({ firstMs, maxMs }: Backoff, attempt: number, random = 1): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** (attempt - 1));
  return Math.round(ceilingMs * (0.5 + random / 2));
}
