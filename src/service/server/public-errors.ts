// Maps failures to the specification's error table for callers over HTTP. Callers see nothing else of a failure.
import { type ErrorCode, errorTable, ServiceError } from '../model/errors.ts';
import type { OperationName } from '../model/ports.ts';

/** The error as sent: status, code and message. */
export interface PublicError {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterMs?: number;
}

/** The kind of request: an operation of the specification, the usage of an account, or any other path. */
export type Asked = OperationName | 'usage' | 'other';

/** Rows of the specification's error table, and our two for other paths. */
const rows: Readonly<Record<Asked, readonly ErrorCode[]>> = {
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

const internal: PublicError = { status: 500, code: 'INTERNAL_ERROR', message: ownWords.INTERNAL_ERROR ?? '' };

/** The codes that an operation may answer with. */
export function possibleCodes(operation: Asked): readonly ErrorCode[] {
  return rows[operation];
}

/** The row of the table for a failure; 500 INTERNAL_ERROR if it has none. */
export function publicError(operation: Asked, error: unknown): PublicError {
  if (!(error instanceof ServiceError) || !rows[operation].includes(error.code)) return internal;
  const isTooLarge = error.code === 'INVALID_REQUEST' && error.status === 413;
  return {
    status: isTooLarge ? 413 : errorTable[error.code].status,
    code: error.code,
    message: ownWords[error.code] ?? error.message,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
  };
}

/** `{error, code, request_id}` as JSON. */
export function errorBody({ message, code }: PublicError, requestId: string): string {
  return JSON.stringify({ error: message, code, request_id: requestId });
}
