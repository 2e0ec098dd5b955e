// Fetches pages over plain HTTP, directly or through rotating proxies, without scripts. Follows allowed redirects.
import type { Dispatcher } from 'undici';
import { retryAfterMs } from '../../client/error-responses.ts';
import type { EngineRequest, SearchAsked } from '../../engines/engine.ts';
import { ServiceError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/ports.ts';
import { decodeText } from '../../model/results/charset.ts';
import { type NetworkPolicy, openAgent, reach, rejectPrivateUrl } from '../../net/public-network.ts';
import { RequestLimiter } from '../../net/request-limiter.ts';
import { exchange, type HttpAnswer } from '../../net/transport.ts';
import {
  browserHeaders,
  type Fetcher,
  type FetcherProbe,
  freeFailure,
  interstitialAt,
  type LoadedPage,
  type Loading,
} from './fetcher.ts';
import { DeadProxy, ProxyPool, probeProxies, proxyAddress, proxyFailure } from './proxies.ts';

export interface HttpFetcherOptions {
  /** URLs of proxies; empty for a direct connection. */
  readonly proxies: readonly string[];
  readonly coolDownMs: number;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  readonly network: NetworkPolicy;
}

/** One route to the engine with its own connections and cookies: an engine ties its cookies to an address. */
interface Route {
  readonly proxy: string | undefined;
  readonly cookies: Cookies;
  agent: Promise<Dispatcher> | undefined;
}

/** A search with the route over which its page is loaded. */
interface RoutedSearch {
  readonly route: Route;
  readonly request: EngineRequest;
  readonly asked: SearchAsked;
}

/** One HTTP request of a search. */
interface Step {
  readonly url: URL;
  readonly form?: EngineRequest['form'];
  /** The page whose link is followed; then only the headers of the answer are read. */
  readonly referer?: string;
}

/** Most bytes of a page, as it comes and decompressed: the largest recorded one has 3.4 million. */
const pageBytesMax = 6 * 1024 * 1024;
/** Redirects of one page: to the country's host, to its https form. */
const redirectsMax = 5;

export class HttpFetcher implements Fetcher {
  readonly charge = 'no';
  readonly attemptsMax: number;
  readonly wallHint = 'The engine requires scripts: use `fetcher: browser` or `fetcher: unlocker`.';
  readonly #clock: Clock;
  readonly #options: HttpFetcherOptions;
  readonly #limiter: RequestLimiter;
  readonly #routes: ProxyPool<Route>;

  constructor(options: HttpFetcherOptions, clock: Clock) {
    this.#clock = clock;
    this.#options = options;
    this.#limiter = new RequestLimiter(clock, options.concurrency, options.requestsPerSecond);
    const proxies = options.proxies.length === 0 ? [undefined] : options.proxies;
    const routes = proxies.map((proxy): Route => ({ proxy, cookies: new Cookies(), agent: undefined }));
    this.#routes = new ProxyPool(clock, routes, options.coolDownMs);
    this.attemptsMax = this.#routes.attemptsMax;
  }

  async load(request: EngineRequest, asked: SearchAsked, { signal, onSend }: Loading): Promise<LoadedPage> {
    return await this.#routes.attempt(this.#limiter, signal, async (route) => {
      onSend();
      const search = { route, request, asked };
      return {
        html: await this.#loadPage(search, signal),
        settle: (outcome) => this.#routes.settle(route, outcome),
        follow: (address, following) => this.#follow(search, address, following),
      };
    });
  }

  async probe(engine: URL, signal: AbortSignal): Promise<FetcherProbe> {
    const { proxies, network } = this.#options;
    if (proxies.length > 0) return await probeProxies(proxies, signal);
    await reach(engine, network, signal);
    return { answers: true, message: `${engine.host} can be reached. No page was requested.`, problems: [] };
  }

  async close(): Promise<void> {
    for (const route of this.#routes.routes) {
      const agent = await route.agent?.catch(() => undefined);
      route.agent = undefined;
      await (this.#limiter.isEmpty ? agent?.destroy() : agent?.close());
    }
  }

  async #follow(search: RoutedSearch, address: string, { signal, onSend }: Loading): Promise<string | undefined> {
    const referer = search.request.url;
    const { pathname, search: query } = new URL(address);
    const url = new URL(`${pathname}${query}`, referer);
    rejectPrivateUrl(url, this.#options.network);
    const leave = await this.#limiter.enter(signal);
    try {
      onSend();
      const answer = await this.#exchange(search, { url, referer }, signal);
      const target = findRedirect(answer, url);
      return target?.protocol === 'https:' || target?.protocol === 'http:' ? target.href : undefined;
    } finally {
      leave();
    }
  }

  async #loadPage(search: RoutedSearch, signal: AbortSignal): Promise<string> {
    const { route, request } = search;
    let step: Step = { url: new URL(request.url), form: request.form };
    for (let redirects = 0; ; redirects++) {
      const { url } = step;
      rejectPrivateUrl(url, this.#options.network);
      const answer = await this.#exchange(search, step, signal);
      route.cookies.take(answer.headers['set-cookie'], url.hostname);
      const target = findRedirect(answer, url);
      if (target === undefined) return this.#judge(route, answer);
      const reason = interstitialAt(target);
      if (reason === 'blocked') throw this.#blocked(route, answer);
      if (reason !== undefined) throw freeFailure(reason, 'The engine asks for consent before it shows results.');
      if (redirects === redirectsMax) throw freeFailure('unparseable', `The engine redirected ${redirectsMax} times.`);
      step = { url: target };
    }
  }

  async #exchange(
    { route, request, asked }: RoutedSearch,
    { url, form, referer }: Step,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const body = form === undefined ? undefined : new URLSearchParams(form).toString();
    const isOwn = url.hostname === new URL(request.url).hostname;
    const cookie = isOwn ? route.cookies.header(request.cookies) : undefined;
    route.agent ??= openRoute(route.proxy, this.#options);
    try {
      const answer = await exchange(
        await route.agent,
        {
          method: body === undefined ? 'GET' : 'POST',
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          headers: {
            ...browserHeaders(asked),
            ...(referer !== undefined && { referer, 'sec-fetch-site': 'same-origin' }),
            ...(cookie !== undefined && { cookie }),
            ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
          },
          ...(body !== undefined && { body }),
        },
        signal,
        referer === undefined ? pageBytesMax : 0,
      );
      this.#clock.witness?.(answer.headers);
      return answer;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // A page that we fetch ourselves costs nothing.
      const free = error.with({ charged: 'no' });
      if (route.proxy === undefined || !/^CONNECTION_/.test(error.code) || error.disposition === 'halt') throw free;
      throw new DeadProxy(proxyFailure(route.proxy, ownAnswer(free.cause), free.cause));
    }
  }

  /** The page of an answer; an error status is a failure. */
  #judge(route: Route, answer: HttpAnswer): string {
    const { status } = answer;
    if (!answer.isWhole) throw freeFailure('unparseable', 'The page is too large, or its compression is broken.');
    if (status === 429 || status === 403) throw this.#blocked(route, answer);
    if (status < 200 || status >= 300) throw freeFailure(undefined, `The engine answered ${status}.`);
    return decodeText(answer.bytes);
  }

  #blocked(route: Route, { status, headers }: HttpAnswer): ServiceError {
    this.#routes.settle(route, 'blocked');
    const pause = retryAfterMs(headers['retry-after'], this.#clock.now());
    return freeFailure('blocked', `The engine blocked the request (${status}).`).with({ retryAfterMs: pause });
  }
}

/** The status with which a proxy refused to open a tunnel, else the system's code for what happened. */
function ownAnswer(cause: unknown): number | string {
  const { code, message = '' } = (cause ?? {}) as { code?: unknown; message?: string };
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  if (status !== undefined) return Number(status);
  return typeof code === 'string' ? code : 'no answer';
}

function findRedirect({ status, headers }: HttpAnswer, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return undefined;
  return URL.parse(headers.location, from.href) ?? undefined;
}

/**
 * Connections of one route. A proxy resolves names itself; its own address is the operator's choice and may be private.
 * It is only ever asked for a tunnel, so that what it answers itself is not taken for an answer of the engine.
 */
async function openRoute(proxy: string | undefined, options: HttpFetcherOptions): Promise<Dispatcher> {
  if (proxy === undefined) return await openAgent(options.network, options.concurrency);
  const { ProxyAgent } = await import('undici');
  const { origin, authorization } = proxyAddress(proxy);
  return new ProxyAgent({
    uri: origin,
    proxyTunnel: true,
    ...(authorization !== undefined && { token: authorization }),
    connections: options.concurrency,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    requestTls: { timeout: limits.connectTimeoutMs },
    proxyTls: { timeout: limits.connectTimeoutMs },
  });
}

/** Most cookies, and characters of one: an engine sets a dozen short ones. */
const cookiesMax = 40;
const cookieCharactersMax = 4_096;

class Cookies {
  readonly #values = new Map<string, string>();

  /**
   * Takes what `set-cookie` says: names and values, and which are to be forgotten. Cookies for other hosts are not
   * taken.
   */
  take(headers: string | readonly string[] | undefined, host: string): void {
    for (const header of typeof headers === 'string' ? [headers] : (headers ?? [])) {
      const [pair = '', ...attributes] = header.slice(0, cookieCharactersMax).split(';');
      const at = pair.indexOf('=');
      const name = pair.slice(0, at).trim();
      if (at < 1 || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) continue;
      const domain = findAttribute(attributes, 'domain')?.replace(/^\./, '').toLowerCase();
      if (domain !== undefined && domain !== host && !host.endsWith(`.${domain}`)) continue;
      this.#values.delete(name);
      if (Number(findAttribute(attributes, 'max-age') ?? 1) > 0) this.#values.set(name, pair.slice(at + 1).trim());
      const [oldest] = this.#values.keys();
      if (this.#values.size > cookiesMax && oldest !== undefined) this.#values.delete(oldest);
    }
  }

  /** The header's value, those of the engine's own choice (`given`) included; undefined where there are none. */
  header(given: Readonly<Record<string, string>> = {}): string | undefined {
    const all = new Map([...Object.entries(given), ...this.#values]);
    return all.size === 0 ? undefined : [...all].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

function findAttribute(attributes: readonly string[], name: string): string | undefined {
  const found = attributes.find((attribute) => attribute.trim().toLowerCase().startsWith(`${name}=`));
  return found?.slice(found.indexOf('=') + 1).trim();
}
