// The contract of an engine: builds requests, and reads HTML into a SERP. Pure; one folder per engine.
import type { ReadPage } from '../model/serp.ts';

/** The request, to recognise another query's page. Without `keyword` that check is left out (offline parsing). */
export interface PageContext {
  readonly keyword?: string;
  readonly mobile: boolean;
  /**
   * When the page was requested, UTC milliseconds, to check the page's own date. Absent: unknown, and the check is
   * skipped.
   */
  readonly requestedAt?: number;
}

/** One page of one search, as requested from an engine. */
export interface SearchAsked {
  readonly keyword: string;
  /** ISO 3166-1, upper case. */
  readonly country: string;
  /** BCP 47: `en`, `pt-BR`. */
  readonly language: string;
  readonly mobile: boolean;
  /** 1-based. */
  readonly page: number;
}

/** What a browser would send for a page. */
export interface EngineRequest {
  readonly url: string;
  /** Sent as a form, by POST; absent for GET. */
  readonly form?: Readonly<Record<string, string>>;
  /** Cookies that the engine sets on those who have answered its consent question. */
  readonly cookies?: Readonly<Record<string, string>>;
}

/** Support for engines that hide destinations behind their redirects. */
export interface HiddenDestinations {
  /** The redirects of those organic results whose destination the page does not name, in order. */
  redirectsOf(html: string, asked: Pick<SearchAsked, 'mobile'>): readonly string[];
  /** Whether an address that a redirect named is a destination, and not a page of the engine. */
  isDestination(address: string): boolean;
  /** The page with destinations by redirect written into it, as the engine's own pages hold them. */
  withDestinations(html: string, destinations: ReadonlyMap<string, string>): string;
}

export interface Engine {
  readonly name: string;
  /**
   * What to send for a page of a search. Throws ServiceError INVALID_REQUEST, charged `no`, for a market that the
   * engine does not have. Where `nextOf` is there, only the first page is sure to be the one.
   */
  request(asked: SearchAsked): EngineRequest;
  /**
   * What to send for the page after one, where only that page knows: pages of varying length, tokens. `asked` is the
   * page to come, `before` how many organic results the pages before this one had. Absent if `request` builds the
   * request of every page.
   */
  nextOf?(html: string, asked: SearchAsked, before: number): EngineRequest;
  /** Absent where links lead to their destinations, or the page names them. */
  readonly hidden?: HiddenDestinations;
  /**
   * Reads a results page into the root object and its features. Throws ServiceError SERP_FAILED with a `reason` for a
   * page that is not a SERP: blocked, consent, javascript_wall, stale_page, wrong_query, no_organic_results,
   * unparseable. A page on which the engine says it found nothing is a ReadPage without `organic`.
   */
  parse(html: string, context: PageContext): ReadPage;
}
