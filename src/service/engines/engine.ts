// The contract of an engine: builds requests, and reads HTML into a SERP. Pure; one folder per engine.

import type { ReadPage } from '../model/results/serp.ts';
import type { PageRequest } from '../model/source.ts';

/** The request, to detect a page of another query. Without `keyword` that check is skipped (offline parsing). */
export interface PageContext {
  readonly keyword?: string;
  /** The requested device: a page of the other one is rejected. Absent: not compared. */
  readonly mobile?: boolean;
  /**
   * When the page was requested, UTC milliseconds, to check the page's own time. Absent: unknown, and the check is
   * skipped.
   */
  readonly requestedAt?: number;
  /** The requested place: a page in English that names another one is rejected. Absent: not compared. */
  readonly location?: string;
  /** The requested market: a page that names another one is rejected. Absent: not compared. */
  readonly country?: string;
  readonly language?: string;
}

/** One page of one search, as requested from an engine. */
export type SearchAsked = Omit<PageRequest, 'through'>;

/** The request that a browser would send for a page. */
export interface EngineRequest {
  readonly url: string;
  /** Sent as a form, by POST; absent for GET. */
  readonly form?: Readonly<Record<string, string>>;
  /** Cookies that the engine sets on those who have answered its consent question. */
  readonly cookies?: Readonly<Record<string, string>>;
}

/** Support for engines that hide destinations behind their redirects. */
interface HiddenDestinations {
  /** The redirects of organic results whose destination the page does not name, in order. */
  redirectsOf(html: string, asked: Pick<SearchAsked, 'mobile'>): readonly string[];
  /** Whether the target of a redirect is a destination, and not a page of the engine. */
  isDestination(address: string): boolean;
  /** The page with resolved destinations written into it, in the form of the engine's own pages. */
  withDestinations(html: string, destinations: ReadonlyMap<string, string>): string;
}

export interface Engine {
  readonly name: string;
  /**
   * The request for a page of a search. Throws ServiceError INVALID_REQUEST, charged `no`, for a market that the engine
   * does not have. If the engine has `nextOf`, only the request for the first page is certain to be right.
   */
  request(asked: SearchAsked): EngineRequest;
  /**
   * The request for the next page, if only the previous page contains it: pages of varying length, tokens. `asked` is
   * the next page, `before` the number of organic results on earlier pages. Absent if `request` builds the request of
   * every page.
   */
  nextOf?(html: string, asked: SearchAsked, before: number): EngineRequest;
  /** Absent if links lead to their destinations, or the page names them. */
  readonly hidden?: HiddenDestinations;
  /**
   * Parses a results page into the root object and its features. Throws ServiceError SERP_FAILED with a `reason` for a
   * page that is not a SERP: blocked, consent, javascript_wall, stale_page, wrong_query, wrong_location,
   * no_organic_results, unparseable. A page on which the engine says that it found nothing is a ReadPage without
   * `organic`.
   */
  parse(html: string, context: PageContext): ReadPage;
}
