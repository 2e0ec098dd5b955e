// The closed table of errors: code, HTTP status, and what a caller should do next.
import type { Charged, RequestCount } from './charged.ts';

/**
 * What the runner does next: try again with backoff, wait for the whole provider, give this one up, or stop the run.
 */
export type Disposition = 'retry' | 'wait' | 'abandon' | 'halt';

interface ErrorFacts {
  /** HTTP status of the specification's error table; 0 for failures that only a client can see. */
  readonly status: number;
  readonly disposition: Disposition;
  /** What a caller must assume of an unknown provider. Our own embedded core refunds, and says `no`. */
  readonly charged: Charged;
  readonly hint: string;
}

function row(status: number, disposition: Disposition, charged: Charged, hint: string): ErrorFacts {
  return { status, disposition, charged, hint };
}

const checkLogin = 'Check the service user and password.';

/** Codes of the specification, of our two additions (404, 405), and of failures on the client's side of the wire. */
export const errorTable = {
  INVALID_REQUEST: row(400, 'abandon', 'no', 'Correct the request; the message names the field.'),
  KEYWORD_REQUIRED: row(400, 'abandon', 'no', 'Send a keyword that is not blank.'),
  INVALID_FORMAT: row(400, 'abandon', 'no', 'Use "json" or "raw".'),
  INVALID_API_KEY: row(401, 'halt', 'no', checkLogin),
  INVALID_CREDENTIALS: row(401, 'halt', 'no', checkLogin),
  CREDENTIALS_EXPIRED: row(401, 'halt', 'no', 'Create a new API user; this one has expired.'),
  INSUFFICIENT_CREDITS: row(402, 'halt', 'no', 'Top up the account; the rest of the run is deferred.'),
  IP_NOT_WHITELISTED: row(403, 'halt', 'no', "Add this machine's address to the account's whitelist."),
  NOT_FOUND: row(404, 'halt', 'unknown', 'Check the base URL: the service has no such path.'),
  METHOD_NOT_ALLOWED: row(405, 'halt', 'unknown', 'Check the base URL: the path takes another method.'),
  RATE_LIMIT_EXCEEDED: row(429, 'wait', 'no', 'Wait as long as Retry-After says.'),
  INTERNAL_ERROR: row(500, 'retry', 'unknown', 'The service failed; try again later.'),
  SERP_FAILED: row(502, 'retry', 'unknown', 'The results page could not be retrieved; try again later.'),
  WORKER_FAILED: row(502, 'retry', 'unknown', 'The keyword metrics could not be retrieved; try again later.'),
  TIMEOUT: row(504, 'retry', 'unknown', 'The service took too long; try again later.'),
  CONNECTION_FAILED: row(0, 'retry', 'no', 'Nothing was sent: check the base URL and the network.'),
  CONNECTION_LOST: row(0, 'retry', 'unknown', 'Check the network; try again later.'),
  UNREADABLE_RESPONSE: row(0, 'abandon', 'unknown', 'The answer is stored, so that a later version can read it.'),
  ABORTED: row(0, 'abandon', 'unknown', 'The caller gave up waiting.'),
};

export type ErrorCode = keyof typeof errorTable;

/**
 * Why a page is not a SERP, in words. Only an engine's own "no results" is an empty SERP; all of these are failures.
 */
export const pageFailureMessages = {
  blocked: 'The engine blocked the request with a CAPTCHA.',
  consent: 'The engine asks for consent before it shows results.',
  javascript_wall: 'The engine sent an empty page that scripts would fill.',
  wrong_query: 'The page answers another query.',
  wrong_location: 'The page was made for another place.',
  no_organic_results: 'The page has no organic result and does not say that nothing was found.',
  unparseable: 'The page cannot be read as HTML.',
  /** The time in the page is more than an hour off the request. */
  stale_page: 'The page was not made at the time of its request.',
  decoy_page: 'The results have too little to do with the query.',
  /** Nothing proves that the empty list is true. */
  empty_unproven: 'The page lists nothing and does not say that nothing was found.',
  no_recording: 'No page was recorded.',
} as const;

export type PageFailureReason = keyof typeof pageFailureMessages;

/** A source that refused access, or is skipped because it did: the next one is used until the operator fixes it. */
export interface PassedOver {
  readonly source: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

interface ServiceErrorOptions {
  readonly cause?: unknown;
  readonly charged?: Charged;
  /** The cost that the provider states, in credits or, for keyword data, in micro-USD. */
  readonly stated?: number;
  readonly disposition?: Disposition;
  readonly status?: number;
  readonly hint?: string;
  readonly reason?: PageFailureReason;
  readonly retryAfterMs?: number;
  readonly requestId?: string;
  /** Which of several sources failed; absent if there is only one. */
  readonly source?: string;
  /** The number of requests that the source made, if it counts them. */
  readonly requests?: RequestCount;
  /** Sources before that one that refused access. */
  readonly passedOver?: readonly PassedOver[];
  /** The unreadable body. The caller keeps it if it may have been paid for. */
  readonly body?: PageBody;
}

/** One page as received: the text and its declared type. */
export interface PageBody {
  readonly contentType: 'text/html' | 'application/json';
  readonly text: string;
}

/** Every failure of the service and of its client. Match `code` or `disposition`, never the message. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly disposition: Disposition;
  /**
   * Whether the source, or the provider of a client, charged for the failed request. An account of this service pays
   * nothing for it: its charge is refunded in full.
   */
  readonly charged: Charged;
  readonly stated?: number;
  readonly hint: string;
  readonly reason?: PageFailureReason;
  readonly retryAfterMs?: number;
  readonly requestId?: string;
  readonly source?: string;
  readonly requests?: RequestCount;
  readonly passedOver?: readonly PassedOver[];
  readonly body?: PageBody;

  constructor(code: ErrorCode, message: string, { cause, body, ...options }: ServiceErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    const facts = errorTable[code];
    this.code = code;
    this.status = options.status ?? facts.status;
    this.disposition = options.disposition ?? facts.disposition;
    this.charged = options.charged ?? facts.charged;
    this.hint = options.hint ?? facts.hint;
    this.stated = options.stated;
    this.reason = options.reason;
    this.retryAfterMs = options.retryAfterMs;
    this.requestId = options.requestId;
    this.source = options.source;
    this.requests = options.requests;
    this.passedOver = options.passedOver;
    // Not enumerable: a page of a megabyte does not belong into a log line or a printed error.
    Object.defineProperty(this, 'body', { value: body, enumerable: false });
  }

  /** The same failure with better known facts. */
  with(changes: ServiceErrorOptions): ServiceError {
    const { body, cause, stack } = this;
    const error = new ServiceError(this.code, this.message, { ...this, body, cause, ...changes });
    return Object.assign(error, { stack });
  }
}

/** A failure of work that cost nothing. */
export function freeOfCharge(error: unknown): unknown {
  return error instanceof ServiceError ? error.with({ charged: 'no' }) : error;
}

/** The message of what was thrown, also where it is no error. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Of a call after `close`: nothing was sent. */
export function closedError(what: 'client' | 'service'): ServiceError {
  return new ServiceError('INTERNAL_ERROR', `The ${what} is closed.`, {
    charged: 'no',
    disposition: 'halt',
    hint: `Make a new ${what}.`,
  });
}
