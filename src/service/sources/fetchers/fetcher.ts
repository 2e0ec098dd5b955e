// The contract of a fetcher: takes a request of an engine, returns the page as received. What fetchers share.
import type { EngineRequest, SearchAsked } from '../../engines/engine.ts';
import type { Charged } from '../../model/charged.ts';
import { type PageFailureReason, ServiceError } from '../../model/errors.ts';

/** What a probe of a fetcher's routes found; no page is requested. */
export interface FetcherProbe {
  /** Null if the route works and the key cannot be tested for free. */
  readonly answers: boolean | null;
  /** A sentence for people. */
  readonly message: string;
  readonly problems: readonly ServiceError[];
}

/** A page as received. */
export interface LoadedPage {
  readonly html: string;
  /** Reports the outcome of the page: a blocked route is not used for a while. */
  settle(outcome: 'good' | 'blocked'): void;
  /**
   * Requests a URL that the page links to, by the same route and with the page as referer, and returns the redirect's
   * target; undefined where it does not redirect. No body is read, and the address is not asked for. Absent where the
   * fetcher cannot. Throws ServiceError.
   */
  follow?(address: string, loading: Loading): Promise<string | undefined>;
}

/** The signal of the caller that waits for a page, and the tally of requests sent for it. */
export interface Loading {
  readonly signal: AbortSignal;
  /** A request is about to leave. */
  readonly onSend: () => void;
}

export interface Fetcher {
  /** The cost of a page that is not a SERP. */
  readonly charge: Charged;
  /** Limit of routes tried for one blocked page. */
  readonly attemptsMax: number;
  /** The remedy if the engine sends an empty page that scripts would fill; undefined if scripts were run. */
  readonly wallHint?: string;
  /** Throws ServiceError; `charged` says whether the failure cost something. */
  load(request: EngineRequest, asked: SearchAsked, loading: Loading): Promise<LoadedPage>;
  /** Tests the route to the engine without requesting a page. */
  probe(engine: URL, signal: AbortSignal): Promise<FetcherProbe>;
  close(): Promise<void>;
}

/** Why a URL that an engine redirects to cannot hold results; undefined if it may. */
export function interstitialAt({ hostname, pathname }: URL): PageFailureReason | undefined {
  if (/^\/(?:sorry|turing\/captcha|anomaly\.js)\b/.test(pathname)) return 'blocked';
  return hostname.startsWith('consent.') ? 'consent' : undefined;
}

const userAgents = {
  desktop:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  mobile:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
};

export function chooseUserAgent(mobile: boolean): string {
  return mobile ? userAgents.mobile : userAgents.desktop;
}

/** Languages that a browser of the market prefers: `de-DE,de;q=0.9`. */
export function acceptedLanguages({ language, country }: SearchAsked): string {
  const [primary = language] = language.split('-');
  return `${language.includes('-') ? language : `${primary}-${country}`},${primary};q=0.9`;
}

export function browserHeaders(asked: SearchAsked): Record<string, string> {
  return {
    'user-agent': chooseUserAgent(asked.mobile),
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': acceptedLanguages(asked),
    'accept-encoding': 'gzip, deflate, br, zstd',
    'upgrade-insecure-requests': '1',
    'sec-ch-ua-mobile': asked.mobile ? '?1' : '?0',
    'sec-fetch-dest': 'document',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-site': 'none',
    'sec-fetch-user': '?1',
  };
}

/** A page that is not a SERP, fetched by ourselves: it costs nothing. */
export function freeFailure(reason: PageFailureReason | undefined, message: string): ServiceError {
  return new ServiceError('SERP_FAILED', message, { charged: 'no', reason });
}

/** The URL of a request; fields of a form are put into it, which engines accept as well. */
export function urlWithForm({ url, form }: EngineRequest): string {
  return form === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(form)}`;
}
