// Defines a vendor of keyword metrics and makes its source. Each vendor is one adapter file with this shape.
import type * as z from 'zod';
import { ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { type KeywordMetrics, keywordKey } from '../../model/results/keyword-data.ts';
import { isTextTaken, metricsGoods } from '../../model/search-limits.ts';
import type {
  MetricsFacts,
  MetricsModule,
  MetricsRequest,
  MetricsSource,
  SourceContext,
  SourceDependencies,
  SourceProbe,
} from '../../model/source.ts';
import { type Fields, ShapeError } from '../../net/fields.ts';
import type { VendorCall, VendorClient } from './client.ts';
import { type ClientForm, openVendorClient, type VendorOptions } from './define.ts';
import { refuseUnsold } from './market.ts';
import { type AccountForm, probeKeys } from './probe.ts';

/** Sends one call and returns the answer. Throws ServiceError. */
export type Ask = (call: VendorCall) => Promise<Fields>;

/** A vendor of metrics as its file writes it. */
interface MetricsForm<Options extends VendorOptions> extends ClientForm<Options> {
  readonly facts: MetricsFacts;
  readonly options: z.ZodType<Options>;
  /**
   * Asks for the metrics, as `orderMetrics` puts them together, of a search within the limits. Throws ShapeError for an
   * answer of another shape.
   */
  fetch(asked: AskedMetrics, ask: Ask, options: Options): Promise<readonly KnownMetrics[]>;
  /**
   * Whether a wanted keyword may be asked for beside others: one that the vendor refuses would spoil the call for all.
   * Absent: every one within its limits.
   */
  takes?(keyword: string): boolean;
  readonly account: AccountForm<Options>;
}

export function defineMetrics<Schema extends z.ZodType<VendorOptions>>(
  form: MetricsForm<z.output<Schema>> & { readonly options: Schema },
): MetricsModule<Schema> {
  return {
    facts: form.facts,
    options: form.options,
    create: (options, dependencies) => new MetricsVendor(form, form.options.parse(options), dependencies),
  };
}

class MetricsVendor<Options extends VendorOptions> implements MetricsSource {
  readonly name: string;
  readonly kind = 'live';
  readonly probe: (context: SourceContext) => Promise<SourceProbe>;
  readonly #form: MetricsForm<Options>;
  readonly #options: Options;
  readonly #line: VendorClient;
  readonly #parts: PaidParts;

  constructor(form: MetricsForm<Options>, options: Options, dependencies: SourceDependencies) {
    this.name = form.name;
    this.#form = form;
    this.#options = options;
    this.#line = openVendorClient(form, options, dependencies);
    this.#parts = new PaidParts(dependencies.clock);
    const { baseUrl } = form.account;
    this.probe = async ({ signal }) => {
      if (baseUrl === undefined) return await probeKeys(this.#line, form, options, signal);
      const elsewhere = openVendorClient({ ...form, baseUrl }, options, dependencies);
      try {
        return await probeKeys(elsewhere, form, options, signal);
      } finally {
        await elsewhere.close();
      }
    };
  }

  async fetchMetrics(request: MetricsRequest, { signal, wanted = [] }: SourceContext): Promise<KeywordMetrics[]> {
    const { facts, takes } = this.#form;
    refuseUnsold(this.name, facts, request, metricsGoods);
    const asked = withWanted(request, wanted, (keyword) => takes?.(keyword) ?? isTextTaken(facts.keyword, keyword));
    return await togetherOrAlone(asked, async (each) => await this.#fetch(each, signal));
  }

  async #fetch(request: AskedMetrics, signal: AbortSignal): Promise<KeywordMetrics[]> {
    const used: string[] = [];
    const ask: Ask = async (call) => {
      const part = JSON.stringify(call);
      const root = this.#parts.get(part) ?? (await this.#line.send(call, signal)).root;
      this.#parts.keep(part, root);
      used.push(part);
      return root;
    };
    try {
      const known = await this.#form.fetch(request, ask, this.#options);
      this.#parts.drop(used);
      return toRows(known, request);
    } catch (error) {
      if (error instanceof ShapeError) this.#parts.drop(used);
      throw metricsFailure(error, this.#form, used.length > 0);
    }
  }

  async close(): Promise<void> {
    await this.#line.close();
  }
}

/** The requested keyword with other wanted keywords: each once, and no more than fit. */
export interface AskedMetrics extends MetricsRequest {
  readonly wanted: readonly string[];
}

/** The asked keyword and the wanted ones. */
export function namedIn({ keyword, wanted }: AskedMetrics): readonly string[] {
  return [keyword, ...wanted];
}

/** How many related keywords still fit. */
export function roomIn({ limit, wanted }: AskedMetrics): number {
  return limit - 1 - wanted.length;
}

/** The request with the wanted keywords that may be added: each once, as many as the limit allows. */
export function withWanted(
  request: MetricsRequest,
  wanted: readonly string[],
  takes: (keyword: string) => boolean,
): AskedMetrics {
  const byKey = new Map(wanted.filter(takes).map((keyword) => [keywordKey(keyword), keyword]));
  byKey.delete(keywordKey(request.keyword));
  return { ...request, wanted: [...byKey.values()].slice(0, request.limit - 1) };
}

/** The vendor may reject one of several keywords; then the requested one is sent alone. */
export async function togetherOrAlone<Answer>(
  asked: AskedMetrics,
  fetch: (asked: AskedMetrics) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await fetch(asked);
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.code === 'INVALID_REQUEST' && error.charged === 'no';
    if (!isRefused || asked.wanted.length === 0) throw error;
    return await fetch({ ...asked, wanted: [] });
  }
}

/** Metrics of one keyword; absent fields are unknown. */
export type KnownMetrics = Partial<KeywordMetrics> & { readonly keyword: string };

/** Names of related keywords beside a keyword; a list of them is the answer. */
const relatedMax = 20;

/**
 * The requested keyword with the names of related ones, the wanted keywords, known or not, and as many related ones as
 * fit, best first; empty if nothing was wanted and nothing is known. `measured` is the vendor's data on the named
 * keywords.
 */
export function orderMetrics(
  asked: AskedMetrics,
  measured: readonly KnownMetrics[],
  related: readonly KnownMetrics[],
): readonly KnownMetrics[] {
  const byKey = new Map(measured.map((row) => [keywordKey(row.keyword), row]));
  const [own, ...wanted] = namedIn(asked).map((keyword) => ({ ...byKey.get(keywordKey(keyword)), keyword }));
  const named = new Set(namedIn(asked).map(keywordKey));
  const others = related.filter(({ keyword }) => !named.has(keywordKey(keyword))).slice(0, roomIn(asked));
  const names = others.slice(0, relatedMax).map(({ keyword }) => keyword);
  const isKnown = Object.entries(own ?? {}).some(([name, value]) => name !== 'keyword' && value != null);
  if (!isKnown && wanted.length === 0 && others.length === 0) return [];
  const first = { ...own, keyword: asked.keyword, related_keywords: names.length === 0 ? null : names };
  return [first, ...wanted, ...others];
}

/** At most `limit` rows, with null for unknown values. */
export function toRows(known: readonly KnownMetrics[], { country, language, limit }: MetricsRequest): KeywordMetrics[] {
  return known.slice(0, limit).map((row) => ({
    search_volume: row.search_volume ?? null,
    cpc: row.cpc ?? null,
    competition: row.competition ?? null,
    competition_level: row.competition_level ?? null,
    intent: row.intent ?? null,
    related_keywords: row.related_keywords ?? null,
    keyword: row.keyword,
    country: country.toLowerCase(),
    language,
  }));
}

/**
 * The failure as one of keyword metrics or AI answers. `isPaid`: an answer of the same request had come before, and is
 * paid.
 */
export function metricsFailure(error: unknown, { name, facts }: NamedFacts, isPaid = false): unknown {
  if (error instanceof ShapeError) {
    return new ServiceError('WORKER_FAILED', `The answer of ${name} cannot be read: ${error.message}.`, {
      charged: facts.prices.length === 0 ? 'no' : 'yes',
      disposition: 'abandon',
      cause: error,
    });
  }
  if (!(error instanceof ServiceError)) return error;
  const failure = error.code === 'SERP_FAILED' ? asWorkerFailure(error) : error;
  if (facts.prices.length === 0) return failure.with({ charged: 'no' });
  return isPaid && failure.charged === 'no' ? failure.with({ charged: 'unknown' }) : failure;
}

interface NamedFacts {
  readonly name: string;
  /** Without prices it costs nothing. */
  readonly facts: { readonly prices: readonly unknown[] };
}

function asWorkerFailure(error: ServiceError): ServiceError {
  const { message, status, disposition, charged, retryAfterMs, cause } = error;
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new ServiceError('WORKER_FAILED', message, { status, disposition, charged, ...pause, cause });
}

/** A request is retried within minutes, or not at all. */
const partKeptMs = 15 * 60_000;
const partsMax = 8;

/**
 * Answers to the first calls of requests that failed at a later call: they are paid, and the retry does not buy them
 * again.
 */
class PaidParts {
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly root: Fields; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(part: string): Fields | undefined {
    const kept = this.#kept.get(part);
    return kept !== undefined && kept.until > this.#clock.now() ? kept.root : undefined;
  }

  keep(part: string, root: Fields): void {
    this.#kept.set(part, { root, until: this.#clock.now() + partKeptMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > partsMax && oldest !== undefined) this.#kept.delete(oldest);
  }

  drop(parts: readonly string[]): void {
    for (const part of parts) this.#kept.delete(part);
  }
}
