// The contract of an engine: HTML in, SERP out. Pure; one folder an engine.
import type { ReadPage } from '../serp.ts';

/** What was asked, so that another query's page is recognised. Without `keyword` that check is left out (offline parsing). */
export interface PageContext {
  readonly keyword?: string;
  readonly mobile: boolean;
}

export interface Engine {
  readonly name: string;
  /**
   * Reads a results page into the root object and its features.
   * Throws ServiceError SERP_FAILED with a `reason` for a page that is not a SERP: blocked, consent, javascript_wall,
   * wrong_query, no_organic_results, unparseable. A page on which the engine says it found nothing is a ReadPage without `organic`.
   */
  parse(html: string, context: PageContext): ReadPage;
}
