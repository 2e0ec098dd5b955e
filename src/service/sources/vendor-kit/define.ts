// Defines a vendor of result pages and makes its source. Each vendor is one adapter file with this shape.
import * as z from 'zod';
import { sourceEngine } from '../../engines/names.ts';
import { rejectOtherQuery } from '../../engines/page/query.ts';
import { withCheckedList } from '../../engines/result-list.ts';
import type { Charged } from '../../model/charged.ts';
import { type PageBody, ServiceError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import type { ReadPage } from '../../model/results/serp.ts';
import type {
  PageRange,
  PageRequest,
  SerpSource,
  Source,
  SourceContext,
  SourceDependencies,
  SourceFacts,
  SourceModule,
  SourceProbe,
} from '../../model/source.ts';
import { startDeadline } from '../../model/time/deadline.ts';
import { boundedJson, Fields, ShapeError, vendorBounds } from '../../net/fields.ts';
import { type VendorCall, VendorClient, type VendorClientFacts } from './client.ts';
import { refusePage } from './market.ts';
import { type AccountForm, probeHost, probeKeys } from './probe.ts';
import {
  type Echo,
  noResults,
  observedAt,
  rejectCutQuery,
  rejectMissingResults,
  rejectOldPage,
  rejectOtherSearch,
  unproven,
} from './validator.ts';
import { isEmptyList, wordsAt } from './values.ts';

const key = z.string().regex(/^[\x21-\x7e]{1,500}$/, 'a key of printable characters without spaces');

/** What every live source takes. */
export const rateOptions = {
  requestsPerSecond: z
    .number()
    .positive()
    .max(1000)
    .optional()
    .describe('Maximum number of requests started per second.'),
  concurrency: z.int().min(1).max(1000).optional().describe('Maximum number of requests in flight.'),
  allowLoopback: z.boolean().default(false).describe('Allows an http baseUrl on this machine, for tests.'),
};

/** What every vendor with keys takes; a vendor adds its own. */
export const vendorOptions = z.strictObject({
  apiKey: z.union([key, z.array(key).min(1).max(50)]).describe('Key, or a list of keys, used in turn.'),
  baseUrl: z.url().optional().describe('Another URL of the vendor, or of a program with the same API.'),
  ...rateOptions,
});

/** Of vendors that sell AI overviews apart from the page, where the engine loads them later. */
export const overviewOptions = vendorOptions.extend({
  loadAiOverview: z
    .boolean()
    .default(false)
    .describe(
      'Buys an AI overview that the engine loads later, with a second search: page 1 may then cost two credits. Default: its sources stay unknown.',
    ),
});

/** Options of vendors with a login in place of a key. */
export const accountOptions = vendorOptions.omit({ apiKey: true });

/** Of a config that names one login, or a list of several: throws no two and no half. */
export function isOneOrSeveral(one: readonly (string | undefined)[], several: unknown): boolean {
  const given = one.filter((each) => each !== undefined).length;
  return several === undefined ? given === one.length : given === 0;
}

export type VendorOptions = z.output<typeof accountOptions> & {
  readonly apiKey?: string | readonly string[];
  readonly loadAiOverview?: boolean;
  /** Self-hosted: requests may go to private networks and over plain http. */
  readonly allowPrivate?: boolean;
};

/** A vendor, as its adapter file declares it. Everything in it is pure. */
export interface VendorForm<Options extends VendorOptions> extends ClientForm<Options> {
  readonly facts: SourceFacts;
  /** The facts with these options. Absent: `facts`. */
  factsFor?(facts: SourceFacts, options: Options): SourceFacts;
  readonly options: z.ZodType<Options>;
  /**
   * The call for a page. Throws ServiceError INVALID_REQUEST, charged `no`, for a request that the vendor does not
   * support.
   */
  call(asked: PageRequest, options: Options): VendorCall;
  /** The page in its answer. Throws ShapeError for an answer without one. Absent: the answer is the page. */
  pageIn?(root: Fields, asked: PageRequest): Fields;
  /** What it sells besides single pages; `pageIn` finds each of them in the answer. */
  range?(options: Options): PageRange | undefined;
  /**
   * The second search of pages at once, for those after the first. The body has its answer as `further_pages`, an
   * empty one if it failed.
   */
  furtherCall?(asked: PageRequest): VendorCall;
  /** The engines whose page an answer is. Default: the one in the name of the source. */
  enginesOf?(options: Options): readonly string[];
  /** Where a page repeats its search. */
  readonly echo: Echo;
  /** The query that the engine searched for in place of the requested one, if the page says so. */
  searchedInstead?(page: Fields): string | undefined;
  /** Parses a page. Throws ShapeError for another shape. A page without results is judged by what follows. */
  read(page: Fields, asked: PageRequest): ReadPage;
  /** Whether a page says that nothing was found, beside the words of `nothingFound`. Absent: it never does. */
  saysEmpty?(page: Fields): boolean;
  /**
   * Whether a page without results, that does not say so, lists none: the caller decides what that means. Absent: it is
   * a failure.
   */
  listsNothing?(page: Fields, number: number): boolean;
  /** The list of results: present and empty beyond page 1, it lists none as well. */
  readonly list?: string;
  /** With `loadAiOverview`: the path of the search for an AI overview that the engine loads later, by its token. */
  readonly overviewPath?: string;
  /** The cost that the answer states, in the unit of the vendor's credits; undefined if it states none. */
  stated?(root: Fields): number | undefined;
  /** Absent if the vendor has no free request that tests a key. */
  readonly account?: AccountForm<Options>;
}

/** Its client opens without waiting. */
export interface Vendor<Options extends z.ZodType = z.ZodType> extends SourceModule<SourceFacts, Source, Options> {
  create(options: unknown, dependencies: SourceDependencies): Source;
}

export function defineVendor<Schema extends z.ZodType<VendorOptions>>(
  form: VendorForm<z.output<Schema>> & { readonly options: Schema },
): Vendor<Schema> {
  return {
    facts: form.facts,
    factsFor: (options) => factsWith(form, form.options.parse(options)),
    options: form.options,
    range: (options) => form.range?.(form.options.parse(options)),
    create: (options, dependencies) => ({ serp: new VendorSource(form, form.options.parse(options), dependencies) }),
  };
}

function factsWith<Options extends VendorOptions>(form: VendorForm<Options>, options: Options): SourceFacts {
  return form.factsFor?.(form.facts, options) ?? form.facts;
}

/** How long the search for an AI overview may take: the page is paid, and waits for it. */
const overviewMsMax = 20_000;

/** A second search for the same page, and whether it was charged. */
interface SecondSearch {
  readonly charged: Charged;
  /** Null: it failed. */
  readonly answer: Fields | null;
}

class VendorSource<Options extends VendorOptions> implements SerpSource {
  readonly name: string;
  readonly kind = 'live';
  readonly bodyType = 'application/json';
  readonly firstPageCredits?: number;
  readonly range: PageRange | undefined;
  readonly requestTimeoutMs?: number;
  readonly #engines: readonly string[];
  readonly probe: (context: SourceContext) => Promise<SourceProbe>;
  readonly #form: VendorForm<Options>;
  readonly #options: Options;
  readonly #dependencies: SourceDependencies;
  readonly #client: VendorClient;

  constructor(form: VendorForm<Options>, options: Options, dependencies: SourceDependencies) {
    this.name = form.name;
    this.#form = form;
    this.#options = options;
    this.#dependencies = dependencies;
    this.#client = openVendorClient(form, options, dependencies);
    if (options.loadAiOverview === true && form.overviewPath !== undefined) this.firstPageCredits = 2;
    this.range = form.range?.(options);
    this.#engines = form.enginesOf?.(options) ?? [sourceEngine(form.name) ?? []].flat();
    if (this.range !== undefined) this.requestTimeoutMs = 2 * limits.requestTimeoutMs;
    const { account } = form;
    this.probe = ({ signal }) =>
      account === undefined
        ? probeHost(this.#client, form.name, signal)
        : probeKeys(this.#client, { ...form, account }, options, signal);
  }

  async fetchPage(request: PageRequest, { signal }: SourceContext) {
    const { facts, name } = this.#form;
    refusePage(name, factsWith(this.#form, this.#options), request);
    const call = this.#form.call(request, this.#options);
    const { root, body, key } = await this.#client.send(call, signal).catch((error: unknown) => {
      throw facts.prices.length === 0 && error instanceof ServiceError ? error.with({ charged: 'no' }) : error;
    });
    const [stated, usual] = [this.#form.stated?.(root), facts.prices[0]?.firstPage];
    const creditsStated = stated === undefined || usual === undefined ? undefined : Math.ceil(stated / usual);
    const page = { body, observedAt: observedAt(root, this.#dependencies.clock.now()) };
    const { through } = request;
    const further = through === undefined ? undefined : this.#form.furtherCall?.(request);
    const furtherPages =
      further === undefined ? undefined : await this.#search(further, key, limits.requestTimeoutMs, signal);
    const isLoaded = this.firstPageCredits === undefined || (request.page > 1 && through === undefined);
    const token = isLoaded ? undefined : wordsAt(root, 'ai_overview.page_token');
    const overview = token === undefined ? undefined : await this.#loadOverview(token, key, signal);
    const second = [furtherPages, overview].filter((search) => search !== undefined);
    if (second.length === 0) return { ...page, creditsStated };
    const withCharge = (charged: Charged): number => second.filter((search) => search.charged === charged).length;
    const unknown = withCharge('unknown');
    const charged = 1 + withCharge('yes');
    const found = overview?.answer;
    const added = {
      ...(furtherPages !== undefined && { further_pages: furtherPages.answer?.value() ?? {} }),
      // the overview stands in place of the token
      ...(found != null && { ai_overview: found.raw('ai_overview') ?? found.value() }),
    };
    const isSame = Object.keys(added).length === 0;
    const text = isSame ? body.text : JSON.stringify({ ...JSON.parse(body.text), ...added });
    return {
      ...page,
      body: { ...body, text },
      requests: { charged, unknown, free: withCharge('no') },
      // an unknown charge counts as spent
      creditsStated: (creditsStated ?? 1) + charged - 1 + unknown,
    };
  }

  async #loadOverview(token: string, key: string, signal: AbortSignal): Promise<SecondSearch> {
    const query = { engine: 'google_ai_overview', page_token: token };
    return await this.#search({ path: `${this.#form.overviewPath}`, query }, key, overviewMsMax, signal);
  }

  /** Never rejects: without its answer the page stands. */
  async #search(call: VendorCall, key: string, msMax: number, signal: AbortSignal): Promise<SecondSearch> {
    const deadline = startDeadline(this.#dependencies.clock, msMax, signal);
    try {
      const { root } = await this.#client.ask(call, key, deadline.signal);
      return { charged: 'yes', answer: root };
    } catch (error) {
      return { charged: error instanceof ServiceError ? error.charged : 'unknown', answer: null };
    } finally {
      deadline.end();
    }
  }

  readPage(body: PageBody, request: PageRequest, receivedAt?: number): ReadPage {
    const { facts, echo, pageIn, searchedInstead } = this.#form;
    try {
      const root = new Fields(boundedJson(body.text, vendorBounds), 'page', this.#engines);
      const page = pageIn === undefined ? root : new Fields(pageIn(root, request).value(), 'page', this.#engines);
      for (const part of new Set([root, page])) {
        rejectOldPage(part, receivedAt);
        rejectCutQuery(part);
      }
      rejectOtherSearch(page, request, echo, facts.pageSize);
      rejectOtherQuery(request.keyword, [searchedInstead?.(page)]);
      const found = this.#proven(this.#form.read(page, request), root, page, request.page);
      const read = { ...found, serp: withCheckedList(withoutUndefined(found.serp), this.#engines) };
      if (facts.hasOnlyLocalResults !== true) rejectMissingResults(read, root, request);
      return read;
    } catch (cause) {
      if (!(cause instanceof ShapeError)) throw cause;
      const message = `The page of ${this.name} cannot be read: ${cause.message}.`;
      throw new ServiceError('SERP_FAILED', message, { reason: 'unparseable', disposition: 'abandon', cause });
    }
  }

  /** A page without results counts only by the vendor's word. */
  #proven(read: ReadPage, answer: Fields, root: Fields, page: number): ReadPage {
    const { facts, saysEmpty, listsNothing, list, nothingFound } = this.#form;
    const isOfPlaces = facts.hasOnlyLocalResults === true;
    if ((isOfPlaces ? read.serp.local_results : read.serp.organic) !== undefined) return read;
    const words = this.#form.complaint(answer, this.#options) ?? '';
    if (nothingFound?.test(words) === true || saysEmpty?.(root) === true) return read;
    const isEnd = list !== undefined && page > 1 && isEmptyList(root, list);
    if (isEnd || listsNothing?.(root, page) === true) return unproven(read);
    throw noResults(isOfPlaces ? 'place' : 'organic result');
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Vendors' answers lack many a field: an object without its undefined ones, at any level. */
function withoutUndefined<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutUndefined) as T;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutUndefined(field)])) as T;
}

/** What the client of a vendor needs of it, and of the options. */
export interface ClientForm<Options extends VendorOptions>
  extends Omit<VendorClientFacts, 'failureCharge' | 'complaint'> {
  readonly facts: Pick<SourceFacts, 'failureCharge' | 'rate'>;
  /** Empty if the options must name it. */
  readonly baseUrl: string;
  /** The vendor's words of refusal if the JSON contains one, with any status; undefined for an answer. */
  complaint(root: Fields, options: Options): string | undefined;
  /** One text per key; default: `apiKey` of the options. */
  keysOf?(options: Options): readonly string[];
  /** Other secrets among the options. */
  secretsOf?(options: Options): readonly string[];
}

/** Opens the client of a vendor. Throws Error if the base URL is not allowed. */
export function openVendorClient<Options extends VendorOptions>(
  form: ClientForm<Options>,
  options: Options,
  { clock }: SourceDependencies,
): VendorClient {
  const { failureCharge, rate } = form.facts;
  return new VendorClient(
    { ...form, failureCharge, complaint: (root) => form.complaint(root, options) },
    {
      baseUrl: options.baseUrl ?? form.baseUrl,
      keys: form.keysOf?.(options) ?? [options.apiKey ?? ''].flat(),
      secrets: form.secretsOf?.(options) ?? [],
      concurrency: options.concurrency ?? rate.concurrency,
      requestsPerSecond: options.requestsPerSecond ?? rate.requestsPerSecond,
      network: { allowLoopback: options.allowLoopback, allowPrivate: options.allowPrivate === true },
    },
    clock,
  );
}
