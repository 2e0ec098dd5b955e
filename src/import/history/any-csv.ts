// Rank tables of any other tool: columns by name or `--map`; one row a day, or one column a day.
import { parseDate } from '../cells/dates.ts';
import { areDevices, areElements, cellAt, parseDevice, unclearSigns } from '../cells/values.ts';
import { UnreadableFile } from '../text/text-file.ts';
import {
  type ColumnRole,
  columnRoles,
  type DatedColumn,
  type Layout,
  type ReadOptions,
  type TableFormat,
} from './table.ts';

/** Usual column names, in lower case. */
const usualNames: Readonly<Record<ColumnRole, readonly string[]>> = {
  keyword: 'keyword, keywords, query, search term, keyphrase, phrase, search phrase'.split(', '),
  date: (
    'date, day, local_date, checked_at, checked at, timestamp, datetime, date checked, start date, ' +
    'current date, last update'
  ).split(', '),
  rank: ['rank', 'position', 'ranking', 'pos', 'current rank', 'current position'],
  url: 'url, ranking url, landing, landing page, url found, ranking_url, page url, current url'.split(', '),
  country: ['country', 'country code', 'market', 'region', 'keyword market'],
  location: ['keyword location'],
  language: ['language', 'lang'],
  device: ['device', 'device type', 'platform', 'keyword device'],
  target: ['target', 'domain', 'website', 'site'],
  volume: (
    'volume, search volume, avg monthly searches, avg. monthly searches, searches, search_volume, ' +
    'regional monthly searches, regional search volume'
  ).split(', '),
  element: (
    'position type, position kind, current position type, current position kind, rank type, ' +
    'ranking type, result type, search result type, serp type, serp element, element, element type, ' +
    'item type'
  ).split(', '),
};

/** Of an earlier day than the rank. */
const earlier = /previous|prior|last|initial|start|old/i;

/** Beside one of these, `Landing page` is the page that should rank. */
const rankingPage: readonly string[] = ['highest ranking page', 'highest ranking url'];

/** Beside one of these, `Rank` may be that of another element. */
const organicRank: readonly string[] = ['organic rank', 'organic position'];

/** Columns that hold the device in one tool and other things elsewhere: their cells decide. */
const perhapsDevice: readonly string[] = ['type', 'search type'];

const headerDate = /(?<!\d)(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|(?:19|20)\d{6}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?!\d)/;

export const anyCsv: TableFormat = {
  name: 'csv',
  signs: { notFound: [], unclear: unclearSigns },
  layoutOf(header, options, { below }) {
    const columns = findColumns(header, options.map);
    if (columns === null || !columns.has('keyword')) return null;
    if (!columns.has('device')) {
      const device = header.findIndex(
        (cell, at) => perhapsDevice.includes(cell.toLowerCase()) && areDevices(below, at),
      );
      if (device !== -1) columns.set('device', device);
    }
    addElement(columns, header, below);
    const location = columns.get('location');
    const locations = location === undefined ? [] : [location];
    const layout = { width: header.length, columns, dated: [], locations };
    const isDated = hasDay(columns, options);
    if (options.map.has('rank') || (columns.has('rank') && isDated))
      return isDated ? { ...layout, ...besideRank(header, columns) } : null;
    const dated = datedColumns(header, options);
    if (dated.length > 0) return { ...layout, dated };
    const devices = isDated ? deviceColumns(header, columns) : [];
    if (devices.length > 0) return { ...layout, dated: devices };
    const engine = isDated ? onlyEngine(header) : null;
    if (engine === null) return null;
    columns.set('rank', engine.rank);
    return { ...layout, ...besideRank(header, columns) };
  },
};

/** The column that names the element of the page, by its name or its cells; none if no row names any. */
function addElement(
  columns: Map<ColumnRole, number>,
  header: readonly string[],
  below: readonly (readonly string[])[],
): void {
  const named = columns.get('element');
  const taken = [...columns.values()];
  const found = header.findIndex((cell, at) => !taken.includes(at) && !earlier.test(cell) && areElements(below, at));
  if (named === undefined && found !== -1) columns.set('element', found);
  if (named !== undefined && below.length > 0 && below.every((cells) => cellAt(cells, named) === ''))
    columns.delete('element');
}

/** The columns that say which of several pages of a keyword ranks best; -1: there is none. */
export function rankColumns(
  header: readonly string[],
  below: readonly (readonly string[])[],
): { readonly rank: number; readonly element: number } {
  const columns = findColumns(header, new Map()) ?? new Map();
  addElement(columns, header, below);
  const rank = columns.get('rank') ?? -1;
  return { rank, element: rank === -1 ? -1 : (columns.get('element') ?? -1) };
}

/** `Location` is the market (AccuRanker), or a place beside the column of the market (STAT, Ahrefs). */
export function locationColumn(
  header: readonly string[],
  columns: ReadonlyMap<string, number>,
): readonly ['country' | 'location', number] | null {
  const at = findColumn(header, ['location']);
  if (at === -1 || columns.has('location') || [...columns.values()].includes(at)) return null;
  return [columns.has('country') ? 'location' : 'country', at];
}

/** `Current position (desktop)` and `Current position (mobile)`, each with the URL of its device. */
function deviceColumns(header: readonly string[], columns: Layout['columns'] = new Map()): DatedColumn[] {
  return header.flatMap((cell, rank): DatedColumn[] => {
    const [, written = ''] = /^(?:current )?(?:position|rank|ranking) ?\((desktop|mobile)\)$/i.exec(cell) ?? [];
    const device = parseDevice(written);
    if (device === null) return [];
    const url = findColumn(header, [`current url (${written})`, `url (${written})`, `ranking url (${written})`]);
    const kind = findColumn(header, [`current position kind (${written})`, `position type (${written})`]);
    const element = kind === -1 ? (columns.get('element') ?? null) : kind;
    return [{ date: null, rank, url: url === -1 ? null : url, element, target: null, device }];
  });
}

interface EngineColumns {
  readonly engine: string;
  readonly rank: number;
  readonly url: number;
}

/** Ranks of search engines that the user of the tool named: `NAME Rank` (or `NAME Base Rank`) with `NAME URL Found`. */
function engineColumns(header: readonly string[]): EngineColumns[] {
  const found = header.flatMap((cell, rank): (EngineColumns & { readonly isBase: boolean })[] => {
    const [, engine = '', base] = /^(.+?)( base)? rank$/i.exec(cell) ?? [];
    const url = findColumn(header, [`${engine} url found`, `${engine} url`, `${engine} ranking url`]);
    return url === -1 ? [] : [{ engine, rank, url, isBase: base !== undefined }];
  });
  // taken for the rank among organic results: the other one counts more elements of the page
  return found.filter(
    ({ engine, isBase }) => isBase || !found.some((other) => other.isBase && other.engine === engine),
  );
}

/** Throws UnreadableFile if there are several: the caller must choose. */
function onlyEngine(header: readonly string[]): EngineColumns | null {
  const [engine = null, ...others] = engineColumns(header);
  if (engine === null || others.length === 0) return engine;
  throw new UnreadableFile(
    `it has ranks of several search engines: ${[engine, ...others].map((each) => each.engine).join(', ')}`,
    `Name one of them: --map rank="${header[engine.rank]}".`,
  );
}

/** What the name of the rank column says: the column of its URL, and the device. */
function besideRank(header: readonly string[], columns: Map<ColumnRole, number>): Pick<Layout, 'market'> {
  const engine = engineColumns(header).find(({ rank }) => rank === columns.get('rank'));
  if (engine === undefined) return {};
  if (!columns.has('url')) columns.set('url', engine.url);
  const [written = ''] = /\b(desktop|mobile)\b/i.exec(engine.engine) ?? [];
  return { market: { country: null, device: parseDevice(written) } };
}

/** Describes the missing columns of a header, for the error message. */
export function missingColumns(header: readonly string[], { map, date }: ReadOptions): string {
  const unknown = [...map].filter(([, name]) => findColumn(header, [name]) === -1).map(([, name]) => `"${name}"`);
  if (unknown.length > 0) return `it has no column ${unknown.join(', ')}; it has: ${header.join(', ')}`;
  const columns = findColumns(header, map);
  const hasRanks = deviceColumns(header).length > 0 || engineColumns(header).length > 0;
  const missing = (['keyword', 'rank', 'date'] as const).filter(
    (role) => columns?.has(role) !== true && !(role === 'date' && date !== undefined) && !(role === 'rank' && hasRanks),
  );
  return `no column was recognised as the ${missing.join(', the ')}; it has: ${header.join(', ')}`;
}

/** Null if a mapped column is missing. */
function findColumns(header: readonly string[], map: ReadOptions['map']): Map<ColumnRole, number> | null {
  const columns = new Map<ColumnRole, number>();
  for (const role of columnRoles) {
    const named = map.get(role);
    const first = named !== undefined ? [] : role === 'url' ? rankingPage : role === 'rank' ? organicRank : [];
    const ranking = findColumn(header, first);
    const at = ranking === -1 ? findColumn(header, named === undefined ? usualNames[role] : [named]) : ranking;
    if (at !== -1) columns.set(role, at);
    else if (named !== undefined) return null;
  }
  const location = locationColumn(header, columns);
  if (location !== null) columns.set(...location);
  return columns;
}

function hasDay(columns: Layout['columns'], options: ReadOptions): boolean {
  return columns.has('date') || options.date !== undefined;
}

function findColumn(header: readonly string[], names: readonly string[]): number {
  const known = names.map((name) => name.trim().toLowerCase());
  return header.findIndex((cell) => known.includes(cell.toLowerCase()));
}

/**
 * Columns such as `2026-01-27 Mobile`, `Rank 20260127`, `acme.com_2026-01-27`. A header with other words is not a rank
 * column.
 */
function datedColumns(header: readonly string[], options: ReadOptions): DatedColumn[] {
  return header.flatMap((cell, rank): DatedColumn[] => {
    const written = headerDate.exec(cell)?.[1];
    if (written === undefined) return [];
    const rest = cell
      .replace(written, ' ')
      .split(/[\s_()[\]:,|]+/)
      .filter((word) => word !== '' && word !== '-');
    const words = rest.filter((word) => !/^(rank|ranking|position|pos)$/i.test(word));
    const devices = words.flatMap((word) => parseDevice(word) ?? []);
    const targets = words.filter((word) => word.includes('.') && parseDevice(word) === null);
    if (devices.length + targets.length < words.length || devices.length > 1 || targets.length > 1) return [];
    const read = parseDate(written, options.timezone, options.dateFormat);
    if ('refused' in read) {
      if (read.refused !== 'ambiguous_date') return [];
      throw new UnreadableFile(
        `day and month in its column "${cell.slice(0, 60)}" are ambiguous`,
        'Name the order of day and month: --date-format dmy or --date-format mdy.',
      );
    }
    const { date } = read;
    return [{ date, rank, url: null, element: null, target: targets[0] ?? null, device: devices[0] ?? null }];
  });
}
