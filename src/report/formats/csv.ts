// Writes CSV (RFC 4180) that is safe to open in a spreadsheet.

import { guardFormulas } from '../../tracker/formula-guard.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import { minuteMs } from '../../tracker/schedule/time-units.ts';

/** A column: name, kind, description, and the value of a row. */
export type CsvColumn<Row> = {
  /** Name in the header. */
  readonly name: string;
  /** One line for readers of the file. */
  readonly description: string;
} & (
  | { readonly kind: 'text'; readonly value: (row: Row) => string | null }
  | { readonly kind: 'number'; readonly value: (row: Row) => number | null }
  | { readonly kind: 'boolean'; readonly value: (row: Row) => boolean | null }
  /** UTC milliseconds, written as ISO 8601. */
  | { readonly kind: 'date'; readonly value: (row: Row) => number | null }
  /** A local date: of a moment (UTC milliseconds, in the report's time zone) or as it is; null: that of the run. */
  | { readonly kind: 'day'; readonly value: (row: Row) => number | string | null }
  /** Joined by `|`; `|` and `\` in an item are escaped with `\`. */
  | { readonly kind: 'list'; readonly value: (row: Row) => readonly string[] }
);

/** A column without its values, for the documentation. */
export interface ColumnNote {
  readonly name: string;
  readonly kind: CsvColumn<never>['kind'];
  readonly description: string;
}

export interface CsvOptions {
  /** Begins with a byte order mark, by which Excel recognises UTF-8. */
  readonly bom: boolean;
  /** One character: `,`, `;` or TAB. */
  readonly delimiter: string;
  /** Puts a `'` before text that a spreadsheet would run as a formula, with any delimiter. */
  readonly safe: boolean;
  /** The local days of a report: its IANA time zone, and the local date of its run. Default: UTC and no date. */
  readonly days?: { readonly timezone: string; readonly ofRun: string };
}

export const defaultCsvOptions: CsvOptions = Object.freeze({ bom: true, delimiter: ',', safe: true });

const lineEnd = '\r\n';
const chunkLines = 500;
/** Every time zone begins its days with a quarter of an hour. */
const quarterHourMs = 900_000;
/** Size of the cache of formatted minutes. */
const minutesKept = 2_000;

/**
 * Writes a table: optional byte order mark, header, one line a row, CRLF after each. Yields chunks of some hundred
 * lines. Nulls and empty lists are empty cells. A lone surrogate, which UTF-8 cannot encode, becomes U+FFFD. Numeric,
 * boolean and date columns are never guarded, so that -5 stays a number.
 */
export function* csvChunks<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: Iterable<Row>,
  options: CsvOptions = defaultCsvOptions,
): Generator<string> {
  yield* joinChunks(csvHeader(columns, options), Iterator.from(rows).map(lineWriter(columns, options)));
}

/** The header line, with an optional byte order mark. */
export function csvHeader<Row>(columns: readonly CsvColumn<Row>[], options: CsvOptions): string {
  const names = columns.map((column) => textCell(column.name, options)).join(options.delimiter);
  return `${options.bom ? '\uFEFF' : ''}${names}${lineEnd}`;
}

/** Columns whose cells stay equal while `same` is equal. They are formatted once for all of these rows. */
export interface SharedColumns<Row> {
  readonly columns: readonly CsvColumn<Row>[];
  readonly same: (row: Row) => unknown;
}

/** Returns a function that formats a row. */
export function lineWriter<Row>(
  columns: readonly CsvColumn<Row>[],
  options: CsvOptions,
  shared: readonly SharedColumns<Row>[] = [],
): (row: Row) => string {
  const pieces = cellWriters(columns, options, shared);
  const cells = new Array<string>(pieces.length).fill('');
  return (row) => {
    for (let index = 0; index < pieces.length; index += 1) cells[index] = pieces[index]?.(row) ?? '';
    return cells.join(options.delimiter) + lineEnd;
  };
}

/** One cell writer per column, or one for each group of shared columns. */
function cellWriters<Row>(
  columns: readonly CsvColumn<Row>[],
  options: CsvOptions,
  shared: readonly SharedColumns<Row>[],
): ((row: Row) => string)[] {
  const pieces: ((row: Row) => string)[] = [];
  for (let at = 0; at < columns.length; ) {
    const together = shared.find((group) => group.columns.length > 0 && group.columns[0] === columns[at]);
    const column = columns[at];
    if (together !== undefined) pieces.push(sharedWriter(together, options));
    else if (column !== undefined) pieces.push(cellWriter(column, options));
    at += together?.columns.length ?? 1;
  }
  return pieces;
}

function sharedWriter<Row>({ columns, same }: SharedColumns<Row>, options: CsvOptions): (row: Row) => string {
  const cells = columns.map((column) => cellWriter(column, options));
  let last: unknown;
  let written: string | null = null;
  return (row) => {
    const current = same(row);
    if (written === null || current !== last) {
      last = current;
      written = cells.map((cell) => cell(row)).join(options.delimiter);
    }
    return written;
  };
}

/** Joins header and lines into chunks of some hundred lines. */
function* joinChunks(header: string, written: Iterable<string>): Generator<string> {
  let chunk = header;
  let lines = 0;
  for (const line of written) {
    chunk += line;
    lines += 1;
    if (lines % chunkLines === 0) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

/** Formats a text cell: well-formed, guarded and quoted where necessary. */
function textCell(text: string, options: CsvOptions): string {
  if (text === '') return '';
  const sound = text.isWellFormed() ? text : text.toWellFormed();
  const shown = options.safe ? guardFormulas(sound, options.delimiter) : sound;
  return needsQuotes(shown, options.delimiter) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** Returns a function that formats cells. It caches the last one, because neighbouring rows often have equal cells. */
function cellWriter<Row>(column: CsvColumn<Row>, options: CsvOptions): (row: Row) => string {
  const { kind, value } = column;
  if (kind === 'number') return (row) => numberCell(value(row));
  if (kind === 'boolean') return (row) => booleanCell(value(row));
  if (kind === 'date') return dateWriter(value);
  if (kind === 'day') return dayWriter(value, options);
  let lastText = '';
  let lastCell = '';
  const written = (text: string | null) => {
    if (text === null || text === '') return '';
    if (text !== lastText) {
      lastCell = textCell(text, options);
      lastText = text;
    }
    return lastCell;
  };
  if (kind === 'text') return (row) => written(value(row));
  let lastItems: readonly string[] = [];
  let lastJoined: string | null = null;
  return (row) => {
    const items = value(row);
    if (items !== lastItems) {
      lastItems = items;
      lastJoined = items.length === 0 ? null : joinedItems(items);
    }
    return written(lastJoined);
  };
}

/** Joins a list: `a|b`. The separator and `\` are escaped with `\` in items, so that the list can be parsed again. */
function joinedItems(items: readonly string[]): string {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return escapedItem(only);
  return items.map(escapedItem).join('|');
}

function escapedItem(item: string): string {
  return item.includes('|') || item.includes('\\') ? item.replace(/[\\|]/g, '\\$&') : item;
}

/** Infinity and NaN are rejected. */
function numberCell(number: number | null): string {
  return number === null || !Number.isFinite(number) ? '' : `${number}`;
}

function booleanCell(value: boolean | null): string {
  return value === null ? '' : `${value}`;
}

/** Like `Date.toISOString`, but ten times as fast: the dates of a report are few minutes. Empty without a date. */
export function dateWriter<Row>(value: (row: Row) => number | null): (row: Row) => string {
  const prefixes = new Map<number, string>();
  return (row) => {
    const at = value(row);
    if (at === null) return '';
    const minute = Math.floor(at / minuteMs);
    let prefix = prefixes.get(minute);
    if (prefix === undefined) {
      if (prefixes.size >= minutesKept) prefixes.clear();
      prefix = new Date(minute * minuteMs).toISOString().slice(0, '2026-11-20T06:00:'.length);
      prefixes.set(minute, prefix);
    }
    const ofMinute = at - minute * minuteMs;
    const milliseconds = Math.trunc(ofMinute % 1_000);
    const zeros = milliseconds < 10 ? '.00' : milliseconds < 100 ? '.0' : '.';
    // short texts are copied, which takes less than to keep how they are joined
    const rest = `${twoDigits(Math.floor(ofMinute / 1_000))}${zeros}${milliseconds}Z`;
    return prefix + rest;
  };
}

/** Formats local dates. Consecutive moments are mostly of one quarter of an hour, which is formatted once. */
function dayWriter<Row>(
  value: (row: Row) => number | string | null,
  { days = { timezone: 'UTC', ofRun: '' } }: CsvOptions,
): (row: Row) => string {
  let lastQuarter = Number.NaN;
  let lastDay = '';
  return (row) => {
    const at = value(row);
    if (at === null) return days.ofRun;
    if (typeof at === 'string') return at;
    const quarter = Math.floor(at / quarterHourMs);
    if (quarter !== lastQuarter) {
      lastQuarter = quarter;
      lastDay = localDate(at, days.timezone);
    }
    return lastDay;
  };
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

function needsQuotes(text: string, delimiter: string): boolean {
  return text.includes(delimiter) || text.includes('"') || text.includes('\n') || text.includes('\r');
}
