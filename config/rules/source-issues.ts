// Checks services against their sources: options, engines, locations and local results.
import type * as z from 'zod';
import {
  answerFacts,
  answerGoods,
  answerOptionsSchema,
  describeSource,
  type Goods,
  type LocationKind,
  metricsGoods,
  metricsLimits,
  metricsOptionsSchema,
  pageGoods,
  parseLocation,
  type Refusal,
  refusalOf,
  refusalOfAll,
  refusalOfPage,
  type SearchLimits,
  sourceHasLocalResults,
  sourceHasOnlyLocalResults,
  sourceKindOf,
  sourceLimits,
  sourceLocations,
  sourceOptionsSchema,
} from '../../src/service/terms.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import type { Device, TrackedKeyword } from '../../src/tracker/project.ts';
import { isPlace } from '../../src/tracker/targets/target.ts';
import {
  eachService,
  type PartialConfig,
  sellersOf,
  soundProjects,
  toTarget,
  writtenServices,
} from '../document/draft.ts';
import { type ConfigIssue, type Path, schemaIssues, secretHint } from '../document/problems.ts';
import type { KeywordSeller } from '../keyword-files/project-keywords.ts';
import { countryCode, languageCode } from '../schema/complaints.ts';
import type { WrittenService } from '../schema/schema.ts';
import { answerSourceOf, isSecretOption, unknownSource } from './service-rules.ts';

type Written = Readonly<Record<string, unknown>>;

/** Issues of the options of embedded services. Unknown sources are the subject of a rule. */
export async function optionIssues(draft: PartialConfig): Promise<ConfigIssue[]> {
  const services = [...eachService(draft)].map(async ([name, service]) => {
    if (service.mode !== 'embedded') return [];
    const { source, metrics, answers } = service;
    const path = ['services', name];
    const own = await pagesIssues(path, source, sourceOptions(service), [
      'account',
      'answers',
      'formerly',
      'metrics',
      'retryUnreadable',
      'source',
      'usdPerThousand',
    ]);
    const parts = [
      { key: 'metrics', part: metrics, schemaOf: metricsOptionsSchema },
      { key: 'answers', part: answers, schemaOf: answerOptionsSchema },
    ].map(async ({ key, part, schemaOf }) => {
      if (part === undefined) return [];
      const { source: partSource, ...partOptions } = part;
      return misfits([...path, key], await schemaOf(partSource), partOptions, ['source']);
    });
    return [...own, ...(await Promise.all(parts)).flat()];
  });
  return [...(await Promise.all(services)).flat(), ...(await promptIssues(draft))];
}

/** What an embedded service says to its source of pages. */
function sourceOptions(service: WrittenService & { readonly mode: 'embedded' }): Written {
  const {
    mode: _,
    source: __,
    account: ___,
    retryUnreadable: ____,
    formerly: _____,
    usdPerThousand: ______,
    metrics: _______,
    answers: ________,
    ...options
  } = service;
  return options;
}

/** Issues of services of `mode: best`: prices are compared, and maps are no results pages. */
export async function bestIssues(draft: PartialConfig): Promise<ConfigIssue[]> {
  const services = writtenServices(draft);
  const issues: ConfigIssue[] = [];
  for (const [name, { of }] of draft.best) {
    const first = services.get(of[0] ?? '');
    for (const [at, each] of of.entries()) {
      const service = services.get(each);
      if (service == null || draft.best.has(each)) continue;
      const path = ['services', name, 'of', at];
      if (first != null && (await hasMapsAlone(service)) !== (await hasMapsAlone(first)))
        issues.push({ path, message: `"${each}" and "${of[0]}" mix results pages and maps` });
      if (service.usdPerThousand === undefined && !(await hasListPrice(service)))
        issues.push({
          path: ['services', each],
          message: `has no known price, which "${name}" compares`,
          hint: 'write usdPerThousand: what 1,000 pages cost with your plan',
        });
    }
  }
  return issues;
}

async function hasMapsAlone(service: WrittenService): Promise<boolean> {
  return service.mode === 'embedded' && (await sourceHasOnlyLocalResults(service.source, service)) === true;
}

async function hasListPrice(service: WrittenService): Promise<boolean> {
  if (service.mode === 'remote') return false;
  const parts = service.source === 'chain' && Array.isArray(service['sources']) ? service['sources'] : [service];
  const prices = await Promise.all(
    parts.map(
      async ({ source }: { readonly source?: unknown }) => (await describeSource(String(source)))?.facts.prices,
    ),
  );
  return prices.every((each) => (each ?? []).length > 0);
}

/** Issues of engines and prompts that the source of answers of a project's service refuses. */
async function promptIssues(draft: PartialConfig): Promise<ConfigIssue[]> {
  const services = writtenServices(draft);
  const projects = soundProjects(draft, 'service', 'prompts', 'market').map(async ({ index, written }) => {
    const { prompts, service: name, market } = written;
    const service = services.get(name);
    const source = service === undefined || service === null ? null : answerSourceOf(service);
    const facts = source === null ? undefined : await answerFacts(source, {});
    if (prompts === undefined || facts === undefined) return [];
    const path = ['projects', index, 'prompts'];
    return prompts.engines.flatMap((engine, at): ConfigIssue[] => {
      const known = facts.engines.find((each) => each.engine === engine);
      if (known === undefined) {
        const message = `the source "${source}" has no answers of ${engine}`;
        const hint = `it has ${facts.engines.map((each) => each.engine).join(', ')}`;
        return [{ path: [...path, 'engines', at], message, hint }];
      }
      return prompts.texts.flatMap((text, place) => {
        const { prompt, ...own } = typeof text === 'string' ? { prompt: text } : text;
        const { country, language } = { ...market, ...own };
        const asked = { keyword: prompt, country: countryCode(country), language: languageCode(language) };
        const refusal = refusalOf(known, asked, answerGoods(engine));
        if (refusal === undefined) return [];
        const message = `the service "${name}" (${source}) ${refusal.words}`;
        return [
          { path: [...path, 'texts', place], message, hint: `${refusal.remedy}, or use another source of answers` },
        ];
      });
    });
  });
  return (await Promise.all(projects)).flat();
}

async function pagesIssues(
  path: Path,
  source: string,
  options: Written,
  alsoKnown: readonly string[],
): Promise<ConfigIssue[]> {
  const own = misfits(path, await sourceOptionsSchema(source), options, alsoKnown);
  const parts = source === 'chain' && Array.isArray(options['sources']) ? options['sources'] : [];
  const others = parts.map(async (part: unknown, at) => await partIssues([...path, 'sources', at], part));
  const message = 'a chain takes sources of results pages or of maps, not both';
  const isMixed = (await sourceHasOnlyLocalResults(source, options)) === null;
  const mixed = isMixed ? [{ path: [...path, 'sources'], message }] : [];
  return [...own, ...mixed, ...(await Promise.all(others)).flat()];
}

/** Issues of one source of a chain. The chain itself reports parts that are not mappings. */
async function partIssues(path: Path, part: unknown): Promise<ConfigIssue[]> {
  if (typeof part !== 'object' || part === null) return [];
  const { source, ...options } = part as Written;
  if (typeof source !== 'string' || source === '') return [];
  const kind = sourceKindOf(source);
  if (kind === undefined) return [{ path: [...path, 'source'], ...unknownSource(source) }];
  if (kind !== 'live') {
    const message = `"${source}" is not a live source, and a chain takes live sources only`;
    return [{ path: [...path, 'source'], message }];
  }
  return await pagesIssues(path, source, options, ['source']);
}

function misfits(
  path: Path,
  schema: z.ZodType | undefined,
  options: Written,
  alsoKnown: readonly string[],
): ConfigIssue[] {
  const { error } = schema?.safeParse(options) ?? {};
  if (error === undefined || schema === undefined) return [];
  return schemaIssues(error, schema, options, alsoKnown).map(({ hint, isTyped = false, ...issue }) => {
    const found = { path: [...path, ...issue.path], message: sentence(issue.message) };
    const key = String(issue.path.at(-1));
    if (!isSecretOption(key)) return { ...found, hint, isTyped };
    // quotes do not make a wrong secret right
    return { ...found, hint: hint?.endsWith('in quotes') !== false ? secretHint(key) : hint };
  });
}

/** Sources describe the expected value: `a key of printable characters`. */
function sentence(message: string): string {
  if (message === 'Invalid URL') return 'must be a URL such as https://api.example.com';
  return message.replace(/^(an?|the|printable) /, 'must be $&');
}

const words = { place: 'places inside a country', coordinate: 'coordinates' } as const satisfies Record<
  LocationKind,
  string
>;

const remoteHint = 'write takesLocations: true if the provider is `rankledger serve`';

/** `keywords`: by the index of their project. */
export async function locationIssues(
  draft: PartialConfig,
  keywords: ReadonlyMap<number, readonly TrackedKeyword[]>,
): Promise<ConfigIssue[]> {
  const services = writtenServices(draft);
  const issues: ConfigIssue[] = [];
  for (const { index, written } of soundProjects(draft, 'service')) {
    const kinds = new Set(
      (keywords.get(index) ?? []).flatMap(({ location }) =>
        location === undefined ? [] : parseLocation(location).kind,
      ),
    );
    for (const name of sellersOf(draft, written.service)) {
      const service = draft.best.has(name) ? null : services.get(name);
      if (kinds.size === 0 || service == null) continue;
      const taken = await locationsOf(service);
      for (const kind of kinds) {
        if (taken === undefined || taken.includes(kind)) continue;
        const source = service.mode === 'remote' ? 'a remote service' : service.source;
        issues.push({
          path: ['projects', index, 'service'],
          message: `the service "${name}" (${source}) cannot request pages for ${words[kind]}`,
          hint: service.mode === 'remote' ? remoteHint : 'use another source, or track the country as a whole',
        });
      }
    }
  }
  return issues;
}

/** The sources that a project buys goods from: several in a chain, of which one must sell them. */
interface Seller {
  /** `the service "default" (brave)` */
  readonly title: string;
  readonly goods: Goods;
  readonly parts: readonly SearchLimits[];
}

/** The sources of a project's pages, and of its metrics where it has volumes. */
async function limitedSellers(
  draft: PartialConfig,
  { service: own, volumes }: PartialConfig['projects'][number]['written'],
): Promise<readonly Seller[]> {
  const services = writtenServices(draft);
  const sellers = sellersOf(draft, own).map(async (name): Promise<readonly Seller[]> => {
    const service = services.get(name);
    if (service?.mode !== 'embedded') return [];
    const { source, metrics } = service;
    const parts = await sourceLimits(source, sourceOptions(service));
    const pages = draft.best.has(name) ? [] : [{ title: `the service "${name}" (${source})`, goods: pageGoods, parts }];
    // of several sources, metrics come from the first
    if (volumes === undefined || metrics === undefined || name !== own) return pages;
    const title = `the service "${name}" (${metrics.source})`;
    return [...pages, { title, goods: metricsGoods, parts: [await metricsLimits(metrics.source)] }];
  });
  return (await Promise.all(sellers)).flat();
}

/** The sources that refuse keywords for their length, by the index of the project that tracks them. */
export async function keywordLimits(draft: PartialConfig): Promise<ReadonlyMap<number, readonly KeywordSeller[]>> {
  const projects = soundProjects(draft, 'service').map(async ({ index, written }) => {
    const limited = (await limitedSellers(draft, written)).filter(({ parts }) => parts.some(({ keyword }) => keyword));
    const sellers = limited.map(({ title, goods, parts }) => ({
      refusalOf(asked: TrackedKeyword) {
        const refusal = refusalOfAll(
          parts,
          { keyword: asked.keyword, country: asked.country, language: asked.language },
          goods,
        );
        return refusal?.of === 'keyword' ? `${title} ${refusal.words}` : undefined;
      },
    }));
    return [index, sellers] as const;
  });
  return new Map(await Promise.all(projects));
}

/**
 * Searches that a source refuses in every run: deeper than it sells, or on a device, in a country or language that it
 * does not have. `keywords`: by the index of their project.
 */
export async function limitIssues(
  draft: PartialConfig,
  keywords: ReadonlyMap<number, readonly TrackedKeyword[]>,
): Promise<ConfigIssue[]> {
  const projects = soundProjects(draft, 'service', 'market', 'depth', 'deep').map(async ({ index, written }) => {
    const path = ['projects', index];
    const tracked = keywords.get(index) ?? [];
    const from = [...path, written.keywordsFile === undefined ? 'keywords' : 'keywordsFile'];
    const sellers = (await limitedSellers(draft, written)).map(({ title, goods, parts }): ConfigIssue[] => {
      const refusals = refusedSearches(tracked, parts, goods);
      const issue = (at: Path, { words, remedy }: Refusal, which = ''): ConfigIssue => ({
        path: at,
        message: `${which}${title} ${words}`,
        hint:
          goods === pageGoods
            ? `${remedy}, or use another source`
            : 'use another source of metrics, or remove volumes from the project',
      });
      const ofDepth = (page = 1) => refusalOfPage(parts, page, goods);
      const [own, deep] = [ofDepth(written.depth), ofDepth(written.deep?.depth)];
      const deeper = refusals.filter(
        ({ asked, refusal }) => refusal.of === 'page' && (own === undefined || asked.depth !== written.depth),
      );
      const [deepest] = deeper;
      const others = new Set(deeper.map(({ asked }) => asked)).size - 1;
      const markets = (['device', 'country', 'language'] as const).flatMap((of) => {
        const found = refusals.find(({ refusal }) => refusal.of === of);
        if (found === undefined) return [];
        const { asked, device, refusal } = found;
        const { market } = written;
        const isMarkets = of === 'device' ? market.devices.includes(device) : asked[of] === market[of];
        return [issue(isMarkets ? [...path, 'market', of === 'device' ? 'devices' : of] : from, refusal)];
      });
      return [
        ...(own === undefined ? [] : [issue([...path, 'depth'], own)]),
        ...(deep === undefined ? [] : [issue([...path, 'deep', 'depth'], deep)]),
        ...(deepest === undefined
          ? []
          : [
              issue(
                from,
                deepest.refusal,
                `"${deepest.asked.keyword}" has the depth ${deepest.asked.depth}${othersText(others)}, and `,
              ),
            ]),
        ...markets,
      ];
    });
    return sellers.flat();
  });
  return (await Promise.all(projects)).flat();
}

interface RefusedSearch {
  readonly asked: TrackedKeyword;
  readonly device: Device;
  readonly refusal: Refusal;
}

/** The searches that none of these parts sells, however short their keywords are. A file may have a million of them. */
function refusedSearches(
  tracked: readonly TrackedKeyword[],
  parts: readonly SearchLimits[],
  goods: Goods,
): RefusedSearch[] {
  const limits = parts.map(({ keyword: _, ...others }) => others);
  const known = new Map<string, readonly Omit<RefusedSearch, 'asked'>[]>();
  return tracked.flatMap((asked) => {
    const { country, language, devices, depth } = asked;
    const found = getOrInsert(known, `${country} ${language} ${devices} ${depth}`, () =>
      devices.flatMap((device) => {
        const search = { keyword: '', country, language, ...(goods === pageGoods && { device }) };
        const refusal = refusalOfAll(limits, search, goods) ?? refusalOfAll(limits, { ...search, page: depth }, goods);
        return refusal === undefined ? [] : [{ device, refusal }];
      }),
    );
    return found.length === 0 ? [] : found.map((each) => ({ asked, ...each }));
  });
}

function othersText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ', as has one more keyword' : `, as have ${count} more keywords`;
}

/**
 * Places rank only where pages have their local results, and websites only where they have organic ones. On others,
 * each of them would look absent.
 */
export async function placeIssues(draft: PartialConfig): Promise<ConfigIssue[]> {
  const services = writtenServices(draft);
  const issues: ConfigIssue[] = [];
  for (const { index, written } of soundProjects(draft, 'service', 'targets', 'competitors')) {
    const service = services.get(written.service);
    if (service == null) continue;
    for (const key of ['targets', 'competitors'] as const) {
      const site = written[key].findIndex((target) => !isPlace(toTarget(target)));
      if (
        site !== -1 &&
        service.mode !== 'remote' &&
        (await sourceHasOnlyLocalResults(service.source, service)) === true
      )
        issues.push({
          path: ['projects', index, key, site],
          message: `pages of the service "${written.service}" (${service.source}) have local results only, in which no website ranks`,
          hint: 'write targets of match: place, or use another service',
        });
      const at = written[key].findIndex((target) => isPlace(toTarget(target)));
      if (at === -1 || (await hasLocalResults(service))) continue;
      const source = service.mode === 'remote' ? 'a remote service' : service.source;
      issues.push({
        path: ['projects', index, key, at],
        message: `pages of the service "${written.service}" (${source}) have no local results, in which places rank`,
        hint: service.mode === 'remote' ? remoteHint : 'use another source, or track the website of the place',
      });
    }
  }
  return issues;
}

async function hasLocalResults(service: WrittenService): Promise<boolean> {
  return service.mode === 'remote' ? service.takesLocations : await sourceHasLocalResults(service.source, service);
}

async function locationsOf(service: WrittenService): Promise<readonly LocationKind[] | undefined> {
  if (service.mode === 'remote') return service.takesLocations ? ['place', 'coordinate'] : [];
  return await sourceLocations(service.source, service);
}
