// All sources by name, loaded on first use: of result pages, keyword metrics and AI answers. One row each here.
import type * as z from 'zod';
import type { SearchEngine } from '../engines/names.ts';
import { ServiceError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { type LocationKind, locationKinds } from '../model/results/location.ts';
import type { SearchLimits } from '../model/search-limits.ts';
import type {
  AnswerFacts,
  AnswerSource,
  MetricsFacts,
  MetricsSource,
  PageRange,
  Source,
  SourceDependencies,
  SourceFacts,
  SourceKind,
  SourceModule,
} from '../model/source.ts';
import type { ChainOptions } from './chain.ts';
import type { SearchConsole, SearchConsoleOptions } from './search-console.ts';

/** One option of a source, for documentation. */
export interface SourceOption {
  readonly name: string;
  readonly is: string;
  readonly isRequired: boolean;
}

type Row<Facts, Made> = readonly [
  name: string,
  load: () => Promise<SourceModule<Facts, Made>>,
  kind?: Exclude<SourceKind, 'live'>,
];

/** The options of each source by its name, as they are written. */
type OptionsIn<Rows extends readonly (readonly [string, ...unknown[]])[]> = {
  [One in Rows[number] as One[0]]: One extends readonly [
    string,
    () => Promise<{ readonly options: infer Options }>,
    ...unknown[],
  ]
    ? z.input<Options>
    : never;
};

/** The options of a source whose name is known when a program is compiled; of a name that is not, anything. */
type OptionsOf<All, Name extends string> = Name extends keyof All ? All[Name] : string extends Name ? unknown : never;

/** Sources of one sort. `what` a source is called in messages; `unknown` names those that there are. */
class Registry<Facts, Made> {
  /** The names that a config may use, in the order in which they are offered. */
  readonly names: readonly string[];
  readonly #rows: ReadonlyMap<string, Row<Facts, Made>>;
  readonly #what: (name: string) => string;
  readonly #unknown: (name: string, names: string) => string;

  constructor(
    what: (name: string) => string,
    unknown: (name: string, names: string) => string,
    rows: readonly Row<Facts, Made>[],
  ) {
    this.#rows = new Map(rows.map((row) => [row[0], row]));
    this.names = [...this.#rows.keys()];
    this.#what = what;
    this.#unknown = unknown;
  }

  /** What kind of source a name stands for; undefined for an unknown name. Only a `live` one ever costs money. */
  kindOf = (name: string): SourceKind | undefined => {
    const row = this.#rows.get(name);
    return row && (row[2] ?? 'live');
  };

  /** Undefined for an unknown name. */
  load = async (name: string): Promise<SourceModule<Facts, Made> | undefined> => await this.#rows.get(name)?.[1]();

  /** The form of what a config may say besides the name. Undefined for an unknown name. */
  optionsSchema = async (name: string): Promise<z.ZodType | undefined> => (await this.load(name))?.options;

  /**
   * Makes the source of that name. Throws Error with one message that names the source and the remedy: an unknown name
   * (the known ones are listed), options that do not fit, or a source that cannot be set up from here.
   */
  create = async (name: string, options: unknown, dependencies: SourceDependencies): Promise<Made> => {
    const known = await this.load(name);
    if (known === undefined) throw new Error(this.#unknown(name, this.names.join(', ')));
    try {
      return await known.create(options, dependencies);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new Error(`${this.#what(name)}: ${describeProblems(error)}`, { cause: error });
    }
  };

  /** Describes a source and its options in a config. Undefined for an unknown name. */
  describe = async (
    name: string,
  ): Promise<{ readonly facts: Facts; readonly options: readonly SourceOption[] } | undefined> => {
    const known = await this.load(name);
    if (known === undefined) return undefined;
    const { toJSONSchema } = await import('zod');
    const form = toJSONSchema(known.options, { io: 'input', unrepresentable: 'any' });
    const options = Object.entries(form.properties ?? {}).map(([option, property]) => ({
      name: option,
      is: (typeof property === 'object' && property.description) || '',
      isRequired: form.required?.includes(option) === true,
    }));
    return { facts: known.facts, options };
  };
}

const metricsRows = [
  ['sandbox', async () => (await import('./sandbox.ts')).metricsModule, 'sandbox'],
  ['replay', async () => (await import('./replay.ts')).metricsModule, 'replay'],
  ['dataset', async () => (await import('./dataset.ts')).datasetModule],
  ['google-ads', async () => (await import('./google-ads.ts')).vendor],
  ['dataforseo', async () => (await import('./dataforseo.ts')).metrics],
  ['semrush', async () => (await import('./semrush.ts')).vendor],
  ['keywords-everywhere', async () => (await import('./keywords-everywhere.ts')).vendor],
] as const satisfies readonly Row<MetricsFacts, MetricsSource>[];

/** What each source of keyword metrics takes, by its name. */
export type MetricsSourceOptions = OptionsIn<typeof metricsRows>;

const metrics = new Registry<MetricsFacts, MetricsSource>(
  (name) => `Source "${name}" of keyword metrics`,
  (name, names) => `There is no source "${name}" of keyword metrics. Known sources of metrics: ${names}.`,
  metricsRows,
);

/** Makes a source of keyword metrics, like the registry. */
export async function createMetricsSource<Name extends string>(
  name: Name,
  options: OptionsOf<MetricsSourceOptions, Name>,
  dependencies: SourceDependencies,
): Promise<MetricsSource> {
  return await metrics.create(name, options, dependencies);
}

export const {
  names: metricsSourceNames,
  kindOf: metricsKindOf,
  optionsSchema: metricsOptionsSchema,
  describe: describeMetricsSource,
} = metrics;

/** Live sources of metrics that charge nothing. */
const freeMetrics: readonly string[] = ['dataset', 'google-ads'];

/** Whether metrics of the source of that name are paid for; false for an unknown name. */
export function metricsCostMoney(name: string): boolean {
  return metricsKindOf(name) === 'live' && !freeMetrics.includes(name);
}

const answers = new Registry<AnswerFacts, AnswerSource>(
  (name) => `Source "${name}" of AI answers`,
  (name, names) => `There is no source "${name}" of AI answers. Known sources: ${names}.`,
  [
    ['sandbox', async () => (await import('./sandbox.ts')).answerModule, 'sandbox'],
    ['dataforseo', async () => (await import('./dataforseo.ts')).answers],
    ['brightdata', async () => (await import('./brightdata.ts')).answers],
    ['searchapi', async () => (await import('./searchapi.ts')).answers],
  ],
);

export const {
  names: answerSourceNames,
  kindOf: answerKindOf,
  create: createAnswerSource,
  optionsSchema: answerOptionsSchema,
  describe: describeAnswerSource,
} = answers;

/** The facts of a source of AI answers with these options; undefined for an unknown name. */
export async function answerFacts(name: string, options: unknown): Promise<AnswerFacts | undefined> {
  const source = await answers.load(name);
  const isFit = source?.options.safeParse(options).success === true;
  return (isFit ? source?.factsFor?.(options) : undefined) ?? source?.facts;
}

const pageRows = [
  ['sandbox', async () => (await import('./sandbox.ts')).pagesModule, 'sandbox'],
  ['sandbox-maps', async () => (await import('./sandbox.ts')).mapsModule, 'sandbox'],
  ['replay', async () => (await import('./replay.ts')).pagesModule, 'replay'],
  // its type stands here: it makes its parts by this table
  [
    'chain',
    async (): Promise<SourceModule<SourceFacts, Source, ChainOptions>> =>
      (await import('./chain.ts')).chainModule(createSource),
  ],
  ['google', async () => (await import('./own-fetching.ts')).google],
  ['bing', async () => (await import('./own-fetching.ts')).bing],
  ['duckduckgo', async () => (await import('./own-fetching.ts')).duckDuckGo],
  ['serpapi', async () => (await import('./serpapi.ts')).vendor],
  ['serpapi-maps', async () => (await import('./serpapi.ts')).maps],
  ['serpapi-bing', async () => (await import('./serpapi.ts')).bing],
  ['serpapi-yahoo', async () => (await import('./serpapi.ts')).yahoo],
  ['serpapi-yandex', async () => (await import('./serpapi.ts')).yandex],
  ['serper', async () => (await import('./serper.ts')).vendor],
  ['serper-maps', async () => (await import('./serper.ts')).maps],
  ['valueserp', async () => (await import('./valueserp.ts')).valueSerp],
  ['scaleserp', async () => (await import('./valueserp.ts')).scaleSerp],
  ['searchapi', async () => (await import('./searchapi.ts')).vendor],
  ['searchapi-maps', async () => (await import('./searchapi.ts')).maps],
  ['hasdata', async () => (await import('./hasdata.ts')).vendor],
  ['zenserp', async () => (await import('./zenserp.ts')).vendor],
  ['dataforseo', async () => (await import('./dataforseo.ts')).vendor],
  ['dataforseo-maps', async () => (await import('./dataforseo.ts')).maps],
  ['oxylabs', async () => (await import('./oxylabs.ts')).vendor],
  ['searxng', async () => (await import('./searxng.ts')).vendor],
  ['brave', async () => (await import('./brave.ts')).vendor],
  ['yandex', async () => (await import('./yandex.ts')).vendor],
  ['brightdata', async () => (await import('./brightdata.ts')).brightData],
  ['brightdata-maps', async () => (await import('./brightdata.ts')).brightDataMaps],
  ['thordata', async () => (await import('./brightdata.ts')).thordata],
] as const satisfies readonly Row<SourceFacts, Source>[];

/** What each source of results pages takes, by its name. */
export type SourceOptions = OptionsIn<typeof pageRows>;

const pages = new Registry<SourceFacts, Source>(
  (name) => `Source "${name}"`,
  (name, names) =>
    `${metricsSourceNames.includes(name) ? `Source "${name}" has keyword metrics only, and no results pages. Name it under metrics.` : `Unknown source "${name}".`} Known sources: ${names}.`,
  pageRows,
);

export const {
  names: sourceNames,
  kindOf: sourceKindOf,
  optionsSchema: sourceOptionsSchema,
  describe: describeSource,
} = pages;

/** The engine whose webmaster tools write the exports that we read; those of others have another form. */
export const exportedEngine: SearchEngine = 'bing';

/** Makes a source of result pages, like the registry. */
export async function createSource<Name extends string>(
  name: Name,
  options: OptionsOf<SourceOptions, Name>,
  dependencies: SourceDependencies,
): Promise<Source> {
  return await pages.create(name, options, dependencies);
}

/** What a source of these options sells besides single pages; of options that do not fit, nothing. */
export async function sourceRange(name: string, options: unknown): Promise<PageRange | undefined> {
  const source = await pages.load(name);
  return source?.options.safeParse(options).success === true ? source.range?.(options) : undefined;
}

/** The facts of a source of these options, or of all parts of a chain. Undefined: some name is unknown. */
async function factsOf(
  name: string,
  options: Readonly<Record<string, unknown>>,
): Promise<readonly (SourceFacts | undefined)[]> {
  const parts: unknown = options['sources'];
  if (name !== 'chain' || !Array.isArray(parts)) {
    const source = await pages.load(name);
    const isFit = source?.options.safeParse(options).success === true;
    return [(isFit ? source?.factsFor?.(options) : undefined) ?? source?.facts];
  }
  const each = parts.map(async (part: Readonly<Record<string, unknown>> | null) => {
    const { source, ...own } = part ?? {};
    return await factsOf(String(source), own);
  });
  return (await Promise.all(each)).flat();
}

/** What each source of these options refuses: of a chain each part, which is asked for what others refuse. */
export async function sourceLimits(
  name: string,
  options: Readonly<Record<string, unknown>>,
): Promise<readonly SearchLimits[]> {
  return (await factsOf(name, options)).map((facts) => facts ?? {});
}

/** What a source of keyword metrics refuses; nothing for an unknown name. */
export async function metricsLimits(name: string): Promise<SearchLimits> {
  return (await metrics.load(name))?.facts ?? {};
}

/**
 * The locations that a source of these options can request pages for; a chain takes those of all its parts. Undefined
 * for an unknown name.
 */
export async function sourceLocations(
  name: string,
  options: Readonly<Record<string, unknown>>,
): Promise<readonly LocationKind[] | undefined> {
  if (sourceKindOf(name) === undefined) return undefined;
  const parts = await factsOf(name, options);
  return locationKinds.filter((kind) => parts.every((facts) => facts?.locations?.includes(kind) === true));
}

/** Whether pages of a source of these options have their local results; of a chain, those of all its parts. */
export async function sourceHasLocalResults(
  name: string,
  options: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  return (await factsOf(name, options)).every((facts) => facts?.hasLocalResults === true);
}

/**
 * Whether pages of a source of these options have nothing but local results; of a chain, those of all its parts. Null:
 * a chain of both kinds.
 */
export async function sourceHasOnlyLocalResults(
  name: string,
  options: Readonly<Record<string, unknown>>,
): Promise<boolean | null> {
  const kinds = new Set((await factsOf(name, options)).map((facts) => facts?.hasOnlyLocalResults === true));
  return kinds.size > 1 ? null : kinds.has(true);
}

/** Clicks and impressions of your own site. Throws Error if the base URL is not allowed. Sends nothing yet. */
export async function openSearchConsole(options: SearchConsoleOptions, clock: Clock): Promise<SearchConsole> {
  const { SearchConsoleClient } = await import('./search-console.ts');
  return new SearchConsoleClient(options, clock);
}

/** The message of an error, with its remedy where it has one; of a schema's error, each problem with its place. */
function describeProblems(error: Error): string {
  if (error instanceof ServiceError) return `${error.message} ${error.hint}`;
  const issues = (error as Partial<z.ZodError>).issues;
  if (issues === undefined) return error.message;
  return issues
    .map((issue) =>
      issue.path.length === 0 ? describeIssue(issue) : `${issue.path.join('.')}: ${describeIssue(issue)}`,
    )
    .join('; ');
}

/**
 * Words a problem for the author of the option. If the option takes several forms, the problem of the intended form.
 */
function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') {
    const first = issue.errors.flatMap(([problem]) => problem ?? []);
    if (first.length > 0 && first.every(isMissing)) return 'is missing';
    const meant = first.find(({ code }) => code !== 'invalid_type') ?? first[0];
    return meant === undefined ? issue.message : describeIssue(meant);
  }
  return isMissing(issue) ? 'is missing' : issue.message.replace(/^Invalid input: /, '');
}

function isMissing({ code, message }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type' && message.endsWith('received undefined');
}
