// Adds keywords to the text of a keyword file and leaves its other lines as they are.
import Papa from 'papaparse';
import { guardFormulas } from '../../src/tracker/formula-guard.ts';
import { parseColumn, sniffDelimiter } from './keyword-file.ts';
import { type KeywordColumn, type KeywordEntry, keywordColumns } from './keyword-row.ts';

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
  const { keyword, country, language, devices, tags, priority, depth, preferredUrl, location } = entry;
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
  ];
  return new Map(cells.flatMap(([column, cell]) => (cell === undefined || cell === '' ? [] : [[column, cell]])));
}
