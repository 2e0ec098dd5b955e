// Maps responses other than 200 to an error code, its cost and a retry time. Pure.

import type { Charged } from '../model/charged.ts';
import { type Disposition, type ErrorCode, errorTable, ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import type { OperationName } from '../model/ports.ts';
import { boundedJson } from '../net/fields.ts';

interface ErrorResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
  readonly requestId: string | undefined;
}

/**
 * The error of an answer with this status: the provider's own code where the table has it for this status, else one by
 * the status. Only 400, 401, 402, 403 and 429 are free for certain; `retryAfterMs` is at most an hour. `now` is UTC
 * milliseconds; `clean` takes secrets out of the provider's words.
 */
export function readErrorResponse(
  operation: OperationName,
  refusal: ErrorResponse,
  now: number,
  clean: (words: string) => string,
): ServiceError {
  const { status } = refusal;
  const stated = readRefusal(refusal.text, clean);
  const code = chooseCode(operation, status, stated.code);
  const asked = retryAfterMs(refusal.retryAfter, now);
  const pause = asked ?? (status === 429 ? limits.rateLimitPauseMs : undefined);
  const requestId = refusal.requestId ?? stated.requestId;
  const words = stated.error === undefined ? '' : `: ${stated.error}`;
  // a wait that is cut says so: its end is not the moment that the provider named
  const named = asked === limits.retryAfterMsMax ? ` (Retry-After: ${printable(clean(refusal.retryAfter ?? ''))})` : '';
  return new ServiceError(code, `The service answered ${status} ${code}${words}${named}`, {
    status,
    charged: chargedAt(status),
    disposition: status === errorTable[code].status ? undefined : dispositionAt(status),
    retryAfterMs: pause,
    requestId,
    hint: hintAt(status),
  });
}

/** `Retry-After` as milliseconds from now: seconds or an HTTP date, 0 to one hour; undefined where it is neither. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /[a-z]/i.test(text) ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), limits.retryAfterMsMax);
}

/** The code that the body of a refusal names. */
export function errorCodeIn(text: string): string | undefined {
  return readRefusal(text, () => '').code;
}

/** The code and the words of an error that came with status 200; undefined where the body names none. */
export function complaintIn(text: string, clean: (words: string) => string): string | undefined {
  const { code, error } = readRefusal(text, clean);
  const words = [code === undefined ? undefined : printable(clean(code)), error].filter(Boolean).join(': ');
  return words === '' ? undefined : words;
}

interface ErrorFields {
  readonly error?: string;
  readonly code?: string;
  readonly requestId?: string;
}

function readRefusal(text: string, clean: (words: string) => string): ErrorFields {
  let body: unknown;
  try {
    body = boundedJson(text);
  } catch {
    return {};
  }
  if (typeof body !== 'object' || body === null) return {};
  const fields = new Map<string, unknown>(Object.entries(body));
  const [error, code, requestId] = ['error', 'code', 'request_id'].map((name) => fields.get(name));
  const words = [error, messageOf(error), messageOf(body)].find((said) => typeof said === 'string');
  return {
    error: words === undefined ? undefined : printable(clean(words)),
    code: typeof code === 'string' ? code : undefined,
    requestId: typeof requestId === 'string' ? printable(clean(requestId)) : undefined,
  };
}

/** `message`, where other APIs have the words of an error. */
function messageOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'message' in value ? value.message : undefined;
}

/** A provider's words, fit for one line of a log. */
export function printable(text: string): string {
  const cut = text.slice(0, limits.errorMessageCharsMax);
  return cut.replace(/\p{C}+/gu, ' ').trim();
}

const codesByStatus: ReadonlyMap<number, ErrorCode> = new Map([
  [400, 'INVALID_REQUEST'],
  [401, 'INVALID_API_KEY'],
  [402, 'INSUFFICIENT_CREDITS'],
  [403, 'IP_NOT_WHITELISTED'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [408, 'TIMEOUT'],
  [429, 'RATE_LIMIT_EXCEEDED'],
  [504, 'TIMEOUT'],
]);

function chooseCode(operation: OperationName, status: number, named: string | undefined): ErrorCode {
  if (named !== undefined && Object.hasOwn(errorTable, named)) {
    const code = named as ErrorCode;
    if (errorTable[code].status === status) return code;
  }
  const code = codesByStatus.get(status);
  if (code !== undefined) return code;
  if (status === 502) return operation === 'serp' ? 'SERP_FAILED' : 'WORKER_FAILED';
  if (status >= 500) return 'INTERNAL_ERROR';
  if (status >= 400) return 'INVALID_REQUEST';
  return status >= 300 ? 'NOT_FOUND' : 'UNREADABLE_RESPONSE';
}

function chargedAt(status: number): Charged {
  return [400, 401, 402, 403, 429].includes(status) ? 'no' : 'unknown';
}

function hintAt(status: number): string | undefined {
  if (status >= 400) return undefined;
  return status < 300
    ? 'Only an answer with status 200 is read. Ask the provider what it means.'
    : 'Check the base URL: it redirects, and redirects are not followed.';
}

/** The error of a status that is not in the table. */
function dispositionAt(status: number): Disposition {
  if (status >= 500 || status === 408) return 'retry';
  return status >= 300 && status < 400 ? 'halt' : 'abandon';
}
