// The rows of a project on two dates, as attribution takes them, with the sites around those that moved.
import type { Row } from '../../../src/read/row.ts';
import {
  type AttributedRow,
  type PlaceShare,
  placeShares,
  type RowOnDate,
} from '../../../src/tracker/causes/attribution.ts';
import { movementsAround } from '../../../src/tracker/causes/places.ts';
import { compare } from '../../../src/tracker/changes/change.ts';
import { ctr } from '../../../src/tracker/changes/visibility.ts';
import type { Observation } from '../../../src/tracker/observation.ts';
import { type Market, marketName, type Project, type Target } from '../../../src/tracker/project.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import type { JobContext } from '../../context.ts';
import { ProjectSites } from '../rows/serp-sites.ts';
import { searchIdOf } from '../rows/stored-serps.ts';
import { resultsOf, toSerp } from './explain-changes.ts';

/** Searches whose pages are read for competitors: those with the largest changes. */
const movedMax = 5_000;
/** Searches whose pages are decoded together. */
const rowsPerRead = 100;

/** What a row shows on one of both dates. Small: 200,000 of them are in memory. */
export interface KeptRow {
  readonly on: RowOnDate;
  readonly url: string | null;
  readonly observation: Pick<Observation, 'rank' | 'page' | 'depth' | 'source' | 'checkedAt'> | null;
}

/** `ratios`: clicks with a feature / without it. */
export function keptRow(row: Row, ratios: ReadonlyMap<string, number>): KeptRow {
  const { complete, rank, page, depth, source, checkedAt, searchVolume, url } = row;
  const isKnown = source !== null && checkedAt !== null && depth !== null;
  return {
    on: { isChecked: complete, rank, volume: searchVolume, featureRatio: featureRatio(row, ratios) },
    url,
    observation: complete && isKnown ? { rank, page, depth, source, checkedAt } : null,
  };
}

/** The rank that a row is compared with, at the volume of today; undefined: there is none. */
export function baselineRow(row: Row): KeptRow | undefined {
  const { previousCheckedAt: checkedAt, previousRank: rank, previousDepth, previousUrl: url, searchVolume } = row;
  if (checkedAt === null) return undefined;
  return {
    on: { isChecked: true, rank, volume: searchVolume, featureRatio: null },
    url,
    observation: { rank, page: null, depth: previousDepth ?? 0, source: '', checkedAt },
  };
}

/** Null: rankings of other tools have no features. */
function featureRatio({ source, serpFeatures }: Row, ratios: ReadonlyMap<string, number>): number | null {
  if (ratios.size === 0) return 1;
  if (source?.startsWith('import/') === true) return null;
  return serpFeatures.reduce((product, feature) => product * (ratios.get(feature) ?? 1), 1);
}

/** A row on both dates, with what its stored pages are found by. */
export interface RowPair {
  readonly attributed: AttributedRow;
  readonly market: Market;
  readonly own: Target;
  readonly previousCheckedAt: number | null;
  readonly checkedAt: number | null;
}

/** `before`: absent: the row was not tracked. */
export function rowPair(row: Row, before: KeptRow | undefined, after: KeptRow): RowPair {
  const { keyword, tags, device, isPlace, market, own, checkedAt } = row;
  const attributed: AttributedRow = {
    ...{ keyword, tags, device, isPlace },
    page: after.url ?? before?.url ?? null,
    market: marketName(row),
    before: before?.on ?? null,
    after: after.on,
    isComparable: before !== undefined && areComparable(row, before, after),
  };
  return { attributed, market, own, checkedAt, previousCheckedAt: before?.observation?.checkedAt ?? null };
}

/** The row says it, if it is compared with the same check. */
function areComparable({ previousCheckedAt, changeClass }: Row, before: KeptRow, after: KeptRow): boolean {
  const [then, now] = [before.observation, after.observation];
  if (then === null || now === null) return false;
  if (previousCheckedAt === then.checkedAt) return changeClass !== 'not_comparable' && changeClass !== 'first_check';
  return compare(observed(then), observed(now)).changeClass !== 'not_comparable';
}

function observed(of: NonNullable<KeptRow['observation']>): Observation {
  const status = of.rank === null ? 'not_found' : 'ranked';
  return { ...of, status, absoluteRank: null, url: null, resultsRead: null };
}

/** With the places of the sites around each row that moved, from stored pages. */
export function withPlaces(
  context: Pick<JobContext, 'store'>,
  project: Project,
  pairs: readonly RowPair[],
  ctrCurve: string,
  max = movedMax,
) {
  const worth = ({ attributed: { before, after } }: RowPair): number =>
    (after?.volume ?? 0) * Math.abs(ctr(ctrCurve, after?.rank ?? null) - ctr(ctrCurve, before?.rank ?? null));
  const moved = pairs
    .filter(({ attributed: { isPlace, isComparable, before, after } }) => {
      return !isPlace && isComparable && before !== null && after !== null && before.rank !== after.rank;
    })
    .map((pair) => ({ pair, worth: worth(pair) }))
    .sort((a, b) => b.worth - a.worth)
    .map(({ pair }) => pair);
  const sites = new ProjectSites(context.store.serpContents, project);
  const places = new Map<AttributedRow, readonly PlaceShare[]>();
  const asked = moved.slice(0, max);
  for (let at = 0; at < asked.length; at += rowsPerRead)
    for (const [attributed, shares] of placesOf(context, project, sites, asked.slice(at, at + rowsPerRead)))
      places.set(attributed, shares);
  return {
    pages: { moved: moved.length, read: places.size },
    rows: pairs.map(({ attributed }): AttributedRow => {
      const shares = places.get(attributed);
      return shares === undefined ? attributed : { ...attributed, places: shares };
    }),
  };
}

/** Of rows whose pages are stored, and show the ranks that were counted. */
function* placesOf(
  context: Pick<JobContext, 'store'>,
  project: Project,
  sites: ProjectSites,
  pairs: readonly RowPair[],
): Generator<[AttributedRow, PlaceShare[]]> {
  const moments = pairs.flatMap(({ attributed: { keyword }, market, previousCheckedAt, checkedAt }) => {
    const searchId = searchIdOf(context, project, { ...market, keyword }) ?? 0;
    return [previousCheckedAt, checkedAt].map((moment) => ({ searchId, moment: moment ?? -1 }));
  });
  const shown = context.store.searchRecords.shownAt(moments);
  sites.prepare(shown.flatMap((serp) => serp?.pages.flatMap(({ urlIds }) => urlIds) ?? []));
  for (const [index, { own: target, attributed }] of pairs.entries()) {
    const [then, now] = [shown[2 * index], shown[2 * index + 1]].map((found) => toSerp(found ?? null, sites));
    if (then == null || now == null) continue;
    const own = sites.keys.indexOf(targetKey(target));
    const [previousRank, rank] = [attributed.before?.rank ?? null, attributed.after?.rank ?? null];
    if ((then.targets[own]?.[0] ?? null) !== previousRank || (now.targets[own]?.[0] ?? null) !== rank) continue;
    const movements = movementsAround(resultsOf(then), previousRank, resultsOf(now), rank);
    yield [attributed, placeShares(movements, (urlId) => sites.domainName(sites.domainOf(urlId)))];
  }
}
