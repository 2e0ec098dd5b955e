// Reads what a project's change is made of: rows on two dates, and the stored pages of those that moved.
import { buildSerp, type Serp } from '../../src/report/rows/serp.ts';
import type { Row } from '../../src/rows/row.ts';
import {
  type AttributedRow,
  Attribution,
  attributionLine,
  type PlaceShare,
  placeShares,
  type RowOnDate,
} from '../../src/tracker/causes/attribution.ts';
import { movementsAround } from '../../src/tracker/causes/places.ts';
import { type Comparison, compare } from '../../src/tracker/changes/change.ts';
import { ctr } from '../../src/tracker/changes/visibility.ts';
import type { Observation } from '../../src/tracker/observation.ts';
import { marketName, type Project } from '../../src/tracker/project.ts';
import { addDays, isDate } from '../../src/tracker/schedule/local-time.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import { type AttributionQuery, InvalidQuery } from '../../src/workspace/contract.ts';
import type { AttributionAnswer } from '../../src/workspace/records.ts';
import { readClickChanges } from '../clicks/click-changes.ts';
import type { JobContext } from '../context.ts';
import { featureRatios } from '../report/causes/read-causes.ts';
import { ProjectSites } from '../report/rows/serp-sites.ts';
import { searchIdOf } from '../report/rows/stored-serps.ts';
import type { ProjectHistory } from './project-history.ts';

/** Searches whose pages are read for competitors: those with the largest changes. */
const movedMax = 5_000;
/** Searches whose pages are decoded together. */
const rowsPerRead = 100;
/** Measured clicks are compared over whole weeks. */
const [weekDays, measuredDaysMax] = [7, 238];

/** What a row shows on one of both dates. Small: 200,000 of them are in memory. */
interface KeptRow {
  readonly on: RowOnDate;
  readonly url: string | null;
  readonly observation: Pick<Observation, 'rank' | 'page' | 'depth' | 'source' | 'checkedAt'> | null;
}

/** `ratios`: clicks with a feature / without it. */
function keptRow(row: Row, ratios: ReadonlyMap<string, number>): KeptRow {
  const { complete, rank, page, depth, source, checkedAt, searchVolume, url } = row;
  const isKnown = source !== null && checkedAt !== null && depth !== null;
  return {
    on: { isChecked: complete, rank, volume: searchVolume, featureRatio: featureRatio(row, ratios) },
    url,
    observation: complete && isKnown ? { rank, page, depth, source, checkedAt } : null,
  };
}

/** Null: rankings of other tools have no features. */
function featureRatio({ source, serpFeatures }: Row, ratios: ReadonlyMap<string, number>): number | null {
  if (ratios.size === 0) return 1;
  if (source?.startsWith('import/') === true) return null;
  return serpFeatures.reduce((product, feature) => product * (ratios.get(feature) ?? 1), 1);
}

/** `before`: absent: the row was not tracked. */
function attributedRow(row: Row, before: KeptRow | undefined, after: KeptRow): AttributedRow {
  const { keyword, tags, device, isPlace } = row;
  return {
    ...{ keyword, tags, device, isPlace },
    page: after.url ?? before?.url ?? null,
    market: marketName(row),
    before: before?.on ?? null,
    after: after.on,
    isComparable: before !== undefined && areComparable(row, before, after),
  };
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

/** Throws InvalidQuery. */
export function readAttribution(
  context: JobContext,
  history: ProjectHistory,
  { filter, by, ...asked }: Omit<AttributionQuery, 'project'>,
): AttributionAnswer {
  const { project, ctrCurve } = history;
  const { from, to } = chosenDates(history, asked);
  const [before, compared] = from === null ? [null, {}] : [history.table({ date: from }), { compare: from }];
  const query = { ...(to !== null && { date: to }), ...compared, filter };
  const rows = history.summedRows(query);
  const ratios = to === null ? new Map<string, number>() : featureRatios(context, project, to);
  const earlier = before?.byId();
  const pairs = rows.map((row): Pair => {
    const of = earlier?.get(row.id);
    const then = of === undefined ? undefined : keptRow(of, ratios);
    return { row, before: then, attributed: attributedRow(row, then, keptRow(row, ratios)) };
  });
  const split = by === 'competitor' ? byCompetitor(context, project, pairs, ctrCurve) : null;
  const attribution = new Attribution(split?.rows ?? pairs.map(({ attributed }) => attributed), ctrCurve);
  const groups = attribution.by(by).map(attributionLine);
  return {
    ...{ from: before?.date ?? null, to: history.table(query).date, by, ctrCurve },
    targets: [...new Set(rows.map(({ target }) => target))],
    total: attributionLine(attribution.total()),
    ...(split !== null && { pages: split.pages }),
    measured: measuredChange(context, project, from, to),
    rowsTotal: groups.length,
    rows: groups,
  };
}

/** The newest date, and the one that the config compares it with. Null: nothing was checked. */
function chosenDates(
  { trails: { dates }, comparison }: ProjectHistory,
  asked: Pick<AttributionQuery, 'from' | 'to'>,
): { readonly from: string | null; readonly to: string | null } {
  for (const name of ['from', 'to'] as const) {
    const date = asked[name];
    if (date !== undefined && !isDate(date))
      throw new InvalidQuery(`${name}: "${date}" is not a date such as 2026-11-20`);
  }
  const newest = (until: string): string | null => dates.findLast((date) => date <= until) ?? null;
  const to = newest(asked.to ?? '9999');
  const from = to === null ? null : newest(asked.from ?? comparedDate(comparison, to));
  if (asked.from !== undefined && asked.to !== undefined && asked.from > asked.to)
    throw new InvalidQuery(`from: ${asked.from} is after ${asked.to}`);
  return { from, to };
}

/** The last date that a comparison allows. */
function comparedDate(comparison: Comparison, to: string): string {
  switch (comparison.kind) {
    case 'previous':
      return addDays(to, -1);
    case 'days':
      return addDays(to, -comparison.days);
    case 'date':
      return comparison.date;
    case 'last-month':
      return addDays(`${to.slice(0, 7)}-01`, -1);
  }
}

interface Pair {
  readonly row: Row;
  readonly before: KeptRow | undefined;
  readonly attributed: AttributedRow;
}

/** With the places of the sites around each row that moved, from stored pages. */
function byCompetitor(context: JobContext, project: Project, pairs: readonly Pair[], ctrCurve: string) {
  const worth = ({ attributed: { before, after } }: Pair): number =>
    (after?.volume ?? 0) * Math.abs(ctr(ctrCurve, after?.rank ?? null) - ctr(ctrCurve, before?.rank ?? null));
  const moved = pairs
    .filter(({ attributed: { isPlace, isComparable, before, after } }) => {
      return !isPlace && isComparable && before !== null && after !== null && before.rank !== after.rank;
    })
    .toSorted((a, b) => worth(b) - worth(a));
  const sites = new ProjectSites(context.store.serpContents, project);
  const places = new Map<AttributedRow, readonly PlaceShare[]>();
  const asked = moved.slice(0, movedMax);
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
  context: JobContext,
  project: Project,
  sites: ProjectSites,
  pairs: readonly Pair[],
): Generator<[AttributedRow, PlaceShare[]]> {
  const moments = pairs.flatMap(({ row, before }) => {
    const searchId = searchIdOf(context, project, row) ?? 0;
    return [before?.observation?.checkedAt, row.checkedAt].map((moment) => ({ searchId, moment: moment ?? -1 }));
  });
  const shown = context.store.searchRecords.shownAt(moments);
  sites.prepare(shown.flatMap((serp) => serp?.pages.flatMap(({ urlIds }) => urlIds) ?? []));
  const serpAt = (index: number): Serp | null => {
    const found = shown[index] ?? null;
    return found === null ? null : buildSerp({ ...found, checkedAt: 0 }, found.pages, sites);
  };
  for (const [index, { row, before, attributed }] of pairs.entries()) {
    const [then, now] = [serpAt(2 * index), serpAt(2 * index + 1)];
    if (then === null || now === null) continue;
    const own = sites.keys.indexOf(targetKey(row.own));
    const previousRank = before?.on.rank ?? null;
    if ((then.targets[own]?.[0] ?? null) !== previousRank || (now.targets[own]?.[0] ?? null) !== row.rank) continue;
    const movements = movementsAround(resultsOf(then), previousRank, resultsOf(now), row.rank);
    yield [attributed, placeShares(movements, (urlId) => sites.domainName(sites.domainOf(urlId)))];
  }
}

function resultsOf({ urlIds, domains }: Serp) {
  return { urlIds, siteIds: domains };
}

/** What Search Console counted, over as many whole weeks as lie between the dates. Null: no days are stored. */
function measuredChange(
  context: JobContext,
  project: Project,
  from: string | null,
  to: string | null,
): AttributionAnswer['measured'] {
  const { clicks } = context.store;
  const property = clicks.property(project.id);
  if (from === null || to === null || property === null || clicks.newestFinal(project.id, property, to) === null)
    return null;
  const weeks = Math.ceil(Math.round((Date.parse(to) - Date.parse(from)) / dayMs) / weekDays);
  const days = Math.min(measuredDaysMax, Math.max(1, weeks) * weekDays);
  const { rows: _, ...measured } = readClickChanges(context, project, { to, days, by: 'query' });
  return measured;
}
