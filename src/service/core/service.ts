// The interface of the Search Data Service, and its two operations over one source.

import type { UsageResponse } from '../access/usage.ts';
import type { PageBody } from '../model/errors.ts';
import { keywordDataCostMicroUsd } from '../model/results/keyword-data.ts';
import type { ReadPage } from '../model/results/serp.ts';
import type { PageRequest, SourceKind, SourceProbe } from '../model/source.ts';
import { type AnswerService, createAnswerService } from './answer-service.ts';
import type {
  CallOptions,
  KeywordDataAnswer,
  KeywordDataRequestInput,
  SerpAnswer,
  SerpRequestInput,
  ServiceHost,
} from './calls.ts';
import { PageMemory } from './page-memory.ts';
import { fetchMetrics, fetchPages, readAgain, rememberedPages } from './purchase.ts';
import { type Operation, RequestPath } from './request-path.ts';
import type { KeywordDataRequest, SerpRequest } from './requests.ts';

/** The Search Data Service, in process or over HTTP: one interface for both. Every failure is a ServiceError. */
export interface SearchDataService {
  /** Name of the source behind it (`sandbox`, `replay`, ...); `remote` over HTTP, where the source is unknown. */
  readonly source: string;
  readonly kind: SourceKind;
  /** The source of keyword data, if not the source of pages. */
  readonly metrics?: { readonly source: string; readonly kind: SourceKind };
  /**
   * A purchase is charged once within 24 hours, for all requests with its idempotency key, even if answers were lost.
   * `pages`: only purchases of results pages, not of keyword data. Default: false.
   */
  readonly keepsKeys?: boolean | 'pages';
  /** The most credits that page 1 costs. Default: 1, as each other page. */
  readonly firstPageCredits?: number;
  serp(request: SerpRequestInput, options?: CallOptions): Promise<SerpAnswer>;
  keywordData(request: KeywordDataRequestInput, options?: CallOptions): Promise<KeywordDataAnswer>;
  /**
   * Balance of the caller's account, and its usage by day and user; `days` (1 to 366, default 31). Absent where the
   * service has no accounts to ask.
   */
  usage?(
    range: { readonly days?: unknown },
    options?: CallOptions,
  ): Promise<{ readonly requestId: string; readonly response: UsageResponse }>;
  /**
   * Reads again, free of charge, a body that this service gave for one page at `receivedAt` (UTC milliseconds).
   * Throws ServiceError like `serp`.
   */
  readPage(body: PageBody, request: PageRequest, receivedAt?: number): ReadPage;
  /** AI answers; absent where the service has none. */
  readonly answers?: AnswerService;
  /** Tests the source with a free request; absent: the source has none. */
  probe?(signal: AbortSignal): Promise<SourceProbe>;
  close(): Promise<void>;
}

/** Makes the service over one source. Throws Error where the source can answer neither operation. */
export function createSearchDataService(host: ServiceHost): SearchDataService {
  const { serp, metrics, answers } = host.source;
  const half = serp ?? metrics;
  if (half === undefined) throw new Error('The source has neither results pages nor keyword metrics.');
  const memory = new PageMemory();
  const serpOperation: Operation<SerpRequest, SerpAnswer> = {
    name: 'serp',
    kind: half.kind,
    timeoutMs: serp?.requestTimeoutMs,
    parse: (requests, input) => requests.parseSerpRequest(input),
    priceAtMost: (request) => ({ serpCredits: request.end_page - request.start_page + 1, microUsd: 0 }),
    fetch: (request, context, trace, withPermit) =>
      fetchPages(serp, request, context, trace, withPermit && { memory, withPermit }),
    atHand: (request, at, trace) => rememberedPages(serp, request, at, trace.requestId, memory),
    priceOf: (answer) => ({ serpCredits: answer.creditsCharged, microUsd: 0 }),
    failure: 'SERP_FAILED',
  };
  const metricsOperation: Operation<KeywordDataRequest, KeywordDataAnswer> = {
    name: 'keyword-data',
    kind: (metrics ?? half).kind,
    parse: (requests, input) => requests.parseKeywordDataRequest(input),
    priceAtMost: (request) => ({ serpCredits: 0, microUsd: keywordDataCostMicroUsd(request.limit) }),
    fetch: (request, context, trace, withPermit = (work) => work()) =>
      withPermit(() => fetchMetrics(metrics, request, context, trace, host.clock)),
    priceOf: (answer) => ({ serpCredits: 0, microUsd: keywordDataCostMicroUsd(answer.response.result_count) }),
    failure: 'WORKER_FAILED',
  };
  const path = new RequestPath(host);
  const inFlight = new ChargedCalls();
  const probed = [serp, metrics].find((part) => part?.kind === 'live' && part.probe !== undefined);
  const probe = probed?.probe?.bind(probed);
  const hasOwnMetrics = metrics !== undefined && (metrics.name !== half.name || metrics.kind !== half.kind);
  return {
    source: half.name,
    kind: half.kind,
    ...(serp?.keepsKeys === true && { keepsKeys: 'pages' }),
    ...(serp?.firstPageCredits !== undefined && { firstPageCredits: serp.firstPageCredits }),
    ...(hasOwnMetrics && { metrics: { source: metrics.name, kind: metrics.kind } }),
    ...(answers !== undefined && { answers: createAnswerService(answers, host.clock) }),
    serp: (request, options = {}) => inFlight.follow(options, path.handle(serpOperation, request, options)),
    keywordData: (request, options = {}) => inFlight.follow(options, path.handle(metricsOperation, request, options)),
    ...(host.accounts !== undefined && { usage: (range, options = {}) => path.usage(range, options) }),
    readPage: (body, request, receivedAt) => readAgain(serp, body, request, receivedAt),
    ...(probe !== undefined && { probe: (signal) => probe({ signal, at: host.clock.now() }) }),
    async close() {
      await inFlight.ended();
      await path.settled();
      await Promise.all(new Set([serp, metrics, answers]).values().map((part) => part?.close?.()));
    },
  };
}

/** Calls that charge an account. Their callers may have left: each charge is settled before the store closes. */
class ChargedCalls {
  readonly #calls = new Set<Promise<unknown>>();

  follow<T>({ caller }: CallOptions, call: Promise<T>): Promise<T> {
    const isCharged = caller?.kind === 'credentials' || caller?.account !== undefined;
    if (!isCharged) return call;
    const forget = () => void this.#calls.delete(call);
    this.#calls.add(call);
    call.then(forget, forget);
    return call;
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }
}
