// The interface of the Search Data Service, and its two operations over one source. The path that every request takes is request-path.ts.
import type { AccountStore, Balance } from './account-store.ts';
import type { LoginLimits } from './authentication.ts';
import type { RequestCount } from './charged.ts';
import type { PageBody, PassedOver } from './errors.ts';
import { type KeywordDataResponse, keywordDataCostMicroUsd } from './keyword-data.ts';
import { PageMemory } from './page-memory.ts';
import type { PagesInFlight } from './page-turns.ts';
import type { ScryptCost } from './passwords.ts';
import type { Caller, Clock, OperationName, Price } from './ports.ts';
import { fetchMetrics, fetchPages, readAgain, rememberedPages } from './purchase.ts';
import type { RatePolicy, RateState } from './rate-limit.ts';
import { type Operation, RequestPath } from './request-path.ts';
import type { KeywordDataRequest, SerpRequest } from './requests.ts';
import type { ReadPage } from './serp.ts';
import type { PageRequest, Source, SourceKind } from './sources/source.ts';
import type { UsageResponse } from './usage.ts';

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
  /**
   * For keyword data in process: other keywords of the same market that the caller wants to know of. Sources that are asked for several at once answer for
   * them before related ones, as far as the limit goes. A provider over HTTP is not told.
   */
  readonly wanted?: readonly string[];
  /** The same key on every try of one purchase: within 24 hours it is paid once. Sent as `Idempotency-Key` by the client. */
  readonly idempotencyKey?: string;
  /**
   * Awaited when the call's turn has come, right before anything leaves; where it rejects, nothing is sent and the call fails with that error. What must
   * be written down before money can be spent is written here, and not while the call still waits for its turn.
   */
  readonly beforeSend?: () => Promise<void>;
  /** Told what else is known of the call, just before its promise settles: once, or over HTTP once for each answer that came. */
  readonly onReport?: (report: CallReport) => void;
}

/** What a call was besides its answer or failure: what HTTP says in headers. */
export interface CallReport {
  readonly requestId: string;
  /** Where the caller stands with its rate limit; absent for a trusted caller, and where a provider does not say. */
  readonly rate?: RateState;
  /** What this call has cost its account and what is left; absent where nothing was charged. */
  readonly charge?: { readonly used: Price; readonly balance: Balance };
  /** The API user who was proven, and the account that it calls for; in process only. */
  readonly caller?: { readonly username: string; readonly account: string };
  /** The answer was paid for by an earlier call with the same idempotency key. */
  readonly isReplayed?: boolean;
}

/** One page of an answer: read, and as it was received. */
export interface AnsweredPage extends ReadPage {
  readonly page: number;
  readonly body: PageBody;
  /** UTC milliseconds. */
  readonly observedAt: number;
  /** Which of the sources behind the service gave it; absent where there is one. */
  readonly source?: string;
  /** Sources behind the service that were to be asked before and refuse us. */
  readonly passedOver?: readonly PassedOver[];
  /** The requests of the source that it took, where that is not always one. */
  readonly requests?: RequestCount;
}

export interface SerpAnswer {
  readonly requestId: string;
  readonly creditsCharged: number;
  /** What the provider says that all pages cost, in credits; absent where it says nothing. */
  readonly creditsStated?: number;
  /** In page order. With `format: 'raw'` the pages are not read: `serp` is empty and `features` too. */
  readonly pages: readonly AnsweredPage[];
}

export interface KeywordDataAnswer {
  readonly requestId: string;
  readonly response: KeywordDataResponse;
  /** What the provider says beside `cost`, in micro-USD; absent where it says nothing. */
  readonly microUsdStated?: number;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

/** The Search Data Service, in process or over HTTP: one interface for both. Every failure is a ServiceError. */
export interface SearchDataService {
  /** Name of the source behind it (`sandbox`, `replay`, ...); `remote` over HTTP, where the source is not told. */
  readonly source: string;
  readonly kind: SourceKind;
  /** Where keyword data comes from, where that is another source than the one of the pages. */
  readonly metrics?: { readonly source: string; readonly kind: SourceKind };
  /**
   * A purchase is sold once within 24 hours however often it is asked for under its idempotency key, whatever became of the answers; `pages`: one of results
   * pages, and not one of keyword data. Default: false.
   */
  readonly keepsKeys?: boolean | 'pages';
  serp(request: SerpRequestInput, options?: CallOptions): Promise<SerpAnswer>;
  keywordData(request: KeywordDataRequestInput, options?: CallOptions): Promise<KeywordDataAnswer>;
  /** What the caller's account has left, and has used by day and user; `days` (1 to 366, default 31). Absent where the service has no accounts to ask. */
  usage?(
    range: { readonly days?: unknown },
    options?: CallOptions,
  ): Promise<{ readonly requestId: string; readonly response: UsageResponse }>;
  /** Reads again, for nothing, a body that this service once gave for one page, at `receivedAt` (UTC milliseconds). Throws ServiceError like `serp`. */
  readPage(body: PageBody, request: PageRequest, receivedAt?: number): ReadPage;
  close(): Promise<void>;
}

/** What the service takes from its host. */
export interface ServiceHost {
  readonly source: Source;
  readonly clock: Clock;
  /** Accounts, API users and their charges. Without it every caller with credentials is refused, and so is one that names an account. */
  readonly accounts?: AccountStore;
  /** Requests of each API user; trusted callers are not counted. Default: 600 a minute. */
  readonly requestRate?: RatePolicy;
  /** What each operation's source works on at once for API users. Default: 10 pages of a live source, 4 of the others. */
  readonly inFlight?: Partial<Readonly<Record<OperationName, PagesInFlight>>>;
  /** Failed logins. Default: 10 a minute of a username from an address, 30 of an address in all (IPv6: of a /64 network). */
  readonly logins?: LoginLimits;
  /** Cost of a password hash where no user is known: the cost with which the host's passwords are hashed. */
  readonly scryptCost?: ScryptCost;
  readonly requestId?: () => string;
  /** Time of one request where its caller names none. Default: 60 s for a live source; the others answer from this machine. */
  readonly timeoutMs?: number;
}

/** Makes the service over one source. Throws Error where the source can answer neither operation. */
export function createSearchDataService(host: ServiceHost): SearchDataService {
  const { serp, metrics } = host.source;
  const half = serp ?? metrics;
  if (half === undefined) throw new Error('The source has neither results pages nor keyword metrics.');
  const memory = new PageMemory();
  const serpOperation: Operation<SerpRequest, SerpAnswer> = {
    name: 'serp',
    kind: half.kind,
    timeoutMs: serp?.requestTimeoutMs,
    parse: (requests, input) => requests.parseSerpRequest(input),
    priceAtMost: (request) => ({ serpCredits: request.end_page - request.start_page + 1, microUsd: 0 }),
    fetch: (request, context, trace, turn) => fetchPages(serp, request, context, trace, turn && { memory, turn }),
    atHand: (request, at, trace) => rememberedPages(serp, request, at, trace.requestId, memory),
    priceOf: (answer) => ({ serpCredits: answer.creditsCharged, microUsd: 0 }),
    failure: 'SERP_FAILED',
  };
  const metricsOperation: Operation<KeywordDataRequest, KeywordDataAnswer> = {
    name: 'keyword-data',
    kind: (metrics ?? half).kind,
    parse: (requests, input) => requests.parseKeywordDataRequest(input),
    priceAtMost: (request) => ({ serpCredits: 0, microUsd: keywordDataCostMicroUsd(request.limit) }),
    fetch: (request, context, trace, turn = (work) => work()) =>
      turn(() => fetchMetrics(metrics, request, context, trace, host.clock)),
    priceOf: (answer) => ({ serpCredits: 0, microUsd: keywordDataCostMicroUsd(answer.response.result_count) }),
    failure: 'WORKER_FAILED',
  };
  const path = new RequestPath(host);
  const hasOwnMetrics = metrics !== undefined && (metrics.name !== half.name || metrics.kind !== half.kind);
  return {
    source: half.name,
    kind: half.kind,
    ...(serp?.keepsKeys === true && { keepsKeys: 'pages' }),
    ...(hasOwnMetrics && { metrics: { source: metrics.name, kind: metrics.kind } }),
    serp: (request, options = {}) => path.handle(serpOperation, request, options),
    keywordData: (request, options = {}) => path.handle(metricsOperation, request, options),
    ...(host.accounts !== undefined && { usage: (range, options = {}) => path.usage(range, options) }),
    readPage: (body, request, receivedAt) => readAgain(serp, body, request, receivedAt),
    async close() {
      await path.settled();
      await Promise.all(new Set([serp, metrics]).values().map((part) => part?.close?.()));
    },
  };
}
