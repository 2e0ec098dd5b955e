// Several sources as one: each page is asked of the first that can sell it, and paid once. Which of them sells, its own file says.
import * as z from 'zod';
import { type Disposition, type PageBody, ServiceError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { ReadPage } from '../serp.ts';
import { SteadyTime } from '../steady-time.ts';
import type {
  FetchedPage,
  PageRequest,
  SerpSource,
  Source,
  SourceContext,
  SourceDependencies,
  SourceFacts,
  SourceProbe,
} from './source.ts';

export const facts: SourceFacts = {
  title: 'Chain of sources',
  prices: [],
  failureCharge: 'no',
  failureRule: 'The next source is asked only where the one before has surely charged nothing.',
  pageSize: 10,
  rate: { requestsPerSecond: 1000, concurrency: 1000 },
  devices: ['desktop', 'mobile'],
  hasCountries: true,
  example: [
    'mode: embedded',
    'source: chain',
    'sources:',
    `  - { source: serper, apiKey: "\${SERPER_KEY}" }`,
    `  - { source: serpapi, apiKey: "\${SERPAPI_KEY}" }`,
  ].join('\n'),
};

const part = z.looseObject({ source: z.string().min(1) });

export const chainOptions = z.strictObject({
  sources: z
    .array(part)
    .min(2)
    .max(10)
    .describe('Sources in the order in which they are asked, each with its options.'),
});

/** Makes a source by its name, as the registry does. */
type CreateSource = (name: string, options: unknown, dependencies: SourceDependencies) => Promise<Source>;

/** Throws Error where a part cannot be made, sells no pages, or only simulates them. */
export async function createChainSource(
  { sources }: z.output<typeof chainOptions>,
  dependencies: SourceDependencies,
  createSource: CreateSource,
): Promise<Source> {
  const parts: SerpSource[] = [];
  for (const { source: name, ...options } of sources) {
    const { serp } = await createSource(name, options, dependencies);
    if (serp === undefined) throw new Error(`sources: "${name}" has no results pages.`);
    if (serp.kind !== 'live')
      throw new Error(`sources: "${name}" shows no live pages; a chain is of live sources only.`);
    parts.push(serp);
  }
  return { serp: new ChainSource(parts, dependencies.clock) };
}

/** How long a part that is out of credits or refuses us is left out. */
const asideMs = 60_000;

/** Of failures that all cost nothing, the one that lets the run go on soonest is told. */
const mildest: readonly Disposition[] = ['wait', 'retry', 'abandon', 'halt'];

interface Part {
  readonly source: SerpSource;
  /** Why it is left out, and until when. */
  rest: { readonly error: ServiceError; readonly until: number } | undefined;
}

class ChainSource implements SerpSource {
  readonly name = 'chain';
  readonly kind = 'live';
  readonly bodyType: PageBody['contentType'];
  /** Of the parts that need longer than usual, one after the other. */
  readonly requestTimeoutMs?: number;
  readonly probe?: (context: SourceContext) => Promise<SourceProbe>;
  readonly #parts: readonly Part[];
  readonly #clock: Clock;
  readonly #time = new SteadyTime();

  constructor(sources: readonly SerpSource[], clock: Clock) {
    this.#parts = sources.map((source) => ({ source, rest: undefined }));
    this.#clock = clock;
    const longer = sources.reduce((sum, each) => sum + (each.requestTimeoutMs ?? 0), 0);
    if (longer > 0) this.requestTimeoutMs = longer + limits.requestTimeoutMs;
    const isJson = sources.some(({ bodyType }) => bodyType === 'application/json');
    this.bodyType = isJson ? 'application/json' : 'text/html';
    if (sources.some(({ probe }) => probe !== undefined)) this.probe = (context) => this.#probe(context);
  }

  /** A failure that may have been charged is thrown at once: another source would sell the page a second time. */
  async fetchPage(request: PageRequest, context: SourceContext): Promise<FetchedPage> {
    const failures: ServiceError[] = [];
    for (const part of this.#parts) {
      const resting = this.#rest(part);
      if (resting !== undefined) {
        failures.push(resting);
        continue;
      }
      try {
        const { body, ...facts } = await part.source.fetchPage(request, context);
        return { ...facts, body: marked(body, part.source.name), source: part.source.name };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.charged !== 'no' || context.signal.aborted) throw withMark(error, part.source.name);
        this.#leaveOut(part, error);
        failures.push(error);
      }
    }
    const ordered = failures.toSorted((one, other) => hardness(one) - hardness(other) || waitOf(one) - waitOf(other));
    const [first] = ordered;
    if (first === undefined) throw new Error('the chain has no parts');
    throw first.with({ cause: new AggregateError(failures, 'Each source of the chain has refused.') });
  }

  /** Reads a page with the source that sold it. */
  readPage(body: PageBody, request: PageRequest): ReadPage {
    const { name, original } = unmarked(body);
    const part = this.#parts.find(({ source }) => source.name === name);
    if (part !== undefined) return part.source.readPage(original, request);
    throw new ServiceError(
      'SERP_FAILED',
      `The page is of a source that the chain does not have${name === undefined ? '' : `: ${name}`}.`,
      {
        reason: 'unparseable',
        disposition: 'abandon',
        hint: 'Put the source back into the chain to have its pages read.',
      },
    );
  }

  /** Asks all parts that can be asked for nothing; it answers where any does. Credits of several sources are no sum: each is told by itself. */
  async #probe(context: SourceContext): Promise<SourceProbe> {
    const parts = await Promise.all(
      this.#parts.map(async ({ source }) => ({ ...(await probed(source, context)), source: source.name })),
    );
    const problems = parts.flatMap((each) => each.problems ?? []);
    return {
      answers: parts.some((each) => each.answers),
      creditsLeft: null,
      unit: 'credit',
      message: parts.map(({ message }) => message).join(' '),
      ...(problems.length > 0 && { problems }),
      parts,
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map(({ source }) => source.close?.()));
  }

  #leaveOut(part: Part, error: ServiceError): void {
    const now = this.#time.at(this.#clock.now());
    if (error.disposition === 'halt') part.rest = { error, until: now + asideMs };
    if (error.disposition === 'wait') {
      part.rest = { error, until: now + (error.retryAfterMs ?? limits.rateLimitPauseMs) };
    }
  }

  /** The failure for which a part is left out, with what is left to wait; undefined where it may be asked. */
  #rest(part: Part): ServiceError | undefined {
    const { rest } = part;
    if (rest === undefined) return undefined;
    const leftMs = rest.until - this.#time.at(this.#clock.now());
    if (leftMs <= 0) {
      part.rest = undefined;
      return undefined;
    }
    return rest.error.disposition === 'wait' ? rest.error.with({ retryAfterMs: leftMs }) : rest.error;
  }
}

/** A part that fails when it is asked hides no other. */
async function probed(source: SerpSource, context: SourceContext): Promise<SourceProbe> {
  const unknown = { creditsLeft: null, unit: 'credit' } as const;
  try {
    const told = await source.probe?.(context);
    return told ?? { ...unknown, answers: null, message: `${source.name} cannot be asked for nothing.` };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ...unknown, answers: false, message: `${source.name}: ${error.message}`, problems: [error] };
  }
}

function hardness({ disposition }: ServiceError): number {
  return mildest.indexOf(disposition);
}

function waitOf({ retryAfterMs }: ServiceError): number {
  return retryAfterMs ?? 0;
}

const htmlMark = /^<!-- answered by ([a-z0-9-]+) -->\n/;
const jsonMark = /^\{"answered_by":"([a-z0-9-]+)","answer":/;

/** The body says who sold it, so that it can be read again later; it stays what it is, HTML or JSON, around the very text that came. */
function marked({ contentType, text }: PageBody, name: string): PageBody {
  return contentType === 'text/html'
    ? { contentType, text: `<!-- answered by ${name} -->\n${text}` }
    : { contentType, text: `{"answered_by":"${name}","answer":${text}}` };
}

/** What may have been paid for says to whom; a body that cannot be read is kept, and must say whose it is as well. */
function withMark(error: ServiceError, name: string): ServiceError {
  return error.with({ source: name, ...(error.body !== undefined && { body: marked(error.body, name) }) });
}

function unmarked({ contentType, text }: PageBody): { readonly name: string | undefined; readonly original: PageBody } {
  const isHtml = contentType === 'text/html';
  const mark = (isHtml ? htmlMark : jsonMark).exec(text);
  if (mark === null) return { name: undefined, original: { contentType, text } };
  const original = text.slice(mark[0].length, isHtml ? undefined : -1);
  return { name: mark[1], original: { contentType, text: original } };
}
