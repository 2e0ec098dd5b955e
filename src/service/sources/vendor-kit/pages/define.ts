// Defines a vendor of result pages and makes its source. Each vendor is one adapter file with this shape.
import * as z from 'zod';
import { withCheckedList } from '../../../engines/result-list.ts';
import type { Source } from '../../../model/configured-source.ts';
import { type PageBody, ServiceError } from '../../../model/errors.ts';
import type { ReadPage } from '../../../model/results/serp.ts';
import type {
  PageRequest,
  SerpSource,
  SourceContext,
  SourceDependencies,
  SourceFacts,
  SourceProbe,
} from '../../../model/source.ts';
import { boundedJson, vendorBounds } from '../../../net/bounded-json.ts';
import { Fields, ShapeError } from '../../../net/fields.ts';
import { type KeyState, probeHost, probeKeys } from '../client/probe.ts';
import { type VendorAnswer, type VendorCall, VendorClient, type VendorClientFacts } from '../client/vendor-client.ts';
import { refuseLocation } from '../location-support.ts';
import { observedAt, rejectOldPage } from './made-at.ts';
import { rejectCutQuery } from './other-market.ts';
import { rejectMissingResults } from './proof.ts';

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

export type VendorOptions = Omit<z.output<typeof vendorOptions>, 'apiKey'> & {
  /** Self-hosted: requests may go to private networks and over plain http. */
  readonly allowPrivate?: boolean;
};

/** A vendor, as its adapter file declares it. Everything in it is pure. */
export interface VendorForm<Options extends VendorOptions>
  extends Omit<VendorClientFacts, 'failureCharge' | 'complaint'> {
  readonly facts: SourceFacts;
  readonly options: z.ZodType<Options>;
  /** Empty if the options must name it. */
  readonly baseUrl: string;
  /** The vendor's words of refusal if the JSON contains one, with any status; undefined for a page. */
  complaint(root: Fields, options: Options): string | undefined;
  /** One text per key; default: `apiKey` of the options. */
  keysOf?(options: Options): readonly string[];
  /**
   * The call for a page. Throws ServiceError INVALID_REQUEST, charged `no`, for a request that the vendor does not
   * support.
   */
  call(asked: PageRequest, key: string, options: Options): VendorCall;
  /**
   * Parses a page: without `organic` if the vendor says that nothing was found. Throws ShapeError for another shape,
   * ServiceError SERP_FAILED with a reason for a page that proves nothing.
   */
  read(root: Fields, asked: PageRequest): ReadPage;
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

class VendorSource<Options extends VendorOptions> implements SerpSource {
  readonly name: string;
  readonly kind = 'live';
  readonly bodyType = 'application/json';
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
    const device = request.mobile ? 'mobile' : 'desktop';
    if (!facts.devices.includes(device)) {
      throw new ServiceError('INVALID_REQUEST', `${name} has no ${device} pages.`, {
        hint: `Track ${facts.devices.join(' and ')} only, or use another source for ${device}.`,
      });
    }
    refuseLocation(name, facts, request.location);
    const { root, body } = await this.#send(request, signal);
    this.#parsed.set(body, root);
    const creditsStated = this.#creditsStated(root);
    const seenAt = observedAt(root, this.#dependencies.clock.now());
    return { body, ...(creditsStated !== undefined && { creditsStated }), observedAt: seenAt };
  }

  #creditsStated(root: Fields): number | undefined {
    const stated = this.#form.stated?.(root);
    const usual = this.#form.facts.prices[0]?.firstPage;
    return stated === undefined || usual === undefined ? undefined : Math.ceil(stated / usual);
  }

  async #send(request: PageRequest, signal: AbortSignal): Promise<VendorAnswer> {
    try {
      return await this.#client.send((key) => this.#form.call(request, key, this.#options), signal);
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
      const found = this.#form.read(root, request);
      const read = { ...found, serp: withCheckedList(found.serp) };
      if (this.#form.facts.hasOnlyLocalResults !== true) rejectMissingResults(read, root, request);
      return read;
    } catch (cause) {
      if (!(cause instanceof ShapeError)) throw cause;
      const message = `The page of ${this.name} cannot be read: ${cause.message}.`;
      throw new ServiceError('SERP_FAILED', message, { reason: 'unparseable', disposition: 'abandon', cause });
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** The config example of a vendor with keys: the key comes from an environment variable. */
export function vendorExample(source: string, variable: string): string {
  return `mode: embedded\nsource: ${source}\napiKey: \${${variable}}`;
}

/** The client of a vendor, for sources that send more than one call per page. */
export function openVendorClient<Options extends VendorOptions>(
  form: Pick<
    VendorForm<Options>,
    'name' | 'facts' | 'refusals' | 'complaint' | 'nothingFound' | 'outOfBandError' | 'baseUrl' | 'keysOf'
  >,
  options: Options,
  { clock }: SourceDependencies,
): VendorClient {
  const { failureCharge, rate } = form.facts;
  const { name, refusals, nothingFound, outOfBandError } = form;
  const facts: VendorClientFacts = {
    name,
    refusals,
    failureCharge,
    complaint: (root) => form.complaint(root, options),
    ...(nothingFound !== undefined && { nothingFound }),
    ...(outOfBandError !== undefined && { outOfBandError }),
  };
  return new VendorClient(
    facts,
    {
      baseUrl: options.baseUrl ?? form.baseUrl,
      keys: form.keysOf?.(options) ?? readKeys(options),
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
