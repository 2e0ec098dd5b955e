// Reads a keyword CSV row by row: encoding, delimiter, header and shape of its rows.
import Papa from 'papaparse';
import { unguardFormulas } from '../../src/tracker/formula-guard.ts';
import { nearestWord } from '../document/nearest-word.ts';
import { readTextFile } from '../document/text-file.ts';
import { type KeywordColumn, type KeywordEntry, keywordColumns, rowReader } from './keyword-row.ts';

export interface RowProblem {
  /** 1-based line of the file. */
  readonly line?: number;
  readonly column?: KeywordColumn;
  readonly message: string;
  readonly hint?: string;
}

/** Callbacks of the reader, in the order of the file. */
export interface KeywordFileReader {
  readonly onKeyword: (entry: KeywordEntry, line: number) => void;
  readonly onProblem: (problem: RowProblem) => void;
  /** Data that is ignored, and does not make the file invalid. */
  readonly onWarning: (warning: RowProblem) => void;
}

/** In file order; undefined for unknown columns. */
type Columns = readonly (KeywordColumn | undefined)[];

/** About five million keywords. */
const bytesMax = 268_435_456;
const pieceBytes = 65_536;
const lineFeed = 0x0a;
const delimiters = [',', ';', '\t'];

/**
 * Reads a keyword file in UTF-8: a header line and cells separated by comma, semicolon or tab, or one keyword a line.
 * Problems go to `onProblem`. If the path leads to no file, returns what it is; the caller reports that.
 */
export function readKeywordFile(file: string, reader: KeywordFileReader): string | undefined {
  const read = readTextFile(file, bytesMax, 'save it as UTF-8 (in Excel: "CSV UTF-8")');
  if ('bytes' in read) {
    readRows(read.bytes, reader);
    return undefined;
  }
  const { missing, ...problem } = read.complaint;
  if (missing === true) return problem.message;
  reader.onProblem(problem);
  return undefined;
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
  return row.reduce((breaks, cell) => breaks + cell.split('\n').length - 1, 0);
}

function readRows(bytes: Buffer, reader: KeywordFileReader): void {
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
function isPlainKeyword(row: readonly string[]): boolean {
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
