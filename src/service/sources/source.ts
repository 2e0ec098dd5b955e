// The contract of a source: where result pages and keyword metrics come from. One file a source, one row in the registry.
import type { PageBody } from '../errors.ts';
import type { KeywordMetrics } from '../keyword-data.ts';
import type { Clock } from '../ports.ts';
import type { ReadPage } from '../serp.ts';

/** `live` buys today's pages; `sandbox` invents a labelled world; `replay` shows recordings. Only a live source ever costs money. */
export type SourceKind = 'live' | 'sandbox' | 'replay';

/** One page of one search. All fields are validated before a source sees them. */
export interface PageRequest {
  readonly keyword: string;
  /** ISO 3166-1, upper case. */
  readonly country: string;
  /** BCP 47 primary language with optional region: `en`, `pt-BR`. */
  readonly language: string;
  readonly mobile: boolean;
  /** 1-based. */
  readonly page: number;
}

export interface MetricsRequest {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  /** 1 to 1000. */
  readonly limit: number;
}

export interface SourceContext {
  readonly signal: AbortSignal;
  /** The moment to show, UTC milliseconds: the sandbox's day, the replay's date. A live source ignores it. */
  readonly at: number;
}

export interface FetchedPage {
  readonly body: PageBody;
  /** When the page was observed, UTC milliseconds: now for a live source, `at` for the sandbox, the recording's date for a replay. */
  readonly observedAt: number;
}

/** Where result pages come from. */
export interface SerpSource {
  readonly name: string;
  readonly kind: SourceKind;
  /** Fetches one page. Throws ServiceError; `charged` says whether the failure cost something at the source. */
  fetchPage(request: PageRequest, context: SourceContext): Promise<FetchedPage>;
  /** Reads a body this source once gave. Pure. Throws ServiceError SERP_FAILED with a `reason` when it is not a SERP. */
  readPage(body: PageBody, request: PageRequest): ReadPage;
  /**
   * Names what a simulated source shows at that moment: for the same request and the same edition it always gives the same page. Absent where that is
   * not so, as for every live source.
   */
  editionAt?(at: number): string;
  close?(): Promise<void>;
}

/** Where keyword metrics come from. */
export interface MetricsSource {
  readonly name: string;
  readonly kind: SourceKind;
  /** At most `limit` keywords, the asked one among them; empty where nothing is known. Throws ServiceError WORKER_FAILED. */
  fetchMetrics(request: MetricsRequest, context: SourceContext): Promise<KeywordMetrics[]>;
  close?(): Promise<void>;
}

/** What a source is made with. */
export interface SourceDependencies {
  readonly clock: Clock;
}

/** A source as configured: one of the two halves may be missing (a page source without metrics). */
export interface Source {
  readonly serp?: SerpSource;
  readonly metrics?: MetricsSource;
}
