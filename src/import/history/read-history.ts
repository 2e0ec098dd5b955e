// Recognises and reads the rank history of another tool, or of our own exports, one reading at a time.

import { unguardFormulas } from '../../tracker/formula-guard.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import { normalText } from '../../tracker/searches.ts';
import { cellAt, parseDevice } from '../cells/values.ts';
import {
  type Delimiter,
  openText,
  parseRows,
  type Row,
  recognise,
  rowsBelow,
  splitLines,
  widestRow,
} from '../text/table.ts';
import { type Encoding, parseJson, UnreadableFile } from '../text/text-file.ts';
import { anyCsv, missingColumns } from './any-csv.ts';
import {
  type ImportFormat,
  isKeyword,
  type Reading,
  type ReadOptions,
  type RejectedCell,
  shortened,
  type TableFormat,
  tableReadings,
} from './table.ts';
import {
  searchConsole,
  searchConsoleReadings,
  searchConsoleRows,
  semrush,
  serpbear,
  serpbearEntries,
  serpbearReadings,
  serposcope,
} from './tools.ts';

export interface HistoryFile {
  readonly format: ImportFormat;
  readonly encoding: Encoding;
  /** Null: the file is JSON. */
  readonly delimiter: Delimiter | null;
  /** Whether the rankings name their target. True if there are no rankings. */
  readonly namesTargets: boolean;
  /** Whether a keyword may have several rows of a day, each with another page. */
  readonly namesPages: boolean;
  /** The place inside a country where the tool searched, as the file says of all rows. */
  readonly place: string | null;
  /** Streams the file with bounded memory. JSON is read whole. */
  readonly readings: Iterable<Reading | RejectedCell>;
}

/** In the order in which they are tried: specific formats first. */
const formats: readonly TableFormat[] = [semrush, serpbear, serposcope, searchConsole, anyCsv];

/**
 * Recognises a file and reads it. Each call of `bytes` yields the chunks from the start. `asked`: the format that the
 * caller names; null: detect it. Throws UnreadableFile if the file has another format, an unknown one, or is not
 * text.
 */
export function readHistory(
  bytes: () => Iterable<Uint8Array>,
  asked: ImportFormat | null,
  options: ReadOptions,
): HistoryFile {
  const { encoding, text, first } = openText(bytes);
  if (/^\s*[[{]/.test(first))
    return { encoding, delimiter: null, place: null, namesPages: false, ...readJson(first, text, asked, options) };
  const own = isOwnAsked(asked, options) ? recognise(first, [null], (_, header) => toOwn(header)) : null;
  if (own !== null) {
    const { layout, delimiter, line } = own;
    const readings = () =>
      ownReadings(layout.header, rowsBelow(parseRows(text(), delimiter), line), delimiter, options);
    return { ...ownFile, encoding, delimiter, readings: { [Symbol.iterator]: readings } };
  }
  const found = recognise(first, candidates(asked, options), (format, header, around) =>
    format.layoutOf(header, options, around),
  );
  if (found === null) throw unrecognised(first, asked, options);
  const { format, layout, delimiter, line } = found;
  return {
    format: format.name,
    encoding,
    delimiter,
    namesTargets:
      format === searchConsole || layout.columns.has('target') || layout.dated.some(({ target }) => target !== null),
    namesPages: layout.columns.has('url') || layout.dated.some(({ url }) => url !== null),
    place: layout.place ?? null,
    readings: {
      [Symbol.iterator]: () => tableReadings(format, layout, rowsBelow(parseRows(text(), delimiter), line), options),
    },
  };
}

const ownFile = { format: 'rankledger', namesTargets: true, namesPages: false, place: null } as const;

function isOwnAsked(asked: ImportFormat | null, { map }: ReadOptions): boolean {
  return asked === null ? map.size === 0 : asked === 'rankledger';
}

function toOwn(header: readonly string[]): { readonly width: number; readonly header: readonly string[] } | null {
  const found = ownLayout(header);
  return found === null ? null : { ...found, header };
}

/** The formats to try. Averages are always recognised, because no mapping turns them into ranks. */
function candidates(asked: ImportFormat | null, { map }: ReadOptions): readonly TableFormat[] {
  const isMeant = (name: ImportFormat): boolean => (asked === null ? map.size === 0 || name === 'csv' : name === asked);
  return formats.filter(({ name }) => name === 'search-console' || isMeant(name));
}

function unrecognised(first: string, asked: ImportFormat | null, options: ReadOptions): UnreadableFile {
  const hint =
    'Name its columns: --map keyword=COLUMN,date=COLUMN,rank=COLUMN,url=COLUMN. If it has no dates, say its day: --date 2026-01-05.';
  if (first.trim() === '') return new UnreadableFile('it is empty', 'Export it again.');
  if (asked !== null && asked !== 'csv')
    return new UnreadableFile(`it is not an export of ${asked}`, 'Omit --format, or name another one.');
  return new UnreadableFile(missingColumns(widestRow(first), options), hint);
}

function readJson(
  first: string,
  text: () => Iterable<string>,
  asked: ImportFormat | null,
  options: ReadOptions,
): Pick<HistoryFile, 'format' | 'namesTargets' | 'readings'> {
  if (isOwnAsked(asked, options)) {
    if (ownObjects([parsedLine(first.split('\n', 1)[0] ?? '')]) !== null) {
      const readings = () => ownObjectReadings(jsonLines(text()), options);
      return { ...ownFile, readings: { [Symbol.iterator]: readings } };
    }
    const rows = ownObjects(parseJson(text()));
    if (rows !== null) return { ...ownFile, readings: { [Symbol.iterator]: () => ownObjectReadings(rows, options) } };
  }
  const document = parseJson(text());
  const averages = searchConsoleRows(document);
  if (averages !== null)
    return { format: 'search-console', namesTargets: true, readings: searchConsoleReadings(averages) };
  const entries = serpbearEntries(document);
  if (entries !== null && (asked === null || asked === 'serpbear')) {
    return { format: 'serpbear', namesTargets: true, readings: serpbearReadings(entries, options) };
  }
  throw new UnreadableFile(
    asked === null ? 'it is JSON of an unknown format' : `it is not an export of ${asked}`,
    'Only JSON of SerpBear keywords and of `rankledger export` can be read; export other histories as CSV.',
  );
}

/** Objects of a file with one a line. A line that is none becomes an empty one, which is left out with its number. */
function* jsonLines(text: Iterable<string>): Generator<Readonly<Record<string, unknown>>> {
  for (const line of splitLines(text)) {
    if (line.trim() === '') continue;
    const parsed = parsedLine(line);
    yield typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : {};
  }
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const required = ['project', 'keyword', 'country', 'language', 'device', 'target', 'status', 'rank', 'depth', 'source'];
const days = ['local_date', 'date', 'checked_at'];

/** Null: the table of another program. */
function ownLayout(header: readonly string[]): { readonly width: number } | null {
  const isOurs = required.every((name) => header.includes(name)) && days.some((name) => header.includes(name));
  return isOurs ? { width: header.length } : null;
}

/** Rows of a table below this header. `delimiter`: that of the file, at which formulas are guarded. */
function* ownReadings(
  header: readonly string[],
  rows: Iterable<Row>,
  delimiter: string,
  options: ReadOptions,
): Generator<Reading | RejectedCell> {
  for (const { line, cells, isBroken } of rows) {
    if (isBroken || cells.length !== header.length)
      yield { line, refused: 'broken_row', said: shortened(isBroken ? '"' : cells.join(' | ')) };
    else yield readRow(line, (name) => unguardFormulas(cellAt(cells, header.indexOf(name)), delimiter), options);
  }
}

/** Rows of `export --format jsonl`, and of `export --json`. Null: another document. */
function ownObjects(document: unknown): readonly Readonly<Record<string, unknown>>[] | null {
  const rows = Array.isArray(document) ? document : (document as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows) || rows.length === 0) return null;
  const isOurs = rows.every((row) => typeof row === 'object' && row !== null && ownLayout(Object.keys(row)) !== null);
  return isOurs ? (rows as Readonly<Record<string, unknown>>[]) : null; // each one is an object, as checked above
}

function* ownObjectReadings(
  rows: Iterable<Readonly<Record<string, unknown>>>,
  options: ReadOptions,
): Generator<Reading | RejectedCell> {
  let line = 0;
  for (const row of rows) {
    line += 1;
    yield readRow(line, (name) => textOf(row[name]), options);
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join('|');
  return value === null || value === undefined ? '' : String(value);
}

function readRow(line: number, cell: (name: string) => string, { timezone }: ReadOptions): Reading | RejectedCell {
  const keyword = normalText(cell('keyword'));
  if (!isKeyword(keyword)) return { line, refused: 'bad_keyword', said: shortened(keyword) };
  const checkedAt = cell('checked_at') === '' ? null : Date.parse(cell('checked_at'));
  const seen = checkedAt === null ? '' : Number.isNaN(checkedAt) ? 'unreadable' : localDate(checkedAt, timezone);
  const date = cell('local_date') || cell('date') || seen;
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(checkedAt))
    return { line, refused: 'unreadable_date', said: shortened(`${keyword}: ${date} ${cell('checked_at')}`.trim()) };
  const device = parseDevice(cell('device'));
  if (device === null)
    return { line, refused: 'unknown_market', said: shortened(`${cell('country')} ${cell('device')}`.trim()) };
  const status = cell('status');
  const [rank = null, depth = null, page = null, absoluteRank = null] = (
    ['rank', 'depth', 'page', 'absolute_rank'] as const
  ).map((name) => (/^[1-9]\d{0,5}$/.test(cell(name)) ? Number(cell(name)) : null));
  const isRanked = status === 'ranked';
  if ((isRanked || status === 'not_found') && (depth === null || isRanked !== (rank !== null)))
    return { line, refused: 'unreadable_rank', said: shortened(`${keyword}: ${status} ${cell('rank')}`) };
  // what was not proven stays unknown, and a discarded run counts nowhere
  const isKnown = (isRanked || status === 'not_found') && !cell('note').startsWith('discarded run');
  return {
    line,
    keyword,
    date,
    target: cell('target'),
    country: cell('country'),
    language: cell('language'),
    device,
    location: cell('location') || null,
    url: cell('url') || null,
    volume: null,
    ranking: !isKnown
      ? { kind: 'nothing' }
      : isRanked
        ? { kind: 'ranked', rank: rank ?? 0 }
        : { kind: 'notFound', top: null },
    exported: {
      project: cell('project'),
      slot: cell('slot') || null,
      checkedAt,
      source: cell('source') || null,
      depth: depth ?? 0,
      page,
      absoluteRank,
      ownedFeatures: cell('owned_features')
        .split('|')
        .filter((name) => name !== ''),
    },
  };
}
