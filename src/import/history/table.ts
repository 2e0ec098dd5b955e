// Table formats of rankings: what a format declares about its columns, and the shared parser of rows.
import { parseDate } from '../cells/dates.ts';
import { parsePlace, placeInCells } from '../cells/places.ts';
import { isOrganic, parseDevice, parseRanking, parseWholeVolume, type Signs } from '../cells/values.ts';
import type { Row } from '../text/delimited.ts';
import type { RowsAround } from '../text/recognise.ts';
import type { ColumnRole, ImportFormat, Reading, ReadOptions, RejectedCell, RejectReason } from './reading.ts';

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
  const isRagged = cells.length < layout.width || cells.slice(layout.width).some((cell) => cell !== '');
  if (row.isBroken || isRagged) return 'broken_row';
  const refused = format.refusalOf?.(cells, layout) ?? null;
  return (
    refused ?? (isKeyword(normalKeywordText(cells[layout.columns.get('keyword') ?? -1] ?? '')) ? null : 'bad_keyword')
  );
}

function* rowReadings(
  format: TableFormat,
  layout: Layout,
  line: number,
  cells: readonly string[],
  options: ReadOptions,
): Generator<Reading | RejectedCell> {
  const cell = (role: ColumnRole): string => cells[layout.columns.get(role) ?? -1] ?? '';
  const common = {
    line,
    keyword: normalKeywordText(cell('keyword')),
    target: cell('target') || null,
    volume: parseWholeVolume(cell('volume')),
  };
  const market = parseMarket(cell('country'), cell('device'), layout);
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
    const written = cells[day.rank] ?? '';
    const element = cells[day.element ?? -1] ?? '';
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
        url: webAddress(cells[day.url ?? -1] ?? ''),
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
function parseMarket(
  country: string,
  device: string,
  { market }: Layout,
): Pick<Reading, 'country' | 'language' | 'device' | 'location'> | null {
  const [, first = country, language = null] = countryAndLanguage.exec(country) ?? [];
  const said = first === '' || first === '__' ? { country: market?.country ?? null, place: null } : parsePlace(first);
  const kind = device === '' ? (market?.device ?? null) : parseDevice(device);
  if (said === null || (kind === null && device !== '')) return null;
  return { country: said.country, location: said.place, language, device: kind };
}

/** NFC, white space collapsed: the spelling of keywords in the config. */
export function normalKeywordText(written: string): string {
  return written.normalize('NFC').replace(/\s+/g, ' ').trim();
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
