// Recognises and reads the rank history of another tool, one reading at a time.

import { firstRows, firstText, rowsBelow } from '../text/beginning.ts';
import { type Delimiter, delimiters, parseRows, splitLines } from '../text/delimited.ts';
import { decodeText, detectEncoding, type Encoding } from '../text/encoding.ts';
import { parseJson } from '../text/json-file.ts';
import { recognise } from '../text/recognise.ts';
import { UnreadableFile } from '../text/unreadable-file.ts';
import { anyCsv, missingColumns } from './any-csv.ts';
import { ownLayout, ownObjectReadings, ownObjects, ownReadings } from './own-export.ts';
import type { ImportFormat, Reading, ReadOptions, RejectedCell } from './reading.ts';
import { searchConsole, searchConsoleReadings, searchConsoleRows } from './search-console.ts';
import { semrush } from './semrush.ts';
import { serpbear, serpbearEntries, serpbearReadings } from './serpbear.ts';
import { serposcope } from './serposcope.ts';
import { type TableFormat, tableReadings } from './table.ts';

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
  const encoding = detectEncoding(bytes());
  const text = (): Iterable<string> => decodeText(bytes(), encoding);
  const first = firstText(text());
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
  const widest = delimiters
    .flatMap((delimiter) => firstRows(first, delimiter))
    .reduce<readonly string[]>((best, { cells }) => (cells.length > best.length ? cells : best), []);
  return new UnreadableFile(missingColumns(widest.slice(0, 20), options), hint);
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
