// The interface of the Search Data Service, and the one path every request takes: authenticate, rate limit, validate, charge, fetch, settle.
import { randomUUID } from 'node:crypto';
import { startDeadline, untilAborted } from './deadline.ts';
import { type ErrorCode, type PageBody, ServiceError } from './errors.ts';
import { type KeywordDataResponse, keywordDataCostMicroUsd } from './keyword-data.ts';
import { limits } from './limits.ts';
import type { Caller, Charge, Clock, Meter, Price, RateLimiter, TrustedCaller } from './ports.ts';
import { failureOf, fetchMetrics, fetchPages, readAgain, type Trace } from './purchase.ts';
import type { KeywordDataRequest, SerpRequest } from './requests.ts';
import type { ReadPage } from './serp.ts';
import type { PageRequest, Source, SourceContext, SourceKind } from './sources/source.ts';

/** A SERP request as the specification's table writes it; defaults: `en`, `US`, `json`, desktop, page 1. */
export interface SerpRequestInput {
  keyword: string;
  language?: string;
  country?: string;
  format?: 'json' | 'raw';
  mobile?: boolean;
  start_page?: number;
  end_page?: number;
}

/** A keyword data request as the specification's table writes it; defaults: `US`, `en`, 100. */
export interface KeywordDataRequestInput {
  keyword: string;
  country?: string;
  language?: string;
  limit?: number;
}

export interface CallOptions {
  readonly caller?: Caller;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** The moment to show, UTC milliseconds; only simulated sources (sandbox, replay) honour it. Default: now. */
  readonly at?: number;
  /** The same key on every try of one purchase; sent as `Idempotency-Key` by the client. */
  readonly idempotencyKey?: string;
}

/** One page of an answer: read, and as it was received. */
export interface AnsweredPage extends ReadPage {
  readonly page: number;
  readonly body: PageBody;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

export interface SerpAnswer {
  readonly requestId: string;
  readonly creditsCharged: number;
  /** In page order. With `format: 'raw'` the pages are not read: `serp` is empty and `features` too. */
  readonly pages: readonly AnsweredPage[];
}

export interface KeywordDataAnswer {
  readonly requestId: string;
  readonly response: KeywordDataResponse;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

/** The Search Data Service, in process or over HTTP: one interface for both. Every failure is a ServiceError. */
export interface SearchDataService {
  /** Name of the source behind it (`sandbox`, `replay`, ...); `remote` over HTTP, where the source is not told. */
  readonly source: string;
  readonly kind: SourceKind;
  serp(request: SerpRequestInput, options?: CallOptions): Promise<SerpAnswer>;
  keywordData(request: KeywordDataRequestInput, options?: CallOptions): Promise<KeywordDataAnswer>;
  /** Reads again, for nothing, a body that this service once gave for one page. Throws ServiceError like `serp`. */
  readPage(body: PageBody, request: PageRequest): ReadPage;
  close(): Promise<void>;
}

/** What the service takes from its host. */
export interface ServiceHost {
  readonly source: Source;
  readonly clock: Clock;
  /** Charges the accounts that callers name; a caller with an account is refused without it. */
  readonly meter?: Meter;
  readonly rateLimiter?: RateLimiter;
  readonly requestId?: () => string;
  /** Time of one request where its caller names none. Default: 60 s for a live source; the others answer from this machine. */
  readonly timeoutMs?: number;
}

/** What tells one operation from the other on the path that both take. */
interface Operation<Request, Answer> {
  readonly parse: (requests: typeof import('./requests.ts'), input: unknown) => Request;
  readonly priceAtMost: (request: Request) => Price;
  readonly fetch: (request: Request, context: SourceContext, trace: Trace) => Promise<Answer>;
  readonly priceOf: (answer: Answer) => Price;
  /** Code of a failure for which the source gave none. */
  readonly failure: ErrorCode;
}

const nothing: Price = { serpCredits: 0, microUsd: 0 };
const trustedHost: Caller = { kind: 'trusted' };

/** Makes the service over one source. Throws Error where the source can answer neither operation. */
export function createSearchDataService(host: ServiceHost): SearchDataService {
  const { serp, metrics } = host.source;
  const half = serp ?? metrics;
  if (half === undefined) throw new Error('The source has neither results pages nor keyword metrics.');
  const serpOperation: Operation<SerpRequest, SerpAnswer> = {
    parse: (requests, input) => requests.parseSerpRequest(input),
    priceAtMost: (request) => ({ serpCredits: request.end_page - request.start_page + 1, microUsd: 0 }),
    fetch: (request, context, trace) => fetchPages(serp, request, context, trace),
    priceOf: (answer) => ({ serpCredits: answer.creditsCharged, microUsd: 0 }),
    failure: 'SERP_FAILED',
  };
  const metricsOperation: Operation<KeywordDataRequest, KeywordDataAnswer> = {
    parse: (requests, input) => requests.parseKeywordDataRequest(input),
    priceAtMost: (request) => ({ serpCredits: 0, microUsd: keywordDataCostMicroUsd(request.limit) }),
    fetch: (request, context, trace) => fetchMetrics(metrics, request, context, trace, host.clock),
    priceOf: (answer) => ({ serpCredits: 0, microUsd: keywordDataCostMicroUsd(answer.response.result_count) }),
    failure: 'WORKER_FAILED',
  };
  return {
    source: half.name,
    kind: half.kind,
    serp: (request, options = {}) => handle(host, half.kind, serpOperation, request, options),
    keywordData: (request, options = {}) => handle(host, half.kind, metricsOperation, request, options),
    readPage: (body, request) => readAgain(serp, body, request),
    async close() {
      await Promise.all(new Set([serp, metrics]).values().map((part) => part?.close?.()));
    },
  };
}

/** The one path of every request. Whatever fails on it leaves as a ServiceError, and leaves no charge. */
async function handle<Request, Answer>(
  host: ServiceHost,
  kind: SourceKind,
  operation: Operation<Request, Answer>,
  input: unknown,
  options: CallOptions,
): Promise<Answer> {
  const requestId = (host.requestId ?? randomUUID)();
  const trace: Trace = { requestId, charged: 'no' };
  const timeoutMs = options.timeoutMs ?? host.timeoutMs ?? (kind === 'live' ? limits.requestTimeoutMs : undefined);
  const deadline = startDeadline(host.clock, timeoutMs, options.signal);
  try {
    deadline.signal.throwIfAborted();
    const caller = authenticate(options.caller ?? trustedHost);
    await host.rateLimiter?.admit(caller);
    const request = operation.parse(await import('./requests.ts'), input);
    const charge = await chargeCaller(host.meter, caller, operation.priceAtMost(request));
    const context = { signal: deadline.signal, at: options.at ?? host.clock.now() };
    const answer = await untilAborted(operation.fetch(request, context, trace), deadline.signal).catch(
      async (error: unknown) => {
        await refund(charge, error, trace);
        throw error;
      },
    );
    await settle(charge, operation.priceOf(answer), trace);
    return answer;
  } catch (error) {
    throw failureOf(error, operation.failure).with({ requestId, charged: trace.charged });
  } finally {
    deadline.end();
  }
}

/** The caller's right to call. A trusted host needs none; any other kind is refused. */
function authenticate(caller: Caller): TrustedCaller {
  if (caller.kind !== 'trusted') throw new ServiceError('INVALID_API_KEY', 'The credentials are not valid.');
  return caller;
}

async function chargeCaller(
  meter: Meter | undefined,
  caller: TrustedCaller,
  price: Price,
): Promise<Charge | undefined> {
  if (caller.account === undefined) return undefined;
  if (meter !== undefined) return await meter.charge(caller.account, price);
  throw new ServiceError('INTERNAL_ERROR', `The account ${caller.account} cannot be charged: no meter is set up.`, {
    disposition: 'halt',
    hint: 'Give the service a meter, or call it without an account.',
  });
}

/** Settles to what was used. Where that fails the whole charge still stands, so the answer is not given away as if it were settled. */
async function settle(charge: Charge | undefined, used: Price, trace: Trace): Promise<void> {
  try {
    await charge?.settle(used);
  } catch (cause) {
    trace.charged = 'unknown';
    throw new ServiceError('INTERNAL_ERROR', 'The request was answered, but its charge could not be settled.', {
      cause,
    });
  }
}

/** Refunds in full. A refund that fails is the worse news: it is told, with the failure before it as its cause. */
async function refund(charge: Charge | undefined, error: unknown, trace: Trace): Promise<void> {
  try {
    await charge?.settle(nothing);
  } catch (refundError) {
    trace.charged = 'unknown';
    const cause = new AggregateError([error, refundError]);
    throw new ServiceError('INTERNAL_ERROR', 'The request failed, and its credits could not be refunded.', { cause });
  }
}
