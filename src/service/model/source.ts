// The contract of a source of result pages or keyword metrics. One file per source, one row in the registry.
import type * as z from 'zod';
import type { Charged, RequestCount } from './charged.ts';
import type { PageBody, PassedOver, ServiceError } from './errors.ts';
import type { KeywordMetrics } from './keyword-data.ts';
import type { Clock, KeywordDatasets } from './ports.ts';
import type { RequestTally } from './request-tally.ts';
import type { ReadPage } from './serp.ts';
import type { SourceMemory } from './source-memory.ts';

/**
 * `live` buys today's pages; `sandbox` invents a labelled world; `replay` shows recordings. Only a live source ever
 * costs money.
 */
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
  /** The same on every try of one purchase, and no other purchase's; absent where its caller gave it none. */
  readonly idempotencyKey?: string;
  /**
   * For keyword metrics: other keywords of the same market that the caller wants. A source that takes several at once
   * returns them before related ones, up to the limit, with nulls for unknown values; others ignore them.
   */
  readonly wanted?: readonly string[];
  /** Where a source whose pages may take several requests counts them as they leave; absent if it is not needed. */
  readonly requests?: RequestTally;
}

export interface FetchedPage {
  readonly body: PageBody;
  /** Which of several sources gave it; absent where the source has no others behind it. */
  readonly source?: string;
  /** Sources before it that refuse us; absent where none does. */
  readonly passedOver?: readonly PassedOver[];
  /**
   * The requests that it took; absent where a page always takes one. None at all: it was fetched on the way to another.
   */
  readonly requests?: RequestCount;
  /** Credits that it cost where the source says so, in the unit of our ledger: 1 is its usual price. */
  readonly creditsStated?: number;
  /**
   * When the page was observed, UTC milliseconds: now for a live source, `at` for the sandbox, the recording's date for
   * a replay.
   */
  readonly observedAt: number;
}

/** Where result pages come from. */
export interface SerpSource {
  readonly name: string;
  readonly kind: SourceKind;
  /** Fetches one page. Throws ServiceError; `charged` says whether the failure cost something at the source. */
  fetchPage(request: PageRequest, context: SourceContext): Promise<FetchedPage>;
  /**
   * Reads a body this source once gave. Pure. Throws ServiceError SERP_FAILED with a `reason` when it is not a SERP.
   * `receivedAt`, UTC milliseconds, is when the body came: a live source refuses a page whose own clock says another
   * time. Absent: unknown, and not compared.
   */
  readPage(body: PageBody, request: PageRequest, receivedAt?: number): ReadPage;
  /**
   * Names what a simulated source shows at that moment: for the same request and the same edition it always gives the
   * same page. Absent where that is not so, as for every live source.
   */
  editionAt?(at: number): string;
  /**
   * A page is charged once within 24 hours, for all requests with its purchase's key, over restarts too. Default:
   * false.
   */
  readonly keepsKeys?: boolean;
  /** How long a request for a page may take, where that is longer than usual. Default: 60 s. */
  readonly requestTimeoutMs?: number;
  /** What the bodies are: JSON cannot be sold as a raw page. Default: `text/html`. */
  readonly bodyType?: PageBody['contentType'];
  /**
   * Whether it answers and what is left there; nothing is bought by asking. Absent where that cannot be asked for
   * nothing.
   */
  probe?(context: SourceContext): Promise<SourceProbe>;
  close?(): Promise<void>;
}

/** A source's status, from a request that buys no page. */
export interface SourceProbe {
  /** Null where it cannot be asked for nothing. */
  readonly answers: boolean | null;
  /** What is left there, of all keys together; null if the vendor does not say. */
  readonly creditsLeft: number | null;
  readonly unit: ChargeUnit;
  readonly plan?: string;
  /** A sentence for people. */
  readonly message: string;
  /**
   * What the next page would find wrong there, each with its remedy: a key that is refused, nothing left, no answer.
   * Absent where nothing is.
   */
  readonly problems?: readonly ServiceError[];
  /** Of a source that has others behind it, each of them. */
  readonly parts?: readonly (SourceProbe & { readonly source: string })[];
}

/** The unit of a source's prices: its credits, or millionths of a dollar. */
export type ChargeUnit = 'credit' | 'micro_usd';

/** The price of pages in one mode of a source. */
export interface SourcePrice {
  /**
   * The option that chooses it, as it is written in a config, such as `method: queued`; absent if there is one mode
   * only.
   */
  readonly mode?: string;
  readonly unit: ChargeUnit;
  /** One page, in the unit: the first of a search, and each further one. */
  readonly firstPage: number;
  readonly furtherPage: number;
  /** What one unit costs, in micro-USD: over the plans that are sold. Of `micro_usd` it is 1. */
  readonly unitMicroUsd: { readonly least: number; readonly most: number };
  /** When that was looked up, `2026-08`. */
  readonly asOf: string;
}

/** Facts about a source that need no request. */
export interface SourceFacts {
  /** As people know it. */
  readonly title: string;
  /** Empty where pages cost nothing. */
  readonly prices: readonly SourcePrice[];
  /** Whether a page that could not be had is charged, and the rule as the source states it. */
  readonly failureCharge: Charged;
  readonly failureRule: string;
  /**
   * What proves that nothing was found, a sentence. A page that lists nothing without that proof is read with the doubt
   * `empty_unproven`.
   */
  readonly emptyRule: string;
  /** How further pages are come by, where one page may take more than one request; absent where each takes one. */
  readonly pagingRule?: string;
  /** Organic results requested per page; a page may show fewer. */
  readonly pageSize: number;
  /** What it is asked at most unless the config says otherwise. */
  readonly rate: { readonly requestsPerSecond: number; readonly concurrency: number };
  readonly devices: readonly ('desktop' | 'mobile')[];
  /** Whether a page can be asked for as it is seen in a country. */
  readonly hasCountries: boolean;
  /** How it is written in a config: a YAML service of five lines at most. */
  readonly example: string;
}

/** Where keyword metrics come from. */
export interface MetricsSource {
  readonly name: string;
  readonly kind: SourceKind;
  /**
   * At most `limit` keywords, the asked one among them; empty where nothing is known. Throws ServiceError
   * WORKER_FAILED.
   */
  fetchMetrics(request: MetricsRequest, context: SourceContext): Promise<KeywordMetrics[]>;
  /**
   * Whether it answers and what is left there; nothing is bought by asking. Absent where that cannot be asked for
   * nothing.
   */
  probe?(context: SourceContext): Promise<SourceProbe>;
  close?(): Promise<void>;
}

/** The price of keyword metrics in one mode of a source. */
export interface MetricsPrice {
  /** The option that chooses it, as it is written in a config; absent if there is one mode only. */
  readonly mode?: string;
  readonly unit: ChargeUnit;
  /**
   * In the unit: a request for one keyword, each further one that its caller names, and each related keyword that it
   * brings besides.
   */
  readonly perRequest: number;
  readonly perWanted: number;
  readonly perRelated: number;
  /** What one unit costs, in micro-USD: over the plans that are sold. Of `micro_usd` it is 1. */
  readonly unitMicroUsd: { readonly least: number; readonly most: number };
  /** When that was looked up, `2026-08`. */
  readonly asOf: string;
}

/** A metric that a source can know of a keyword. */
export type MetricName = 'search_volume' | 'cpc' | 'competition' | 'intent' | 'related_keywords';

/** Facts about a source of keyword metrics that need no request. */
export interface MetricsFacts {
  /** As people know it. */
  readonly title: string;
  /** Empty where it costs nothing. */
  readonly prices: readonly MetricsPrice[];
  /** Whether a request that brought nothing is charged, and the rule as the source states it. */
  readonly failureCharge: Charged;
  readonly failureRule: string;
  /** Metrics that the source returns; the others are null. */
  readonly knows: readonly MetricName[];
  /** Most keywords that one request brings, the asked one and related ones. */
  readonly keywordsMax: number;
  /** What it is asked at most unless the config says otherwise. */
  readonly rate: { readonly requestsPerSecond: number; readonly concurrency: number };
  /**
   * What a reader of its numbers should know, such as where its cpc comes from; absent where there is nothing to say.
   */
  readonly note?: string;
  /** How it is written in a config: a YAML service of five lines at most. */
  readonly example: string;
}

/**
 * A source of keyword metrics as its registry loads it. `create` throws ZodError for options that do not fit, Error
 * where it cannot be set up.
 */
export interface MetricsModule {
  readonly facts: MetricsFacts;
  readonly options: z.ZodType;
  create(options: unknown, dependencies: SourceDependencies): MetricsSource | Promise<MetricsSource>;
}

/** What a source is made with. */
export interface SourceDependencies {
  readonly clock: Clock;
  /** What it may remember over restarts; absent where there is no place for that. */
  readonly memory?: SourceMemory;
  /** Where local datasets are opened; absent where the host keeps none. */
  readonly datasets?: KeywordDatasets;
}

/** A source as configured: one of the two halves may be missing (a page source without metrics). */
export interface Source {
  readonly serp?: SerpSource;
  readonly metrics?: MetricsSource;
}
