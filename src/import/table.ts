// Tables of places: what a format says of its columns, and the one way in which rows become readings.
import { readDate } from './dates.ts';
import type { Row } from './delimited.ts';
import type { ColumnRole, ImportFormat, Reading, ReadOptions, Refusal, Refused } from './reading.ts';
import { countryOf, deviceOf, placeOf, type Signs, volumeOf } from './values.ts';

/** A column with the ranks of one day. */
export interface DatedColumn {
  readonly date: string;
  readonly rank: number;
  readonly url: number | null;
  /** What kind of element the place belongs to. */
  readonly element: number | null;
  readonly target: string | null;
  readonly device: 'desktop' | 'mobile' | null;
}

/** Where in a row things stand. */
export interface Layout {
  readonly width: number;
  readonly columns: ReadonlyMap<ColumnRole, number>;
  /** Empty where each row has a date of its own. */
  readonly dated: readonly DatedColumn[];
}

/** What a tool's tables look like. */
export interface TableFormat {
  readonly name: ImportFormat;
  readonly signs: Signs;
  /** The layout, where the row is a header of this format. */
  layoutOf(header: readonly string[], options: ReadOptions): Layout | null;
  /** The cells as they were before the tool forgot to quote them. */
  repaired?(cells: readonly string[], layout: Layout): readonly string[];
  /** Why nothing of a row can be taken. */
  refusalOf?(cells: readonly string[], layout: Layout): Refusal | null;
}

export const keywordCharsMax = 700;
const saidCharsMax = 80;

/** Everything that the rows below the header say, in their order. */
export function* tableReadings(
  format: TableFormat,
  layout: Layout,
  rows: Iterable<Row>,
  options: ReadOptions,
): Generator<Reading | Refused> {
  for (const row of rows) {
    const cells = format.repaired?.(row.cells, layout) ?? row.cells;
    const refused = refusalOf(format, layout, row, cells);
    if (refused !== null)
      yield { line: row.line, refused, said: shortened(row.isBroken ? '"' : row.cells.join(' | ')) };
    else yield* rowReadings(format, layout, row.line, cells, options);
  }
}

function refusalOf(format: TableFormat, layout: Layout, row: Row, cells: readonly string[]): Refusal | null {
  const isRagged = cells.length < layout.width || cells.slice(layout.width).some((cell) => cell !== '');
  if (row.isBroken || isRagged) return 'broken_row';
  const refused = format.refusalOf?.(cells, layout) ?? null;
  return refused ?? (isKeyword(keywordOf(cells[layout.columns.get('keyword') ?? -1] ?? '')) ? null : 'bad_keyword');
}

function* rowReadings(
  format: TableFormat,
  layout: Layout,
  line: number,
  cells: readonly string[],
  options: ReadOptions,
): Generator<Reading | Refused> {
  const cell = (role: ColumnRole): string => cells[layout.columns.get(role) ?? -1] ?? '';
  const common = {
    line,
    keyword: keywordOf(cell('keyword')),
    target: cell('target') || null,
    language: cell('language') || null,
    volume: volumeOf(cell('volume')),
  };
  const market = marketOf(cell('country'), cell('device'));
  if (market === null) {
    yield { line, refused: 'unknown_market', said: shortened(`${cell('country')} ${cell('device')}`.trim()) };
    return;
  }
  const days = daysOf(layout, cell('date'), options);
  if ('refused' in days) {
    yield { line, refused: days.refused, said: shortened(cell('date')) };
    return;
  }
  // a tool writes one volume in a row: the one it had when it wrote the file
  const newest = days.reduce((last, { date }) => (date > last ? date : last), '');
  for (const day of days) {
    const written = cells[day.rank] ?? '';
    const element = cells[day.element ?? -1] ?? '';
    const place = placeOf(written, format.signs, options.notFound, options.top);
    if (place.kind === 'refused') {
      yield { line, refused: place.reason, said: shortened(`${common.keyword}: ${written}`) };
    } else if (place.kind === 'ranked' && isOtherElement(element)) {
      yield { line, refused: 'other_element', said: shortened(`${common.keyword}: ${element}`) };
    } else {
      yield {
        ...common,
        date: day.date,
        place,
        country: market.country,
        device: day.device ?? market.device,
        target: day.target ?? common.target,
        url: webAddress(cells[day.url ?? -1] ?? ''),
        volume: day.date === newest ? common.volume : null,
      };
    }
  }
}

/** The columns of ranks; where there is one only, its day is that of the row, or of the file. */
function daysOf(
  { dated, columns }: Layout,
  written: string,
  { date, dateFormat, timezone }: ReadOptions,
): readonly DatedColumn[] | { readonly refused: Refusal } {
  if (dated.length > 0) return dated;
  const day = columns.has('date') ? readDate(written, timezone, dateFormat) : { date: date ?? '' };
  if ('refused' in day) return day;
  const rank = columns.get('rank') ?? -1;
  return [{ date: day.date, rank, url: columns.get('url') ?? null, element: null, target: null, device: null }];
}

/** Null where the row names a country or a device that means nothing. */
function marketOf(country: string, device: string): Pick<Reading, 'country' | 'device'> | null {
  const code = country === '' || country === '__' ? null : countryOf(country);
  const kind = device === '' ? null : deviceOf(device);
  if ((code === null && country !== '' && country !== '__') || (kind === null && device !== '')) return null;
  return { country: code, device: kind };
}

function isOtherElement(element: string): boolean {
  return element !== '' && element.toLowerCase() !== 'organic';
}

/** NFC, white space collapsed: the spelling that keywords have in the config. */
export function keywordOf(written: string): string {
  return written.normalize('NFC').replace(/\s+/g, ' ').trim();
}

export function isKeyword(keyword: string): boolean {
  return keyword !== '' && keyword.length <= keywordCharsMax && !/\p{Cc}/u.test(keyword) && keyword.isWellFormed();
}

/** A URL as it stands; tools leave the scheme out now and then, and write a dash where there is none. */
export function webAddress(written: string): string | null {
  if (/^https?:\/\/\S+$/i.test(written)) return URL.canParse(written) ? written : null;
  const [, host = ''] = /^([^\s/:@]+)(?:\/\S*)?$/.exec(written) ?? [];
  return host.slice(1, -1).includes('.') && URL.canParse(`https://${written}`) ? `https://${written}` : null;
}

export function shortened(text: string): string {
  const printable = text.replace(/\p{Cc}+/gu, ' ').toWellFormed();
  return printable.length <= saidCharsMax ? printable : `${printable.slice(0, saidCharsMax).toWellFormed()}...`;
}
