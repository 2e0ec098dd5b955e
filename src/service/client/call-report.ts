// Reads what the response headers of a provider say about a call. Missing or malformed headers are ignored.

import type { RateState } from '../access/login/rate-limit.ts';
import type { CallReport } from '../core/calls.ts';
import type { OperationName, Price } from '../model/ports.ts';

/** Reads `X-Credits-*`, `Idempotent-Replayed` and `RateLimit*`; `header` gives a header by its lower-case name. */
export function buildCallReport(
  operation: OperationName,
  requestId: string,
  header: (name: string) => string | undefined,
): CallReport {
  const rate = parseRateState(header('ratelimit-policy'), header('ratelimit'));
  const used = parsePrice(operation, header('x-credits-charged'));
  const balance = parsePrice(operation, header('x-credits-remaining'));
  return {
    requestId,
    ...(rate !== undefined && { rate }),
    ...(header('idempotent-replayed') === 'true' && { isReplayed: true }),
    ...(used !== undefined && balance !== undefined && { charge: { used, balance } }),
  };
}

/**
 * What a provider says that a request cost, in credits or, for keyword data, in micro-USD; a part of a credit counts as
 * a whole one. Of several statements in one answer, the highest counts.
 */
export function statedPrice(operation: OperationName, header: string | readonly string[] | undefined) {
  const statements = [header ?? []].flat().flatMap((value) => value.split(','));
  const amounts = statements.filter((text) => /^\d+(\.\d+)?$/.test(text.trim())).map(Number);
  if (amounts.length === 0) return undefined;
  const amount = Math.max(...amounts);
  const stated = operation === 'serp' ? Math.ceil(amount) : Math.round(amount * 1_000_000);
  return Math.min(stated, Number.MAX_SAFE_INTEGER);
}

function parsePrice(operation: OperationName, text: string | undefined): Price | undefined {
  if (text === undefined || !/^\d{1,12}(\.\d{1,6})?$/.test(text)) return undefined;
  const amount = Number(text);
  return operation === 'serp'
    ? { serpCredits: Math.trunc(amount), microUsd: 0 }
    : { serpCredits: 0, microUsd: Math.round(amount * 1_000_000) };
}

const names: readonly string[] = ['requests', 'logins', 'pages'] satisfies RateState['name'][];

function parseRateState(policy: string | undefined, state: string | undefined): RateState | undefined {
  const quota = /^"(\w+)";q=(\d{1,9});w=(\d{1,9})$/.exec(policy ?? '');
  const rest = /^"(\w+)";r=(\d{1,9});t=(\d{1,9})$/.exec(state ?? '');
  if (quota === null || rest === null || quota[1] !== rest[1] || !names.includes(quota[1] ?? '')) return undefined;
  return {
    name: quota[1] as RateState['name'],
    count: Number(quota[2]),
    windowMs: Number(quota[3]) * 1000,
    remaining: Number(rest[2]),
    resetMs: Number(rest[3]) * 1000,
  };
}
