// Reads the keywords of any export or plain list, one row at a time.

import { parseCountry } from '../../tracker/countries.ts';
import { unguardFormulas } from '../../tracker/formula-guard.ts';
import { normalText } from '../../tracker/searches.ts';
import { plainWord } from '../cells/amounts.ts';
import { areDevices, cellAt, isOrganic, parseDevice, placeInCells } from '../cells/values.ts';
import { locationColumn, rankColumns } from '../history/any-csv.ts';
import { performanceLayout } from '../history/performance-report.ts';
import {
  findColumn,
  isKeyword,
  type Layout,
  parseMarket,
  type ReadOptions,
  shortened,
  webAddress,
} from '../history/table.ts';
import { entryPlace, semrush, serpbear, serpbearEntries, serposcope } from '../history/tools.ts';
import { keywordPlanner, searchConsoleQueries, usualKeywordNames } from '../keywords/keyword-tables.ts';
import {
  firstRows,
  isRagged,
  openText,
  parseRows,
  type Row,
  type RowsAround,
  recognise,
  rowsBelow,
  widestRow,
} from '../text/table.ts';
import { parseJson, UnreadableFile } from '../text/text-file.ts';

/** One row: a keyword that another tool tracks or found. Null: not in the file. */
export interface ListedKeyword {
  /** 1-based. */
  readonly line: number;
  readonly keyword: string;
  /** ISO 3166-1, upper case. */
  readonly country: string | null;
  /** As written. */
  readonly language: string | null;
  /** The place inside the country, as written. */
  readonly location: string | null;
  readonly device: 'desktop' | 'mobile' | null;
  readonly tags: readonly string[];
  /** The page that should rank, as the file says. */
  readonly preferredUrl: string | null;
  /** Pages that ranked, best evidence first; of any site. */
  readonly urls: readonly string[];
  /** Of these pages; null: not in the file. */
  readonly rank: number | null;
}

/** Why a row is left out, and what to do about it. A closed table: reports count by code. */
export const listRejectReasons = {
  bad_keyword: { what: 'no keyword, or one that cannot be searched', remedy: null },
  broken_row: { what: 'a row that does not fit the header, or a quote that is not closed', remedy: null },
  several_cells: {
    what: 'several cells in a list of one keyword a line',
    remedy: 'Put a keyword that contains a comma in quotes, or name the columns in the first line.',
  },
  address: { what: 'the address of a page instead of a keyword', remedy: null },
  unknown_market: { what: 'an unknown country, language or device', remedy: null },
  location: {
    what: 'a place that is not in the table of locations',
    remedy: 'Import the whole table: rankledger locations import.',
  },
  untaken_location: {
    what: 'a place inside a country, for which the service of the project cannot request pages',
    remedy: 'Use another source: docs/places.md lists those that take places.',
  },
} as const satisfies Readonly<Record<string, { readonly what: string; readonly remedy: string | null }>>;

export type ListRejectReason = keyof typeof listRejectReasons;

export interface RejectedRow {
  readonly line: number;
  readonly refused: ListRejectReason;
  /** The rejected text. */
  readonly said: string;
}

/** The meanings that a column may have. */
export const listRoles = [
  'keyword',
  'country',
  'language',
  'device',
  'location',
  'tags',
  'preferred_url',
  'url',
] as const;
export type ListRole = (typeof listRoles)[number];

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
interface ListLayout {
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
function listLayout(
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

interface KeywordListFile {
  /** The tool, `csv` for any other table, or `list`. */
  readonly format: string;
  /** Streams the file with bounded memory. JSON is read whole. */
  readonly rows: Iterable<ListedKeyword | RejectedRow>;
}

/**
 * Recognises a list and reads it. Each call of `bytes` yields the chunks from the start. Throws UnreadableFile if it
 * finds no column of keywords, or the file is not text.
 */
export function readKeywordList(
  bytes: () => Iterable<Uint8Array>,
  map: ReadonlyMap<ListRole, string>,
): KeywordListFile {
  const { text, first } = openText(bytes);
  if (first.trim() === '') throw new UnreadableFile('it is empty', 'Export it again.');
  if (/^\s*[[{]/.test(first)) return { format: 'serpbear', rows: jsonRows(parseJson(text())) };
  const found = recognise(first, [map], (_map, header, around) => listLayout(header, map, around));
  if (found !== null) {
    const { layout, delimiter, line } = found;
    const rows = (): Iterable<Row> => rowsBelow(parseRows(text(), delimiter), line);
    return {
      format: layout.format,
      rows: { [Symbol.iterator]: () => tableRows(layout, unguarded(rows(), delimiter)) },
    };
  }
  if (map.size > 0 || !isPlainList(first)) throw unrecognised(first);
  const rows = (): Iterable<Row> => rowsBelow(parseRows(text(), ','), headerOfList(first));
  return { format: 'list', rows: { [Symbol.iterator]: () => listRows(unguarded(rows(), ',')) } };
}

/** The line that names a list; 0: none. Throws UnreadableFile for a list of addresses or sites. */
function headerOfList(first: string): number {
  const [header, ...below] = firstRows(first, ',').map(({ line, cells: [cell = ''] }) => ({ line, cell }));
  if (header === undefined) return 0;
  const isUrl = isUrlHeader(header.cell);
  const isAddressed = below.length > 0 && below.every(({ cell }) => webAddress(cell) !== null);
  if (isAddressed && (below.length > 1 || isUrl || webAddress(header.cell) !== null))
    throw new UnreadableFile('it is a list of addresses, which are no keywords', 'Name a list of keywords.');
  return isUrl ? header.line : 0;
}

function isUrlHeader(cell: string): boolean {
  return /^(page |ranking |landing )?urls?$/i.test(cell);
}

/** Whether most of the first lines are one cell. Anything else is a table whose header is unknown. */
function isPlainList(first: string): boolean {
  const rows = firstRows(first, ',');
  const plain = rows.filter(({ cells }) => isOneCell(cells));
  return isOneCell(rows[0]?.cells ?? []) && plain.length * 2 > rows.length;
}

function isOneCell(cells: readonly string[]): boolean {
  return cells.length === 1 && !/[;\t]/.test(cellAt(cells, 0));
}

function unrecognised(first: string): UnreadableFile {
  const has = shortened(widestRow(first).join(', '));
  return new UnreadableFile(`it has no column of keywords; it has: ${has}`, 'Name it: --map keyword=COLUMN.');
}

/** Our own tables, and those of other careful tools, guard text that a spreadsheet would run as a formula. */
function* unguarded(rows: Iterable<Row>, delimiter: string): Generator<Row> {
  for (const row of rows) yield { ...row, cells: row.cells.map((cell) => unguardFormulas(cell, delimiter)) };
}

function* listRows(rows: Iterable<Row>): Generator<ListedKeyword | RejectedRow> {
  for (const { line, cells, isBroken } of rows) {
    const keyword = normalText(cellAt(cells, 0));
    if (isBroken) yield { line, refused: 'broken_row', said: '"' };
    else if (!isOneCell(cells)) yield { line, refused: 'several_cells', said: shortened(cells.join(', ')) };
    else if (!isKeyword(keyword)) yield { line, refused: 'bad_keyword', said: shortened(keyword) };
    else if (isAddress(keyword)) yield { line, refused: 'address', said: shortened(keyword) };
    else yield { line, keyword, ...noFacts };
  }
}

/** With a scheme or a path. The name of a site is a keyword that many people search. */
function isAddress(keyword: string): boolean {
  return webAddress(keyword) !== null && keyword.includes('/');
}

const noFacts = {
  country: null,
  language: null,
  location: null,
  device: null,
  tags: [],
  preferredUrl: null,
  urls: [],
  rank: null,
} as const;

function* tableRows(layout: ListLayout, rows: Iterable<Row>): Generator<ListedKeyword | RejectedRow> {
  for (const row of rows) {
    const cells = row.isBroken ? [] : layout.repaired(row.cells);
    const read = readRow(layout, row.line, cells);
    if (typeof read !== 'string') yield read;
    else if (read === 'unknown_market') yield { line: row.line, refused: read, said: writtenMarket(layout, cells) };
    else yield { line: row.line, refused: read, said: shortened(row.isBroken ? '"' : row.cells.join(' | ')) };
  }
}

/** `socks: Narnia mobile`: the keyword, and what its row says of the market. */
function writtenMarket({ columns }: ListLayout, cells: readonly string[]): string {
  const cell = (role: 'keyword' | 'country' | 'device'): string => cellAt(cells, columns.get(role));
  return shortened(`${cell('keyword')}: ${cell('country')} ${cell('device')}`.trim());
}

function readRow(layout: ListLayout, line: number, cells: readonly string[]): ListedKeyword | ListRejectReason {
  const { width, columns, campaign } = layout;
  if (isRagged(cells, width)) return 'broken_row';
  const cell = (role: Exclude<ListRole, 'url'>): string => cellAt(cells, columns.get(role));
  const keyword = normalText(cell('keyword'));
  if (!isKeyword(keyword)) return 'bad_keyword';
  if (isAddress(keyword)) return 'address';
  const database = cell('country').replace(/^mobile-/, '');
  const isMobile = database !== cell('country');
  const market = parseMarket(database, isMobile ? 'mobile' : cell('device'), campaign.market);
  if (market === null) return 'unknown_market';
  const isRanking = layout.element === -1 || isOrganic(cellAt(cells, layout.element));
  const rank = cellAt(cells, layout.rank);
  return {
    line,
    keyword,
    country: market.country,
    language: cell('language') || market.language,
    location: placeInCells(cells, layout.locations) ?? market.location ?? campaign.place ?? null,
    device: market.device,
    tags: tagsIn(cell('tags')),
    preferredUrl: webAddress(cell('preferred_url')),
    urls: isRanking ? layout.urls.flatMap((at) => webAddress(cellAt(cells, at)) ?? []) : [],
    rank: /^\d+$/.test(rank) ? Number(rank) : null,
  };
}

function tagsIn(cell: string): string[] {
  return cell
    .split(/[|,;]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '' && tag !== '-');
}

function* jsonRows(document: unknown): Generator<ListedKeyword | RejectedRow> {
  const entries = serpbearEntries(document);
  if (entries === null) throw new UnreadableFile('it is JSON of an unknown kind', 'Export the keywords as CSV.');
  for (const [index, entry] of entries.entries()) {
    const text = (name: string): string => String((entry as Record<string, unknown>)[name] ?? '').trim();
    const keyword = normalText(text('keyword'));
    const line = index + 1;
    if (!isKeyword(keyword)) yield { line, refused: 'bad_keyword', said: shortened(keyword) };
    else {
      const url = webAddress(text('url'));
      const facts = {
        country: parseCountry(text('country')),
        device: parseDevice(text('device')),
        location: entryPlace(entry),
      };
      // a list, or the JSON text of one
      const tags = tagsIn(text('tags').replace(/["[\]]/g, ''));
      yield { line, keyword, ...noFacts, ...facts, tags, urls: url === null ? [] : [url] };
    }
  }
}
