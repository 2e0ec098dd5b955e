// Fetches pages through an API that takes a URL and returns the page. Its own URL has a placeholder.

import { retryAfterMs } from '../../client/error-responses.ts';
import type { EngineRequest, SearchAsked } from '../../engines/engine.ts';
import type { Charged } from '../../model/charged.ts';
import { type PageFailureReason, ServiceError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/ports.ts';
import { decodeText } from '../../model/results/charset.ts';
import { Secrets } from '../../model/secrets.ts';
import { boundedJson, vendorBounds } from '../../net/fields.ts';
import { type NetworkPolicy, openAgent, reach, rejectPrivateUrl } from '../../net/public-network.ts';
import { RequestLimiter } from '../../net/request-limiter.ts';
import { exchange, type HttpAnswer, userAgent } from '../../net/transport.ts';
import { type Fetcher, type FetcherProbe, type LoadedPage, type Loading, urlWithForm } from './fetcher.ts';

interface UnlockerOptions {
  /** An address with `{url}`, and where it is wanted `{country}`, `{language}`, `{device}`. */
  readonly template: string;
  /** Path of the page in a JSON answer: `result`, `data.0.html`. Undefined if the whole answer is the page. */
  readonly bodyPath: string | undefined;
  /** Whether an answer without a page is charged. */
  readonly failureCharge: Charged;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  readonly network: NetworkPolicy;
}

/** Most bytes of an answer, as it comes and decompressed; JSON spells a page longer than it is. */
const answerBytesMax = 6 * 1024 * 1024;

export class UnlockerFetcher implements Fetcher {
  readonly attemptsMax = 1;
  /** Every page received is paid for. */
  readonly charge = 'yes';
  readonly wallHint = 'The engine requires scripts: turn on rendering in `template`, with the parameter of the API.';
  readonly #options: UnlockerOptions;
  readonly #clock: Clock;
  readonly #limiter: RequestLimiter;
  readonly #secrets: Secrets;
  #agent: ReturnType<typeof openAgent> | undefined;

  /** Throws ServiceError where the address is none that may be asked. */
  constructor(options: UnlockerOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#limiter = new RequestLimiter(clock, options.concurrency, options.requestsPerSecond);
    const address = new URL(options.template.replaceAll(/[{}]/g, ''));
    rejectPrivateUrl(address, options.network);
    this.#secrets = new Secrets([...address.searchParams.values(), address.password]);
  }

  async load(request: EngineRequest, asked: SearchAsked, { signal, onSend }: Loading): Promise<LoadedPage> {
    const leave = await this.#limiter.enter(signal);
    try {
      this.#agent ??= openAgent(this.#options.network, this.#options.concurrency);
      const url = new URL(filled(this.#options.template, request, asked));
      const sending = {
        method: 'GET' as const,
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        headers: { accept: '*/*', 'accept-encoding': 'gzip, br', 'user-agent': userAgent },
      };
      const agent = await this.#agent;
      onSend();
      const answer = await exchange(agent, sending, signal, answerBytesMax);
      this.#clock.witness?.(answer.headers);
      return { html: this.#readPage(answer), settle: () => undefined };
    } finally {
      leave();
    }
  }

  /** Only the URL of such an API is known, so its key cannot be tested for free. */
  async probe(_engine: URL, signal: AbortSignal): Promise<FetcherProbe> {
    const { template, network } = this.#options;
    const api = new URL(template.replaceAll(/[{}]/g, ''));
    await reach(api, network, signal);
    return {
      answers: null,
      message: `The API at ${api.host} can be reached. The first page will show whether it accepts the key.`,
      problems: [],
    };
  }

  async close(): Promise<void> {
    const agent = await this.#agent;
    this.#agent = undefined;
    await (this.#limiter.isEmpty ? agent?.destroy() : agent?.close());
  }

  #readPage(answer: HttpAnswer): string {
    const { status } = answer;
    if (status < 200 || status >= 300) throw this.#refusal(answer);
    if (!answer.isWhole) throw this.#failure('The answer is too large, or its compression is broken.', 'unparseable');
    const text = this.#secrets.hide(decodeText(answer.bytes));
    const { bodyPath } = this.#options;
    if (bodyPath === undefined) return text;
    const page = valueAt(text, bodyPath);
    if (page === undefined) throw this.#failure(`The answer has no text at "${bodyPath}".`, 'unparseable');
    return page;
  }

  #failure(message: string, reason?: PageFailureReason): ServiceError {
    return new ServiceError('SERP_FAILED', message, { charged: this.#options.failureCharge, reason });
  }

  #refusal({ status, headers }: HttpAnswer): ServiceError {
    const message = `The API answered ${status}.`;
    const hint = 'Check the account of the API in `template`.';
    if (status === 401 || status === 403) return new ServiceError('INVALID_API_KEY', message, { charged: 'no', hint });
    if (status === 402) return new ServiceError('INSUFFICIENT_CREDITS', message, { charged: 'no', hint });
    if (status !== 429) return this.#failure(message);
    const pause = retryAfterMs(headers['retry-after'], this.#clock.now()) ?? limits.rateLimitPauseMs;
    this.#limiter.pauseUntil(this.#clock.now() + pause);
    return new ServiceError('RATE_LIMIT_EXCEEDED', message, { charged: 'no', retryAfterMs: pause });
  }
}

/** The URL of the request. */
function filled(template: string, request: EngineRequest, asked: SearchAsked): string {
  const values: Readonly<Record<string, string>> = {
    url: urlWithForm(request),
    country: asked.country.toLowerCase(),
    language: asked.language,
    device: asked.mobile ? 'mobile' : 'desktop',
  };
  return template.replace(/\{(url|country|language|device)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}

/** A text within JSON; undefined where there is none. */
function valueAt(json: string, path: string): string | undefined {
  let value: unknown;
  try {
    value = boundedJson(json, vendorBounds);
  } catch {
    return undefined;
  }
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return typeof value === 'string' ? value : undefined;
}
