// The Search Data Service over one source, and the path of its requests: authenticate, limit, validate, charge, buy.
import { randomUUID } from 'node:crypto';
import type { AccountStore, IdempotencyCompletion } from '../access/account-store.ts';
import { firstDay, Meter, type Settle, usageDaysDefault, usageDaysMax, usageResponse } from '../access/credits.ts';
import { hashBody, Idempotency } from '../access/idempotency.ts';
import { Authenticator } from '../access/login/authentication.ts';
import { TokenBuckets } from '../access/login/rate-limit.ts';
import { RequestTally, sumOfRequests } from '../model/charged.ts';
import { closedError, type ErrorCode, ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import type { OperationName, Price } from '../model/ports.ts';
import { keywordDataCostMicroUsd } from '../model/results/keyword-data.ts';
import { Semaphore } from '../model/semaphore.ts';
import type { SourceContext, SourceKind } from '../model/source.ts';
import { invalidOption, requireTimeLimit, startDeadline, untilAborted } from '../model/time/deadline.ts';
import type {
  AnsweredPage,
  CallOptions,
  CallReport,
  KeywordDataAnswer,
  SearchDataService,
  SerpAnswer,
  SerpRequestInput,
  ServiceHost,
} from './calls.ts';
import {
  createAnswerService,
  fetchMetrics,
  fetchPages,
  type RunWithPermit,
  readAgain,
  type Trace,
  toServiceError,
} from './purchase.ts';
import type { KeywordDataRequest, SerpRequest } from './requests.ts';

type Requests = typeof import('./requests.ts');

/** What differs between the operations on their common path. */
interface Operation<Request extends object, Answer> {
  readonly name: OperationName;
  /** Of the source that does the work. */
  readonly kind: SourceKind;
  /** The time limit if neither caller nor host sets one; absent: the default of the kind. */
  readonly timeoutMs?: number;
  readonly parse: (requests: Requests, input: unknown) => Request;
  readonly priceAtMost: (request: Request) => Price;
  /** With a permit, the call is a customer's. */
  readonly fetch: (
    request: Request,
    context: SourceContext,
    trace: Trace,
    withPermit: RunWithPermit | undefined,
  ) => Promise<Answer>;
  readonly priceOf: (answer: Answer) => Price;
  /** Code of a failure for which the source gave none. */
  readonly failure: ErrorCode;
}

/** Makes the service over one source. Throws Error where the source can answer neither operation. */
export function createSearchDataService(host: ServiceHost): SearchDataService {
  requireHost(host);
  const { serp, metrics, answers } = host.source;
  const half = serp ?? metrics;
  if (half === undefined) throw new Error('The source has neither results pages nor keyword metrics.');
  const serpOperation: Operation<SerpRequest, SerpAnswer> = {
    name: 'serp',
    kind: half.kind,
    timeoutMs: serp?.requestTimeoutMs,
    parse: (requests, input) => requests.parseSerpRequest(input),
    priceAtMost: (request) => ({ serpCredits: request.end_page - request.start_page + 1, microUsd: 0 }),
    fetch: (request, context, trace, withPermit) => fetchPages(serp, request, context, trace, withPermit),
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
  const probed = [serp, metrics].find((part) => part?.kind === 'live' && part.probe !== undefined);
  const probe = probed?.probe?.bind(probed);
  const hasOwnMetrics = metrics !== undefined && (metrics.name !== half.name || metrics.kind !== half.kind);
  return {
    source: half.name,
    kind: half.kind,
    ...(serp?.keepsKeys === true && { keepsKeys: 'pages' }),
    firstPageCredits: serp?.firstPageCredits,
    range: serp?.range,
    ...(hasOwnMetrics && { metrics: { source: metrics.name, kind: metrics.kind } }),
    answers: answers && createAnswerService(answers, host.clock),
    serp: (request, options = {}) => path.handle(serpOperation, request, options),
    keywordData: (request, options = {}) => path.handle(metricsOperation, request, options),
    ...(host.accounts !== undefined && { usage: (range, options = {}) => path.usage(range, options) }),
    readPage: (body, request, receivedAt) => readAgain(serp, body, request, receivedAt),
    ...(probe !== undefined && { probe: (signal) => probe({ signal, at: host.clock.now() }) }),
    async close() {
      await path.close();
      await Promise.all(new Set([serp, metrics, answers]).values().map((part) => part?.close?.()));
    },
  };
}

/**
 * `for await (const page of eachPage(service, {keyword, end_page: 10}))`: each page is bought when it is asked for, so
 * that `break` stops paying. Without `end_page` it goes on for 10 pages. Each page has its own idempotency key, derived
 * from the given one. Throws like `serp`.
 */
export async function* eachPage(
  service: SearchDataService,
  request: SerpRequestInput,
  options: CallOptions = {},
): AsyncGenerator<AnsweredPage, void, undefined> {
  const { start_page: first = 1, end_page: last = first + limits.pagesPerRequestMax - 1 } = request;
  const key = options.idempotencyKey ?? randomUUID();
  for (let page = first; page <= last; page++) {
    const asked = { ...request, start_page: page, end_page: page };
    const { pages } = await service.serp(asked, { ...options, idempotencyKey: `${key}/page/${page}` });
    yield* pages;
  }
}

/** The account that pays, if any, and the owner of idempotency keys. */
interface Principal {
  readonly account?: string;
  readonly username?: string;
}

/** One request in flight. */
interface Job<Request extends object, Answer> {
  readonly operation: Operation<Request, Answer>;
  readonly request: Request;
  readonly principal: Principal;
  readonly context: Omit<SourceContext, 'signal'>;
  readonly timeoutMs: number | undefined;
  readonly trace: Trace;
  readonly report: Report;
}

type Report = { -readonly [K in keyof CallReport]: CallReport[K] };
type Complete<Answer> = (answer: Answer) => IdempotencyCompletion;

const nothing: Price = { serpCredits: 0, microUsd: 0 };

/** Of the event loop. */
const turnsOfRequest = 4;

class RequestPath {
  readonly #host: ServiceHost;
  readonly #requests: TokenBuckets;
  /** What callers with accounts need. */
  readonly #access:
    | {
        readonly accounts: AccountStore;
        readonly authenticator: Authenticator;
        readonly meter: Meter;
        readonly idempotency: Idempotency;
      }
    | undefined;
  readonly #permits = new Map<OperationName, Semaphore>();
  /** Calls that charge an account. Their callers may have left: each charge is settled before the store closes. */
  readonly #charged = new Set<Promise<unknown>>();
  #schemas: Requests | undefined;
  #isClosed = false;

  constructor(host: ServiceHost) {
    const { accounts, clock } = host;
    this.#host = host;
    this.#requests = new TokenBuckets(clock, 'requests', host.requestRate ?? limits.requestRate);
    this.#access = accounts && {
      accounts,
      authenticator: new Authenticator(accounts, host),
      meter: new Meter(accounts, clock),
      idempotency: new Idempotency(accounts, clock),
    };
  }

  handle<Request extends object, Answer extends { readonly requestId: string }>(
    operation: Operation<Request, Answer>,
    input: unknown,
    options: CallOptions,
  ): Promise<Answer> {
    const call = this.#handle(operation, input, options);
    if (options.caller?.kind !== 'credentials' && options.caller?.account === undefined) return call;
    const forget = () => void this.#charged.delete(call);
    this.#charged.add(call);
    call.then(forget, forget);
    return call;
  }

  /** Every failure becomes a ServiceError and leaves no charge. */
  async #handle<Request extends object, Answer extends { readonly requestId: string }>(
    operation: Operation<Request, Answer>,
    input: unknown,
    options: CallOptions,
  ): Promise<Answer> {
    const { clock, requestId: newId = randomUUID } = this.#host;
    const requestId = newId();
    const trace: Trace = { requestId, charged: 'no', requests: new RequestTally() };
    const report: Report = { requestId };
    const kindMs = operation.kind === 'live' ? limits.requestTimeoutMs : undefined;
    const timeoutMs = options.timeoutMs ?? this.#host.timeoutMs ?? operation.timeoutMs ?? kindMs;
    const { at } = options;
    if (at !== undefined && !Number.isFinite(at)) throw invalidOption('at must be a moment in UTC milliseconds.');
    const deadline = startDeadline(clock, timeoutMs, options.signal);
    try {
      deadline.signal.throwIfAborted();
      const principal = await this.#admit(options, operation.name, report);
      this.#schemas ??= await import('./requests.ts');
      const request = operation.parse(this.#schemas, input);
      await deadline.startAfter(options.beforeSend);
      const { at = clock.now(), idempotencyKey: key, wanted, through } = options;
      const idempotencyKey = key === undefined ? undefined : purchaseKey(principal, key);
      const context = { at, idempotencyKey, wanted, through, requests: trace.requests };
      const job = { operation, request, principal, context, timeoutMs, trace, report };
      if (key === undefined || principal.account === undefined) return await this.#buy(job, deadline.signal);
      return await this.#buyOnce(job, key, deadline.signal);
    } catch (error) {
      const { charged, requests } = trace;
      const counted = sumOfRequests(requests.count) > 0 ? { requests: requests.count } : {};
      throw toServiceError(error, 'INTERNAL_ERROR', 'service').with({ requestId, charged, ...counted });
    } finally {
      deadline.end();
      options.onReport?.({ ...report });
    }
  }

  /** What the caller's account has left and has used. It costs nothing, and counts as a request. */
  async usage({ days = usageDaysDefault }: { readonly days?: unknown }, options: CallOptions) {
    const { clock, requestId: newId = randomUUID } = this.#host;
    const report: Report = { requestId: newId() };
    try {
      const { account = '' } = await this.#admit(options, 'keyword-data', report);
      const count = Number(days);
      if (!Number.isInteger(count) || count < 1 || count > usageDaysMax) {
        throw new ServiceError('INVALID_REQUEST', `days must be an integer from 1 to ${usageDaysMax}.`);
      }
      const accounts = this.#access?.accounts;
      const found = await accounts?.findAccount(account);
      if (found === undefined) throw new ServiceError('NOT_FOUND', 'There is no such account.');
      const used = (await accounts?.usage(account, firstDay(clock.now(), count))) ?? [];
      return { requestId: report.requestId, response: usageResponse(found, used) };
    } catch (error) {
      throw toServiceError(error, 'INTERNAL_ERROR', 'service').with({ requestId: report.requestId, charged: 'no' });
    } finally {
      options.onReport?.({ ...report });
    }
  }

  /** Waits for work that goes on after its callers have left; later calls throw. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#charged);
    await this.#access?.idempotency.settled();
    await this.#access?.authenticator.close();
  }

  /** Proves that the caller may call now. A trusted host, the default, always may; an unknown kind of caller never. */
  async #admit({ caller, signal }: CallOptions, operation: OperationName, report: Report): Promise<Principal> {
    if (this.#isClosed) throw closedError('service');
    if (caller === undefined) return {};
    if (caller.kind === 'trusted') return { account: caller.account };
    if (this.#access === undefined || caller.kind !== 'credentials') {
      throw new ServiceError('INVALID_API_KEY', 'The credentials are not valid.');
    }
    const { authenticator } = this.#access;
    const { user } = await authenticator.authenticate(caller, operation, signal).catch((error: unknown) => {
      report.rate = authenticator.state(caller.address);
      throw error;
    });
    const { username, account } = user;
    report.caller = { username, account };
    const isAdmitted = this.#requests.take(username);
    report.rate = this.#requests.state(username);
    if (isAdmitted) return { account, username };
    throw new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many requests.', { retryAfterMs: report.rate.resetMs });
  }

  /** Work under a key outlives its callers: it is finished, stored and charged once, even if they leave. */
  async #buyOnce<Request extends object, Answer extends { readonly requestId: string }>(
    job: Job<Request, Answer>,
    key: string,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { operation, request, principal, trace, report } = job;
    const { account = '', username = '' } = principal;
    if (this.#access === undefined) return await this.#buy(job, signal);
    const work = async (complete: Complete<Answer>): Promise<Answer> => {
      const deadline = startDeadline(this.#host.clock, job.timeoutMs, undefined);
      try {
        return await this.#buy(job, deadline.signal, complete);
      } finally {
        deadline.end();
      }
    };
    try {
      const purchase = { scope: { account, username, key }, bodyHash: hashBody(operation.name, request), work };
      const { answer, isReplayed } = await this.#access.idempotency.once(purchase, signal);
      if (isReplayed) report.isReplayed = true;
      return { ...answer, requestId: trace.requestId };
    } catch (error) {
      if (signal.aborted) trace.charged = 'unknown';
      throw error;
    }
  }

  async #buy<Request extends object, Answer>(
    job: Job<Request, Answer>,
    signal: AbortSignal,
    complete?: Complete<Answer>,
  ): Promise<Answer> {
    const { operation, request, principal, trace } = job;
    const isCustomer = principal.username !== undefined;
    const settle = await this.#charge(job);
    let answer: Answer;
    try {
      const withPermit = isCustomer ? this.#permitFor(operation, principal.username, signal) : undefined;
      answer = await untilAborted(operation.fetch(request, { ...job.context, signal }, trace, withPermit), signal);
    } catch (error) {
      await refund(settle, error, trace);
      const failure = toServiceError(error, operation.failure);
      throw isCustomer ? asOurs(failure, operation.failure) : failure;
    }
    if (settle === undefined) return answer;
    const used = operation.priceOf(answer);
    const balance = await settle(used, complete?.(answer)).catch((cause: unknown) => {
      // the whole charge still stands, so the answer is not given away as if it were settled
      trace.charged = 'unknown';
      const message = 'The request was answered, but its charge could not be settled.';
      throw new ServiceError('INTERNAL_ERROR', message, { cause });
    });
    if (complete === undefined && signal.aborted) {
      // a caller that left while its charge was settled was sent nothing
      await refund(settle, signal.reason, trace);
      throw signal.reason;
    }
    job.report.charge = { used, balance };
    return answer;
  }

  /** API users take turns, and no user holds every permit. A trusted caller bounds its own work. */
  #permitFor(
    { name, kind }: { name: OperationName; kind: SourceKind },
    key: string,
    signal: AbortSignal,
  ): RunWithPermit {
    let semaphore = this.#permits.get(name);
    if (semaphore === undefined) {
      const inFlight = this.#host.inFlight?.[name];
      const permits = inFlight?.total ?? (kind === 'live' ? limits.concurrencyDefault : limits.simulatedPagesInFlight);
      const perUser = inFlight?.perUser ?? Math.max(1, Math.floor(permits * 0.8));
      const permitsPerKey = Math.min(permits, perUser);
      const isComputed = kind !== 'live' && inFlight === undefined;
      const permitsShared = isComputed ? limits.simulatedPagesOfOne : permitsPerKey;
      semaphore = new Semaphore({ permits, permitsPerKey, permitsShared });
      this.#permits.set(name, semaphore);
    }
    const turns = semaphore;
    return async (work) => {
      const release = await turns.acquire({ key, signal });
      try {
        return await work();
      } finally {
        // A page that is computed here keeps the event loop busy: before the next one, a request of another user takes
        // each turn that it needs, to be read, charged, answered and settled.
        for (let turn = 0; kind !== 'live' && turn < turnsOfRequest; turn++)
          await new Promise((next) => setImmediate(next));
        release();
      }
    };
  }

  /** Undefined if the request is free. */
  async #charge<Request extends object, Answer>(job: Job<Request, Answer>): Promise<Settle | undefined> {
    const { operation, request, trace } = job;
    const { account, username } = job.principal;
    if (account === undefined) return undefined;
    if (this.#access === undefined)
      throw new ServiceError('INTERNAL_ERROR', `The account ${account} cannot be charged: there are no accounts.`, {
        disposition: 'halt',
        hint: 'Give the service a store of accounts, or call it without an account.',
      });
    const price = operation.priceAtMost(request);
    const { requestId } = trace;
    return await this.#access.meter.charge({ account, username, requestId, operation: operation.name, price });
  }
}

/** Refunds in full. If the refund fails, that failure is thrown, with the earlier one as its cause. */
async function refund(settle: Settle | undefined, error: unknown, trace: Trace): Promise<void> {
  try {
    await settle?.(nothing);
  } catch (refundError) {
    trace.charged = 'unknown';
    const cause = new AggregateError([error, refundError]);
    throw new ServiceError('INTERNAL_ERROR', 'The request failed, and its credits could not be refunded.', { cause });
  }
}

const ownFailures: readonly ErrorCode[] = ['SERP_FAILED', 'WORKER_FAILED', 'INTERNAL_ERROR', 'TIMEOUT', 'ABORTED'];

/** The error for a customer: where our supplier refused us (credits, credentials, rate), the failure is ours. */
function asOurs(error: ServiceError, code: ErrorCode): ServiceError {
  if (ownFailures.includes(error.code)) return error;
  return new ServiceError(code, 'The source refused.', { cause: error, charged: error.charged });
}

/** Keys are each caller's own: two callers with the same key mean two purchases. */
function purchaseKey({ account, username }: Principal, key: string): string {
  return account === undefined ? key : JSON.stringify([account, username ?? null, key]);
}

/** Throws for what would fail, or wait for ever, at the first call. */
function requireHost({ source, clock, accounts, timeoutMs, requestRate, inFlight }: ServiceHost): void {
  requireTimeLimit(timeoutMs);
  if (typeof source !== 'object' || source === null) throw invalidOption('source must be a source.');
  if (typeof clock?.now !== 'function' || typeof clock.sleep !== 'function')
    throw invalidOption('clock must be a clock, such as systemClock.');
  if (accounts !== undefined && typeof accounts?.findAccount !== 'function')
    throw invalidOption('accounts must be an account store.');
  const limitsGiven = [
    ...(requestRate === undefined ? [] : [requestRate]).flatMap((rate) => [
      ['requestRate.count', rate?.count] as const,
      ['requestRate.windowMs', rate?.windowMs] as const,
    ]),
    ...Object.entries(inFlight ?? {}).flatMap(([operation, pages]) => [
      [`inFlight.${operation}.total`, pages?.total] as const,
      [`inFlight.${operation}.perUser`, pages?.perUser ?? 1] as const,
    ]),
  ];
  for (const [name, value] of limitsGiven)
    if (typeof value !== 'number' || !(value >= 1)) throw invalidOption(`${name} must be a number of at least 1.`);
}
