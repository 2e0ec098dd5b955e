// The form of a vendor that sells keyword metrics, and the source that it makes: what it asks for and what comes of it. Each vendor is one file of this form.
import type * as z from 'zod';
import { ServiceError } from '../../errors.ts';
import { type Fields, ShapeError } from '../../http/fields.ts';
import { type KeywordMetrics, keywordKey } from '../../keyword-data.ts';
import type { Clock } from '../../ports.ts';
import type {
  MetricsFacts,
  MetricsModule,
  MetricsRequest,
  MetricsSource,
  SourceContext,
  SourceDependencies,
  SourceProbe,
} from '../source.ts';
import type { VendorOptions } from './define.ts';
import { type LineFacts, type VendorCall, VendorLine } from './line.ts';
import { type KeyState, probeKeys } from './probe.ts';

/** What is known of one keyword; what is left out is unknown. */
export type KnownMetrics = Partial<KeywordMetrics> & { readonly keyword: string };

/** What is asked, with the other keywords that the caller wants to know of: each once, and no more than fit beside the asked one. */
export interface AskedMetrics extends MetricsRequest {
  readonly wanted: readonly string[];
}

/** The asked keyword and the wanted ones. */
export function namedIn({ keyword, wanted }: AskedMetrics): readonly string[] {
  return [keyword, ...wanted];
}

/** How many related keywords fit beside them. */
export function roomIn({ limit, wanted }: AskedMetrics): number {
  return limit - 1 - wanted.length;
}

/** Sends one call and gives what came. Throws ServiceError. */
export type Ask = (call: (key: string) => VendorCall) => Promise<Fields>;

/** A vendor of metrics as its file writes it. */
export interface MetricsForm<Options extends VendorOptions> extends Omit<LineFacts, 'failureCharge'> {
  readonly facts: MetricsFacts;
  readonly options: z.ZodType<Options>;
  readonly baseUrl: string;
  /** One text a key. */
  keysOf(options: Options): readonly string[];
  /** Other texts of the options that nobody may see. */
  secretsOf?(options: Options): readonly string[];
  /**
   * Asks for the metrics, as `listOf` puts them together. Throws ShapeError for an answer of another shape, ServiceError INVALID_REQUEST, charged `no`,
   * for what the vendor does not have.
   */
  fetch(asked: AskedMetrics, ask: Ask, options: Options): Promise<readonly KnownMetrics[]>;
  /** Whether a wanted keyword may be asked for beside others: one that the vendor refuses would spoil the call for all. Absent: every one may. */
  takes?(keyword: string): boolean;
  /** How the vendor is asked what is left, for nothing; absent where it has no such path. */
  readonly probe?: {
    /** Where that is asked, if elsewhere. */
    readonly baseUrl?: string;
    call(key: string, options: Options): VendorCall;
    read(root: Fields): KeyState;
  };
}

/** How a source of metrics is written in a config, beside a source of pages; each option comes from that variable of the environment. */
export function metricsExample(source: string, variables: Readonly<Record<string, string>>): string {
  const options = Object.entries(variables).map(([option, variable]) => `${option}: "\${${variable}}"`);
  return `mode: embedded\nsource: sandbox\nmetrics: { ${[`source: ${source}`, ...options].join(', ')} }`;
}

export function defineMetrics<Options extends VendorOptions>(form: MetricsForm<Options>): MetricsModule {
  return {
    facts: form.facts,
    options: form.options,
    create: (options, dependencies) => new MetricsVendor(form, form.options.parse(options), dependencies),
  };
}

/** The line to a vendor of metrics. Throws Error where the base URL is none that may be asked. */
export function openMetricsLine<Options extends VendorOptions>(
  form: Omit<MetricsForm<Options>, 'fetch' | 'options' | 'probe'>,
  options: Options,
  { clock }: SourceDependencies,
): VendorLine {
  const { failureCharge, rate } = form.facts;
  const { name, refusals, complaint, nothingFound, toldBeside, parse, sizes } = form;
  const facts: LineFacts = {
    name,
    refusals,
    failureCharge,
    complaint,
    ...(nothingFound !== undefined && { nothingFound }),
    ...(toldBeside !== undefined && { toldBeside }),
    ...(parse !== undefined && { parse }),
    ...(sizes !== undefined && { sizes }),
  };
  return new VendorLine(
    facts,
    {
      baseUrl: options.baseUrl ?? form.baseUrl,
      keys: form.keysOf(options),
      secrets: form.secretsOf?.(options) ?? [],
      concurrency: options.concurrency ?? rate.concurrency,
      requestsPerSecond: options.requestsPerSecond ?? rate.requestsPerSecond,
      network: { allowLoopback: options.allowLoopback },
    },
    clock,
  );
}

/** Names of related keywords beside a keyword; a list of them all is what the answer is. */
const relatedMax = 20;

/**
 * The asked keyword with the names of related ones, the wanted keywords, known or not, and as many related ones as fit, in the order of how well they do;
 * empty where nothing was wanted and nothing is known. `measured` is what the vendor knows of those that were named.
 */
export function listOf(
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

/** The failure as one of keyword metrics. `isPaid`: an answer of the same request had come before, and is paid. */
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
  readonly facts: MetricsFacts;
}

function asWorkerFailure(error: ServiceError): ServiceError {
  const { message, status, disposition, charged, retryAfterMs, cause } = error;
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new ServiceError('WORKER_FAILED', message, { status, disposition, charged, ...pause, cause });
}

class MetricsVendor<Options extends VendorOptions> implements MetricsSource {
  readonly name: string;
  readonly kind = 'live';
  readonly probe?: (context: SourceContext) => Promise<SourceProbe>;
  readonly #form: MetricsForm<Options>;
  readonly #options: Options;
  readonly #line: VendorLine;
  readonly #parts: PaidParts;

  constructor(form: MetricsForm<Options>, options: Options, dependencies: SourceDependencies) {
    this.name = form.name;
    this.#form = form;
    this.#options = options;
    this.#line = openMetricsLine(form, options, dependencies);
    this.#parts = new PaidParts(dependencies.clock);
    const { probe } = form;
    if (probe === undefined) return;
    const unit = form.facts.prices[0]?.unit ?? 'credit';
    const asked = { name: form.name, unit, call: (key: string) => probe.call(key, options), read: probe.read };
    this.probe = async ({ signal }) => {
      if (probe.baseUrl === undefined) return await probeKeys(this.#line, asked, signal);
      const elsewhere = openMetricsLine({ ...form, baseUrl: probe.baseUrl }, options, dependencies);
      try {
        return await probeKeys(elsewhere, asked, signal);
      } finally {
        await elsewhere.close();
      }
    };
  }

  async fetchMetrics(request: MetricsRequest, { signal, wanted = [] }: SourceContext): Promise<KeywordMetrics[]> {
    const asked = withWanted(request, wanted, (keyword) => this.#form.takes?.(keyword) ?? true);
    return await togetherOrAlone(asked, async (each) => await this.#fetch(each, signal));
  }

  async #fetch(request: AskedMetrics, signal: AbortSignal): Promise<KeywordMetrics[]> {
    const used: string[] = [];
    const ask: Ask = async (call) => {
      const part = JSON.stringify(call(''));
      const root = this.#parts.get(part) ?? (await this.#line.send(call, signal)).root;
      this.#parts.keep(part, root);
      used.push(part);
      return root;
    };
    try {
      const known = await this.#form.fetch(request, ask, this.#options);
      this.#parts.drop(used);
      return rowsOf(known, request);
    } catch (error) {
      if (error instanceof ShapeError) this.#parts.drop(used);
      throw metricsFailure(error, this.#form, used.length > 0);
    }
  }

  async close(): Promise<void> {
    await this.#line.close();
  }
}

/** The request with those wanted keywords that may be asked for beside it: each once, as many as the limit leaves room for. */
export function withWanted(
  request: MetricsRequest,
  wanted: readonly string[],
  takes: (keyword: string) => boolean,
): AskedMetrics {
  const byKey = new Map(wanted.filter(takes).map((keyword) => [keywordKey(keyword), keyword]));
  byKey.delete(keywordKey(request.keyword));
  return { ...request, wanted: [...byKey.values()].slice(0, request.limit - 1) };
}

/** One of several keywords may be what the vendor does not take: then the asked one is asked for alone. */
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

/** At most `limit` rows, with null for what is unknown. */
export function rowsOf(known: readonly KnownMetrics[], { country, language, limit }: MetricsRequest): KeywordMetrics[] {
  return known.slice(0, limit).map((row) => ({
    search_volume: null,
    cpc: null,
    competition: null,
    competition_level: null,
    intent: null,
    related_keywords: null,
    ...row,
    country: country.toLowerCase(),
    language,
  }));
}

/** A request is tried again within minutes, or not at all. */
const partKeptMs = 15 * 60_000;
const partsMax = 8;

/** Answers to the first calls of requests that failed at a later one: they are paid, and the next try of the request does not buy them again. */
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
