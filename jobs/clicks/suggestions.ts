// Queries that bring impressions and are not tracked, and tracked searches for which none are reported.

import type { ExportPeriod } from '../../db/history/clicks.ts';
import { InvalidQuery } from '../../src/read/contract.ts';
import type { SilentKeyword, UntrackedQuery } from '../../src/read/records.ts';
import { keywordKey } from '../../src/service/terms.ts';
import {
  addClicks,
  type ClickMarket,
  type ClickNumbers,
  clicksOn,
  groupKey,
  matchKey,
  noClicks,
} from '../../src/tracker/clicks/clicks.ts';
import { byText } from '../../src/tracker/figures.ts';
import { namesBrand } from '../../src/tracker/intent/intent.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { type Device, expandSearches, type Project, type TrackedKeyword } from '../../src/tracker/project.ts';
import { localDate } from '../../src/tracker/schedule/local-time.ts';
import { deriveBrandTerms } from '../../src/tracker/targets/brand.ts';
import { compileTargets } from '../../src/tracker/targets/target.ts';
import type { JobContext } from '../context.ts';
import { projectCost } from '../project-cost.ts';
import { ProjectClicks } from './project-clicks.ts';

type Context = Pick<JobContext, 'store' | 'clock' | 'services'>;

/**
 * Queries of the newest 28 final days in countries that the project tracks, most impressions first. Devices, depth and
 * language are those that most of its keywords have there. Throws InvalidQuery where nothing is stored.
 */
export function untrackedQueries(context: Context, project: Project, impressionsMin: number): UntrackedQuery[] {
  if (Number.isNaN(impressionsMin)) throw new InvalidQuery('minImpressions: is not a number');
  const tracked = new Set(searchKeys(project));
  const usual = usualKeywords(project.keywords);
  const brandTerms = deriveBrandTerms(project);
  const queries = new Map<string, PlacedQuery>();
  for (const { query, country, devices, numbers } of readPlaced(context, project).queries) {
    const like = usual.get(country)?.devices ?? [];
    const wanted = devices.filter(
      (device) => like.includes(device) && !tracked.has(searchKey(query, { country, device })),
    );
    if (wanted.length === 0) continue;
    const name = `${query}\n${country}`;
    const known = queries.get(name) ?? { query, country, devices: [], numbers: noClicks };
    const both = [...new Set([...known.devices, ...wanted])];
    queries.set(name, { ...known, devices: both, numbers: addClicks(known.numbers, numbers) });
  }
  const costOf = costs(context, project);
  return [...queries.values()]
    .filter(({ numbers }) => numbers.impressions === null || numbers.impressions >= impressionsMin)
    .sort((a, b) => (b.numbers.impressions ?? 0) - (a.numbers.impressions ?? 0) || byText(a.query, b.query))
    .flatMap(({ query, country, devices: found, numbers }) => {
      const like = usual.get(country);
      if (like === undefined) return [];
      const devices = like.devices.filter((device) => found.includes(device));
      const { language } = like;
      const brand = namesBrand(query, brandTerms);
      return [{ query, country, language, devices, brand, ...numbers, creditsPerMonth: costOf({ ...like, devices }) }];
    });
}

/** The days that the numbers of both lists are of: the newest 28 final ones, else those of the newest export. */
export function suggestionPeriod({ store, clock }: Context, project: Project): ExportPeriod | null {
  const today = localDate(clock.now(), project.timezone);
  const clicks = ProjectClicks.until(store.clicks, project, today);
  return clicks === null ? store.clickExports.newest(project, today) : clicks.facts();
}

/**
 * Tracked searches without a reported impression on pages of the own targets. Rare queries are hidden. Impressions are
 * those of whole countries, so that nothing is known about searches from a place inside one.
 */
export function silentKeywords(context: Context, project: Project): SilentKeyword[] {
  const { isReported } = readPlaced(context, project);
  const costOf = costs(context, project);
  const inCountries = project.keywords.filter(({ location }) => location === undefined);
  return inCountries.flatMap((tracked) => {
    const devices = [...expandSearches(project, tracked)]
      .filter(({ keyword, market }) => !isReported(keyword, market))
      .map(({ market: { device } }) => device);
    const { keyword, country, language, tags } = tracked;
    if (devices.length === 0) return [];
    return [{ keyword, country, language, devices, tags, creditsPerMonth: costOf({ ...tracked, devices }) }];
  });
}

/** A query in its normal form, where it could be tracked. */
interface PlacedQuery {
  readonly query: string;
  readonly country: string;
  readonly devices: readonly Device[];
  readonly numbers: ClickNumbers;
}

interface Placed {
  readonly queries: readonly PlacedQuery[];
  isReported(keyword: string, market: ClickMarket): boolean;
}

/** Of final days, else of the newest export, which knows no countries and devices: those of most keywords stand in. */
function readPlaced({ store, clock }: Context, project: Project): Placed {
  const today = localDate(clock.now(), project.timezone);
  const clicks = ProjectClicks.until(store.clicks, project, today);
  if (clicks !== null) return placedGroups(clicks, project);
  const period = store.clickExports.newest(project, today);
  if (period === null)
    throw new InvalidQuery(`no clicks of ${project.id} are stored; rankledger backfill clicks fetches or imports them`);
  const rows = store.clickExports.queries(project.id, period);
  const [main] = mostFrequent(project.keywords, ({ country }) => country);
  const like = main === undefined ? undefined : usualKeywords(project.keywords).get(main.country);
  const reported = new Set(rows.map(({ query }) => keywordKey(query)));
  return {
    queries: rows.flatMap(({ query, position, ...counts }) => {
      if (like === undefined) return [];
      const numbers = { ...counts, averagePosition: position };
      return [{ query: keywordKey(query), country: like.country, devices: like.devices, numbers }];
    }),
    isReported: (keyword) => reported.has(keywordKey(keyword)),
  };
}

function placedGroups(clicks: ProjectClicks, project: Project): Placed {
  const own = compileTargets(project.targets);
  const reported = new Set<string>();
  const queries = clicks.queries().flatMap((counted): PlacedQuery[] => {
    const pages = counted.pages.filter(({ page }) => own.matchingIndexes(page).length > 0);
    const query = keywordKey(counted.query);
    const key = groupKey(query, counted);
    if (key === null) return [];
    if (pages.length > 0 || counted.pages.length === 0) reported.add(key); // of its many rows, the API leaves pages out
    if (pages.length === 0) return [];
    const [, country = '', device] = key.split('\n');
    const numbers = clicksOn(counted, pages);
    return [{ query, country, devices: [device as Device], numbers }]; // a key has a tracked kind of device
  });
  return { queries, isReported: (keyword, market) => reported.has(searchKey(keyword, market)) };
}

function* searchKeys(project: Project): Generator<string> {
  for (const tracked of project.keywords)
    for (const { market } of expandSearches(project, tracked)) yield searchKey(tracked.keyword, market);
}

function searchKey(keyword: string, market: ClickMarket): string {
  return matchKey(keywordKey(keyword), market);
}

/** By country: a keyword whose language, devices and depth are the most frequent ones. */
function usualKeywords(keywords: readonly TrackedKeyword[]): ReadonlyMap<string, TrackedKeyword> {
  const countries = Map.groupBy(keywords, ({ country }) => country);
  return new Map(
    [...countries].flatMap(([country, own]) => {
      const [most] = mostFrequent(own, ({ language, devices, depth }) => `${language} ${devices.join('|')} ${depth}`);
      return most === undefined ? [] : [[country, most] as const];
    }),
  );
}

/** The keywords of the most frequent kind. */
function mostFrequent(
  keywords: readonly TrackedKeyword[],
  kindOf: (tracked: TrackedKeyword) => string,
): readonly TrackedKeyword[] {
  const kinds = [...Map.groupBy(keywords, kindOf).values()];
  return kinds.sort((a, b) => b.length - a.length)[0] ?? [];
}

/** Credits of a keyword a month at worst, by its devices and depth. */
function costs({ clock, services }: Context, project: Project): (tracked: TrackedKeyword) => number {
  const range = services.get(project.service)?.range;
  const known = new Map<string, number>();
  return (tracked) => {
    const key = `${tracked.devices.length} ${tracked.depth}`;
    return getOrInsert(
      known,
      key,
      () => projectCost({ ...project, keywords: [tracked] }, clock.now(), range).creditsPerMonth,
    );
  };
}
