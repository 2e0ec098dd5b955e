// The contract of a fetcher: takes a request of an engine, returns the page as received.

import type { EngineRequest, SearchAsked } from '../../engines/engine.ts';
import type { Charged } from '../../model/charged.ts';
import type { PageFailureReason, ServiceError } from '../../model/errors.ts';

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
  /** Limit of requests for one page, if the pages before it must be fetched as well. */
  readonly requestsMax: number;
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
