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

/**
 * Codes of the specification, of our two additions (404, 405), and of failures on the client's side of
 * the wire.
 */
export const errorTable = {
  INVALID_REQUEST: {
    status: 400,
    disposition: 'abandon',
    charged: 'no',
    hint: 'Correct the request; the message names the field.',
  },
  KEYWORD_REQUIRED: { status: 400, disposition: 'abandon', charged: 'no', hint: 'Send a keyword that is not blank.' },
  INVALID_FORMAT: { status: 400, disposition: 'abandon', charged: 'no', hint: 'Use "json" or "raw".' },
  INVALID_API_KEY: { status: 401, disposition: 'halt', charged: 'no', hint: 'Check the service user and password.' },
  INVALID_CREDENTIALS: {
    status: 401,
    disposition: 'halt',
    charged: 'no',
    hint: 'Check the service user and password.',
  },
  CREDENTIALS_EXPIRED: {
    status: 401,
    disposition: 'halt',
    charged: 'no',
    hint: 'Create a new API user; this one has expired.',
  },
  INSUFFICIENT_CREDITS: {
    status: 402,
    disposition: 'halt',
    charged: 'no',
    hint: 'Top up the account; the rest of the run is deferred.',
  },
  IP_NOT_WHITELISTED: {
    status: 403,
    disposition: 'halt',
    charged: 'no',
    hint: "Add this machine's address to the account's whitelist.",
  },
  NOT_FOUND: {
    status: 404,
    disposition: 'halt',
    charged: 'unknown',
    hint: 'Check the base URL: the service has no such path.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    disposition: 'halt',
    charged: 'unknown',
    hint: 'Check the base URL: the path takes another method.',
  },
  RATE_LIMIT_EXCEEDED: { status: 429, disposition: 'wait', charged: 'no', hint: 'Wait as long as Retry-After says.' },
  INTERNAL_ERROR: {
    status: 500,
    disposition: 'retry',
    charged: 'unknown',
    hint: 'The service failed; try again later.',
  },
  SERP_FAILED: {
    status: 502,
    disposition: 'retry',
    charged: 'unknown',
    hint: 'The results page could not be retrieved; try again later.',
  },
  WORKER_FAILED: {
    status: 502,
    disposition: 'retry',
    charged: 'unknown',
    hint: 'The keyword metrics could not be retrieved; try again later.',
  },
  TIMEOUT: {
    status: 504,
    disposition: 'retry',
    charged: 'unknown',
    hint: 'The service took too long; try again later.',
  },
  CONNECTION_FAILED: {
    status: 0,
    disposition: 'retry',
    charged: 'no',
    hint: 'Nothing was sent: check the base URL and the network.',
  },
  CONNECTION_LOST: {
    status: 0,
    disposition: 'retry',
    charged: 'unknown',
    hint: 'Check the network; try again later.',
  },
  UNREADABLE_RESPONSE: {
    status: 0,
    disposition: 'abandon',
    charged: 'unknown',
    hint: 'The answer is stored, so that a later version can read it.',
  },
  ABORTED: { status: 0, disposition: 'abandon', charged: 'unknown', hint: 'The caller gave up waiting.' },
} as const satisfies Record<string, ErrorFacts>;

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

export interface ServiceErrorOptions {
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

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    const facts = errorTable[code];
    this.code = code;
    this.status = options.status ?? facts.status;
    this.disposition = options.disposition ?? facts.disposition;
    this.charged = options.charged ?? facts.charged;
    this.hint = options.hint ?? facts.hint;
    if (options.stated !== undefined) this.stated = options.stated;
    if (options.reason !== undefined) this.reason = options.reason;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.requestId !== undefined) this.requestId = options.requestId;
    if (options.source !== undefined) this.source = options.source;
    if (options.requests !== undefined) this.requests = options.requests;
    if (options.passedOver !== undefined) this.passedOver = options.passedOver;
    // Not enumerable: a page of a megabyte does not belong into a log line or a printed error.
    Object.defineProperty(this, 'body', { value: options.body, enumerable: false });
  }

  /** The same failure with better known facts. */
  with(changes: ServiceErrorOptions): ServiceError {
    const body = this.body === undefined ? {} : { body: this.body };
    const error = new ServiceError(this.code, this.message, { ...this, ...body, cause: this.cause, ...changes });
    if (this.stack !== undefined) error.stack = this.stack;
    return error;
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
