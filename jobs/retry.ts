// What happens after a failure: try again, wait for the provider, give the page up, or halt the run. Pure; pausing is the caller's part.
import type { Charged, Disposition, ErrorCode, PageBody, PassedOver, RequestCount } from '../src/service/index.ts';

/** What is known of who answered, where the service tells it. */
export interface ToldSource {
  /** Which of the sources behind the service. */
  readonly source?: string | undefined;
  /** The requests that the source made. */
  readonly requests?: RequestCount | undefined;
}

/** A failed request as plain facts: it may have come from another machine. */
export interface Failure extends ToldSource {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly disposition: Disposition;
  readonly charged: Charged;
  /** What the provider says that it cost, in the unit of the request; absent where it says nothing. */
  readonly stated?: number | undefined;
  readonly retryAfterMs: number | null;
  /** Sources behind the service that refuse us. */
  readonly passedOver?: readonly PassedOver[] | undefined;
  /** What was received and could not be read. */
  readonly body: PageBody | null;
}

export type NextMove =
  | { readonly kind: 'again'; readonly delayMs: number }
  | { readonly kind: 'give-up' }
  | { readonly kind: 'halt' };

/** Bounds of what one page may cost in tries and time. */
export const retryLimits = Object.freeze({
  /** Tries that may have been charged, of one page in one slot, over restarts. */
  attemptsMax: 3,
  /** Waits that a provider asked for (429), which cost nothing. */
  waitsMax: 30,
  /** Between two looks for a page that another process is buying. */
  otherBuyerPauseMs: 1000,
  backoffFirstMs: 500,
  backoffMaxMs: 30_000,
});

/** `attempt` and `waits` count this try. `random` is 0 to 1. */
export function nextMove(failure: Failure, attempt: number, waits: number, random: number): NextMove {
  if (failure.charged === 'yes' && failure.disposition !== 'halt') return { kind: 'give-up' }; // sold once is sold: never buy it again
  switch (failure.disposition) {
    case 'halt':
      return { kind: 'halt' };
    case 'abandon':
      return { kind: 'give-up' };
    case 'wait':
      if (waits > retryLimits.waitsMax) return { kind: 'give-up' };
      return { kind: 'again', delayMs: failure.retryAfterMs ?? backoffMs(waits, random) };
    case 'retry':
      if (attempt >= retryLimits.attemptsMax) return { kind: 'give-up' };
      return { kind: 'again', delayMs: Math.max(failure.retryAfterMs ?? 0, backoffMs(attempt, random)) };
  }
}

/** Whether an answer came that was paid, or may have been, and is of no use: it is not asked for again under the same key. */
export function isUnusableAnswer({ charged, disposition, body }: Failure): boolean {
  return disposition !== 'halt' && (charged === 'yes' || (charged === 'unknown' && body !== null));
}

/** Exponential with full jitter over its upper half: tries of many pages that failed together do not come back together. */
function backoffMs(tries: number, random: number): number {
  const ceiling = Math.min(retryLimits.backoffMaxMs, retryLimits.backoffFirstMs * 2 ** (tries - 1));
  return Math.round(ceiling * (0.5 + random / 2));
}
