// Keyword CSV files: reading them row by row, and adding keywords to them.

import Papa from 'papaparse';
import { parseCountry } from '../../src/tracker/countries.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { guardFormulas, unguardFormulas } from '../../src/tracker/formula-guard.ts';
import type { Device, Priority } from '../../src/tracker/project.ts';
import { readTextFile } from '../document/document.ts';
import { nearestWord } from '../document/problems.ts';
import {
  countryComplaint,
  depthMax,
  keywordComplaint,
  languageComplaint,
  normalKeyword,
  preferredUrlComplaint,
  tagComplaint,
} from '../schema/complaints.ts';

/** One keyword as written, in YAML or CSV; missing values come from its project. */
export interface KeywordEntry {
  /** Normalised. */
  readonly keyword: string;
  readonly country?: string;
  readonly language?: string;
  /** As written: a place, a coordinate or none. */
  readonly location?: string;
  readonly devices?: readonly Device[];
  readonly tags?: readonly string[];
  readonly priority?: Priority;
  readonly depth?: number;
  readonly preferredUrl?: string;
  /** Not tracked, though it stays in the file. */
  readonly paused?: boolean;
}

const keywordColumns = [
  'keyword',
  'country',
  'language',
  'device',
  'tags',
  'priority',
  'depth',
  'preferred_url',
  'location',
  'paused',
] as const;
export type KeywordColumn = (typeof keywordColumns)[number];

/** The value of a cell, or what is wrong with it. */
type Meaning<T> = { readonly value: T } | { readonly complaint: string };

const deviceLists = new Map<string, readonly Device[]>([
  ['desktop', ['desktop']],
  ['mobile', ['mobile']],
  ['desktop|mobile', ['desktop', 'mobile']],
  ['mobile|desktop', ['desktop', 'mobile']],
]);
const priorities = new Map<string, Priority>([
  ['high', 'high'],
  ['normal', 'normal'],
  ['low', 'low'],
]);

function checked(cell: string, complaint: string | undefined): Meaning<string> {
  return complaint === undefined ? { value: cell } : { complaint };
}

/** A country code, `UK`, or an English country name. */
function parseMarketCountry(cell: string): Meaning<string> {
  const complaint = countryComplaint(cell);
  if (complaint === undefined) return { value: cell };
  const code = parseCountry(cell);
  return code !== null && countryComplaint(code) === undefined ? { value: code } : { complaint };
}

function parseDevices(cell: string): Meaning<readonly Device[]> {
  const value = deviceLists.get(cell.toLowerCase().replaceAll(' ', ''));
  return value === undefined ? { complaint: `"${cell}" is not desktop, mobile or desktop|mobile` } : { value };
}

function parseTags(cell: string): Meaning<readonly string[]> {
  const value = cell.split('|').map((tag) => tag.trim());
  const complaint = value.map(tagComplaint).find((found) => found !== undefined);
  return complaint === undefined ? { value } : { complaint };
}

function parsePriority(cell: string): Meaning<Priority> {
  const value = priorities.get(cell.toLowerCase());
  return value === undefined ? { complaint: `"${cell}" is not high, normal or low` } : { value };
}

function parseDepth(cell: string): Meaning<number> {
  const value = /^\d{1,3}$/.test(cell) ? Number(cell) : 0;
  const fits = value >= 1 && value <= depthMax;
  return fits ? { value } : { complaint: `"${cell}" is not a whole number from 1 to ${depthMax}` };
}

function parsePaused(cell: string): Meaning<boolean> {
  const value = /^(yes|true)$/i.test(cell);
  return value || /^(no|false)$/i.test(cell) ? { value } : { complaint: `"${cell}" is not yes or no` };
}

/**
 * Caches parsed cells: a million rows have few distinct countries and tag lists, which then share memory. Errors are
 * not cached.
 */
function cached<T>(meaningOf: (cell: string) => Meaning<T>): (cell: string) => Meaning<T> {
  const known = new Map<string, Meaning<T>>();
  return (cell) => {
    const before = known.get(cell);
    if (before !== undefined) return before;
    const meaning = meaningOf(cell);
    if ('value' in meaning && known.size < rememberedMax) known.set(cell, meaning);
    return meaning;
  };
}

const rememberedMax = 100_000;

/** Called for every bad cell. A row with one is dropped. */
type OnBadCell = (column: KeywordColumn, message: string) => void;

/** Reads one cell into the entry; returns what is wrong with it. */
interface CellReader {
  readonly column: KeywordColumn;
  readonly read: (row: readonly string[], entry: Mutable<KeywordEntry>) => string | undefined;
}

/** A parser of the rows of one file with these columns; undefined marks an unknown column. */
function rowReader(
  columns: readonly (KeywordColumn | undefined)[],
): (row: readonly string[], onBadCell: OnBadCell) => KeywordEntry | undefined {
  /** None where the file lacks the column. */
  const reader = <Key extends keyof KeywordEntry>(
    column: KeywordColumn,
    key: Key,
    meaningOf: (cell: string) => Meaning<KeywordEntry[Key]>,
  ): CellReader[] => {
    const index = columns.indexOf(column);
    if (index === -1) return [];
    const read: CellReader['read'] = (row, entry) => {
      const cell = row[index]?.trim() ?? '';
      if (cell === '') return undefined;
      const meaning = meaningOf(cell);
      if ('complaint' in meaning) return meaning.complaint;
      entry[key] = meaning.value;
      return undefined;
    };
    return [{ column, read }];
  };
  const readers: readonly CellReader[] = [
    ...reader('country', 'country', cached(parseMarketCountry)),
    ...reader(
      'language',
      'language',
      cached((cell) => checked(cell, languageComplaint(cell))),
    ),
    ...reader('location', 'location', (value) => ({ value })),
    ...reader('device', 'devices', cached(parseDevices)),
    ...reader('tags', 'tags', cached(parseTags)),
    ...reader('priority', 'priority', cached(parsePriority)),
    ...reader('depth', 'depth', cached(parseDepth)),
    ...reader('paused', 'paused', parsePaused),
    ...reader('preferred_url', 'preferredUrl', (cell) => checked(cell, preferredUrlComplaint(cell))),
  ];
  const keywordAt = columns.indexOf('keyword');
  return (row, onBadCell) => {
    const entry: Mutable<KeywordEntry> = { keyword: normalKeyword(row[keywordAt] ?? '') };
    const complaint = keywordComplaint(entry.keyword);
    if (complaint !== undefined) onBadCell('keyword', complaint);
    let good = complaint === undefined;
    for (const { column, read } of readers) {
      const badCell = read(row, entry);
      if (badCell === undefined) continue;
      good = false;
      onBadCell(column, badCell);
    }
    return good ? entry : undefined;
  };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface RowProblem {
  /** 1-based line of the file. */
  readonly line?: number;
  readonly column?: KeywordColumn;
  readonly message: string;
  readonly hint?: string;
}

/** Callbacks of the reader, in the order of the file. */
interface KeywordFileReader {
  readonly onKeyword: (entry: KeywordEntry, line: number) => void;
  readonly onProblem: (problem: RowProblem) => void;
  /** Data that is ignored, and does not make the file invalid. */
  readonly onWarning: (warning: RowProblem) => void;
}

/** In file order; undefined for unknown columns. */
type Columns = readonly (KeywordColumn | undefined)[];

/** About five million keywords. */
const bytesMax = 268_435_456;
const remedy = 'save it as UTF-8 (in Excel: "CSV UTF-8")';
const pieceBytes = 65_536;
const lineFeed = 0x0a;
const delimiters = [',', ';', '\t'];

/**
 * Reads a keyword file in UTF-8: a header line and cells separated by comma, semicolon or tab, or one keyword a line.
 * Problems go to `onProblem`. If the path leads to no file, returns what it is; the caller reports that.
 */
export function readKeywordFile(file: string, reader: KeywordFileReader): string | undefined {
  const read = readTextFile(file, bytesMax, remedy);
  if ('bytes' in read) {
    readRows(read.bytes, reader);
    return undefined;
  }
  const { missing, ...problem } = read.complaint;
  if (missing === true) return problem.message;
  reader.onProblem(problem);
  return undefined;
}

/** Why the file cannot be read as text; undefined: it can. */
export function keywordFileComplaint(file: string): string | undefined {
  const read = readTextFile(file, bytesMax, remedy);
  return 'bytes' in read ? undefined : read.complaint.message;
}

/**
 * The file in chunks of whole lines with LF endings. A cell with a line break may be cut in two, but is rejected either
 * way. So memory does not grow with the file.
 */
function* splitChunks(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, start + pieceBytes);
    const piece = bytes.toString('utf8', start, end === -1 ? bytes.length : end);
    yield piece.includes('\r') ? piece.replace(/\r$/, '').replace(/\r\n?/g, '\n') : piece;
    start = end === -1 ? bytes.length : end + 1;
  }
}

interface Row {
  /** Its first line. */
  readonly line: number;
  readonly cells: readonly string[];
  readonly misquoted: boolean;
}

/** The non-blank rows of each chunk. */
function* parseRows(bytes: Buffer): Generator<readonly Row[]> {
  let line = 1;
  let delimiter: string | undefined;
  for (const piece of splitChunks(bytes)) {
    delimiter ??= sniffDelimiter(piece);
    const { data, errors } = Papa.parse<string[]>(piece, { delimiter, newline: '\n' });
    const misquoted = new Set(errors.flatMap(({ type, row }) => (type === 'Quotes' ? [row] : [])));
    // only a quoted cell contains line breaks
    const isQuoted = piece.includes('"');
    const rows: Row[] = [];
    const [mark, isGuarded] = [delimiter, piece.includes("'")];
    data.forEach((written, index) => {
      const cells = isGuarded ? written.map((cell) => unguardFormulas(cell, mark)) : written;
      if (cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells, misquoted: misquoted.has(index) });
      line += 1 + (isQuoted ? lineBreaksIn(cells) : 0);
    });
    yield rows;
  }
}

function lineBreaksIn(row: readonly string[]): number {
  return sumOf(row, (cell) => cell.split('\n').length - 1);
}

/** Reads the contents of a keyword file. */
export function readRows(bytes: Buffer, reader: KeywordFileReader): void {
  let readRow: ((row: Row) => void) | undefined;
  let keywords = 0;
  for (const rows of parseRows(bytes)) {
    for (const row of rows) {
      if (readRow === undefined) {
        const columns = isPlainKeyword(row.cells) ? 'list' : readHeader(row.cells, row.line, reader);
        if (columns === undefined) return;
        readRow = keywordReader(columns, reader);
        if (columns !== 'list') continue;
      }
      keywords += 1;
      readRow(row);
    }
  }
  if (readRow === undefined) reader.onProblem({ message: 'is empty', hint: headerHint });
  else if (keywords === 0) reader.onProblem({ message: 'has no keywords below its header' });
}

/** `list`: one keyword a line, without a header. */
function keywordReader(columns: Columns | 'list', reader: KeywordFileReader): (row: Row) => void {
  const readCells = rowReader(columns === 'list' ? ['keyword'] : columns);
  return ({ line, cells, misquoted }) => {
    const problem = misquoted ? badQuotes : columns === 'list' ? listProblem(cells) : shapeProblem(cells, columns);
    if (problem !== undefined) {
      reader.onProblem({ line, ...problem });
      return;
    }
    const entry = readCells(cells, (column, message) => reader.onProblem({ line, column, message }));
    if (entry !== undefined) reader.onKeyword(entry, line);
  };
}

const headerHint = `the first line must name the columns: ${keywordColumns.join(',')}; or write one keyword per line`;
const badQuotes = {
  message: 'a quote is not closed, or text follows it',
  hint: 'double the quotes inside a quoted cell: ""',
};

export function sniffDelimiter(text: string): string {
  const header = text.trimStart().split('\n', 1)[0] ?? '';
  const known = (delimiter: string): number =>
    header.split(delimiter).filter((name) => parseColumn(name) !== undefined).length;
  return delimiters.reduce((best, delimiter) => (known(delimiter) > known(best) ? delimiter : best));
}

export function parseColumn(written: string): KeywordColumn | undefined {
  const name = written
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase();
  return keywordColumns.find((column) => column === name);
}

/** Header names of lists that other tools export. None of them is tracked as a keyword. */
const foreignHeaders: ReadonlySet<string> = new Set([
  'keywords',
  'query',
  'queries',
  'top queries',
  'search term',
  'search terms',
  'search query',
  'keyphrase',
  'url',
  'urls',
]);

/** Whether the first line of a file is a keyword of a plain list and not a header: one cell, no name of a column. */
export function isPlainKeyword(row: readonly string[]): boolean {
  const [cell = '', ...others] = row;
  const name = cell.trim().toLowerCase();
  if (others.length > 0 || holdsDelimiter(cell) || parseColumn(cell) !== undefined) return false;
  return !foreignHeaders.has(name) && nearestWord(name, ['keyword']) === undefined;
}

function holdsDelimiter(cell: string): boolean {
  return /[;\t]/.test(cell.trim());
}

/** A table without a known header would be bought cell by cell. */
function listProblem(row: readonly string[]): { message: string; hint: string } | undefined {
  if (row.some((cell) => cell.includes('\n')))
    return { message: 'a cell contains a line break', hint: 'check for an unclosed quote' };
  if (row.length === 1 && !holdsDelimiter(row[0] ?? '')) return undefined;
  return {
    message: 'several cells in a list of one keyword a line',
    hint: 'put a keyword that contains a comma in quotes, or name the columns in the first line',
  };
}

/** The columns in file order; undefined if the header is invalid. */
function readHeader(row: readonly string[], line: number, reader: KeywordFileReader): Columns | undefined {
  const columns = row.map(parseColumn);
  if (!columns.includes('keyword')) {
    reader.onProblem({ line, message: 'there is no column "keyword"', hint: headerHint });
    return undefined;
  }
  for (const [index, column] of columns.entries()) {
    const written = row[index]?.trim() ?? '';
    if (column === undefined) {
      const meant = nearestWord(written, keywordColumns);
      const hint = meant === undefined ? `known: ${keywordColumns.join(', ')}` : `did you mean ${meant}?`;
      const message = written === '' ? `column ${index + 1} without a name` : `unknown column "${written}"`;
      reader.onWarning({ line, message: `${message} is ignored`, hint });
    } else if (columns.indexOf(column) !== index) {
      reader.onProblem({ line, message: `the column "${column}" is named twice` });
    }
  }
  return columns;
}

function shapeProblem(row: readonly string[], columns: Columns): { message: string; hint: string } | undefined {
  if (row.some((cell) => cell.includes('\n')))
    return { message: 'a cell contains a line break', hint: 'check for an unclosed quote' };
  if (row.length === columns.length) return undefined;
  const hint =
    row.length > columns.length ? 'quote cells that contain the delimiter' : 'write all cells; empty ones are allowed';
  return { message: `${row.length} cells, but the header has ${columns.length}`, hint };
}

/**
 * The file with more rows. `text`: a valid keyword file, or null for a new one. Rows are appended; only where they need
 * a column that the file lacks is the whole table written anew with that column. No new cell runs as a formula in a
 * spreadsheet; the reader of the file removes the guard.
 */
export function withKeywords(text: string | null, entries: readonly KeywordEntry[]): string {
  const cells = entries.map(toCells);
  const needed = keywordColumns.filter((column) => cells.some((row) => row.has(column)));
  const body = text?.replace(/^\uFEFF/, '') ?? '';
  if (text === null || body.trim() === '') return table([], needed, cells, ',', '\n');
  const newline = body.includes('\r\n') ? '\r\n' : '\n';
  const delimiter = sniffDelimiter(body);
  const { data } = Papa.parse<string[]>(body.replace(/\r\n?/g, '\n'), { delimiter, newline: '\n' });
  const rows = data.filter((row) => row.some((cell) => cell.trim() !== ''));
  const header = rows[0]?.map(parseColumn) ?? [];
  const isList = !header.includes('keyword');
  const missing = needed.filter((column) => !(isList ? ['keyword'] : header).includes(column));
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  // a list cannot hold such a keyword
  const needsHeader = isList && entries.some(({ keyword }) => /[;\t]/.test(keyword));
  if (missing.length > 0 || needsHeader) {
    const written = isList ? [['keyword'], ...rows] : rows;
    return mark + table(written, missing, cells, delimiter, newline);
  }
  const columns = isList ? ['keyword' as const] : header;
  const added = cells.map((row) => columns.map((column) => cellIn(row, column, delimiter)));
  const end = /[\r\n]$/.test(body) ? '' : newline;
  return `${mark}${body}${end}${Papa.unparse(added, { delimiter, newline })}${newline}`;
}

/** `written`: the rows of the file, header first. They get empty cells for the new columns `more`. */
function table(
  written: readonly (readonly string[])[],
  more: readonly KeywordColumn[],
  added: readonly ReadonlyMap<KeywordColumn, string>[],
  delimiter: string,
  newline: string,
): string {
  const [header = [], ...rows] = written;
  const columns = [...header.map(parseColumn), ...more];
  const table = [
    [...header, ...more],
    ...rows.map((row) => [...row, ...more.map(() => '')]),
    ...added.map((row) => columns.map((column) => cellIn(row, column, delimiter))),
  ];
  return `${Papa.unparse(table, { delimiter, newline })}${newline}`;
}

function cellIn(row: ReadonlyMap<KeywordColumn, string>, column: KeywordColumn | undefined, delimiter: string): string {
  return column === undefined ? '' : guardFormulas(row.get(column) ?? '', delimiter);
}

function toCells(entry: KeywordEntry): ReadonlyMap<KeywordColumn, string> {
  const { keyword, country, language, devices, tags, priority, depth, preferredUrl, location, paused } = entry;
  const cells: readonly (readonly [KeywordColumn, string | undefined])[] = [
    ['keyword', keyword],
    ['country', country],
    ['language', language],
    ['device', devices?.join('|')],
    ['tags', tags?.join('|')],
    ['priority', priority],
    ['depth', depth?.toString()],
    ['preferred_url', preferredUrl],
    ['location', location],
    ['paused', paused === true ? 'yes' : undefined],
  ];
  return new Map(cells.flatMap(([column, cell]) => (cell === undefined || cell === '' ? [] : [[column, cell]])));
}
