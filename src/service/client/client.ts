// A Search Data Service over HTTP, from any provider of the specification. It retries only if its host says so.
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { Dispatcher } from 'undici';
import type { RateState } from '../access/login/rate-limit.ts';
import type {
  CallOptions,
  CallReport,
  KeywordDataAnswer,
  KeywordDataRequestInput,
  SearchDataService,
  SerpAnswer,
  SerpRequestInput,
} from '../core/calls.ts';
import { closedError, type ErrorCode, errorTable, freeOfCharge, type PageBody, ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import type { Clock, OperationName, Price } from '../model/ports.ts';
import { decodeText } from '../model/results/charset.ts';
import type { ReadPage } from '../model/results/serp.ts';
import { Secrets } from '../model/secrets.ts';
import type { PageRequest, SourceProbe } from '../model/source.ts';
import { backoffMs, systemClock } from '../model/time/clock.ts';
import { requireTimeLimit, startDeadline } from '../model/time/deadline.ts';
import { openAgent } from '../net/public-network.ts';
import { RequestLimiter } from '../net/request-limiter.ts';
import { exchange, type HttpAnswer, userAgent } from '../net/transport.ts';
import { type PaidAnswer, paidKeywordData, paidPages, readStoredPage, statedUsage } from './answers.ts';
import { complaintIn, errorCodeIn, printable, readErrorResponse } from './error-responses.ts';

export interface ClientOptions {
  /** `http` or `https`, with a path prefix where the provider has one. */
  readonly baseUrl: string;
  readonly user: string;
  readonly password: string;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Retries under the same key. Default: three attempts in all, and `keepsKeys` as the client has it. */
  readonly retries?: RetryOptions;
  /** The provider keeps idempotency keys, as our own server does: unanswered calls may be retried. Default: false. */
  readonly keepsKeys?: boolean;
  /** Requests in flight at once. */
  readonly concurrency?: number;
  readonly requestsPerSecond?: number;
  /**
   * Time limit of a call with its retries and waits. With one attempt, for a host with its own queue, it limits the
   * request only, without its time in the rate limiter's queue.
   */
  readonly timeoutMs?: number;
  /** The caller's own connection pool, for a proxy; `close` leaves it open. */
  readonly dispatcher?: Dispatcher;
  /** Makes an idempotency key for a call without one; it also names an answer to which the provider gave no name. */
  readonly requestId?: () => string;
}

export interface RetryOptions {
  /** Times that one call may be sent in all. */
  readonly attemptsMax: number;
  /**
   * The provider keeps idempotency keys, as our own server does: a call whose cost is unknown (a lost answer, a 5xx)
   * may then be sent again, and is paid once. Default: false, and only what has cost nothing is sent again.
   */
  readonly keepsKeys?: boolean;
  /** 0 to 1, for the jitter. */
  readonly random?: () => number;
}

const attemptsDefault = 3;
const backoff = { firstMs: 500, maxMs: 30_000 };

/** The request, below `/v1`. */
type Path = OperationName | 'usage';

/** A client of one provider. All calls share its rate limiter; its credentials are never shown. */
export class SearchDataClient implements SearchDataService {
  readonly source = 'remote';
  readonly kind = 'live';
  readonly keepsKeys: boolean;
  readonly #url: URL;
  readonly #credentials: Readonly<Record<string, string>>;
  readonly #secrets: Secrets;
  readonly #clock: Clock;
  readonly #limiter: RequestLimiter;
  readonly #concurrency: number;
  readonly #timeoutMs: number;
  readonly #retries: RetryOptions;
  readonly #newId: () => string;
  readonly #given: Dispatcher | undefined;
  #own: Promise<Dispatcher> | undefined;
  #isClosed = false;

  /** Throws Error for a base URL, credentials or limits that cannot be used. The message repeats no credentials. */
  constructor(options: ClientOptions) {
    this.#url = parseBaseUrl(options.baseUrl);
    const user = headerValue('user', options.user);
    const password = headerValue('password', options.password);
    this.#credentials = { 'service-api-user': user, 'service-api-password': password };
    this.#secrets = new Secrets([password, user]);
    this.#clock = options.clock ?? systemClock;
    this.keepsKeys = options.keepsKeys ?? false;
    this.#retries = options.retries ?? { attemptsMax: attemptsDefault, keepsKeys: this.keepsKeys };
    this.#concurrency = options.concurrency ?? limits.concurrencyDefault;
    this.#timeoutMs = options.timeoutMs ?? limits.requestTimeoutMs;
    const { attemptsMax } = this.#retries;
    if (!Number.isInteger(attemptsMax) || attemptsMax < 1)
      throw new Error('retries.attemptsMax must be a whole number of at least 1.');
    requireTimeLimit(this.#timeoutMs);
    this.#limiter = new RequestLimiter(this.#clock, this.#concurrency, options.requestsPerSecond);
    this.#newId = options.requestId ?? randomUUID;
    this.#given = options.dispatcher;
  }

  async serp(input: SerpRequestInput, options: CallOptions = {}): Promise<SerpAnswer> {
    const request = (await import('../core/requests.ts')).parseSerpRequest(input);
    const answer = await this.#call('serp', request, options);
    const pages = paidPages(answer, request);
    return { requestId: answer.requestId, creditsCharged: pages.length, creditsStated: answer.stated, pages };
  }

  async keywordData(input: KeywordDataRequestInput, options: CallOptions = {}): Promise<KeywordDataAnswer> {
    const request = (await import('../core/requests.ts')).parseKeywordDataRequest(input);
    const answer = await this.#call('keyword-data', request, options);
    const { requestId, observedAt, stated: microUsdStated } = answer;
    return { requestId, response: paidKeywordData(answer, request), microUsdStated, observedAt };
  }

  /** Balance and use of this account, from a server of ours. Free. */
  async usage(range: { readonly days?: unknown } = {}, options: CallOptions = {}) {
    const answer = await this.#call('usage', range, options);
    return { requestId: answer.requestId, response: statedUsage(answer) };
  }

  /** Reads the JSON body of one page. Throws for raw HTML, because a provider does not name its engine. */
  readPage(body: PageBody, request: PageRequest): ReadPage {
    return readStoredPage(body, request, this.#clean);
  }

  /**
   * Tests whether the provider answers and accepts the credentials, with free empty requests that it refuses with 400.
   * Providers that keep our order refuse credentials before they read a request; an empty request without credentials
   * shows whether this one does.
   */
  async probe(signal: AbortSignal): Promise<SourceProbe> {
    if (this.#isClosed) throw closedError('client');
    try {
      const { status, code, refusal } = await this.#askNothing('serp', true, signal);
      if (isRefusedLogin(status)) {
        // pages know one refusal for every wrong login; keyword data distinguishes password, expiry and address
        const plainer = await this.#askNothing('keyword-data', true, signal);
        return failedProbe(isRefusedLogin(plainer.status) && plainer.code !== undefined ? plainer.refusal : refusal);
      }
      if (status < 300 || (status === 400 && !isOfTheSpecification(code))) return failedProbe(foreign(status));
      if (status !== 400) return failedProbe(refusal);
      const unsigned = await this.#askNothing('serp', false, signal);
      return {
        ...noBalance,
        answers: true,
        message: isRefusedLogin(unsigned.status)
          ? 'It answers, and accepts the credentials.'
          : 'It answers. The first page will show whether it accepts the credentials: it checks the request before them.',
      };
    } catch (error) {
      if (error instanceof ServiceError) return failedProbe(error);
      throw error;
    }
  }

  /** Lets requests in flight finish; later calls throw. Without any, drops connections that are still opening. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const agent = await this.#own;
    this.#own = undefined;
    await (this.#limiter.isEmpty ? agent?.destroy() : agent?.close());
  }

  toJSON(): object {
    return { source: this.source, kind: this.kind, baseUrl: this.#url.href };
  }

  [inspect.custom](): string {
    return `SearchDataClient(${this.#url.href})`;
  }

  /** Retries under one key until the call succeeds or is given up. Throws ServiceError. */
  async #call(path: Path, request: object, options: CallOptions): Promise<PaidAnswer> {
    if (options.caller?.kind === 'credentials') {
      throw new ServiceError('INTERNAL_ERROR', 'A client cannot check the credentials of a caller.', {
        disposition: 'halt',
        charged: 'no',
      });
    }
    const key = options.idempotencyKey ?? this.#newId();
    if (this.#retries.attemptsMax <= 1) return await this.#send(path, request, key, options);
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const endsAt = this.#clock.now() + timeoutMs;
    const { signal, end } = startDeadline(this.#clock, timeoutMs, options.signal);
    const stopped = (error: unknown) => {
      const reason: unknown = signal.reason;
      const { charged } = error instanceof ServiceError ? error : { charged: 'no' as const };
      return reason instanceof ServiceError ? reason.with({ charged }) : error;
    };
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#send(path, request, key, { ...options, signal }, endsAt);
        } catch (error) {
          if (signal.aborted) throw stopped(error);
          const delayMs = nextDelayMs(this.#retries, attempt, error);
          if (delayMs === undefined || this.#clock.now() + delayMs >= endsAt) throw error;
          await this.#clock.sleep(delayMs, signal).catch(() => {
            throw stopped(error);
          });
        }
      }
    } finally {
      end();
    }
  }

  /** Waits for the rate limiter, sends once, and returns the response. */
  async #send(path: Path, request: object, key: string, options: CallOptions, endsAt?: number): Promise<PaidAnswer> {
    if (this.#isClosed) throw closedError('client');
    const leave = await this.#limiter.enter(options.signal, endsAt);
    const deadline = startDeadline(this.#clock, options.timeoutMs ?? this.#timeoutMs, options.signal);
    try {
      await deadline.startAfter(options.beforeSend);
      const keyed = { ...this.#credentials, 'idempotency-key': headerValue('idempotency key', key) };
      const headers = path === 'usage' ? this.#credentials : keyed;
      const answer = await this.#exchange(path, request, headers, deadline.signal);
      const operation = path === 'usage' ? 'keyword-data' : path;
      const named = header(answer, 'x-request-id');
      const printableId = named === undefined ? undefined : printable(this.#clean(named));
      options.onReport?.(buildCallReport(operation, printableId ?? key, (name) => header(answer, name)));
      return this.#judge(operation, answer, printableId, key);
    } catch (error) {
      throw path === 'usage' ? freeOfCharge(error) : error;
    } finally {
      deadline.end();
      leave();
    }
  }

  /** Sends an empty request, with or without the credentials: what the answer means as a refusal. */
  async #askNothing(operation: OperationName, isSigned: boolean, signal: AbortSignal) {
    const leave = await this.#limiter.enter(signal);
    try {
      const answer = await this.#exchange(operation, {}, isSigned ? this.#credentials : {}, signal);
      const refusal = this.#refusal(operation, answer, undefined);
      return { status: answer.status, refusal, code: errorCodeIn(decodeText(answer.bytes)) };
    } finally {
      leave();
    }
  }

  async #exchange(
    path: Path,
    request: { readonly days?: unknown },
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const days = request.days === undefined ? '' : `?days=${encodeURIComponent(String(request.days))}`;
    const sending = {
      origin: this.#url.origin,
      path: `${this.#url.pathname.replace(/\/$/, '')}/v1/${path}`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/html',
        'accept-encoding': 'gzip, br',
        'user-agent': userAgent,
        ...headers,
      },
    };
    const answer = await exchange(
      await this.#dispatcher(),
      path === 'usage'
        ? { ...sending, method: 'GET', path: sending.path + days }
        : { ...sending, method: 'POST', body: JSON.stringify(request) },
      signal,
    );
    this.#clock.witness?.(answer.headers);
    return answer;
  }

  async #dispatcher(): Promise<Dispatcher> {
    if (this.#given !== undefined) return this.#given;
    this.#own ??= openAgent(undefined, this.#concurrency);
    return await this.#own;
  }

  #refusal(operation: OperationName, answer: HttpAnswer, requestId: string | undefined): ServiceError {
    const refusal = {
      status: answer.status,
      text: decodeText(answer.bytes),
      retryAfter: header(answer, 'retry-after'),
      requestId,
    };
    return readErrorResponse(operation, refusal, this.#clock.now(), this.#clean);
  }

  /** Throws for any status but 200. The provider's `Retry-After` and rate limits hold for all calls. */
  #judge(operation: OperationName, answer: HttpAnswer, printableId: string | undefined, key: string): PaidAnswer {
    const now = this.#clock.now();
    const text = decodeText(answer.bytes);
    const stated = statedPrice(operation, answer.headers['x-credits-charged']);
    if (answer.status !== 200) {
      const error = this.#refusal(operation, answer, printableId);
      if (error.retryAfterMs !== undefined) this.#limiter.pauseUntil(now + error.retryAfterMs);
      if (stated === undefined || stated === 0) throw error;
      // A refusal that the provider bills was sold, with any status.
      const excerpt = this.#clean(text).slice(0, limits.responseExcerptChars);
      throw error.with({ charged: 'yes', stated, body: { contentType: 'application/json', text: excerpt } });
    }
    const isHtml = /\bhtml\b/i.test(header(answer, 'content-type') ?? '');
    const contentType = isHtml ? 'text/html' : 'application/json';
    const requestId = printableId ?? key;
    const complaint = () => complaintIn(text, this.#clean);
    if (answer.isWhole) return { requestId, body: { contentType, text }, observedAt: now, complaint, stated };
    throw new ServiceError('UNREADABLE_RESPONSE', 'The answer is too large, or its compression is broken.', {
      requestId,
      stated,
      body: { contentType, text: text.slice(0, limits.responseExcerptChars) },
    });
  }

  /** Providers may quote our request, and URLs with credentials of their own supplier. */
  readonly #clean = (words: string): string => this.#secrets.hide(words).replace(/(:\/\/)[^\s/"'<>]*@/g, '$1***@');
}

function header(answer: HttpAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('The base URL of the service must be an http or https address.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Error('The base URL of the service must have no credentials, query or fragment in it.');
  }
  return url;
}

function headerValue(name: string, value: string): string {
  if (typeof value === 'string' && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value;
  throw new Error(`The ${name} must be printable ASCII, not blank: it is sent as an HTTP header.`);
}

/**
 * Milliseconds to wait before the next attempt; undefined where there is none. The provider's `Retry-After` counts;
 * without one the wait doubles.
 */
function nextDelayMs(options: RetryOptions, attempt: number, error: unknown): number | undefined {
  if (attempt >= options.attemptsMax || !(error instanceof ServiceError)) return undefined;
  if (error.disposition !== 'retry' && error.disposition !== 'wait') return undefined;
  if (error.charged !== 'no' && !(error.charged === 'unknown' && options.keepsKeys === true)) return undefined;
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  return backoffMs(backoff, attempt, (options.random ?? Math.random)());
}

/** Reads `X-Credits-*`, `Idempotent-Replayed` and `RateLimit*`; `header` gives a header by its lower-case name. */
function buildCallReport(
  operation: OperationName,
  requestId: string,
  header: (name: string) => string | undefined,
): CallReport {
  const rate = parseRateState(header('ratelimit-policy'), header('ratelimit'));
  const used = parsePrice(operation, header('x-credits-charged'));
  const balance = parsePrice(operation, header('x-credits-remaining'));
  return {
    requestId,
    rate,
    isReplayed: header('idempotent-replayed') === 'true' || undefined,
    charge: used && balance && { used, balance },
  };
}

/**
 * What a provider says that a request cost, in credits or, for keyword data, in micro-USD; a part of a credit counts as
 * a whole one. Of several statements in one answer, the highest counts.
 */
function statedPrice(operation: OperationName, header: string | readonly string[] | undefined) {
  const statements = [header ?? []].flat().flatMap((value) => value.split(','));
  const amounts = statements.filter((text) => /^\d+(\.\d+)?$/.test(text.trim())).map(Number);
  if (amounts.length === 0) return undefined;
  const amount = Math.max(...amounts);
  const stated = operation === 'serp' ? Math.ceil(amount) : Math.round(amount * 1_000_000);
  return Math.min(stated, Number.MAX_SAFE_INTEGER);
}

function parsePrice(operation: OperationName, text: string | undefined): Price | undefined {
  if (text === undefined || !/^\d{1,12}(\.\d{1,6})?$/.test(text)) return undefined;
  const amount = Number(text);
  return operation === 'serp'
    ? { serpCredits: Math.trunc(amount), microUsd: 0 }
    : { serpCredits: 0, microUsd: Math.round(amount * 1_000_000) };
}

const names: readonly string[] = ['requests', 'logins', 'pages'] satisfies RateState['name'][];

function parseRateState(policy: string | undefined, state: string | undefined): RateState | undefined {
  const quota = /^"(\w+)";q=(\d{1,9});w=(\d{1,9})$/.exec(policy ?? '');
  const rest = /^"(\w+)";r=(\d{1,9});t=(\d{1,9})$/.exec(state ?? '');
  if (quota === null || rest === null || quota[1] !== rest[1] || !names.includes(quota[1] ?? '')) return undefined;
  return {
    name: quota[1] as RateState['name'],
    count: Number(quota[2]),
    windowMs: Number(quota[3]) * 1000,
    remaining: Number(rest[2]),
    resetMs: Number(rest[3]) * 1000,
  };
}

/** The specification has no endpoint for the balance. */
const noBalance = { creditsLeft: null, unit: 'credit' } as const;

function failedProbe(error: ServiceError): SourceProbe {
  return { ...noBalance, answers: false, message: `${error.message} ${error.hint}`, problems: [error] };
}

function isRefusedLogin(status: number): boolean {
  return status === 401 || status === 403;
}

function isOfTheSpecification(code: string | undefined): boolean {
  return code !== undefined && Object.hasOwn(errorTable, code) && errorTable[code as ErrorCode].status === 400;
}

function foreign(status: number): ServiceError {
  return new ServiceError('UNREADABLE_RESPONSE', `The server there (${status}) does not follow the specification.`, {
    charged: 'no',
    hint: 'Check the base URL.',
  });
}
