// Fetches pages through the user's Chromium, one at a time, in a new window. Loads playwright-core on first use.
import type { lookup } from 'node:dns';
import type { Browser, BrowserContext, CDPSession } from 'playwright-core';
import type { EngineRequest, SearchAsked } from '../../engines/engine.ts';
import { errorText, ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { startDeadline, untilAborted } from '../../model/time/deadline.ts';
import { type NetworkPolicy, rejectPrivateUrl } from '../../net/public-network.ts';
import { RequestLimiter } from '../../net/request-limiter.ts';
import {
  acceptedLanguages,
  chooseUserAgent,
  type Fetcher,
  type FetcherProbe,
  freeFailure,
  interstitialAt,
  type LoadedPage,
  type Loading,
  urlWithForm,
} from './fetcher.ts';
import { type Guard, openGuard } from './guard.ts';
import { launchBrowser } from './launch-browser.ts';
import { DeadProxy, ProxyPool, probeProxies } from './proxies.ts';

interface BrowserFetcherOptions {
  /** Path of the browser; undefined for the installed Chrome. */
  readonly executablePath: string | undefined;
  readonly proxies: readonly string[];
  readonly coolDownMs: number;
  readonly requestsPerSecond: number;
  readonly network: NetworkPolicy;
  /** How names are resolved, if not by the system. */
  readonly resolve?: typeof lookup;
}

/** Starts the browser. Throws ServiceError with the remedy if there is none. */
type LaunchBrowser = () => Promise<Browser>;

/** Time limits for opening a page, and for its scripts afterwards. */
const openTimeoutMs = 30_000;
const settleTimeoutMs = 5_000;
/** Time limit for reading a page out: some scripts never end. */
const readTimeoutMs = 15_000;
/** Limit of bytes for one page, as sent and again decompressed, including its scripts and their requests. */
const bytesMax = 60 * 1024 * 1024;
/** Most bytes of one answer, decompressed: the page, or a script of it. */
const answerBytesMax = 8 * 1024 * 1024;
/** Longest page that is taken out of the browser, in characters. */
const pageCharactersMax = 6 * 1024 * 1024;
/** Resources that a results page does not need. */
const unwanted = new Set(['image', 'media', 'font']);

interface Route {
  readonly proxy: string | undefined;
}

export class BrowserFetcher implements Fetcher {
  readonly charge = 'no';
  readonly attemptsMax: number;
  readonly #options: BrowserFetcherOptions;
  readonly #clock: Clock;
  readonly #launch: LaunchBrowser;
  readonly #limiter: RequestLimiter;
  readonly #routes: ProxyPool<Route>;
  #browser: Promise<Browser> | undefined;

  constructor(options: BrowserFetcherOptions, clock: Clock, launch: LaunchBrowser = () => launchGuarded(options)) {
    this.#options = options;
    this.#clock = clock;
    this.#launch = launch;
    this.#limiter = new RequestLimiter(clock, 1, options.requestsPerSecond);
    const proxies = options.proxies.length === 0 ? [undefined] : options.proxies;
    this.#routes = new ProxyPool(
      clock,
      proxies.map((proxy) => ({ proxy })),
      options.coolDownMs,
    );
    this.attemptsMax = this.#routes.attemptsMax;
  }

  async load(request: EngineRequest, asked: SearchAsked, { signal, onSend }: Loading): Promise<LoadedPage> {
    return await this.#routes.attempt(this.#limiter, signal, async (route) => {
      onSend();
      const html = await this.#loadBy(route, request, asked, signal);
      return { html, settle: (outcome: 'good' | 'blocked') => this.#routes.settle(route, outcome) };
    });
  }

  /** Starts the browser and ends it again; probes the proxies. */
  async probe(_engine: URL, signal: AbortSignal): Promise<FetcherProbe> {
    const { proxies } = this.#options;
    const started = this.#launch();
    const version = started.then(async (browser) => {
      const name = browser.version();
      await browser.close();
      return name;
    });
    const message = `Chromium ${await untilAborted(version, signal)} starts.`;
    if (proxies.length === 0) return { answers: true, message, problems: [] };
    const probed = await probeProxies(proxies, signal);
    return { ...probed, message: `${message} ${probed.message}` };
  }

  async close(): Promise<void> {
    const browser = await this.#browser?.catch(() => undefined);
    this.#browser = undefined;
    await browser?.close();
  }

  /** Opens the page in a separate window, whose only route out is its guard. */
  async #loadBy(route: Route, request: EngineRequest, asked: SearchAsked, signal: AbortSignal): Promise<string> {
    const { network, resolve } = this.#options;
    rejectPrivateUrl(new URL(request.url), network);
    const browser = await this.#running();
    let context: BrowserContext | undefined;
    const giveUp = () => void context?.close().catch(() => undefined);
    const guard = await openGuard({ network, proxy: route.proxy, bytesMax, onTooLarge: giveUp, resolve });
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      context = await openWindow(browser, guard, asked);
      signal.throwIfAborted();
      return await this.#show(context, guard, route, request, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw judge(error, guard);
    } finally {
      signal.removeEventListener('abort', giveUp);
      await context?.close();
      await guard.close();
    }
  }

  /** Restarts a browser that has died. */
  async #running(): Promise<Browser> {
    if ((await this.#browser?.catch(() => undefined))?.isConnected() !== true) this.#browser = this.#launch();
    const browser = await this.#browser;
    if (browser === undefined) throw new ServiceError('INTERNAL_ERROR', 'The browser was closed.', { charged: 'no' });
    return browser;
  }

  async #show(
    context: BrowserContext,
    guard: Guard,
    route: Route,
    request: EngineRequest,
    signal: AbortSignal,
  ): Promise<string> {
    const cookies = Object.entries(request.cookies ?? {});
    await context.addCookies(cookies.map(([name, value]) => ({ name, value, url: request.url })));
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await limitAnswers(session, guard);
    let lost: string | undefined;
    page.on('requestfailed', (failed) => {
      if (failed.isNavigationRequest() && failed.frame() === page.mainFrame()) lost = failed.url();
    });
    const response = await page
      .goto(urlWithForm(request), { waitUntil: 'domcontentloaded', timeout: openTimeoutMs })
      .catch((error: unknown) => {
        throw (lost === undefined ? undefined : guard.refusalOf(new URL(lost))) ?? error;
      });
    const { date, age } = response?.headers() ?? {};
    this.#clock.witness?.({ date, age });
    // A page that never becomes idle is read in its current state.
    await page.waitForLoadState('networkidle', { timeout: settleTimeoutMs }).catch(() => undefined);
    // Scripts may navigate to a page that shows nothing.
    if (lost !== undefined && !/^https?:/.test(page.url()))
      throw guard.refusalOf(new URL(lost)) ?? new Error('Its scripts lead to a page that does not open.');
    const status = response?.status() ?? 0;
    const reason = interstitialAt(new URL(page.url()));
    if (reason === 'blocked' || status === 429 || status === 403) {
      this.#routes.settle(route, 'blocked');
      throw freeFailure('blocked', `The engine blocked the request (${status}).`);
    }
    if (reason !== undefined) throw freeFailure(reason, 'The engine asks for consent before it shows results.');
    if (status >= 400) throw freeFailure(undefined, `The engine answered ${status}.`);
    const html = await this.#read(session, signal);
    if (html === undefined || guard.isTooLarge) throw freeFailure('unparseable', 'The page is too large.');
    return html;
  }

  /** The current page, read where its scripts cannot interfere; undefined if it is too long. */
  async #read(session: CDPSession, signal: AbortSignal): Promise<string | undefined> {
    const read = async () => {
      const { frameTree } = await session.send('Page.getFrameTree');
      const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
      const { result } = await session.send('Runtime.evaluate', {
        contextId: world.executionContextId,
        returnByValue: true,
        expression: `(() => { const html = document.documentElement.outerHTML; return html.length > ${pageCharactersMax} ? null : html; })()`,
      });
      return typeof result.value === 'string' ? `<!doctype html>${result.value}` : undefined;
    };
    const deadline = startDeadline(this.#clock, readTimeoutMs, signal);
    try {
      return await untilAborted(read(), deadline.signal);
    } finally {
      deadline.end();
    }
  }
}

/** Counts decompressed bytes, which only the browser sees. */
async function limitAnswers(session: CDPSession, guard: Guard): Promise<void> {
  const lengths = new Map<string, number>();
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const length = (lengths.get(requestId) ?? 0) + dataLength;
    lengths.set(requestId, length);
    guard.take(length > answerBytesMax ? Number.POSITIVE_INFINITY : dataLength);
  });
  await session.send('Network.enable');
}

/** A fresh window without cookies of other pages. */
async function openWindow(browser: Browser, guard: Guard, asked: SearchAsked): Promise<BrowserContext> {
  const context = await browser.newContext({
    userAgent: chooseUserAgent(asked.mobile),
    locale: asked.language,
    viewport: asked.mobile ? { width: 412, height: 915 } : { width: 1366, height: 768 },
    isMobile: asked.mobile,
    extraHTTPHeaders: { 'accept-language': acceptedLanguages(asked) },
    serviceWorkers: 'block',
    acceptDownloads: false,
    proxy: guard.settings,
  });
  await context.route('**/*', async (asked) => {
    const isWanted = !unwanted.has(asked.request().resourceType());
    await (isWanted ? asked.continue() : asked.abort('blockedbyclient')).catch(() => undefined);
  });
  return context;
}

/** The meaning of a browser failure. */
function judge(error: unknown, guard: Guard): Error {
  if (guard.proxyFailure !== undefined) return new DeadProxy(guard.proxyFailure);
  if (error instanceof ServiceError) return error.with({ charged: 'no' });
  return guard.isTooLarge ? freeFailure('unparseable', 'The page is too large.') : unreached(error);
}

/** Messages of the browser quote addresses; the first line says what happened. */
function unreached(cause: unknown): ServiceError {
  const [line = ''] = errorText(cause).split('\n');
  const [code = 'the page did not open'] = /net::[A-Z_]+|Timeout \d+ms/.exec(line) ?? [];
  return new ServiceError('CONNECTION_FAILED', `The browser could not show the page (${code}).`, {
    charged: 'no',
    cause,
  });
}

async function launchGuarded({ executablePath }: BrowserFetcherOptions): Promise<Browser> {
  // calls between browsers do not go around the guard
  const args = ['--force-webrtc-ip-handling-policy=disable_non_proxied_udp'];
  const launch = { use: '`fetcher: browser`', executablePath, option: 'executablePath', args };
  // the type of our own is a part of playwright-core's
  return (await launchBrowser(launch)) as Browser;
}
