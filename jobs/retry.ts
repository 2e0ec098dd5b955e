// Decides what follows a failure (retry, wait for the provider, abandon the page, halt the run), and when. Pure.
import {
  backoffMs,
  type Charged,
  type Disposition,
  type ErrorCode,
  type PageBody,
  type PassedOver,
  type RequestCount,
} from '../src/service/terms.ts';
import { minuteMs } from '../src/tracker/schedule/time-units.ts';

/** The source that answered, if the service names it. */
export interface AnsweringSource {
  /** Which of the sources behind the service. */
  readonly source?: string;
  /** The requests that the source made. */
  readonly requests?: RequestCount;
}

/** A failed request as plain facts: it may come from another machine. */
export interface RequestFailure extends AnsweringSource {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly disposition: Disposition;
  readonly charged: Charged;
  /** The cost that the provider states, in the unit of the request; absent if it states none. */
  readonly stated?: number;
  readonly retryAfterMs: number | null;
  /** Sources behind the service that refuse us. */
  readonly passedOver?: readonly PassedOver[];
  /** The unreadable answer. */
  readonly body: PageBody | null;
}

type RetryDecision =
  | { readonly kind: 'again'; readonly delayMs: number }
  | { readonly kind: 'give-up' }
  | { readonly kind: 'halt' };

/** Limits of attempts and time per page. */
export const retryLimits = Object.freeze({
  /** Attempts for one page in one slot that may have been charged, also after restarts. */
  attemptsMax: 3,
  /**
   * Limit of waits that a provider demands (429) for one page or metrics request: those that open the breaker, and one
   * for each of its pauses.
   */
  waitsMax: 8,
  /** Interval of polling for a page that another process is buying. */
  otherBuyerPauseMs: 1000,
  otherBuyerPausesMax: 30,
  backoff: Object.freeze({ firstMs: 500, maxMs: 30_000 }),
});

/**
 * Times after the opening of a run at which its failed and deferred searches are tried again. Each allows one more
 * attempt, and one more purchase, of a page.
 */
export const triesAfterMs = [15, 30, 60, 120, 240, 480, 960].map((minutes) => minutes * minuteMs);

/** How many more attempts a page has had time for since its run was opened; the first belongs to the next `run`. */
export function furtherTries(openedAt: number, now: number): number {
  return 1 + triesAfterMs.filter((ms) => openedAt + ms <= now).length;
}

/** `attempt` and `waits` include this attempt. `random` is 0 to 1. */
export function decideRetry(failure: RequestFailure, attempt: number, waits: number, random: number): RetryDecision {
  // A page that was sold is never bought again.
  if (failure.charged === 'yes' && failure.disposition !== 'halt') return { kind: 'give-up' };
  switch (failure.disposition) {
    case 'halt':
      return { kind: 'halt' };
    case 'abandon':
      return { kind: 'give-up' };
    case 'wait':
      if (waits > retryLimits.waitsMax) return { kind: 'give-up' };
      return { kind: 'again', delayMs: failure.retryAfterMs ?? backoffMs(retryLimits.backoff, waits, random) };
    case 'retry':
      if (attempt >= retryLimits.attemptsMax) return { kind: 'give-up' };
      return {
        kind: 'again',
        delayMs: Math.max(failure.retryAfterMs ?? 0, backoffMs(retryLimits.backoff, attempt, random)),
      };
  }
}

/**
 * Whether a paid, or possibly paid, answer arrived that is useless: it is not requested again under the same key. A
 * billed refusal (429) is no answer: a new key would only buy the next one.
 */
export function isUnusableAnswer({ charged, disposition, body }: RequestFailure): boolean {
  return (
    disposition !== 'halt' && disposition !== 'wait' && (charged === 'yes' || (charged === 'unknown' && body !== null))
  );
}
