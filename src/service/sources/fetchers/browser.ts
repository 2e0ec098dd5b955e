// Pages through the user's own Chromium, scripts run: one page at a time, in a window of its own. It needs playwright-core, loaded when it is used.
import { lookup } from 'node:dns';
import type { Browser, BrowserContext, Route as BrowserRequest } from 'playwright-core';
import type { EngineRequest, SearchAsked } from '../../engines/engine.ts';
import { ServiceError } from '../../errors.ts';
import { Gate } from '../../http/gate.ts';
import { guardedLookup, type NetworkPolicy, refusePrivateUrl } from '../../http/public-network.ts';
import type { Clock } from '../../ports.ts';
import { acceptedLanguages, userAgentOf } from './browser-headers.ts';
import type { Fetcher, LoadedPage } from './fetcher.ts';
import { Routes } from './routes.ts';

export interface BrowserFetcherOptions {
  /** The browser's program; undefined for the Chrome that is installed. */
  readonly executablePath: string | undefined;
  readonly proxies: readonly string[];
  readonly coolDownMs: number;
  readonly requestsPerSecond: number;
  readonly network: NetworkPolicy;
}

/** Starts the browser. Throws ServiceError with the remedy where there is none. */
export type LaunchBrowser = () => Promise<Browser>;

/** How long a page may take to open, and how long its scripts are then waited for. */
const openTimeoutMs = 30_000;
const settleTimeoutMs = 5_000;
/** Longest page that is taken out of the browser, in characters. */
const pageCharactersMax = 6 * 1024 * 1024;
/** Ways that are tried for one page. */
const triesMax = 3;
/** What a results page is read without. */
const unwanted = new Set(['image', 'media', 'font']);

interface Way {
  readonly proxy: string | undefined;
}

export class BrowserFetcher implements Fetcher {
  readonly charge = 'no';
  readonly triesMax: number;
  readonly #options: BrowserFetcherOptions;
  readonly #launch: LaunchBrowser;
  readonly #gate: Gate;
  readonly #routes: Routes<Way>;
  #browser: Promise<Browser> | undefined;

  constructor(options: BrowserFetcherOptions, clock: Clock, launch: LaunchBrowser = () => launchInstalled(options)) {
    this.#options = options;
    this.#launch = launch;
    this.#gate = new Gate(clock, 1, options.requestsPerSecond);
    const proxies = options.proxies.length === 0 ? [undefined] : options.proxies;
    this.#routes = new Routes(
      clock,
      proxies.map((proxy) => ({ proxy })),
      options.coolDownMs,
    );
    this.triesMax = Math.min(triesMax, proxies.length);
  }

  async load(request: EngineRequest, asked: SearchAsked, signal: AbortSignal): Promise<LoadedPage> {
    const leave = await this.#gate.enter(signal);
    try {
      const way = this.#routes.take();
      const context = await this.#open(way, asked);
      const giveUp = () => void context.close().catch(() => undefined);
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        signal.throwIfAborted();
        const html = await this.#show(context, way, request);
        return { html, settle: (outcome) => this.#routes.settle(way, outcome) };
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof ServiceError ? error : unreached(error);
      } finally {
        signal.removeEventListener('abort', giveUp);
        await context.close();
      }
    } finally {
      leave();
    }
  }

  async close(): Promise<void> {
    const browser = await this.#browser?.catch(() => undefined);
    this.#browser = undefined;
    await browser?.close();
  }

  /** A window of its own, without cookies of other pages. A browser that has died is started again. */
  async #open(way: Way, asked: SearchAsked): Promise<BrowserContext> {
    if ((await this.#browser?.catch(() => undefined))?.isConnected() !== true) this.#browser = this.#launch();
    const browser = await this.#browser;
    if (browser === undefined) throw new ServiceError('INTERNAL_ERROR', 'The browser was closed.', { charged: 'no' });
    return await browser.newContext({
      userAgent: userAgentOf(asked.mobile),
      locale: asked.language,
      viewport: asked.mobile ? { width: 412, height: 915 } : { width: 1366, height: 768 },
      isMobile: asked.mobile,
      extraHTTPHeaders: { 'accept-language': acceptedLanguages(asked) },
      serviceWorkers: 'block',
      acceptDownloads: false,
      ...(way.proxy !== undefined && { proxy: proxyOf(way.proxy) }),
    });
  }

  async #show(context: BrowserContext, way: Way, request: EngineRequest): Promise<string> {
    const { url, form, cookies = {} } = request;
    const tail = form === undefined ? '' : `${url.includes('?') ? '&' : '?'}${new URLSearchParams(form)}`;
    refusePrivateUrl(new URL(url), this.#options.network);
    await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url })));
    await context.route('**/*', (asked) => this.#permit(asked, way));
    const page = await context.newPage();
    const response = await page.goto(`${url}${tail}`, { waitUntil: 'domcontentloaded', timeout: openTimeoutMs });
    // The browser follows redirects without asking: where one led past the policy, nothing of the page is kept.
    for (let at = response?.request() ?? null; at !== null; at = at.redirectedFrom())
      refusePrivateUrl(new URL(at.url()), this.#options.network);
    // Pages that never come to rest are read as they stand.
    await page.waitForLoadState('networkidle', { timeout: settleTimeoutMs }).catch(() => undefined);
    const status = response?.status() ?? 0;
    if (status === 429 || status === 403) {
      this.#routes.settle(way, 'blocked');
      throw new ServiceError('SERP_FAILED', `The engine blocked the request (${status}).`, {
        reason: 'blocked',
        charged: 'no',
      });
    }
    if (status >= 400) throw new ServiceError('SERP_FAILED', `The engine answered ${status}.`, { charged: 'no' });
    const html = await page.content();
    if (html.length <= pageCharactersMax) return html;
    throw new ServiceError('SERP_FAILED', 'The page is too large.', { reason: 'unparseable', charged: 'no' });
  }

  /** Requests of the page and its scripts go where the network policy allows. Of redirects the browser asks nobody. */
  async #permit(asked: BrowserRequest, way: Way): Promise<void> {
    const request = asked.request();
    const url = URL.parse(request.url());
    const isWanted = url !== null && !unwanted.has(request.resourceType());
    const isAllowed = isWanted && (await this.#isAllowed(url, way));
    await (isAllowed ? asked.continue() : asked.abort('blockedbyclient')).catch(() => undefined);
  }

  async #isAllowed(url: URL, way: Way): Promise<boolean> {
    if (url.protocol === 'data:' || url.protocol === 'blob:') return true;
    try {
      refusePrivateUrl(url, this.#options.network);
    } catch {
      return false;
    }
    // A proxy looks names up by itself.
    if (way.proxy !== undefined) return true;
    const find = guardedLookup(this.#options.network, lookup);
    return await new Promise((resolve) => {
      find(url.hostname.replace(/^\[|\]$/g, ''), {}, (error) => resolve(error === null));
    });
  }
}

function proxyOf(address: string) {
  const { origin, username, password } = new URL(address);
  const login = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return { server: origin, ...(username !== '' && login) };
}

/** Messages of the browser quote addresses; the first line says what happened. */
function unreached(cause: unknown): ServiceError {
  const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  const [code = 'the page did not open'] = /net::[A-Z_]+|Timeout \d+ms/.exec(line) ?? [];
  return new ServiceError('CONNECTION_FAILED', `The browser could not show the page (${code}).`, {
    charged: 'no',
    cause,
  });
}

async function launchInstalled({ executablePath }: BrowserFetcherOptions): Promise<Browser> {
  const { chromium } = await import('playwright-core').catch((cause: unknown) => {
    throw new ServiceError(
      'INTERNAL_ERROR',
      '`fetcher: browser` needs the package playwright-core, which is not installed.',
      {
        charged: 'no',
        disposition: 'halt',
        hint: 'Run: npm install playwright-core',
        cause,
      },
    );
  });
  try {
    return await chromium.launch(executablePath === undefined ? { channel: 'chrome' } : { executablePath });
  } catch (cause) {
    const [line = ''] = (cause instanceof Error ? cause.message : '').split('\n');
    throw new ServiceError('INTERNAL_ERROR', `The browser does not start: ${line.slice(0, 200)}`, {
      charged: 'no',
      disposition: 'halt',
      hint: 'Install Chrome, or name a Chromium with `executablePath`.',
      cause,
    });
  }
}
