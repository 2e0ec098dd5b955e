// Maps a failed vendor call to the failure and the charge of a request for metrics or an AI answer.
import { ServiceError } from '../../../model/errors.ts';
import { ShapeError } from '../../../net/fields.ts';

/**
 * The failure as one of keyword metrics or AI answers. `isPaid`: an answer of the same request had come before, and is
 * paid.
 */
export function metricsFailure(error: unknown, { name, facts }: NamedFacts, isPaid = false): unknown {
  if (error instanceof ShapeError) {
    return new ServiceError('WORKER_FAILED', `The answer of ${name} cannot be read: ${error.message}.`, {
      charged: facts.prices.length === 0 ? 'no' : 'yes',
      disposition: 'abandon',
      cause: error,
    });
  }
  if (!(error instanceof ServiceError)) return error;
  const failure = error.code === 'SERP_FAILED' ? asWorkerFailure(error) : error;
  if (facts.prices.length === 0) return failure.with({ charged: 'no' });
  return isPaid && failure.charged === 'no' ? failure.with({ charged: 'unknown' }) : failure;
}

interface NamedFacts {
  readonly name: string;
  /** Without prices it costs nothing. */
  readonly facts: { readonly prices: readonly unknown[] };
}

function asWorkerFailure(error: ServiceError): ServiceError {
  const { message, status, disposition, charged, retryAfterMs, cause } = error;
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new ServiceError('WORKER_FAILED', message, { status, disposition, charged, ...pause, cause });
}
