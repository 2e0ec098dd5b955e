// All sources by name, loaded on first use: one row here, one file or folder per source.
import type * as z from 'zod';
import type { Source } from '../model/configured-source.ts';
import { type LocationKind, locationKinds } from '../model/results/location.ts';
import type { SourceDependencies, SourceFacts, SourceKind } from '../model/source.ts';
import type { SearchModule } from './fetchers/options.ts';
import { createNamed, describeOptions, type SourceOption } from './loading.ts';
import { metricsSourceNames } from './metrics-registry.ts';
import type { Vendor } from './vendor-kit/pages/define.ts';

/**
 * Makes a source from options that are not checked yet. Throws ZodError for bad ones, Error where it cannot be set up.
 */
type MakeSource = (options: unknown, dependencies: SourceDependencies) => Promise<Source>;

interface LoadedSource {
  readonly facts: SourceFacts;
  readonly options: z.ZodType;
  readonly make: MakeSource;
}

interface SourceEntry {
  readonly kind: SourceKind;
  readonly load: () => Promise<LoadedSource>;
}

function entry<Module extends { readonly facts: SourceFacts }, Options>(
  kind: SourceKind,
  load: () => Promise<Module>,
  schemaOf: (module: Module) => z.ZodType<Options>,
  create: (module: Module, options: Options, dependencies: SourceDependencies) => Source | Promise<Source>,
): SourceEntry {
  return {
    kind,
    async load() {
      const module = await load();
      const options = schemaOf(module);
      const make: MakeSource = async (given, dependencies) => create(module, options.parse(given), dependencies);
      return { facts: module.facts, options, make };
    },
  };
}

function vendor(load: () => Promise<{ readonly vendor: Vendor }>): SourceEntry {
  return {
    kind: 'live',
    async load() {
      const { vendor } = await load();
      return { ...vendor, make: async (options, dependencies) => vendor.create(options, dependencies) };
    },
  };
}

/** An engine that is fetched by oneself. */
function ownFetching(load: () => Promise<SearchModule>): SourceEntry {
  return entry(
    'live',
    load,
    (module) => module.options,
    (module, options, dependencies) => module.create(options, dependencies),
  );
}

const registry: ReadonlyMap<string, SourceEntry> = new Map([
  [
    'sandbox',
    entry(
      'sandbox',
      () => import('./sandbox.ts'),
      (module) => module.sandboxOptions,
      (module, options, dependencies) => module.createSandboxSource(options, dependencies),
    ),
  ],
  [
    'sandbox-maps',
    entry(
      'sandbox',
      async () => {
        const { mapFacts: facts, ...module } = await import('./sandbox.ts');
        return { ...module, facts };
      },
      (module) => module.sandboxOptions,
      (module, options) => module.createSandboxMaps(options),
    ),
  ],
  [
    'replay',
    entry(
      'replay',
      () => import('./replay.ts'),
      (module) => module.replayOptions,
      (module, options) => module.createReplaySource(options),
    ),
  ],
  [
    'chain',
    entry(
      'live',
      () => import('./chain.ts'),
      (module) => module.chainOptions,
      (module, options, dependencies) => module.createChainSource(options, dependencies, createSource),
    ),
  ],
  ['google', ownFetching(() => import('./google.ts'))],
  ['bing', ownFetching(() => import('./bing.ts'))],
  ['duckduckgo', ownFetching(() => import('./duckduckgo.ts'))],
  ['serpapi', vendor(() => import('./serpapi.ts'))],
  ['serpapi-maps', vendor(async () => ({ vendor: (await import('./serpapi.ts')).maps }))],
  ['serper', vendor(() => import('./serper.ts'))],
  ['serper-maps', vendor(async () => ({ vendor: (await import('./serper.ts')).maps }))],
  ['valueserp', vendor(async () => ({ vendor: (await import('./valueserp.ts')).valueSerp }))],
  ['scaleserp', vendor(async () => ({ vendor: (await import('./valueserp.ts')).scaleSerp }))],
  ['searchapi', vendor(() => import('./searchapi.ts'))],
  ['searchapi-maps', vendor(async () => ({ vendor: (await import('./searchapi.ts')).maps }))],
  ['hasdata', vendor(() => import('./hasdata.ts'))],
  ['zenserp', vendor(() => import('./zenserp.ts'))],
  ['dataforseo', vendor(() => import('./dataforseo.ts'))],
  ['dataforseo-maps', vendor(async () => ({ vendor: (await import('./dataforseo.ts')).maps }))],
  ['oxylabs', vendor(() => import('./oxylabs.ts'))],
  ['searxng', vendor(() => import('./searxng.ts'))],
  ['brave', vendor(() => import('./brave.ts'))],
  ['brightdata', vendor(async () => ({ vendor: (await import('./brightdata.ts')).brightData }))],
  ['brightdata-maps', vendor(async () => ({ vendor: (await import('./brightdata.ts')).brightDataMaps }))],
  ['thordata', vendor(async () => ({ vendor: (await import('./brightdata.ts')).thordata }))],
]);

/** The names that a config may use, in the order in which they are offered. */
export const sourceNames: readonly string[] = [...registry.keys()];

/** What kind of source a name stands for; undefined for an unknown name. Only a `live` one ever costs money. */
export function sourceKindOf(name: string): SourceKind | undefined {
  return registry.get(name)?.kind;
}

/**
 * Makes the source of that name. Throws Error with one message that names the source and the remedy: an unknown name
 * (the known ones are listed), options that do not fit, or a source that cannot be set up from here.
 */
export async function createSource(name: string, options: unknown, dependencies: SourceDependencies): Promise<Source> {
  const known = registry.get(name);
  if (known === undefined) {
    const reason = metricsSourceNames.includes(name)
      ? `Source "${name}" has keyword metrics only, and no results pages. Name it under metrics.`
      : `Unknown source "${name}".`;
    throw new Error(`${reason} Known sources: ${sourceNames.join(', ')}.`);
  }
  const { make } = await known.load();
  return await createNamed(`Source "${name}"`, () => make(options, dependencies));
}

/** The form of what a service of that source may say besides. Undefined for an unknown name. */
export async function sourceOptionsSchema(name: string): Promise<z.ZodType | undefined> {
  return (await registry.get(name)?.load())?.options;
}

/**
 * The locations that a source of these options can request pages for; a chain takes those of all its parts. Undefined
 * for an unknown name.
 */
export async function sourceLocations(
  name: string,
  options: Readonly<Record<string, unknown>>,
): Promise<readonly LocationKind[] | undefined> {
  const parts: unknown = options['sources'];
  if (name !== 'chain' || !Array.isArray(parts)) {
    const known = await registry.get(name)?.load();
    return known === undefined ? undefined : (known.facts.locations ?? []);
  }
  const names = parts.map((part: { source?: unknown } | null) => String(part?.source));
  const kinds = await Promise.all(names.map((part) => sourceLocations(part, {})));
  return locationKinds.filter((kind) => kinds.every((taken) => taken?.includes(kind) === true));
}

/** Whether pages of a source of these options have their local results; of a chain, those of all its parts. */
export async function sourceHasLocalResults(
  name: string,
  options: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const parts: unknown = options['sources'];
  if (name !== 'chain' || !Array.isArray(parts))
    return (await registry.get(name)?.load())?.facts.hasLocalResults === true;
  const names = parts.map((part: { source?: unknown } | null) => String(part?.source));
  return (await Promise.all(names.map((part) => sourceHasLocalResults(part, {})))).every(Boolean);
}

/**
 * Whether pages of a source of these options have nothing but local results; of a chain, those of all its parts. Null:
 * a chain of both kinds.
 */
export async function sourceHasOnlyLocalResults(
  name: string,
  options: Readonly<Record<string, unknown>>,
): Promise<boolean | null> {
  const parts: unknown = options['sources'];
  if (name !== 'chain' || !Array.isArray(parts))
    return (await registry.get(name)?.load())?.facts.hasOnlyLocalResults === true;
  const names = parts.map((part: { source?: unknown } | null) => String(part?.source));
  const kinds = new Set(await Promise.all(names.map((part) => sourceHasOnlyLocalResults(part, {}))));
  return kinds.size > 1 ? null : kinds.has(true);
}

/** Describes a source and the options of its service in a config. Undefined for an unknown name. */
export async function describeSource(
  name: string,
): Promise<{ readonly facts: SourceFacts; readonly options: readonly SourceOption[] } | undefined> {
  const known = registry.get(name);
  if (known === undefined) return undefined;
  const { facts, options } = await known.load();
  return { facts, options: await describeOptions(options) };
}
