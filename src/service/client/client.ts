// A Search Data Service over HTTP, from any provider of the specification. It retries only if its host says so.
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { Dispatcher } from 'undici';
import type {
  CallOptions,
  KeywordDataAnswer,
  KeywordDataRequestInput,
  SerpAnswer,
  SerpRequestInput,
} from '../core/calls.ts';
import type { SearchDataService } from '../core/service.ts';
import { type PageBody, ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import type { Clock, OperationName } from '../model/ports.ts';
import { decodeText } from '../model/results/charset.ts';
import type { ReadPage } from '../model/results/serp.ts';
import { Secrets } from '../model/secrets.ts';
import type { PageRequest, SourceProbe } from '../model/source.ts';
import { systemClock } from '../model/time/clock.ts';
import { startDeadline } from '../model/time/deadline.ts';
import { RequestLimiter } from '../net/request-limiter.ts';
import { exchange, type HttpAnswer, type HttpSending } from '../net/transport.ts';
import { userAgent } from '../net/user-agent.ts';
import { type PaidAnswer, paidKeywordData, paidPages, readStoredPage, statedUsage } from './answers.ts';
import { buildCallReport, statedPrice } from './call-report.ts';
import type { NothingAnswer } from './client-probe.ts';
import { headerValue, openPool, parseBaseUrl } from './client-setup.ts';
import { complaintIn, errorCodeIn, printable, readErrorResponse } from './error-responses.ts';
import { nextDelayMs, type RetryOptions } from './retries.ts';

export interface ClientOptions {
  /** `http` or `https`, with a path prefix where the provider has one. */
  readonly baseUrl: string;
  readonly user: string;
  readonly password: string;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Retries under the same key. Default: twice, and after a possible charge only if the provider `keepsKeys`. */
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

const attemptsDefault = 3;

/** The request, below `/v1`. */
type Path = OperationName | 'usage';

/** A client of one provider. All calls share its rate limiter; its credentials are never shown. */
export class SearchDataClient implements SearchDataService {
  readonly source = 'remote';
  readonly kind = 'live';
  readonly keepsKeys: boolean;
  readonly #url: URL;
  readonly #user: string;
  readonly #password: string;
  readonly #secrets: Secrets;
  readonly #clock: Clock;
  readonly #limiter: RequestLimiter;
  readonly #concurrency: number;
  readonly #timeoutMs: number;
  readonly #retries: RetryOptions;
  readonly #newId: () => string;
  readonly #given: Dispatcher | undefined;
  #own: Promise<Dispatcher> | undefined;
  #requests: Promise<typeof import('../core/requests.ts')> | undefined;

  /** Throws Error for a base URL, credentials or limits that cannot be used. The message repeats no credentials. */
  constructor(options: ClientOptions) {
    this.#url = parseBaseUrl(options.baseUrl);
    this.#user = headerValue('user', options.user);
    this.#password = headerValue('password', options.password);
    this.#secrets = new Secrets([this.#password, this.#user]);
    this.#clock = options.clock ?? systemClock;
    this.keepsKeys = options.keepsKeys ?? false;
    this.#retries = options.retries ?? { attemptsMax: attemptsDefault, keepsKeys: this.keepsKeys };
    this.#concurrency = options.concurrency ?? limits.concurrencyDefault;
    this.#timeoutMs = options.timeoutMs ?? limits.requestTimeoutMs;
    this.#limiter = new RequestLimiter(this.#clock, this.#concurrency, options.requestsPerSecond);
    this.#newId = options.requestId ?? randomUUID;
    this.#given = options.dispatcher;
  }

  async serp(input: SerpRequestInput, options: CallOptions = {}): Promise<SerpAnswer> {
    const { parseSerpRequest } = await this.#readers();
    const request = parseSerpRequest(input);
    const answer = await this.#call('serp', request, options);
    const pages = paidPages(answer, request);
    const { requestId, stated } = answer;
    return { requestId, creditsCharged: pages.length, ...(stated !== undefined && { creditsStated: stated }), pages };
  }

  async keywordData(input: KeywordDataRequestInput, options: CallOptions = {}): Promise<KeywordDataAnswer> {
    const { parseKeywordDataRequest } = await this.#readers();
    const request = parseKeywordDataRequest(input);
    const answer = await this.#call('keyword-data', request, options);
    const { requestId, observedAt, stated } = answer;
    const response = paidKeywordData(answer, request);
    return { requestId, response, ...(stated !== undefined && { microUsdStated: stated }), observedAt };
  }

  /** Balance and use of this account, from a server of ours. Free. */
  async usage(range: { readonly days?: unknown } = {}, options: CallOptions = {}) {
    try {
      const answer = await this.#call('usage', range, options);
      return { requestId: answer.requestId, response: statedUsage(answer) };
    } catch (error) {
      throw error instanceof ServiceError ? error.with({ charged: 'no' }) : error;
    }
  }

  /** Reads the JSON body of one page. Throws for raw HTML, because a provider does not name its engine. */
  readPage(body: PageBody, request: PageRequest): ReadPage {
    return readStoredPage(body, request, (words) => this.#withoutSecrets(words));
  }

  /** Tests whether the provider answers and accepts the credentials. It buys nothing and reads no balance. */
  async probe(signal: AbortSignal): Promise<SourceProbe> {
    const { probeProvider } = await import('./client-probe.ts');
    return await probeProvider((operation, isSigned) => this.#askNothing(operation, isSigned, signal));
  }

  /** Lets requests in flight finish. Without any, drops connections that are still opening. */
  async close(): Promise<void> {
    const pool = await this.#own;
    this.#own = undefined;
    await (this.#limiter.isEmpty ? pool?.destroy() : pool?.close());
  }

  toJSON(): object {
    return { source: this.source, kind: this.kind, baseUrl: this.#url.href };
  }

  [inspect.custom](): string {
    return `SearchDataClient(${this.#url.href})`;
  }

  /** Retries under one key until the call succeeds or is given up. Throws ServiceError. */
  async #call(operation: Path, request: object, options: CallOptions): Promise<PaidAnswer> {
    if (options.caller?.kind === 'credentials') {
      throw new ServiceError('INTERNAL_ERROR', 'A client cannot check the credentials of a caller.', {
        disposition: 'halt',
        charged: 'no',
      });
    }
    const key = options.idempotencyKey ?? this.#newId();
    if (this.#retries.attemptsMax <= 1) return await this.#send(operation, request, key, options);
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
          return await this.#send(operation, request, key, { ...options, signal });
        } catch (error) {
          if (signal.aborted) throw stopped(error);
          const free = operation === 'usage' && error instanceof ServiceError ? error.with({ charged: 'no' }) : error;
          const delayMs = nextDelayMs(this.#retries, attempt, free);
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
  async #send(
    path: Path,
    request: { readonly days?: unknown },
    key: string,
    options: CallOptions,
  ): Promise<PaidAnswer> {
    const leave = await this.#limiter.enter(options.signal);
    const deadline = startDeadline(this.#clock, options.timeoutMs ?? this.#timeoutMs, options.signal);
    try {
      await deadline.startAfter(options.beforeSend);
      const dispatcher = this.#given ?? (await this.#pool());
      const headers = { ...this.#credentials(), 'idempotency-key': headerValue('idempotency key', key) };
      const sending: HttpSending =
        path === 'usage'
          ? this.#get(path, request.days)
          : { ...this.#post(path, headers), body: JSON.stringify(request) };
      const answer = await exchange(dispatcher, sending, deadline.signal);
      this.#clock.witness?.(answer.headers);
      const operation = path === 'usage' ? 'keyword-data' : path;
      const named = header(answer, 'x-request-id');
      const printableId = named === undefined ? undefined : printable(this.#withoutSecrets(named));
      options.onReport?.(buildCallReport(operation, printableId ?? key, (name) => header(answer, name)));
      return this.#judge(operation, answer, printableId, key);
    } finally {
      deadline.end();
      leave();
    }
  }

  /** Sends an empty request, with or without the credentials. */
  async #askNothing(operation: OperationName, isSigned: boolean, signal: AbortSignal): Promise<NothingAnswer> {
    const leave = await this.#limiter.enter(signal);
    try {
      const answer = await exchange(
        this.#given ?? (await this.#pool()),
        { ...this.#post(operation, isSigned ? this.#credentials() : {}), body: '{}' },
        signal,
      );
      this.#clock.witness?.(answer.headers);
      const { status } = answer;
      const text = decodeText(answer.bytes);
      const facts = { status, text, retryAfter: header(answer, 'retry-after'), requestId: undefined };
      const refusal = readErrorResponse(operation, facts, this.#clock.now(), (words) => this.#withoutSecrets(words));
      return { status, refusal, code: errorCodeIn(text) };
    } finally {
      leave();
    }
  }

  /** Throws for any status but 200. The provider's `Retry-After` and rate limits hold for all calls. */
  #judge(operation: OperationName, answer: HttpAnswer, printableId: string | undefined, key: string): PaidAnswer {
    const now = this.#clock.now();
    const text = decodeText(answer.bytes);
    const stated = statedPrice(operation, answer.headers['x-credits-charged']);
    if (answer.status !== 200) {
      const refusal = {
        status: answer.status,
        text,
        retryAfter: header(answer, 'retry-after'),
        requestId: printableId,
      };
      const error = readErrorResponse(operation, refusal, now, (words) => this.#withoutSecrets(words));
      if (error.retryAfterMs !== undefined) this.#limiter.pauseUntil(now + error.retryAfterMs);
      if (stated === undefined || stated === 0) throw error;
      // A refusal that the provider bills was sold, with any status.
      const excerpt = this.#withoutSecrets(text).slice(0, limits.responseExcerptChars);
      throw error.with({ charged: 'yes', stated, body: { contentType: 'application/json', text: excerpt } });
    }
    const isHtml = /\bhtml\b/i.test(header(answer, 'content-type') ?? '');
    const contentType = isHtml ? 'text/html' : 'application/json';
    const requestId = printableId ?? key;
    const price = stated === undefined ? {} : { stated };
    const complaint = () => complaintIn(text, (words) => this.#withoutSecrets(words));
    if (answer.isWhole) return { requestId, body: { contentType, text }, observedAt: now, complaint, ...price };
    throw new ServiceError('UNREADABLE_RESPONSE', 'The answer is too large, or its compression is broken.', {
      requestId,
      ...price,
      body: { contentType, text: text.slice(0, limits.responseExcerptChars) },
    });
  }

  #post(operation: Path, headers: Readonly<Record<string, string>>): HttpSending {
    return {
      method: 'POST',
      origin: this.#url.origin,
      path: `${this.#url.pathname.replace(/\/$/, '')}/v1/${operation}`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/html',
        'accept-encoding': 'gzip, br',
        'user-agent': userAgent,
        ...headers,
      },
    };
  }

  #get(path: Path, days: unknown): HttpSending {
    const post = this.#post(path, this.#credentials());
    const query = days === undefined ? '' : `?days=${encodeURIComponent(String(days))}`;
    return { ...post, method: 'GET', path: `${post.path}${query}` };
  }

  #credentials(): Record<string, string> {
    return { 'service-api-user': this.#user, 'service-api-password': this.#password };
  }

  /** Providers may quote our request, and URLs with credentials of their own supplier. */
  #withoutSecrets(words: string): string {
    return this.#secrets.hide(words).replace(/(:\/\/)[^\s/"'<>]*@/g, '$1***@');
  }

  /** Loaded with the first call and kept: importing again takes longer than validating a request. */
  #readers(): Promise<typeof import('../core/requests.ts')> {
    this.#requests ??= import('../core/requests.ts');
    return this.#requests;
  }

  #pool(): Promise<Dispatcher> {
    this.#own ??= openPool(this.#url.origin, this.#concurrency);
    return this.#own;
  }
}

function header(answer: HttpAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
