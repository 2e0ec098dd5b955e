// The form of a vendor, and the source that it makes: how a page is asked for, what refusals mean, how a page is read. Each vendor is one file of this form.
import * as z from 'zod';
import { type PageBody, ServiceError } from '../../errors.ts';
import { Fields, ShapeError } from '../../http/fields.ts';
import type { ReadPage } from '../../serp.ts';
import type {
  PageRequest,
  SerpSource,
  Source,
  SourceContext,
  SourceDependencies,
  SourceFacts,
  SourceProbe,
} from '../source.ts';
import { parseBounded } from './bounded-json.ts';
import { type LineFacts, type VendorCall, VendorLine } from './line.ts';

const key = z.string().regex(/^[\x21-\x7e]{1,500}$/, 'a key of printable characters without spaces');

/** What every vendor with keys takes; a vendor adds its own. */
export const vendorOptions = z.strictObject({
  apiKey: z.union([key, z.array(key).min(1).max(50)]).describe('Key, or a list of keys that are used in turn.'),
  baseUrl: z.url().optional().describe('Another address of the vendor, or of a program that speaks its form.'),
  requestsPerSecond: z.number().positive().max(1000).optional().describe('Most requests started per second.'),
  concurrency: z.int().min(1).max(1000).optional().describe('Most requests under way at once.'),
  allowLoopback: z.boolean().default(false).describe('Lets baseUrl be http on this machine: for tests.'),
});

export type VendorOptions = Omit<z.output<typeof vendorOptions>, 'apiKey'>;

/** A vendor as its file writes it. Everything in it is pure. */
export interface VendorForm<Options extends VendorOptions> extends Omit<LineFacts, 'failureCharge'> {
  readonly facts: SourceFacts;
  readonly options: z.ZodType<Options>;
  readonly baseUrl: string;
  /** One text a key; default: `apiKey` of the options. */
  keysOf?(options: Options): readonly string[];
  /** The call that asks for a page. Throws ServiceError INVALID_REQUEST, charged `no`, for what the vendor does not have. */
  call(asked: PageRequest, key: string, options: Options): VendorCall;
  /**
   * Reads a page: without `organic` where the vendor says that nothing was found. Throws ShapeError for another shape, ServiceError SERP_FAILED with a
   * reason for a page that proves nothing.
   */
  read(root: Fields, asked: PageRequest): ReadPage;
  /** When the engine was asked, UTC milliseconds, where the vendor may answer from a cache; undefined: now. */
  observedAt?(root: Fields): number | undefined;
  /** How the vendor is asked what is left, for nothing; absent where it has no such path. */
  readonly probe?: {
    call(key: string, options: Options): VendorCall;
    read(root: Fields): { readonly creditsLeft: number | null; readonly plan?: string | undefined };
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

/** No vendor keeps answers longer: what claims to be older was stamped by a wrong clock. */
const cacheMsMax = 86_400_000;

class VendorSource<Options extends VendorOptions> implements SerpSource {
  readonly name: string;
  readonly kind = 'live';
  readonly bodyType = 'application/json';
  readonly probe?: (context: SourceContext) => Promise<SourceProbe>;
  readonly #form: VendorForm<Options>;
  readonly #options: Options;
  readonly #dependencies: SourceDependencies;
  readonly #line: VendorLine;
  /** Pages that were parsed when they came, until they are read: parsing is most of the work. */
  readonly #parsed = new WeakMap<PageBody, Fields>();

  constructor(form: VendorForm<Options>, options: Options, dependencies: SourceDependencies) {
    this.name = form.name;
    this.#form = form;
    this.#options = options;
    this.#dependencies = dependencies;
    this.#line = openLine(form, options, dependencies);
    const { probe } = form;
    if (probe !== undefined) this.probe = (context) => this.#probe(probe, context);
  }

  async fetchPage(request: PageRequest, { signal }: SourceContext) {
    const { facts, name } = this.#form;
    const device = request.mobile ? 'mobile' : 'desktop';
    if (!facts.devices.includes(device)) {
      throw new ServiceError('INVALID_REQUEST', `${name} has no ${device} pages.`, {
        hint: `Track ${facts.devices.join(' and ')} only, or use another source for ${device}.`,
      });
    }
    const { root, body } = await this.#line.send((key) => this.#form.call(request, key, this.#options), signal);
    this.#parsed.set(body, root);
    const now = this.#dependencies.clock.now();
    const told = this.#form.observedAt?.(root) ?? now;
    const isRecent = told <= now && told > now - cacheMsMax;
    return { body, observedAt: isRecent ? told : now };
  }

  readPage(body: PageBody, request: PageRequest): ReadPage {
    const parsed = this.#parsed.get(body);
    this.#parsed.delete(body);
    try {
      return this.#form.read(parsed ?? new Fields(parseBounded(body.text), 'page'), request);
    } catch (cause) {
      if (!(cause instanceof ShapeError)) throw cause;
      const message = `The page of ${this.name} cannot be read: ${cause.message}.`;
      throw new ServiceError('SERP_FAILED', message, { reason: 'unparseable', disposition: 'abandon', cause });
    }
  }

  async close(): Promise<void> {
    await this.#line.close();
  }

  /** Asks with each key. It answers where any key is good. */
  async #probe(probe: NonNullable<VendorForm<Options>['probe']>, { signal }: SourceContext): Promise<SourceProbe> {
    const { name, facts } = this.#form;
    const unit = facts.prices[0]?.unit ?? 'credit';
    const told: { readonly creditsLeft: number | null; readonly plan?: string | undefined }[] = [];
    const refused: string[] = [];
    for (const [index, key] of this.#line.keys.entries()) {
      try {
        const { root } = await this.#line.ask(probe.call(key, this.#options), signal);
        told.push(probe.read(root));
      } catch (error) {
        if (error instanceof ShapeError) told.push({ creditsLeft: null });
        else if (error instanceof ServiceError) {
          const which = this.#line.keys.length === 1 ? '' : `key ${index + 1}: `;
          refused.push(`${which}${error.message} ${error.hint}`);
        } else throw error;
      }
    }
    const left = told.map(({ creditsLeft }) => creditsLeft).filter((credits) => credits !== null);
    const plan = told.find((each) => each.plan !== undefined)?.plan;
    const good = told.length === 0 ? [] : [`${name} answers${told.length === 1 ? '' : ` with ${told.length} keys`}.`];
    return {
      answers: told.length > 0,
      creditsLeft: left.length === 0 ? null : left.reduce((sum, credits) => sum + credits, 0),
      unit,
      ...(plan !== undefined && { plan }),
      message: [...good, ...refused].join(' '),
    };
  }
}

/** How a vendor with keys is written in a config: the key comes from a variable of the environment. */
export function exampleOf(source: string, variable: string): string {
  return `mode: embedded\nsource: ${source}\napiKey: \${${variable}}`;
}

/** The line to a vendor, for sources that send more than one call a page. */
export function openLine<Options extends VendorOptions>(
  form: Pick<VendorForm<Options>, 'name' | 'facts' | 'refusals' | 'complaint' | 'nothingFound' | 'baseUrl' | 'keysOf'>,
  options: Options,
  { clock }: SourceDependencies,
): VendorLine {
  const { failureCharge, rate } = form.facts;
  const { name, refusals, nothingFound } = form;
  const facts: LineFacts = {
    name,
    refusals,
    failureCharge,
    complaint: (root) => form.complaint(root),
    ...(nothingFound !== undefined && { nothingFound }),
  };
  return new VendorLine(
    facts,
    {
      baseUrl: options.baseUrl ?? form.baseUrl,
      keys: form.keysOf?.(options) ?? keysOf(options),
      concurrency: options.concurrency ?? rate.concurrency,
      requestsPerSecond: options.requestsPerSecond ?? rate.requestsPerSecond,
      network: { allowLoopback: options.allowLoopback },
    },
    clock,
  );
}

function keysOf(options: VendorOptions & { readonly apiKey?: unknown }): readonly string[] {
  const { apiKey } = options;
  if (typeof apiKey === 'string') return [apiKey];
  return Array.isArray(apiKey) ? apiKey.filter((each) => typeof each === 'string') : [''];
}
