// Answers over HTTP: their bodies and headers, and the error table. Callers see nothing else of a failure.
import type { RateState } from '../access/login/rate-limit.ts';
import type { CallReport, SerpAnswer } from '../core/calls.ts';
import { type ErrorCode, errorTable, ServiceError } from '../model/errors.ts';
import type { OperationName } from '../model/ports.ts';

/** Header names in lower case with their values. */
export type Headers = Readonly<Record<string, string>>;

export const json = 'application/json; charset=utf-8';
export const html = 'text/html; charset=utf-8';

/** An answer with status 200, unless it says another. */
export interface Content {
  readonly type: string;
  readonly body: string;
  readonly headers?: Headers;
  readonly status?: number;
}

/** A page of others, shown by a browser: it may run and load nothing in the name of this server. */
const foreignHtml = { 'content-security-policy': "sandbox; default-src 'none'", 'x-content-type-options': 'nosniff' };

/** One page: an object, or HTML. Several: an array in page order. */
export function serpContent({ pages }: SerpAnswer, isRaw: boolean): Content {
  const [first] = pages;
  if (isRaw && first !== undefined && pages.length === 1)
    return { type: html, headers: foreignHtml, body: first.body.text };
  const values = pages.map(({ serp, body }) => (isRaw ? body.text : serp));
  return { type: json, body: JSON.stringify(values.length === 1 ? values[0] : values) };
}

/** Facts of the call, for any answer. Credits as a number, USD for keyword data. */
export function reportHeaders({ requestId, rate, charge, isReplayed }: CallReport): Headers {
  const isUsd = charge !== undefined && charge.used.microUsd > 0;
  // USD without trailing zeros: `0.015`
  const amount = ({ serpCredits, microUsd }: { readonly serpCredits: number; readonly microUsd: number }) =>
    String(isUsd ? microUsd / 1_000_000 : serpCredits);
  return {
    'x-request-id': requestId,
    'cache-control': 'no-store',
    ...(rate !== undefined && rateHeaders(rate)),
    ...(isReplayed === true && { 'idempotent-replayed': 'true', 'x-credits-charged': '0' }),
    ...(charge !== undefined && {
      'x-credits-charged': amount(charge.used),
      'x-credits-remaining': amount(charge.balance),
    }),
  };
}

/** In the form of draft-ietf-httpapi-ratelimit-headers: quota and window, remaining requests and seconds. */
function rateHeaders({ name, count, windowMs, remaining, resetMs }: RateState): Headers {
  return {
    'ratelimit-policy': `"${name}";q=${count};w=${Math.ceil(windowMs / 1000)}`,
    ratelimit: `"${name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  };
}

/** The kind of request: an operation of the specification, the usage of an account, or any other path. */
export type Asked = OperationName | 'usage' | 'other';

/** The codes that each may answer with: the specification's error table, and our two for other paths. */
export const possibleCodes: Readonly<Record<Asked, readonly ErrorCode[]>> = {
  serp: [
    'INVALID_REQUEST',
    'KEYWORD_REQUIRED',
    'INVALID_FORMAT',
    'INVALID_API_KEY',
    'INSUFFICIENT_CREDITS',
    'RATE_LIMIT_EXCEEDED',
    'INTERNAL_ERROR',
    'SERP_FAILED',
    'TIMEOUT',
  ],
  'keyword-data': [
    'INVALID_REQUEST',
    'KEYWORD_REQUIRED',
    'INVALID_API_KEY',
    'INVALID_CREDENTIALS',
    'CREDENTIALS_EXPIRED',
    'INSUFFICIENT_CREDITS',
    'IP_NOT_WHITELISTED',
    'RATE_LIMIT_EXCEEDED',
    'INTERNAL_ERROR',
    'WORKER_FAILED',
    'TIMEOUT',
  ],
  usage: [
    'INVALID_REQUEST',
    'INVALID_API_KEY',
    'INVALID_CREDENTIALS',
    'CREDENTIALS_EXPIRED',
    'IP_NOT_WHITELISTED',
    'NOT_FOUND',
    'RATE_LIMIT_EXCEEDED',
    'INTERNAL_ERROR',
    'TIMEOUT',
  ],
  other: ['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'INVALID_REQUEST', 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'TIMEOUT'],
};

/** Messages for internal failures: their own messages may name our suppliers. */
const ownWords: Readonly<Partial<Record<ErrorCode, string>>> = {
  INTERNAL_ERROR: 'The service failed. Try again later.',
  SERP_FAILED: 'The results page could not be retrieved.',
  WORKER_FAILED: 'The keyword data could not be retrieved.',
  TIMEOUT: 'The request timed out.',
};

/** The answer to a failure, by the row of the table; 500 INTERNAL_ERROR if it has none. */
export function errorAnswer(asked: Asked, error: unknown, report: CallReport) {
  const isListed = error instanceof ServiceError && possibleCodes[asked].includes(error.code);
  const { code, message, status, retryAfterMs = 1000 } = isListed ? error : new ServiceError('INTERNAL_ERROR', '');
  const isTooLarge = code === 'INVALID_REQUEST' && status === 413;
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return {
    status: isTooLarge ? 413 : errorTable[code].status,
    code,
    headers: {
      ...reportHeaders(report),
      ...(errorTable[code].status === 401 && { 'www-authenticate': 'ServiceApiUser realm="search-data"' }),
      ...(errorTable[code].status === 429 && { 'retry-after': String(seconds) }),
      'content-type': json,
    },
    body: JSON.stringify({ error: ownWords[code] ?? message, code, request_id: report.requestId }),
  };
}
