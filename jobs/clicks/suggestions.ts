// Queries that bring impressions and are not tracked, and tracked searches for which none are reported.
import { keywordKey } from '../../src/service/index.ts';
import {
  addClicks,
  type ClickGroup,
  type ClickNumbers,
  groupKey,
  matchKey,
  noClicks,
} from '../../src/tracker/clicks/matching.ts';
import { namesBrand } from '../../src/tracker/intent/intent.ts';
import { type Device, expandSearches, type Project, type TrackedKeyword } from '../../src/tracker/project.ts';
import { localDate } from '../../src/tracker/schedule/local-time.ts';
import { deriveBrandTerms } from '../../src/tracker/targets/brand.ts';
import { compileTargets } from '../../src/tracker/targets/target.ts';
import type { SilentKeyword, UntrackedQuery } from '../../src/workspace/click-records.ts';
import { InvalidQuery } from '../../src/workspace/contract.ts';
import type { JobContext } from '../context.ts';
import { projectCost } from '../project-cost.ts';
import { ProjectClicks } from './project-clicks.ts';

type Context = Pick<JobContext, 'store' | 'clock'>;

/**
 * Queries of the newest 28 final days in countries that the project tracks, most impressions first. Devices, depth and
 * language are those that most of its keywords have there. Throws InvalidQuery where no final day is stored.
 */
export function untrackedQueries(context: Context, project: Project, impressionsMin: number): UntrackedQuery[] {
  if (Number.isNaN(impressionsMin)) throw new InvalidQuery('minImpressions: is not a number');
  const tracked = new Set(searchKeys(project));
  const usual = usualKeywords(project.keywords);
  const brandTerms = deriveBrandTerms(project);
  const queries = new Map<string, { query: string; country: string; devices: Set<Device>; numbers: ClickNumbers }>();
  for (const group of ownGroups(context, project)) {
    const key = groupKey(keywordKey(group.query), group);
    const [query = '', country = '', device] = key?.split('\n') ?? [];
    const like = usual.get(country);
    if (key === null || tracked.has(key) || like?.devices.includes(device as Device) !== true) continue;
    const name = `${query}\n${country}`;
    const known = queries.get(name) ?? { query, country, devices: new Set<Device>(), numbers: noClicks };
    known.devices.add(device as Device); // one of those in `like`
    queries.set(name, { ...known, numbers: addClicks(known.numbers, group) });
  }
  const costOf = costs(project, context.clock.now());
  return [...queries.values()]
    .filter(({ numbers }) => numbers.impressions >= impressionsMin)
    .sort((a, b) => b.numbers.impressions - a.numbers.impressions || (a.query < b.query ? -1 : 1))
    .flatMap(({ query, country, devices: found, numbers }) => {
      const like = usual.get(country);
      if (like === undefined) return [];
      const devices = like.devices.filter((device) => found.has(device));
      const { language } = like;
      const brand = namesBrand(query, brandTerms);
      return [{ query, country, language, devices, brand, ...numbers, creditsPerMonth: costOf({ ...like, devices }) }];
    });
}

/** Tracked searches without a reported impression on pages of the own targets. Rare queries are hidden. */
export function silentKeywords(context: Context, project: Project): SilentKeyword[] {
  const reported = new Set(ownGroups(context, project).map((group) => groupKey(keywordKey(group.query), group)));
  const costOf = costs(project, context.clock.now());
  return project.keywords.flatMap((tracked) => {
    const searches = [...expandSearches(project, tracked)];
    const devices = searches
      .map(({ market }) => market)
      .filter((market) => !reported.has(searchKey(tracked.keyword, market)))
      .map(({ device }) => device);
    const { keyword, country, language, tags } = tracked;
    if (devices.length === 0) return [];
    return [{ keyword, country, language, devices, tags, creditsPerMonth: costOf({ ...tracked, devices }) }];
  });
}

function ownGroups({ store, clock }: Context, project: Project): ClickGroup[] {
  const clicks = ProjectClicks.until(store.clicks, project.id, localDate(clock.now(), project.timezone));
  if (clicks === null)
    throw new InvalidQuery(
      `no final day of clicks of ${project.id} is stored; rankledger backfill clicks fetches them`,
    );
  const own = compileTargets(project.targets);
  return clicks.groups().filter(({ page }) => own.matchingIndexes(page).length > 0);
}

function* searchKeys(project: Project): Generator<string> {
  for (const tracked of project.keywords)
    for (const { market } of expandSearches(project, tracked)) yield searchKey(tracked.keyword, market);
}

function searchKey(keyword: string, market: { readonly country: string; readonly device: string }): string {
  return matchKey(keywordKey(keyword), market);
}

/** By country: one of the keywords whose language, devices and depth are the most frequent ones. */
function usualKeywords(keywords: readonly TrackedKeyword[]): ReadonlyMap<string, TrackedKeyword> {
  const countries = Map.groupBy(keywords, ({ country }) => country);
  return new Map(
    [...countries].flatMap(([country, own]) => {
      const kinds = Map.groupBy(own, ({ language, devices, depth }) => `${language} ${devices.join('|')} ${depth}`);
      const [most] = [...kinds.values()].sort((a, b) => b.length - a.length);
      return most?.[0] === undefined ? [] : [[country, most[0]] as const];
    }),
  );
}

/** Credits of a keyword a month at worst, by its devices and depth. */
function costs(project: Project, now: number): (tracked: TrackedKeyword) => number {
  const known = new Map<string, number>();
  return (tracked) => {
    const key = `${tracked.devices.length} ${tracked.depth}`;
    const cost = known.get(key) ?? projectCost({ ...project, keywords: [tracked] }, now).creditsPerMonth;
    known.set(key, cost);
    return cost;
  };
}
