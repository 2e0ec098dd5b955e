// Ends the charge of a request: settles or refunds it, and chooses the error that the customer gets if that fails.
import type { IdempotencyCompletion } from '../access/account-store.ts';
import type { Charge } from '../access/credits.ts';
import { type ErrorCode, ServiceError } from '../model/errors.ts';
import type { Price } from '../model/ports.ts';
import type { Trace } from './purchase.ts';

const nothing: Price = { serpCredits: 0, microUsd: 0 };

const ownFailures: ReadonlySet<ErrorCode> = new Set([
  'SERP_FAILED',
  'WORKER_FAILED',
  'INTERNAL_ERROR',
  'TIMEOUT',
  'ABORTED',
]);

/** The error for a customer: where our supplier refused us (credits, credentials, rate), the failure is ours. */
export function asOurs(error: unknown, code: ErrorCode): unknown {
  if (!(error instanceof ServiceError) || ownFailures.has(error.code)) return error;
  return new ServiceError(code, 'The source refused.', { cause: error, charged: error.charged });
}

/**
 * Settles to what was used. Where that fails the whole charge still stands, so the answer is not given away as if it
 * were settled.
 */
export async function settle(charge: Charge, used: Price, trace: Trace, complete: IdempotencyCompletion | undefined) {
  try {
    return await charge.settle(used, complete);
  } catch (cause) {
    trace.charged = 'unknown';
    throw new ServiceError('INTERNAL_ERROR', 'The request was answered, but its charge could not be settled.', {
      cause,
    });
  }
}

/** Refunds in full. If the refund fails, that failure is thrown, with the earlier one as its cause. */
export async function refund(charge: Charge | undefined, error: unknown, trace: Trace): Promise<void> {
  try {
    await charge?.settle(nothing);
  } catch (refundError) {
    trace.charged = 'unknown';
    const cause = new AggregateError([error, refundError]);
    throw new ServiceError('INTERNAL_ERROR', 'The request failed, and its credits could not be refunded.', { cause });
  }
}

/** A caller that left while its charge was settled was sent nothing. */
export async function refundIfGone(charge: Charge, signal: AbortSignal, trace: Trace): Promise<void> {
  if (!signal.aborted) return;
  await refund(charge, signal.reason, trace);
  throw signal.reason;
}
