// Finds the columns of a keyword list: the formats that the other imports know, else usual names.
import { plainWord } from '../cells/amounts.ts';
import { areDevices } from '../cells/values.ts';
import { locationColumn, rankColumns } from '../history/any-csv.ts';
import { performanceLayout } from '../history/performance-report.ts';
import type { ReadOptions } from '../history/reading.ts';
import { semrush } from '../history/semrush.ts';
import { serpbear } from '../history/serpbear.ts';
import { serposcope } from '../history/serposcope.ts';
import type { Layout } from '../history/table.ts';
import { keywordPlanner } from '../keywords/keyword-planner.ts';
import { searchConsoleQueries, usualKeywordNames } from '../keywords/keyword-tables.ts';
import type { RowsAround } from '../text/recognise.ts';
import { type ListRole, listRoles } from './listed-keyword.ts';

const usualNames: Readonly<Record<ListRole, readonly string[]>> = {
  keyword: [...usualKeywordNames, 'top queries', 'queries'],
  country: ['country', 'country code', 'keyword market', 'market', 'database', 'region'],
  location: ['keyword location'],
  language: ['language', 'language code', 'lang'],
  device: ['device', 'device type', 'platform', 'keyword device'],
  tags: ['tags', 'keyword tags', 'labels', 'groups', 'group', 'tag'],
  preferred_url: ['preferred_url', 'preferred url', 'preferred landing page', 'target url', 'target_url'],
  url: [],
};

/** `URL`, `Current URL (desktop)`, `Ranking page`, `Google US URL Found`. */
const pageColumn =
  /^(?:.* )?(?:url|urls|ranking page|ranking pages|ranking_url)(?: found)?(?: \((?:desktop|mobile)\))?$/;
const landingColumn = 'landing page';

/** The columns of a list. */
export interface ListLayout {
  readonly format: string;
  readonly width: number;
  /** False: the first row is data. */
  readonly hasHeader: boolean;
  readonly columns: ReadonlyMap<Exclude<ListRole, 'url'>, number>;
  /** Columns with pages that ranked, best evidence first. */
  readonly urls: readonly number[];
  /** -1: none. `element`: names the element of the page that ranked. */
  readonly rank: number;
  readonly element: number;
  /** The columns with a place inside the country: one, or city and state. */
  readonly locations: readonly number[];
  /** What the lines above the header say of all rows. */
  readonly campaign: Pick<Layout, 'market' | 'place'>;
  /** Repairs cells that the tool did not quote. */
  repaired(cells: readonly string[]): readonly string[];
}

const noOptions: ReadOptions = { map: new Map(), notFound: [], top: 100, timezone: 'UTC' };

/** The layout if `header` is the header of a list of keywords. */
export function listLayout(
  header: readonly string[],
  map: ReadonlyMap<ListRole, string>,
  around: RowsAround,
): ListLayout | null {
  const named = map.size === 0 ? namedFormat(header, around) : null;
  const keyword = map.size === 0 ? (named?.keyword ?? findColumn(header, usualNames.keyword)) : -1;
  const columns = findColumns(header, map, around);
  if (columns === null) return null;
  if (keyword !== -1) columns.set('keyword', keyword);
  if (!columns.has('keyword') || (header.length === 1 && around.above.length > 0)) return null;
  const location = columns.get('location');
  const parts = ['city', 'state', 'local'].map((name) => findColumn(header, [name])).filter((at) => at !== -1);
  return {
    format: named?.format ?? 'csv',
    width: header.length,
    hasHeader: named?.hasHeader ?? true,
    columns,
    urls: pageColumns(header, map, columns),
    ...rankColumns(header, around.below),
    locations: location === undefined ? parts : [location],
    campaign: named?.campaign ?? {},
    repaired: named?.repaired ?? ((cells) => cells),
  };
}

/** The formats with more than usual column names. */
function namedFormat(
  header: readonly string[],
  around: RowsAround,
): (Pick<ListLayout, 'format'> & Partial<ListLayout> & { readonly keyword?: number }) | null {
  const planner = keywordPlanner.layoutOf(header, { map: new Map(), usdPerUnit: null }, around.below);
  if (planner !== null) return { format: keywordPlanner.name, keyword: planner.columns.get('keyword') ?? 0 };
  if (performanceLayout(header, around.below)?.isOtherEngine === true) return null;
  const queries = searchConsoleQueries.layoutOf(header, { map: new Map(), usdPerUnit: null }, around.below);
  if (queries !== null) {
    const { hasHeader = true } = queries;
    return { format: searchConsoleQueries.name, keyword: queries.columns.get('keyword') ?? 0, hasHeader };
  }
  const campaign = semrush.layoutOf(header, noOptions, around);
  if (campaign !== null) return { format: semrush.name, campaign };
  const layout = serposcope.layoutOf(header, noOptions, around);
  if (layout !== null) {
    return { format: serposcope.name, repaired: (cells) => serposcope.repaired?.(cells, layout) ?? cells };
  }
  if (serpbear.layoutOf(header, noOptions, around) === null) return null;
  // tags are joined by commas and not quoted
  const last = header.length - 1;
  return { format: serpbear.name, repaired: (cells) => [...cells.slice(0, last), cells.slice(last).join(',')] };
}

/** Null if a mapped column is missing. */
function findColumns(
  header: readonly string[],
  map: ReadonlyMap<ListRole, string>,
  { below }: RowsAround,
): Map<Exclude<ListRole, 'url'>, number> | null {
  const columns = new Map<Exclude<ListRole, 'url'>, number>();
  for (const role of listRoles) {
    const name = map.get(role);
    const at = findColumn(header, name === undefined ? usualNames[role] : [name]);
    if (at === -1 && name !== undefined) return null;
    if (at !== -1 && role !== 'url') columns.set(role, at);
  }
  const location = locationColumn(header, columns);
  if (location !== null) columns.set(...location);
  if (!columns.has('device')) {
    const isDevice = (cell: string, at: number): boolean =>
      ['type', 'search type'].includes(plainWord(cell)) && areDevices(below, at);
    const device = header.findIndex(isDevice);
    if (device !== -1) columns.set('device', device);
  }
  const landing = findColumn(header, [landingColumn]);
  // beside the page that ranks, the landing page is the page that should
  if (landing !== -1 && !columns.has('preferred_url') && header.some(isPage)) columns.set('preferred_url', landing);
  return columns;
}

function pageColumns(
  header: readonly string[],
  map: ReadonlyMap<ListRole, string>,
  columns: ReadonlyMap<string, number>,
): number[] {
  const name = map.get('url');
  if (name !== undefined) return [findColumn(header, [name])];
  const landings = header.flatMap((cell, at) => {
    const day = /_(\d{8})_landing$/.exec(cell)?.[1];
    return day === undefined ? [] : [{ day, at }];
  });
  const newestFirst = landings.sort((a, b) => b.day.localeCompare(a.day)).map(({ at }) => at);
  const pages = header.flatMap((cell, at) => (isPage(cell) || plainWord(cell) === landingColumn ? [at] : []));
  return [...newestFirst, ...pages].filter((at) => at !== columns.get('preferred_url'));
}

function isPage(cell: string): boolean {
  const name = plainWord(cell);
  return pageColumn.test(name) || name === 'highest ranking page';
}

function findColumn(header: readonly string[], names: readonly string[]): number {
  const known = names.map(plainWord);
  for (const name of known) {
    const at = header.findIndex((cell) => plainWord(cell) === name);
    if (at !== -1) return at;
  }
  return -1;
}
