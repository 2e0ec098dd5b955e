// The stored results of a search, with our results and those of competitors marked.

import type { ArchivedSerp } from '../../../db/reads/search-records.ts';
import { NotFound, type SerpQuery } from '../../../src/read/contract.ts';
import type { KeywordRow, SerpResult, StoredSerpView } from '../../../src/read/records.ts';
import { type Device, marketName, type Project } from '../../../src/tracker/project.ts';
import { addDays, localDate, startOfDay } from '../../../src/tracker/schedule/local-time.ts';
import { foldKeyword } from '../../../src/tracker/searches.ts';
import {
  type CompiledTargets,
  compileTargets,
  findPlace,
  type ListedPlace,
} from '../../../src/tracker/targets/target.ts';
import type { JobContext } from '../../context.ts';

const datesMax = 1_000;

type NamedSearch = Pick<KeywordRow, 'keyword' | 'country' | 'language' | 'device' | 'location'>;

/** Of a keyword in any spelling. Null: it was never checked. */
export function searchIdOf(
  { store }: Pick<JobContext, 'store'>,
  { service }: Pick<Project, 'service'>,
  { keyword, country, language, device, location }: NamedSearch,
): number | null {
  const market = { service, country, language, device: device as Device, location };
  const exact = store.names.knownSearchId({ keyword, market });
  if (exact !== null) return exact;
  const ids = store.names.spellings(keyword).map((text) => store.names.knownSearchId({ keyword: text, market }));
  return ids.find((id) => id !== null) ?? null;
}

/** Dates on which results of a search are stored, newest first. */
export function storedSerpDates(context: JobContext, project: Project, search: NamedSearch): string[] {
  const searchId = searchIdOf(context, project, search);
  if (searchId === null && !isTracked(project, search)) throw neverChecked(search);
  if (searchId === null) return [];
  const times = context.store.searchRecords.serpTimes(searchId, datesMax);
  return [...new Set(times.map((at) => localDate(at, project.timezone)))];
}

/**
 * The newest results of the newest day with some, on or before the date; null: none are stored. Throws NotFound if the
 * search was never checked.
 */
export function storedSerp(context: JobContext, project: Project, query: SerpQuery): StoredSerpView | null {
  const { keyword, country, language, device, location, date } = query;
  const searchId = searchIdOf(context, project, query);
  if (searchId === null) throw neverChecked(query);
  const until = date === undefined ? Number.MAX_SAFE_INTEGER : startOfDay(addDays(date, 1), project.timezone) - 1;
  const { searchRecords } = context.store;
  const [newest] = searchRecords.serpTimes(searchId, 1, until);
  if (newest === undefined) return null;
  const from = startOfDay(localDate(newest, project.timezone), project.timezone);
  const found = searchRecords.serp(searchId, project.id, { from, until: newest });
  const search = { keyword, country, language, device, location };
  return found === null ? null : toView(project, compileAll(project), search, found);
}

function isTracked({ keywords }: Project, { keyword, ...market }: NamedSearch): boolean {
  const [folded, name] = [foldKeyword(keyword), marketName(market)];
  return keywords.some(
    (of) => foldKeyword(of.keyword) === folded && of.devices.some((device) => marketName({ ...of, device }) === name),
  );
}

function neverChecked({ keyword }: NamedSearch): NotFound {
  return new NotFound(`"${keyword}" was never checked in this market`);
}

/** A search, and when its results were seen, UTC milliseconds. */
export interface SeenSearch extends NamedSearch {
  readonly searchId: number;
  readonly moment: number;
}

/** The results that were seen at these moments, in their order; null: none are stored. */
export function storedSerpsAt(
  { store }: Pick<JobContext, 'store'>,
  project: Project,
  seen: readonly SeenSearch[],
): (StoredSerpView | null)[] {
  const compiled = compileAll(project);
  const found = store.searchRecords.serpsSeenAt(seen);
  return seen.map((search, index) => {
    const serp = found[index] ?? null;
    return serp === null ? null : toView(project, compiled, search, serp);
  });
}

/** Own targets come first. */
function compileAll({ targets, competitors }: Project): CompiledTargets {
  return compileTargets([...targets, ...competitors]);
}

function toView(
  project: Project,
  compiled: CompiledTargets,
  { keyword, country, language, device, location }: NamedSearch,
  found: ArchivedSerp,
): StoredSerpView {
  return {
    keyword,
    country,
    language,
    device,
    location,
    date: localDate(found.checkedAt, project.timezone),
    checkedAt: new Date(found.checkedAt).toISOString(),
    source: found.source,
    runId: found.runId,
    pages: found.pages.length,
    ...markedPages(project, compiled, found.pages),
  };
}

/** Results and features with the targets that they belong to. */
function markedPages(
  project: Project,
  compiled: CompiledTargets,
  pages: ArchivedSerp['pages'],
): Pick<StoredSerpView, 'results' | 'features' | 'places'> {
  const { targets, competitors } = project;
  const all = [...targets, ...competitors];
  const { matchingIndexes } = compiled;
  const features = pages.flatMap(({ page, features: ofPage }) =>
    ofPage.map((feature) => {
      const shown = [...new Set(feature.urls.flatMap((url) => [...matchingIndexes(url)]))].sort((a, b) => a - b);
      return {
        page,
        ...feature,
        targets: shown.flatMap((index) => all[index]?.value ?? []),
        isOwn: shown.some((index) => index < targets.length),
      };
    }),
  );
  const first = pages.find(({ page }) => page === 1);
  const places = (first?.places ?? []).map((place, index) => {
    const matched = placeIndexes(place, compiled)[0];
    return {
      rank: index + 1,
      ...place,
      target: matched === undefined ? null : (all[matched]?.value ?? null),
      isOwn: matched !== undefined && matched < targets.length,
    };
  });
  return { results: rankedResults(project, pages, matchingIndexes), features, places };
}

/** The targets that a listed place is, then those whose site it names. */
function placeIndexes(listed: ListedPlace, { places, matchingIndexes }: CompiledTargets): number[] {
  const same = places.filter(({ place }) => typeof findPlace([listed], place) === 'object').map(({ index }) => index);
  return [...same, ...(listed.website === undefined ? [] : matchingIndexes(listed.website))];
}

/** Ranks count over all pages. After a missing page they are unknown. */
function rankedResults(
  { targets, competitors }: Project,
  pages: ArchivedSerp['pages'],
  indexesOf: (url: string) => readonly number[],
): SerpResult[] {
  const all = [...targets, ...competitors];
  const results: SerpResult[] = [];
  for (const [index, { page, urls }] of pages.entries()) {
    for (const url of urls) {
      const matched = indexesOf(url)[0];
      results.push({
        rank: page === index + 1 ? results.length + 1 : null,
        page,
        url,
        target: matched === undefined ? null : (all[matched]?.value ?? null),
        isOwn: matched !== undefined && matched < targets.length,
      });
    }
  }
  return results;
}
