// The contract of sources: results pages, keyword metrics, AI answers. One file per source, one row in the registry.
import type * as z from 'zod';
import type { Charged, RequestCount, RequestTally } from './charged.ts';
import type { PageBody, PassedOver, ServiceError } from './errors.ts';
import type { Clock, KeywordDatasets } from './ports.ts';
import type { KeywordMetrics } from './results/keyword-data.ts';
import type { ReadPage } from './results/serp.ts';
import type { SearchLimits } from './search-limits.ts';

/**
 * `live` buys today's pages; `sandbox` invents a labelled world; `replay` shows recordings. Only live sources cost
 * money.
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
  /** Canonical: a place or a coordinate inside the country. Absent: the country as a whole. */
  readonly location?: string;
  /** Pages 1 to this one are bought at once, as `range` sells them: the body has them all. Absent: one page. */
  readonly through?: number;
}

/** Pages from the first one on that are sold at once. */
export interface PageRange {
  readonly pagesMax: number;
  /** The price of pages 1 to `pages`, in the unit of our ledger. */
  readonly credits: (pages: number) => number;
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
  /** The moment to show, UTC milliseconds: the day of the sandbox, the date of the replay. A live source ignores it. */
  readonly at: number;
  /**
   * The same on every attempt of one purchase, and different for every other purchase; absent if the caller gave none.
   */
  readonly idempotencyKey?: string;
  /**
   * For keyword metrics: other keywords of the same market that the caller wants. A source with batches returns them
   * before related keywords, up to the limit, with nulls for unknown values; other sources ignore them.
   */
  readonly wanted?: readonly string[];
  /** For pages: the last one of those that are bought at once; see `PageRequest`. */
  readonly through?: number;
  /** Where a source that may need several requests per page counts them as they leave; absent if not needed. */
  readonly requests?: RequestTally;
}

export interface FetchedPage {
  readonly body: PageBody;
  /** Which of several sources returned it; absent if there is only one. */
  readonly source?: string;
  /** Sources earlier in the chain that refused access; absent if none did. */
  readonly passedOver?: readonly PassedOver[];
  /**
   * The number of requests that it took; absent if a page always takes one; 0 if it was fetched on the way to another
   * page.
   */
  readonly requests?: RequestCount;
  /** Its cost in credits if the source states it, in the unit of our ledger: 1 is the usual price. */
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
  /** Fetches one page. Throws ServiceError; `charged` says whether the failure cost anything at the source. */
  fetchPage(request: PageRequest, context: SourceContext): Promise<FetchedPage>;
  /**
   * Parses a body that this source returned earlier. Pure. Throws ServiceError SERP_FAILED with a `reason` if it is not
   * a SERP. `receivedAt`, UTC milliseconds, is when the body arrived: a live source rejects a page whose own time
   * differs. Absent: unknown, not compared.
   */
  readPage(body: PageBody, request: PageRequest, receivedAt?: number): ReadPage;
  /**
   * A page is charged once within 24 hours for all requests with its purchase's key, also after restarts. Default:
   * false.
   */
  readonly keepsKeys?: boolean;
  /** The most credits that page 1 costs, in the unit of our ledger. Default: 1, as each other page. */
  readonly firstPageCredits?: number;
  /**
   * What it sells besides single pages. `readPage` reads each page of such a body by its number. Absent: single pages
   * only.
   */
  readonly range?: PageRange;
  /** Time limit of a page request, if it is longer than usual. Default: 60 s. */
  readonly requestTimeoutMs?: number;
  /** What the bodies are: JSON cannot be sold as a raw page. Default: `text/html`. */
  readonly bodyType?: PageBody['contentType'];
  /**
   * Whether the source answers, and its remaining credits. Buys nothing. Absent if there is no free request for this.
   */
  probe?(context: SourceContext): Promise<SourceProbe>;
  close?(): Promise<void>;
}

/** A source's status, from a request that buys no page. */
export interface SourceProbe {
  /** Null where it has no free request for a test. */
  readonly answers: boolean | null;
  /** Remaining credits of all keys together; null if the vendor does not state them. */
  readonly creditsLeft: number | null;
  readonly unit: ChargeUnit;
  readonly plan?: string;
  /** A sentence for people. */
  readonly message: string;
  /**
   * Problems that the next page would meet, each with its remedy: a rejected key, no credits, no answer. Absent if
   * there are none.
   */
  readonly problems?: readonly ServiceError[];
  /** For a source that combines others: each of them. */
  readonly parts?: readonly (SourceProbe & { readonly source: string })[];
}

/** The unit of a source's prices: its credits, or millionths of a dollar. */
export type ChargeUnit = 'credit' | 'micro_usd';

/** The price of pages in one mode of a source. */
export interface SourcePrice {
  /** The option that selects it, as written in a config, such as `method: queued`; absent if there is only one mode. */
  readonly mode?: string;
  readonly unit: ChargeUnit;
  /** One page, in this unit: the first one of a search, and each further one. */
  readonly firstPage: number;
  readonly furtherPage: number;
  /** The price of one unit in micro-USD, over the plans on sale. 1 if the unit is `micro_usd`. */
  readonly unitMicroUsd: { readonly least: number; readonly most: number };
  /** The month of the price list, `2026-08`. */
  readonly asOf: string;
}

/** Facts about a source that need no request. */
export interface SourceFacts extends SearchLimits {
  /** The name for people. */
  readonly title: string;
  /** Empty where pages cost nothing. */
  readonly prices: readonly SourcePrice[];
  /** Whether a failed page is charged, and the rule in the source's words. */
  readonly failureCharge: Charged;
  readonly failureRule: string;
  /**
   * The proof that nothing was found, as a sentence. An empty page without that proof gets the doubt `empty_unproven`.
   */
  readonly emptyRule: string;
  /** How further pages are fetched, if one page may take more than one request; absent if each takes one. */
  readonly pagingRule?: string;
  /** Organic results requested per page; a page may show fewer. */
  readonly pageSize: number;
  /** Default limit of requests, unless the config sets another. */
  readonly rate: { readonly requestsPerSecond: number; readonly concurrency: number };
  readonly devices: readonly ('desktop' | 'mobile')[];
  /** Whether pages can be requested as seen from a country. */
  readonly hasCountries: boolean;
  /** Whether its pages have their local results, so that places can rank; absent: they do not. */
  readonly hasLocalResults?: boolean;
  /** Whether its pages have nothing else, so that websites cannot rank: searches of a map. Absent: they do. */
  readonly hasOnlyLocalResults?: boolean;
  /** An example for the config: a YAML service of five lines at most. */
  readonly example: string;
}

/** Where keyword metrics come from. */
export interface MetricsSource {
  readonly name: string;
  readonly kind: SourceKind;
  /**
   * At most `limit` keywords, including the requested one; empty if nothing is known. Throws ServiceError
   * WORKER_FAILED.
   */
  fetchMetrics(request: MetricsRequest, context: SourceContext): Promise<KeywordMetrics[]>;
  /**
   * Whether the source answers, and its remaining credits. Buys nothing. Absent if there is no free request for this.
   */
  probe?(context: SourceContext): Promise<SourceProbe>;
  close?(): Promise<void>;
}

/** The price of keyword metrics in one mode of a source. */
interface MetricsPrice {
  /** The option that selects it, as written in a config; absent if there is only one mode. */
  readonly mode?: string;
  readonly unit: ChargeUnit;
  /**
   * In this unit: a request for one keyword, each further keyword that the caller names, and each related keyword in
   * the answer.
   */
  readonly perRequest: number;
  readonly perWanted: number;
  readonly perRelated: number;
  /** The price of one unit in micro-USD, over the plans on sale. 1 if the unit is `micro_usd`. */
  readonly unitMicroUsd: { readonly least: number; readonly most: number };
  /** The month of the price list, `2026-08`. */
  readonly asOf: string;
}

/** A metric that a source can know of a keyword. */
type MetricName = 'search_volume' | 'cpc' | 'competition' | 'intent' | 'related_keywords';

/** Facts about a source of keyword metrics that need no request. */
export interface MetricsFacts extends SearchLimits {
  /** The name for people. */
  readonly title: string;
  /** Empty where it costs nothing. */
  readonly prices: readonly MetricsPrice[];
  /** Whether a request without a result is charged, and the rule in the source's words. */
  readonly failureCharge: Charged;
  readonly failureRule: string;
  /** Metrics that the source returns; the others are null. */
  readonly knows: readonly MetricName[];
  /** Maximum number of keywords per request, including the requested one and related ones. */
  readonly keywordsMax: number;
  /** Default limit of requests, unless the config sets another. */
  readonly rate: { readonly requestsPerSecond: number; readonly concurrency: number };
  /** Notes for readers of the numbers, such as the origin of cpc; absent if there are none. */
  readonly note?: string;
  /** An example for the config: a YAML service of five lines at most. */
  readonly example: string;
}

/**
 * A source as its file declares it. `create` throws ZodError for options that do not fit, Error where it cannot be set
 * up.
 */
export interface SourceModule<Facts, Made, Options extends z.ZodType = z.ZodType> {
  readonly facts: Facts;
  readonly options: Options;
  create(options: unknown, dependencies: SourceDependencies): Made | Promise<Made>;
  /** The `range` of a source of pages with these options, which fit. Absent: single pages only. */
  range?(options: unknown): PageRange | undefined;
  /** The facts with these options, which fit. Absent: `facts`. */
  factsFor?(options: unknown): Facts;
}

export type MetricsModule<Options extends z.ZodType = z.ZodType> = SourceModule<MetricsFacts, MetricsSource, Options>;

/** What a source is made with. */
export interface SourceDependencies {
  readonly clock: Clock;
  /** Storage that survives restarts; absent if the host has none. */
  readonly memory?: SourceMemory;
  /** Opens local datasets; absent if the host has none. */
  readonly datasets?: KeywordDatasets;
}

/** Parts may be missing, such as metrics. */
export interface Source {
  readonly serp?: SerpSource;
  readonly metrics?: MetricsSource;
  readonly answers?: AnswerSource;
}

/** The engines whose answers are tracked: the search engine's own AI mode, and four assistants. */
export const answerEngines = ['ai-mode', 'chatgpt', 'perplexity', 'gemini', 'copilot'] as const;
export type AnswerEngine = (typeof answerEngines)[number];

export interface AnswerRequest {
  readonly engine: AnswerEngine;
  readonly prompt: string;
  /** ISO 3166-1, upper case. */
  readonly country: string;
  /** BCP 47: `en`, `pt-BR`. */
  readonly language: string;
  /** From 1: an engine answers the same prompt differently each time. Only simulated sources read it. */
  readonly sample: number;
}

/** A page that an answer cites. */
export interface AnswerCitation {
  readonly url: string;
  readonly title: string | null;
}

export interface AiAnswer {
  /** Text or Markdown; never empty. */
  readonly text: string;
  /** In the order of the answer, each page once. Pages that were only searched are none. */
  readonly citations: readonly AnswerCitation[];
  /** As the source names it; absent where it does not. */
  readonly model?: string;
  /** The prompt to which the source says that this is the answer; absent where it names none. */
  readonly prompt?: string;
}

export interface FetchedAnswer extends AiAnswer {
  readonly body: PageBody;
  /** Its cost in micro-USD if the source states it. */
  readonly microUsdStated?: number;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

export interface AnswerSource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly engines: readonly AnswerEngine[];
  /** How many requests it takes at once. */
  readonly concurrency: number;
  /** Time limit of an answer, if it is longer than usual. Default: 5 minutes. */
  readonly requestTimeoutMs?: number;
  /** The most that one answer may cost, in micro-USD. */
  priceMicroUsd(engine: AnswerEngine): number;
  /** Throws ServiceError WORKER_FAILED; `charged` says whether the failure cost anything at the source. */
  fetchAnswer(request: AnswerRequest, context: SourceContext): Promise<FetchedAnswer>;
  close?(): Promise<void>;
}

/** The price of an answer, what is not answered (`keyword`: the prompt), and how its format is known. */
interface AnswerEngineFacts extends Omit<SearchLimits, 'pagesMax' | 'devices' | 'locations'> {
  readonly engine: AnswerEngine;
  /** The most that one answer may cost: what is reserved. */
  readonly microUsdMax: number;
  /** The month of the price list, `2026-08`. */
  readonly asOf: string;
  /** Where the format of requests and answers is documented, and when that was read. */
  readonly format: string;
}

/** Facts about a source of AI answers that need no request. */
export interface AnswerFacts {
  /** The name for people. */
  readonly title: string;
  readonly engines: readonly AnswerEngineFacts[];
  readonly failureCharge: Charged;
  /** Whether a request without an answer is charged, in the source's words. */
  readonly failureRule: string;
  /** Default limit of requests, unless the config sets another. */
  readonly rate: { readonly requestsPerSecond: number; readonly concurrency: number };
  /** An example for the config: a YAML service of five lines at most. */
  readonly example: string;
}

export type AnswerModule = SourceModule<AnswerFacts, AnswerSource>;

/** Small texts by key, for one service. Their creator updates or deletes them; expired ones disappear. */
export interface SourceMemory {
  get(key: string): Promise<string | undefined>;
  /** Durable when it resolves. `expiresAt` in UTC milliseconds. */
  put(key: string, value: string, expiresAt: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** In memory: for tests, and for hosts that accept paying again after a restart. */
export class ProcessMemory implements SourceMemory {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readonly value: string; readonly expiresAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(key: string): Promise<string | undefined> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.expiresAt > this.#clock.now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  async put(key: string, value: string, expiresAt: number): Promise<void> {
    this.#forgetExpired();
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt });
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  /** The oldest entries come first, and mostly expire first. */
  #forgetExpired(): void {
    const now = this.#clock.now();
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now) return;
      this.#entries.delete(key);
    }
  }
}
