// The contract of a fetcher: a request of an engine in, the page as it came out. What the page is, is left to the engine.

import type { Charged } from '../../charged.ts';
import type { EngineRequest, SearchAsked } from '../../engines/engine.ts';
import type { PageFailureReason, ServiceError } from '../../errors.ts';

/** What a fetcher says of its ways, asked for no page. */
export interface FetcherProbe {
  /** Null where the way stands, and whether a key is taken cannot be asked for nothing. */
  readonly answers: boolean | null;
  /** A sentence for people. */
  readonly message: string;
  readonly problems: readonly ServiceError[];
}

/** A page as it came, whatever it is. */
export interface LoadedPage {
  readonly html: string;
  /** Tells the fetcher what the page was: one that was blocked is not fetched by the same way again for a while. */
  settle(outcome: 'good' | 'blocked'): void;
  /**
   * Asks for an address that the page links to, by the page's own way and with it as referer, and gives the address that the answer redirects to; undefined
   * where it does not redirect. No body is read, and the address is not asked for. Absent where the fetcher cannot. Throws ServiceError.
   */
  follow?(address: string, loading: Loading): Promise<string | undefined>;
}

/** Who waits for a page, and who is told of what is sent for it. */
export interface Loading {
  readonly signal: AbortSignal;
  /** A request is about to leave. */
  readonly onSend: () => void;
}

export interface Fetcher {
  /** What a page costs that came and is no SERP. */
  readonly charge: Charged;
  /** Most ways that are tried for one page that is blocked. */
  readonly triesMax: number;
  /** Most requests that one page may take where the pages before it have to be fetched as well. */
  readonly requestsMax: number;
  /** What to do where the engine sends a page that only scripts fill; undefined where scripts were run. */
  readonly wallHint?: string;
  /** Throws ServiceError; `charged` says whether the failure cost something. */
  load(request: EngineRequest, asked: SearchAsked, loading: Loading): Promise<LoadedPage>;
  /** Whether its way to the engine, an address, stands; no page is asked for. */
  probe(engine: URL, signal: AbortSignal): Promise<FetcherProbe>;
  close(): Promise<void>;
}

/** Why an address that an engine leads to holds no results, whatever its page says; undefined where it may. */
export function interstitialAt({ hostname, pathname }: URL): PageFailureReason | undefined {
  if (/^\/(?:sorry|turing\/captcha|anomaly\.js)\b/.test(pathname)) return 'blocked';
  return hostname.startsWith('consent.') ? 'consent' : undefined;
}
