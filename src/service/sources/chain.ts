// Several sources as one: the first source that can sell a page sells it, and it is paid once.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Disposition, type PageBody, type PassedOver, ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import type { Clock } from '../model/ports.ts';
import type { ReadPage } from '../model/results/serp.ts';
import type {
  FetchedPage,
  PageRequest,
  SerpSource,
  Source,
  SourceContext,
  SourceDependencies,
  SourceFacts,
  SourceMemory,
  SourceProbe,
} from '../model/source.ts';
import { dayMs, MonotonicClock } from '../model/time/clock.ts';
import { localFacts } from './vendor-kit/facts.ts';
import { testOutcome } from './vendor-kit/probe.ts';

const facts: SourceFacts = {
  ...localFacts,
  title: 'Chain of sources',
  failureRule: 'A page is requested from the next source only if the previous one has certainly charged nothing.',
  emptyRule: 'As for the source that answered.',
  example: [
    'mode: embedded',
    'source: chain',
    'sources:',
    `  - { source: serper, apiKey: "\${SERPER_KEY}" }`,
    `  - { source: serpapi, apiKey: "\${SERPAPI_KEY}" }`,
  ].join('\n'),
};

const part = z.looseObject({ source: z.string().min(1) });

export type ChainOptions = typeof options;

const options = z.strictObject({
  sources: z.array(part).min(2).max(10).describe('Sources in the order in which they are used, each with its options.'),
});

/** Makes a source by its name, as the registry does. */
type CreateSource = (name: string, options: unknown, dependencies: SourceDependencies) => Promise<Source>;

/** The source as the registry has it, with the registry's way to make its parts. */
export const chainModule = (createSource: CreateSource) => ({
  facts,
  options,
  /** Throws Error where a part cannot be made, sells no pages, or only simulates them. */
  async create(given: unknown, dependencies: SourceDependencies): Promise<Source> {
    const parts: SerpSource[] = [];
    try {
      for (const { source: name, ...partOptions } of options.parse(given).sources) {
        const { serp, metrics } = await createSource(name, partOptions, dependencies);
        if (serp !== undefined) parts.push(serp);
        await metrics?.close?.();
        if (serp === undefined) throw new Error(`sources: "${name}" has no results pages.`);
        if (serp.kind !== 'live')
          throw new Error(`sources: "${name}" is not a live source; a chain takes live sources only.`);
      }
    } catch (error) {
      await closeAll(parts);
      throw error;
    }
    return { serp: new ChainSource(parts, dependencies) };
  },
});

async function closeAll(parts: readonly SerpSource[]): Promise<void> {
  await Promise.all(parts.map((part) => part.close?.()));
}

/** How long a part that is out of credits or refuses us is left out. */
const asideMs = 60_000;

/** How long the part that may have sold a purchase is remembered: longer than any key is retried. */
const keptMs = 3 * dayMs;

/** Of several failures that all cost nothing, the one after which the run can continue soonest. */
const mildest: readonly Disposition[] = ['wait', 'retry', 'abandon', 'halt'];

interface Part {
  readonly source: SerpSource;
  /** Its name and its place: two parts may be of one name. */
  readonly id: string;
  /** Why it is skipped, and until when. */
  rest: { readonly error: ServiceError; readonly until: number } | undefined;
}

class ChainSource implements SerpSource {
  readonly name = 'chain';
  readonly kind = 'live';
  readonly bodyType: PageBody['contentType'];
  /** The sum of the time limits of the parts, which are tried one after the other. */
  readonly requestTimeoutMs?: number;
  readonly probe?: (context: SourceContext) => Promise<SourceProbe>;
  /** If one of them ignores keys, a page may be sold twice under a key. */
  readonly keepsKeys: boolean;
  /** Holds the part that may have sold a purchase: retries go only there, others would sell it again. */
  readonly #memory: SourceMemory | undefined;
  readonly #parts: readonly Part[];
  readonly #clock: Clock;
  readonly #time = new MonotonicClock();

  constructor(sources: readonly SerpSource[], { clock, memory }: SourceDependencies) {
    this.#parts = sources.map((source, at) => ({ source, id: `${at + 1} ${source.name}`, rest: undefined }));
    this.#clock = clock;
    this.#memory = memory;
    this.keepsKeys = memory !== undefined && sources.every((source) => source.keepsKeys === true);
    const longer = sources.reduce((sum, each) => sum + (each.requestTimeoutMs ?? 0), 0);
    if (longer > 0) this.requestTimeoutMs = longer + limits.requestTimeoutMs;
    const isJson = sources.some(({ bodyType }) => bodyType === 'application/json');
    this.bodyType = isJson ? 'application/json' : 'text/html';
    if (sources.some(({ probe }) => probe !== undefined)) this.probe = (context) => this.#probe(context);
  }

  /** A failure that may have been charged is thrown at once: another source would sell the page a second time. */
  async fetchPage(request: PageRequest, context: SourceContext): Promise<FetchedPage> {
    const key = memoryKey(request, context);
    const id = key === undefined ? undefined : await this.#memory?.get(key);
    const bound = id === undefined ? undefined : this.#parts.find((part) => part.id === id);
    if (bound !== undefined) return await this.#askBound(bound, request, context);
    const failures: ServiceError[] = [];
    const passedOver: PassedOver[] = [];
    const refusals = () => (passedOver.length === 0 ? {} : { passedOver });
    for (const part of this.#parts) {
      const { name } = part.source;
      try {
        const resting = this.#rest(part);
        if (resting !== undefined) throw resting;
        return { ...(await this.#ask(part, request, context, key)), ...refusals() };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.charged !== 'no' || context.signal.aborted) throw withMark(error, name).with(refusals());
        const { code, message, hint, disposition } = error;
        if (disposition === 'halt') passedOver.push({ source: name, code, message, hint });
        failures.push(error);
      }
    }
    const hardness = ({ disposition }: ServiceError) => mildest.indexOf(disposition);
    const waitMs = ({ retryAfterMs = 0 }: ServiceError) => retryAfterMs;
    const ordered = failures.toSorted((one, other) => hardness(one) - hardness(other) || waitMs(one) - waitMs(other));
    const [first] = ordered;
    if (first === undefined) throw new Error('the chain has no parts');
    throw first.with({
      cause: new AggregateError(failures, 'Every source of the chain refused access.'),
      ...refusals(),
    });
  }

  /** Requests the page from one part; remembers the part first, durably, if it keeps keys. */
  async #ask(part: Part, request: PageRequest, context: SourceContext, key: string | undefined): Promise<FetchedPage> {
    const { source, id } = part;
    const memory = source.keepsKeys === true ? this.#memory : undefined;
    if (key !== undefined) await memory?.put(key, id, this.#clock.now() + keptMs);
    try {
      return marked(await source.fetchPage(request, context), source.name);
    } catch (error) {
      if (error instanceof ServiceError && error.charged === 'no') {
        this.#leaveOut(part, error);
        if (key !== undefined) await memory?.delete(key);
      }
      throw error;
    }
  }

  /**
   * Only this part is queried, because it may already have sold the page. Its refusal concerns this page, not others.
   */
  async #askBound({ source }: Part, request: PageRequest, context: SourceContext): Promise<FetchedPage> {
    try {
      return marked(await source.fetchPage(request, context), source.name);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw withMark(error, source.name).with(error.disposition === 'halt' ? { disposition: 'abandon' } : {});
    }
  }

  get firstPageCredits(): number {
    return Math.max(...this.#parts.map(({ source }) => source.firstPageCredits ?? 1));
  }

  /** Reads a page with the source that sold it. */
  readPage(body: PageBody, request: PageRequest, receivedAt?: number): ReadPage {
    const { name, original } = readSourceTag(body);
    const part = this.#parts.find(({ source }) => source.name === name);
    if (part !== undefined) return part.source.readPage(original, request, receivedAt);
    throw new ServiceError(
      'SERP_FAILED',
      `The page comes from a source that is not in the chain${name === undefined ? '' : `: ${name}`}.`,
      {
        reason: 'unparseable',
        disposition: 'abandon',
        hint: 'Add the source to the chain again, so that its pages can be read.',
      },
    );
  }

  /**
   * Probes all parts with a free request; the chain answers if any part does. Credits of several sources are not added
   * up, but reported separately. A part that fails to answer does not hide the others.
   */
  async #probe(context: SourceContext): Promise<SourceProbe> {
    const parts = await Promise.all(
      this.#parts.map(async ({ source }) => {
        const none = testOutcome(null, `${source.name} has no free request for a test.`);
        const probed = await Promise.resolve(source.probe?.(context) ?? none).catch((error: unknown) => {
          if (!(error instanceof ServiceError)) throw error;
          return testOutcome(false, `${source.name}: ${error.message}`, [error]);
        });
        return { ...probed, source: source.name };
      }),
    );
    const isAnswer = parts.some(({ answers }) => answers);
    const message = parts.map((each) => each.message).join(' ');
    const problems = parts.flatMap((each) => each.problems ?? []);
    return { ...testOutcome(isAnswer, message, problems), parts };
  }

  async close(): Promise<void> {
    await closeAll(this.#parts.map(({ source }) => source));
  }

  #leaveOut(part: Part, error: ServiceError): void {
    const now = this.#time.at(this.#clock.now());
    if (error.disposition === 'halt') part.rest = { error, until: now + asideMs };
    if (error.disposition === 'wait') {
      part.rest = { error, until: now + (error.retryAfterMs ?? limits.rateLimitPauseMs) };
    }
  }

  /** The failure for which a part is skipped, with the remaining time; undefined if it may be used. */
  #rest({ rest }: Part): ServiceError | undefined {
    const leftMs = (rest?.until ?? 0) - this.#time.at(this.#clock.now());
    if (rest === undefined || leftMs <= 0) return undefined;
    return rest.error.disposition === 'wait' ? rest.error.with({ retryAfterMs: leftMs }) : rest.error;
  }
}

/** Undefined for a purchase without a key, which is not retried. */
function memoryKey(request: PageRequest, { idempotencyKey: key }: SourceContext): string | undefined {
  if (key === undefined) return undefined;
  const { keyword, country, language, mobile, page, location } = request;
  const where = location === undefined ? [] : [location];
  const facts = JSON.stringify([key, keyword, country, language, mobile, page, ...where]);
  return `chain:${createHash('sha256').update(facts).digest('hex').slice(0, 40)}`;
}

function marked(page: FetchedPage, name: string): FetchedPage {
  return { ...page, body: addSourceTag(page.body, name), source: name };
}

/** A failure that may have been paid for names its source; so does a stored unreadable body. */
function withMark(error: ServiceError, name: string): ServiceError {
  return error.with({ source: name, ...(error.body !== undefined && { body: addSourceTag(error.body, name) }) });
}

const htmlTag = /^<!-- answered by ([a-z0-9-]+) -->\n/;
const jsonTag = /^\{"answered_by":"([a-z0-9-]+)","answer":/;

/** Marks a body with the source that sold it, so that it can be read again. The text itself is unchanged. */
function addSourceTag({ contentType, text }: PageBody, name: string): PageBody {
  return contentType === 'text/html'
    ? { contentType, text: `<!-- answered by ${name} -->\n${text}` }
    : { contentType, text: `{"answered_by":"${name}","answer":${text}}` };
}

function readSourceTag({ contentType, text }: PageBody): {
  readonly name: string | undefined;
  readonly original: PageBody;
} {
  const isHtml = contentType === 'text/html';
  const tag = (isHtml ? htmlTag : jsonTag).exec(text);
  if (tag === null) return { name: undefined, original: { contentType, text } };
  const original = text.slice(tag[0].length, isHtml ? undefined : -1);
  return { name: tag[1], original: { contentType, text: original } };
}
