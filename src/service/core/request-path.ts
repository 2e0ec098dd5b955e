// The path of every request: authenticate, rate limit, validate, charge, fetch, settle.
import { randomUUID } from 'node:crypto';
import type { IdempotencyCompletion } from '../access/account-store.ts';
import { Meter } from '../access/credits.ts';
import { hashBody, Idempotency } from '../access/idempotency.ts';
import { Authenticator } from '../access/login/authentication.ts';
import { TokenBuckets } from '../access/login/rate-limit.ts';
import { firstDay, usageDaysDefault, usageDaysMax, usageResponse } from '../access/usage.ts';
import { type ErrorCode, ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import type { Caller, OperationName, Price } from '../model/ports.ts';
import { RequestTally, sumOfRequests } from '../model/request-tally.ts';
import type { SourceContext, SourceKind } from '../model/source.ts';
import { startDeadline, untilAborted } from '../model/time/deadline.ts';
import type { CallOptions, CallReport, ServiceHost } from './calls.ts';
import { asOurs, refund, refundIfGone, settle } from './charge-end.ts';
import { PagePermits, type RunWithPermit } from './page-permits.ts';
import { type Trace, toServiceError } from './purchase.ts';

type Requests = typeof import('./requests.ts');

/** What differs between the operations on their common path. */
export interface Operation<Request extends object, Answer> {
  readonly name: OperationName;
  /** Of the source that does the work. */
  readonly kind: SourceKind;
  /** The time limit if neither caller nor host sets one; absent: the default of the kind. */
  readonly timeoutMs?: number | undefined;
  readonly parse: (requests: Requests, input: unknown) => Request;
  readonly priceAtMost: (request: Request) => Price;
  /** With a permit, the call is a customer's, and its answer may be one object that all customers share. */
  readonly fetch: (
    request: Request,
    context: SourceContext,
    trace: Trace,
    withPermit: RunWithPermit | undefined,
  ) => Promise<Answer>;
  /** The answer if it needs no work: the object that all customers share. */
  readonly atHand?: (request: Request, at: number, trace: Trace) => Answer | undefined;
  readonly priceOf: (answer: Answer) => Price;
  /** Code of a failure for which the source gave none. */
  readonly failure: ErrorCode;
}

/** The account that pays, if any, and the owner of idempotency keys. */
interface Principal {
  readonly account: string | undefined;
  readonly username: string | undefined;
}

/** One request in flight. */
interface Job<Request extends object, Answer> {
  readonly operation: Operation<Request, Answer>;
  readonly request: Request;
  readonly principal: Principal;
  readonly at: number;
  readonly timeoutMs: number | undefined;
  /** Identifies the purchase over all its attempts and callers; undefined if its caller gave no key. */
  readonly purchase: string | undefined;
  readonly wanted: readonly string[] | undefined;
  readonly trace: Trace;
  readonly report: Report;
}

type Report = { -readonly [K in keyof CallReport]: CallReport[K] };

const trustedHost: Caller = { kind: 'trusted' };

export class RequestPath {
  readonly #host: ServiceHost;
  readonly #authenticator: Authenticator | undefined;
  readonly #requests: TokenBuckets;
  readonly #permits = new Map<OperationName, PagePermits>();
  readonly #meter: Meter | undefined;
  readonly #idempotency: Idempotency | undefined;
  #schemas: Requests | undefined;

  constructor(host: ServiceHost) {
    this.#host = host;
    const { accounts, clock, scryptCost, logins } = host;
    this.#requests = new TokenBuckets(clock, 'requests', host.requestRate ?? limits.requestRate);
    if (accounts === undefined) return;
    this.#authenticator = new Authenticator({
      accounts,
      clock,
      ...(scryptCost !== undefined && { scryptCost }),
      ...(logins !== undefined && { logins }),
    });
    this.#meter = new Meter(accounts, clock);
    this.#idempotency = new Idempotency(accounts, clock);
  }

  /** Every failure becomes a ServiceError and leaves no charge. */
  async handle<Request extends object, Answer extends { readonly requestId: string }>(
    operation: Operation<Request, Answer>,
    input: unknown,
    options: CallOptions,
  ): Promise<Answer> {
    const { clock, requestId: newId = randomUUID } = this.#host;
    const requestId = newId();
    const trace: Trace = { requestId, charged: 'no', requests: new RequestTally() };
    const report: Report = { requestId };
    const timeoutMs =
      options.timeoutMs ?? this.#host.timeoutMs ?? operation.timeoutMs ?? chooseTimeoutMs(operation.kind);
    const deadline = startDeadline(clock, timeoutMs, options.signal);
    try {
      deadline.signal.throwIfAborted();
      const principal = await this.#admit(options.caller ?? trustedHost, operation.name, report, options.signal);
      this.#schemas ??= await import('./requests.ts');
      const request = operation.parse(this.#schemas, input);
      await deadline.startAfter(options.beforeSend);
      const at = options.at ?? clock.now();
      const { idempotencyKey: key } = options;
      const purchase = key === undefined ? undefined : purchaseKey(principal, key);
      const { wanted } = options;
      const job = { operation, request, principal, at, timeoutMs, purchase, wanted, trace, report };
      if (key === undefined || principal.account === undefined) return await this.#buy(job, deadline.signal);
      return await this.#buyOnce(job, key, deadline.signal);
    } catch (error) {
      const { charged, requests } = trace;
      const counted = sumOfRequests(requests.count) > 0 ? { requests: requests.count } : {};
      throw asServiceError(error).with({ requestId, charged, ...counted });
    } finally {
      deadline.end();
      options.onReport?.({ ...report });
    }
  }

  /** What the caller's account has left and has used. It costs nothing, and counts as a request. */
  async usage({ days = usageDaysDefault }: { readonly days?: unknown }, options: CallOptions) {
    const { accounts, clock, requestId: newId = randomUUID } = this.#host;
    const report: Report = { requestId: newId() };
    try {
      const { account = '' } = await this.#admit(options.caller ?? trustedHost, 'keyword-data', report, options.signal);
      const count = Number(days);
      if (!Number.isInteger(count) || count < 1 || count > usageDaysMax) {
        throw new ServiceError('INVALID_REQUEST', `days must be an integer from 1 to ${usageDaysMax}.`);
      }
      const found = await accounts?.findAccount(account);
      if (found === undefined) throw new ServiceError('NOT_FOUND', 'There is no such account.');
      const used = (await accounts?.usage(account, firstDay(clock.now(), count))) ?? [];
      return { requestId: report.requestId, response: usageResponse(found, used) };
    } catch (error) {
      throw asServiceError(error).with({ requestId: report.requestId, charged: 'no' });
    } finally {
      options.onReport?.({ ...report });
    }
  }

  /** Waits for work that goes on after its callers have left. */
  async settled(): Promise<void> {
    await this.#idempotency?.settled();
    await this.#authenticator?.close();
  }

  /** Proves that the caller may call now. A trusted host always may; a caller of an unknown kind never. */
  async #admit(
    caller: Caller,
    operation: OperationName,
    report: Report,
    signal: AbortSignal | undefined,
  ): Promise<Principal> {
    if (caller.kind === 'trusted') return { account: caller.account, username: undefined };
    if (this.#authenticator === undefined || caller.kind !== 'credentials') {
      throw new ServiceError('INVALID_API_KEY', 'The credentials are not valid.');
    }
    let username: string;
    let account: string;
    try {
      ({ username, account } = (await this.#authenticator.authenticate(caller, operation, signal)).user);
    } catch (error) {
      report.rate = this.#authenticator.state(caller.address);
      throw error;
    }
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
    if (this.#idempotency === undefined) return await this.#buy(job, signal);
    const bodyHash = hashBody(operation.name, request);
    const work = async (complete: (answer: Answer) => IdempotencyCompletion): Promise<Answer> => {
      const deadline = startDeadline(this.#host.clock, job.timeoutMs, undefined);
      try {
        return await this.#buy(job, deadline.signal, complete);
      } finally {
        deadline.end();
      }
    };
    try {
      const purchase = { scope: { account, username, key }, bodyHash, work };
      const { answer, isReplayed } = await this.#idempotency.once(purchase, signal);
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
    complete?: (answer: Answer) => IdempotencyCompletion,
  ): Promise<Answer> {
    const { operation, request, at, purchase, wanted, trace } = job;
    const isCustomer = job.principal.username !== undefined;
    const known = isCustomer ? operation.atHand?.(request, at, trace) : undefined;
    if (known !== undefined) return await this.#sell(job, known, signal, complete);
    const charge = await this.#meterOf(job)?.charge(openCharge(job, operation.priceAtMost(request)));
    const context = {
      signal,
      at,
      requests: trace.requests,
      ...(purchase !== undefined && { idempotencyKey: purchase }),
      ...(wanted !== undefined && { wanted }),
    };
    let answer: Answer;
    try {
      answer = await untilAborted(operation.fetch(request, context, trace, this.#permitsOf(job, signal)), signal);
    } catch (error) {
      await refund(charge, error, trace);
      const failure = toServiceError(error, operation.failure);
      throw isCustomer ? asOurs(failure, operation.failure) : failure;
    }
    if (charge === undefined) return answer;
    const used = operation.priceOf(answer);
    const balance = await settle(charge, used, trace, complete?.(answer));
    if (complete === undefined) await refundIfGone(charge, signal, trace);
    job.report.charge = { used, balance };
    return answer;
  }

  /** Undefined for a trusted caller, which bounds its own work. */
  #permitsOf<Request extends object, Answer>({ operation, principal }: Job<Request, Answer>, signal: AbortSignal) {
    if (principal.username === undefined) return undefined;
    let permits = this.#permits.get(operation.name);
    if (permits === undefined) {
      permits = new PagePermits(operation.kind, this.#host.inFlight?.[operation.name]);
      this.#permits.set(operation.name, permits);
    }
    return permits.forUser(principal.username, signal);
  }

  /** Sells an answer that needs no work: it is charged and settled in one step. */
  async #sell<Request extends object, Answer>(
    job: Job<Request, Answer>,
    answer: Answer,
    signal: AbortSignal,
    complete?: (answer: Answer) => IdempotencyCompletion,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const used = job.operation.priceOf(answer);
    const charge = await this.#meterOf(job)?.chargeForGood(openCharge(job, used), complete?.(answer));
    if (charge === undefined) return answer;
    if (complete === undefined) await refundIfGone(charge, signal, job.trace);
    job.report.charge = { used, balance: charge.balance };
    return answer;
  }

  /** Undefined if the request is free. */
  #meterOf<Request extends object, Answer>({ principal: { account } }: Job<Request, Answer>): Meter | undefined {
    if (account === undefined) return undefined;
    if (this.#meter !== undefined) return this.#meter;
    throw new ServiceError('INTERNAL_ERROR', `The account ${account} cannot be charged: there are no accounts.`, {
      disposition: 'halt',
      hint: 'Give the service a store of accounts, or call it without an account.',
    });
  }
}

/**
 * Outside its source only our own parts fail, such as the store of accounts: the message of a foreign exception stays
 * in `cause`.
 */
function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('INTERNAL_ERROR', 'The service failed unexpectedly.', { cause: error });
}

/** Keys are each caller's own: two callers with the same key mean two purchases. */
function purchaseKey({ account, username }: Principal, key: string): string {
  return account === undefined ? key : JSON.stringify([account, username ?? null, key]);
}

function chooseTimeoutMs(kind: SourceKind): number | undefined {
  return kind === 'live' ? limits.requestTimeoutMs : undefined;
}

function openCharge<Request extends object, Answer>(job: Job<Request, Answer>, price: Price) {
  const { operation, principal, trace } = job;
  const { account = '', username } = principal;
  return { account, username, requestId: trace.requestId, operation: operation.name, price };
}
