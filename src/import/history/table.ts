// Imported rankings: their types, the reasons for rejecting rows, and the reader of tables.
import { normalText } from '../../tracker/searches.ts';
import { plainWord } from '../cells/amounts.ts';
import { type DateFormat, parseDate } from '../cells/dates.ts';
import {
  cellAt,
  type ImportedRanking,
  isOrganic,
  parseDevice,
  parsePlace,
  parseRanking,
  parseWholeVolume,
  placeInCells,
  type Signs,
} from '../cells/values.ts';
import { isRagged, type Row, type RowsAround } from '../text/table.ts';

export const importFormats = ['rankledger', 'semrush', 'serpbear', 'serposcope', 'search-console', 'csv'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** The meanings that a column may have. */
export const columnRoles = [
  'keyword',
  'date',
  'rank',
  'url',
  'country',
  'language',
  'device',
  'location',
  'target',
  'volume',
  'element',
] as const;
export type ColumnRole = (typeof columnRoles)[number];

/** Why a row is rejected, and what to do about it. A closed table: reports count by code. */
export const rejectReasons = {
  average: {
    what: 'an average over impressions, which is not a rank on any results page',
    remedy:
      'Import its clicks: rankledger backfill clicks --file FILE. Track its queries: rankledger keywords add FILE.',
  },
  other_element: {
    what: 'the position of another element, such as a local pack or an AI overview, or of an unnamed one',
    remedy: null,
  },
  unclear: {
    what: 'a value that may mean "not found", "unknown" or "failed"',
    remedy: 'If it means "not found", add --not-found 0, or --not-found=- for a dash.',
  },
  beyond_top: {
    what: 'a rank below the results that the tool checked',
    remedy: 'Name the number of checked results with --top, or add --not-found 101 if the number means "not found".',
  },
  unreadable_rank: { what: 'not a rank', remedy: 'Name the right column: --map rank=COLUMN.' },
  unreadable_date: { what: 'not a date', remedy: 'Name the right column: --map date=COLUMN.' },
  ambiguous_date: {
    what: 'a date with ambiguous day and month',
    remedy: 'Name their order: --date-format dmy or --date-format mdy.',
  },
  future_date: { what: 'a date in the future', remedy: 'Check --date-format.' },
  bad_keyword: { what: 'no keyword, or one that cannot be searched', remedy: null },
  broken_row: { what: 'a row that does not fit the header, or a quote that is not closed', remedy: null },
  location: {
    what: 'a search from a place that is not in the table of locations',
    remedy: 'Import the whole table: rankledger locations import.',
  },
  unknown_target: {
    what: 'a site that the project does not track',
    remedy: 'Add it to the targets or competitors, or name it: --target "NAME IN THE FILE=acme.com".',
  },
  unknown_market: {
    what: 'a market that the project does not track',
    remedy: 'Add the market to the project. If the file leaves its place out, name it with --location.',
  },
  ambiguous_device: {
    what: 'a keyword that is tracked on several devices, without a device in the file',
    remedy: 'Name it with --device.',
  },
  ambiguous_country: {
    what: 'a keyword that is tracked in several countries, without a country in the file',
    remedy: 'Name it with --country.',
  },
  ambiguous_language: {
    what: 'a keyword that is tracked in several languages, without a language in the file',
    remedy: 'Name it with --language.',
  },
  ambiguous_market: {
    what: 'a keyword that is tracked in several markets, without a market in the file',
    remedy: 'Name it with --country, --language and --device.',
  },
  foreign_url: { what: 'a URL that does not belong to the target', remedy: 'Check --target.' },
  contradiction: {
    what: 'another rank than the same tool gave for that day before; the first one is kept',
    remedy: null,
  },
} as const satisfies Readonly<Record<string, { readonly what: string; readonly remedy: string | null }>>;

export type RejectReason = keyof typeof rejectReasons;

/** One ranking of one target for one keyword on one day. Null: not in the file. */
export interface Reading {
  /** 1-based. */
  readonly line: number;
  readonly keyword: string;
  /** Local date, `YYYY-MM-DD`. */
  readonly date: string;
  /** As named in the file. */
  readonly target: string | null;
  /** ISO 3166-1, upper case. */
  readonly country: string | null;
  readonly language: string | null;
  readonly device: 'desktop' | 'mobile' | null;
  /** The place inside the country, as written. */
  readonly location: string | null;
  readonly url: string | null;
  /** Searches a month, as the tool recorded it that day. */
  readonly volume: number | null;
  readonly ranking: Exclude<ImportedRanking, { readonly kind: 'refused' }>;
  /** What our own export says beyond that. */
  readonly exported?: ExportedFacts;
}

interface ExportedFacts {
  readonly project: string;
  /** `2026-11-20T06:00`, or the name that an import gave to its day; null: a table of a report, by day. */
  readonly slot: string | null;
  /** UTC milliseconds. */
  readonly checkedAt: number | null;
  readonly source: string | null;
  /** Pages. */
  readonly depth: number;
  readonly page: number | null;
  readonly absoluteRank: number | null;
  readonly ownedFeatures: readonly string[];
}

/** A rejected row or cell. */
export interface RejectedCell {
  readonly line: number;
  readonly refused: RejectReason;
  /** The rejected text. */
  readonly said: string;
}

export interface ReadOptions {
  /** Columns by meaning. */
  readonly map: ReadonlyMap<ColumnRole, string>;
  /** The order of dates such as 03/04/2026; absent: such dates are rejected. */
  readonly dateFormat?: DateFormat;
  /** The day of every row, for a file without dates. */
  readonly date?: string;
  /** Additional texts that mean "not found". */
  readonly notFound: readonly string[];
  /** How many results the tool searched. */
  readonly top: number;
  /** IANA: instants become local dates. */
  readonly timezone: string;
}

export interface DatedColumn {
  /** Null: the day of the row, or of the file. */
  readonly date: string | null;
  readonly rank: number;
  readonly url: number | null;
  /** The column with the element type of the ranking. */
  readonly element: number | null;
  readonly target: string | null;
  readonly device: 'desktop' | 'mobile' | null;
}

/** The columns of a table. */
export interface Layout {
  readonly width: number;
  /** False: the first row is data. */
  readonly hasHeader?: boolean;
  readonly columns: ReadonlyMap<ColumnRole, number>;
  /** Empty if the column `rank` has the ranks. */
  readonly dated: readonly DatedColumn[];
  /** What the lines above the header say of all rows. */
  readonly market?: { readonly country: string | null; readonly device: 'desktop' | 'mobile' | null };
  /** The columns with a place inside the country: one, or city and state. */
  readonly locations?: readonly number[];
  /** The place inside a country, such as a city, where all rows were searched. */
  readonly place?: string;
}

/** The table format of a tool. */
export interface TableFormat {
  readonly name: ImportFormat;
  readonly signs: Signs;
  /** The layout if the row is a header of this format. */
  layoutOf(header: readonly string[], options: ReadOptions, around: RowsAround): Layout | null;
  /** Repairs cells that the tool did not quote. */
  repaired?(cells: readonly string[], layout: Layout): readonly string[];
  /** Why the whole row is rejected; null: accepted. */
  refusalOf?(cells: readonly string[], layout: Layout): RejectReason | null;
}

const keywordCharsMax = 700;
const saidCharsMax = 80;

/** Parses the rows below the header, in order. */
export function* tableReadings(
  format: TableFormat,
  layout: Layout,
  rows: Iterable<Row>,
  options: ReadOptions,
): Generator<Reading | RejectedCell> {
  for (const row of rows) {
    const cells = format.repaired?.(row.cells, layout) ?? row.cells;
    const refused = rejectReason(format, layout, row, cells);
    if (refused !== null)
      yield { line: row.line, refused, said: shortened(row.isBroken ? '"' : row.cells.join(' | ')) };
    else yield* rowReadings(format, layout, row.line, cells, options);
  }
}

function rejectReason(format: TableFormat, layout: Layout, row: Row, cells: readonly string[]): RejectReason | null {
  if (row.isBroken || isRagged(cells, layout.width)) return 'broken_row';
  const keyword = normalText(cellAt(cells, layout.columns.get('keyword')));
  return format.refusalOf?.(cells, layout) ?? (isKeyword(keyword) ? null : 'bad_keyword');
}

function* rowReadings(
  format: TableFormat,
  layout: Layout,
  line: number,
  cells: readonly string[],
  options: ReadOptions,
): Generator<Reading | RejectedCell> {
  const cell = (role: ColumnRole): string => cellAt(cells, layout.columns.get(role));
  const common = {
    line,
    keyword: normalText(cell('keyword')),
    target: cell('target') || null,
    volume: parseWholeVolume(cell('volume')),
  };
  const market = parseMarket(cell('country'), cell('device'), layout.market);
  if (market === null) {
    yield { line, refused: 'unknown_market', said: shortened(`${cell('country')} ${cell('device')}`.trim()) };
    return;
  }
  const days = readDays(layout, cell('date'), options);
  if ('refused' in days) {
    yield { line, refused: days.refused, said: shortened(cell('date')) };
    return;
  }
  // a row has one volume: the one that was current when the tool wrote the file
  const newest = days.reduce((last, { date }) => (date > last ? date : last), '');
  for (const day of days) {
    const written = cellAt(cells, day.rank);
    const element = cellAt(cells, day.element);
    const ranking = parseRanking(written, format.signs, options.notFound, options.top);
    if (ranking.kind === 'refused') {
      yield { line, refused: ranking.reason, said: shortened(`${common.keyword}: ${written}`) };
    } else if (ranking.kind === 'ranked' && day.element !== null && !isOrganic(element)) {
      yield { line, refused: 'other_element', said: shortened(`${common.keyword}: ${element || 'not named'}`) };
    } else {
      yield {
        ...common,
        date: day.date,
        ranking,
        country: market.country,
        location: placeInCells(cells, layout.locations ?? []) ?? market.location,
        language: cell('language') || market.language,
        device: day.device ?? market.device,
        target: day.target ?? common.target,
        url: webAddress(cellAt(cells, day.url)),
        volume: day.date === newest ? common.volume : null,
      };
    }
  }
}

/** A rank column with its day. */
type Day = DatedColumn & { readonly date: string };

/** The rank columns. Those without a date take the day of the row, or of the file. */
function readDays(
  { dated, columns }: Layout,
  written: string,
  { date, dateFormat, timezone }: ReadOptions,
): readonly Day[] | { readonly refused: RejectReason } {
  const days = dated.flatMap((column) => (column.date === null ? [] : [{ ...column, date: column.date }]));
  if (dated.length > 0 && days.length === dated.length) return days;
  const day = columns.has('date') ? parseDate(written, timezone, dateFormat) : { date: date ?? '' };
  if ('refused' in day) return day;
  if (dated.length > 0) return dated.map((column) => ({ ...column, date: column.date ?? day.date }));
  const rank = columns.get('rank') ?? -1;
  const element = columns.get('element') ?? null;
  return [{ date: day.date, rank, url: columns.get('url') ?? null, element, target: null, device: null }];
}

/** A country and a language in one cell: `US-en`. */
const countryAndLanguage = /^([A-Z]{2})-([a-z]{2,3}(?:-[A-Za-z]{2,4})?)$/;

/** Null if the country or the device of the row is unknown. */
export function parseMarket(
  country: string,
  device: string,
  market: Layout['market'],
): Pick<Reading, 'country' | 'language' | 'device' | 'location'> | null {
  const [, first = country, language = null] = countryAndLanguage.exec(country) ?? [];
  const said = first === '' || first === '__' ? { country: market?.country ?? null, place: null } : parsePlace(first);
  const kind = device === '' ? (market?.device ?? null) : parseDevice(device);
  if (said === null || (kind === null && device !== '')) return null;
  return { country: said.country, location: said.place, language, device: kind };
}

export function isKeyword(keyword: string): boolean {
  return keyword !== '' && keyword.length <= keywordCharsMax && !/\p{Cc}/u.test(keyword) && keyword.isWellFormed();
}

/** The URL as written. Some tools omit the scheme, or write a dash for no URL. */
export function webAddress(written: string): string | null {
  if (/^https?:\/\/\S+$/i.test(written)) return URL.canParse(written) ? written : null;
  const [, host = ''] = /^([^\s/:@]+)(?:\/\S*)?$/.exec(written) ?? [];
  return host.slice(1, -1).includes('.') && URL.canParse(`https://${written}`) ? `https://${written}` : null;
}

export function shortened(text: string): string {
  const printable = text.replace(/\p{Cc}+/gu, ' ').toWellFormed();
  return printable.length <= saidCharsMax ? printable : `${printable.slice(0, saidCharsMax).toWellFormed()}...`;
}

/** The column with the first of these names that the header has, in any case and without accents; -1: none. */
export function findColumn(header: readonly string[], names: readonly string[]): number {
  const known = names.map(plainWord);
  for (const name of known) {
    const at = header.findIndex((cell) => plainWord(cell) === name);
    if (at !== -1) return at;
  }
  return -1;
}
