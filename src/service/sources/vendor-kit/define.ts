// Defines a vendor of result pages and makes its source. Each vendor is one adapter file with this shape.
import * as z from 'zod';
import { withCheckedList } from '../../engines/result-list.ts';
import type { Charged } from '../../model/charged.ts';
import { type PageBody, ServiceError } from '../../model/errors.ts';
import type { ReadPage } from '../../model/results/serp.ts';
import type {
  PageRequest,
  SerpSource,
  Source,
  SourceContext,
  SourceDependencies,
  SourceFacts,
  SourceProbe,
} from '../../model/source.ts';
import { boundedJson, Fields, ShapeError, vendorBounds } from '../../net/fields.ts';
import { type VendorAnswer, type VendorCall, VendorClient, type VendorClientFacts } from './client.ts';
import { refuseUnavailable } from './market.ts';
import { type KeyState, probeHost, probeKeys } from './probe.ts';
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

const key = z.string().regex(/^[\x21-\x7e]{1,500}$/, 'a key of printable characters without spaces');

/** What every vendor with keys takes; a vendor adds its own. */
export const vendorOptions = z.strictObject({
  apiKey: z.union([key, z.array(key).min(1).max(50)]).describe('Key, or a list of keys, used in turn.'),
  baseUrl: z.url().optional().describe('Another URL of the vendor, or of a program with the same API.'),
  requestsPerSecond: z
    .number()
    .positive()
    .max(1000)
    .optional()
    .describe('Maximum number of requests started per second.'),
  concurrency: z.int().min(1).max(1000).optional().describe('Maximum number of requests in flight.'),
  allowLoopback: z.boolean().default(false).describe('Allows an http baseUrl on this machine, for tests.'),
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

export type VendorOptions = Omit<z.output<typeof vendorOptions>, 'apiKey'> & {
  readonly loadAiOverview?: boolean;
  /** Self-hosted: requests may go to private networks and over plain http. */
  readonly allowPrivate?: boolean;
};

/** A vendor, as its adapter file declares it. Everything in it is pure. */
export interface VendorForm<Options extends VendorOptions> extends ClientForm<Options> {
  readonly facts: SourceFacts;
  readonly options: z.ZodType<Options>;
  /**
   * The call for a page. Throws ServiceError INVALID_REQUEST, charged `no`, for a request that the vendor does not
   * support.
   */
  call(asked: PageRequest, key: string, options: Options): VendorCall;
  /** Where an answer repeats its search. Absent: `read` compares it. */
  readonly echo?: Echo;
  /** Parses a page. Throws ShapeError for another shape, ServiceError SERP_FAILED with a reason for another page. */
  read(root: Fields, asked: PageRequest): ReadPage;
  /** Whether an answer without results says that nothing was found. Absent: it never does, or `read` decides. */
  saysEmpty?(root: Fields): boolean;
  /**
   * Whether an answer without results, that does not say so, lists none: the caller decides what that means. Absent: it
   * is a failure, or `read` decides.
   */
  listsNothing?(root: Fields, page: number): boolean;
  /** With `loadAiOverview`: the search for an AI overview that the engine loads later; undefined: the page has none. */
  overviewCall?(root: Fields, key: string): VendorCall | undefined;
  /** The cost that the answer states, in the unit of the vendor's credits; undefined if it states none. */
  stated?(root: Fields): number | undefined;
  /** The free request for the remaining credits; absent if the vendor has none. */
  readonly probe?: {
    call(key: string, options: Options): VendorCall;
    /** Throws ServiceError for a problem that prevents pages. */
    read(root: Fields, options: Options): KeyState;
  };
}

/** A vendor as the registry knows it. */
export interface Vendor {
  readonly facts: SourceFacts;
  readonly options: z.ZodType;
  create(options: unknown, dependencies: SourceDependencies): Source;
}

export function defineVendor<Options extends VendorOptions>(form: VendorForm<Options>): Vendor {
  return {
    facts: form.facts,
    options: form.options,
    create: (options, dependencies) => ({ serp: new VendorSource(form, form.options.parse(options), dependencies) }),
  };
}

/** How long the search for an AI overview may take: the page is paid, and waits for it. */
const overviewMsMax = 20_000;

/** A search that found an overview, or failed, and whether it was charged. */
interface LoadedOverview {
  readonly charged: Charged;
  /** Null: it failed. */
  readonly overview: unknown;
}

class VendorSource<Options extends VendorOptions> implements SerpSource {
  readonly name: string;
  readonly kind = 'live';
  readonly bodyType = 'application/json';
  readonly firstPageCredits?: number;
  readonly probe: (context: SourceContext) => Promise<SourceProbe>;
  readonly #form: VendorForm<Options>;
  readonly #options: Options;
  readonly #dependencies: SourceDependencies;
  readonly #client: VendorClient;
  /** Pages parsed on arrival, until they are read: parsing is most of the work. */
  readonly #parsed = new WeakMap<PageBody, Fields>();

  constructor(form: VendorForm<Options>, options: Options, dependencies: SourceDependencies) {
    this.name = form.name;
    this.#form = form;
    this.#options = options;
    this.#dependencies = dependencies;
    this.#client = openVendorClient(form, options, dependencies);
    if (options.loadAiOverview === true && form.overviewCall !== undefined) this.firstPageCredits = 2;
    const { probe } = form;
    if (probe === undefined) {
      this.probe = ({ signal }) => probeHost(this.#client, form.name, signal);
      return;
    }
    const unit = form.facts.prices[0]?.unit ?? 'credit';
    const call = (key: string) => probe.call(key, options);
    const read = (root: Fields) => probe.read(root, options);
    this.probe = ({ signal }) => probeKeys(this.#client, { name: form.name, unit, call, read }, signal);
  }

  async fetchPage(request: PageRequest, { signal }: SourceContext) {
    const { facts, name } = this.#form;
    refuseUnavailable(name, facts, request);
    let key = '';
    const answer = await this.#send(request, signal, (used) => {
      key = used;
    });
    const { root } = answer;
    const creditsStated = this.#creditsStated(root);
    const page = { body: answer.body, observedAt: observedAt(root, this.#dependencies.clock.now()) };
    const call =
      this.firstPageCredits !== undefined && request.page === 1 ? this.#form.overviewCall?.(root, key) : undefined;
    if (call === undefined) {
      this.#parsed.set(page.body, root);
      return { ...page, ...(creditsStated !== undefined && { creditsStated }) };
    }
    const { charged, overview } = await this.#loadOverview(call, signal);
    const requests = { charged: 1, free: 0, unknown: 0 };
    if (charged === 'no') return { ...page, requests: { ...requests, free: 1 } };
    const text = overview === null ? page.body.text : withOverview(page.body.text, overview);
    return {
      ...page,
      body: { ...page.body, text },
      requests: charged === 'yes' ? { ...requests, charged: 2 } : { ...requests, unknown: 1 },
      // an unknown charge counts as spent
      creditsStated: (creditsStated ?? 1) + 1,
    };
  }

  #creditsStated(root: Fields): number | undefined {
    const stated = this.#form.stated?.(root);
    const usual = this.#form.facts.prices[0]?.firstPage;
    return stated === undefined || usual === undefined ? undefined : Math.ceil(stated / usual);
  }

  /** Never rejects: without it the page stands, and the sources of its overview are unknown. */
  async #loadOverview(call: VendorCall, signal: AbortSignal): Promise<LoadedOverview> {
    const [late, ended] = [new AbortController(), new AbortController()];
    this.#dependencies.clock.sleep(overviewMsMax, ended.signal).then(
      () => late.abort(),
      () => {},
    );
    try {
      const { root } = await this.#client.ask(call, AbortSignal.any([signal, late.signal]));
      const found = root.raw('ai_overview') ?? Object.fromEntries(root.names().map((name) => [name, root.raw(name)]));
      return { charged: 'yes', overview: found };
    } catch (error) {
      return { charged: error instanceof ServiceError ? error.charged : 'unknown', overview: null };
    } finally {
      ended.abort();
    }
  }

  async #send(request: PageRequest, signal: AbortSignal, onKey: (key: string) => void): Promise<VendorAnswer> {
    try {
      const callWith = (key: string): VendorCall => {
        onKey(key);
        return this.#form.call(request, key, this.#options);
      };
      return await this.#client.send(callWith, signal);
    } catch (error) {
      const isFree = this.#form.facts.prices.length === 0;
      throw isFree && error instanceof ServiceError ? error.with({ charged: 'no' }) : error;
    }
  }

  readPage(body: PageBody, request: PageRequest, receivedAt?: number): ReadPage {
    const parsed = this.#parsed.get(body);
    this.#parsed.delete(body);
    try {
      const root = parsed ?? new Fields(boundedJson(body.text, vendorBounds), 'page');
      rejectOldPage(root, receivedAt);
      rejectCutQuery(root);
      const { facts, echo } = this.#form;
      if (echo !== undefined) rejectOtherSearch(root, request, echo, facts.pageSize);
      const found = this.#proven(this.#form.read(root, request), root, request.page);
      const read = { ...found, serp: withCheckedList(found.serp) };
      if (facts.hasOnlyLocalResults !== true) rejectMissingResults(read, root, request);
      return read;
    } catch (cause) {
      if (!(cause instanceof ShapeError)) throw cause;
      const message = `The page of ${this.name} cannot be read: ${cause.message}.`;
      throw new ServiceError('SERP_FAILED', message, { reason: 'unparseable', disposition: 'abandon', cause });
    }
  }

  /** A page without results counts only by the vendor's word. */
  #proven(read: ReadPage, root: Fields, page: number): ReadPage {
    const { saysEmpty, listsNothing } = this.#form;
    const isDecided = saysEmpty === undefined && listsNothing === undefined;
    if (isDecided || read.serp.organic !== undefined || saysEmpty?.(root) === true) return read;
    if (listsNothing?.(root, page) === true) return unproven(read);
    throw noResults();
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** The answer of a page with the overview that was bought for it in place of the token. */
function withOverview(text: string, overview: unknown): string {
  return JSON.stringify({ ...(JSON.parse(text) as object), ai_overview: overview });
}

/** The config example of a vendor with keys: the key comes from an environment variable. */
export function vendorExample(source: string, variable: string): string {
  return `mode: embedded\nsource: ${source}\napiKey: \${${variable}}`;
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
      keys: form.keysOf?.(options) ?? readKeys(options),
      secrets: form.secretsOf?.(options) ?? [],
      concurrency: options.concurrency ?? rate.concurrency,
      requestsPerSecond: options.requestsPerSecond ?? rate.requestsPerSecond,
      network: { allowLoopback: options.allowLoopback, allowPrivate: options.allowPrivate === true },
    },
    clock,
  );
}

function readKeys(options: VendorOptions & { readonly apiKey?: unknown }): readonly string[] {
  const { apiKey } = options;
  if (typeof apiKey === 'string') return [apiKey];
  return Array.isArray(apiKey) ? apiKey.filter((each) => typeof each === 'string') : [''];
}
