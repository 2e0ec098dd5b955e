// The headers of every response, from the report of the call.

import type { RateState } from '../access/login/rate-limit.ts';
import type { CallReport } from '../core/calls.ts';
import type { PublicError } from './public-errors.ts';

/** Header names in lower case with their values. */
export type Headers = Record<string, string>;

/** Facts of the call, for any answer. Credits as a number, USD for keyword data. */
export function reportHeaders({ requestId, rate, charge, isReplayed }: CallReport): Headers {
  const headers: Headers = { 'x-request-id': requestId, 'cache-control': 'no-store' };
  if (rate !== undefined) Object.assign(headers, rateHeaders(rate));
  if (isReplayed === true) Object.assign(headers, { 'idempotent-replayed': 'true', 'x-credits-charged': '0' });
  if (charge !== undefined) {
    const isUsd = charge.used.microUsd > 0;
    headers['x-credits-charged'] = isUsd ? usd(charge.used.microUsd) : String(charge.used.serpCredits);
    headers['x-credits-remaining'] = isUsd ? usd(charge.balance.microUsd) : String(charge.balance.serpCredits);
  }
  return headers;
}

/** Headers of an error: when to retry, and how to authenticate. */
export function errorHeaders({ status, retryAfterMs = 1000 }: PublicError): Headers {
  if (status === 401) return { 'www-authenticate': 'ServiceApiUser realm="search-data"' };
  if (status === 429) return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return {};
}

/**
 * `RateLimit-Policy` and `RateLimit` in the form of draft-ietf-httpapi-ratelimit-headers: quota and window, remaining
 * requests and seconds.
 */
function rateHeaders({ name, count, windowMs, remaining, resetMs }: RateState): Headers {
  return {
    'ratelimit-policy': `"${name}";q=${count};w=${Math.ceil(windowMs / 1000)}`,
    ratelimit: `"${name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  };
}

/** Micro-USD as USD without trailing zeros: `0.015`. */
function usd(microUsd: number): string {
  return String(microUsd / 1_000_000);
}
