// Reads a keyword CSV row by row: columns, cells, and what is wrong with them. Markets and duplicates are left to the keyword list.
import Papa from 'papaparse';
import type { Device, Priority } from '../src/tracker/project.ts';
import { nearestWord } from './issues.ts';
import { depthMax, keywordComplaint, normalKeyword, tagComplaint } from './keyword-text.ts';
import { countryComplaint, languageComplaint } from './markets.ts';
import { readTextFile } from './text-file.ts';

/** One keyword as written, in YAML or CSV; what it leaves out comes from its project. */
export interface KeywordEntry {
  /** Normalised. */
  readonly keyword: string;
  readonly country?: string;
  readonly language?: string;
  readonly devices?: readonly Device[];
  readonly tags?: readonly string[];
  readonly priority?: Priority;
  readonly depth?: number;
}

export interface RowProblem {
  readonly line?: number;
  readonly column?: string;
  readonly message: string;
  readonly hint?: string;
}

/** What reading a keyword file calls: one of the two for each row, in the order of the file. */
export interface KeywordFileReader {
  readonly onKeyword: (entry: KeywordEntry, line: number) => void;
  readonly onProblem: (problem: RowProblem) => void;
}

export const keywordColumns = ['keyword', 'country', 'language', 'device', 'tags', 'priority', 'depth'] as const;
type Column = (typeof keywordColumns)[number];
type Cells = ReadonlyMap<Column, string>;

/** About five million keywords. */
const bytesMax = 268_435_456;
const delimiters = [',', ';', '\t'];

/**
 * Reads a keyword file: UTF-8, first line names the columns, cells separated by comma, semicolon or tab. Returns what is wrong with
 * the file as a whole where it cannot be read; bad rows go to `onProblem`.
 */
export function readKeywordFile(
  file: string,
  reader: KeywordFileReader,
): { message: string; missing: boolean } | undefined {
  const read = readTextFile(file, bytesMax);
  if ('complaint' in read) {
    const { message, hint, line, missing } = read.complaint;
    if (missing === true) return { message, missing };
    reader.onProblem({ message, ...(hint === undefined ? {} : { hint }), ...(line === undefined ? {} : { line }) });
    return undefined;
  }
  // Line ends as the file mixes them would make the parser guess.
  parseRows(read.text.includes('\r') ? read.text.replace(/\r\n?/g, '\n') : read.text, reader);
  return undefined;
}

function parseRows(text: string, reader: KeywordFileReader): void {
  let line = 1;
  let columns: (Column | undefined)[] | undefined;
  let keywords = 0;
  const cellReader = new CellReader();
  const onRow = (row: readonly string[], quoted: boolean): boolean => {
    const startsAt = line;
    line += 1 + row.reduce((breaks, cell) => breaks + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0);
    if (row.every((cell) => cell.trim() === '')) return true;
    if (columns === undefined) {
      columns = readHeader(row, startsAt, reader);
      return columns !== undefined;
    }
    keywords += 1;
    const problem = quoted ? cellsProblem(row, columns) : badQuotes;
    if (problem !== undefined) reader.onProblem({ line: startsAt, ...problem });
    else readRow(cellReader.cells(row, columns), startsAt, cellReader, reader);
    return true;
  };
  Papa.parse<string[]>(text, {
    delimiter: sniffDelimiter(text),
    newline: '\n',
    step({ data, errors }: Papa.ParseStepResult<string[]>, parser: Papa.Parser) {
      if (!onRow(data, !errors.some((error) => error.type === 'Quotes'))) parser.abort();
    },
  });
  if (columns === undefined && line === 1) reader.onProblem({ message: 'is empty', hint: headerHint });
  else if (columns !== undefined && keywords === 0) reader.onProblem({ message: 'holds no keywords below its header' });
}

const headerHint = `its first line names the columns: ${keywordColumns.join(',')}`;
const badQuotes = { message: 'a quote is not closed, or text follows it', hint: 'write "" for a quote inside quotes' };

function sniffDelimiter(text: string): string {
  const header = text.slice(0, 10_000).trimStart().split('\n', 1)[0] ?? '';
  const known = (delimiter: string): number =>
    header.split(delimiter).filter((name) => columnOf(name) !== undefined).length;
  return delimiters.reduce((best, delimiter) => (known(delimiter) > known(best) ? delimiter : best));
}

function columnOf(written: string): Column | undefined {
  const name = written
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase();
  return keywordColumns.find((column) => column === name);
}

/** The columns in the order of the file; undefined where rows cannot be read by them. */
function readHeader(
  row: readonly string[],
  line: number,
  reader: KeywordFileReader,
): (Column | undefined)[] | undefined {
  const columns = row.map(columnOf);
  if (!columns.includes('keyword')) {
    reader.onProblem({ line, message: 'there is no column "keyword"', hint: headerHint });
    return undefined;
  }
  for (const [index, column] of columns.entries()) {
    const written = row[index]?.trim() ?? '';
    if (column === undefined) {
      const meant = nearestWord(written, keywordColumns);
      const hint = meant === undefined ? `known: ${keywordColumns.join(', ')}` : `did you mean ${meant}?`;
      reader.onProblem({
        line,
        message: written === '' ? 'a column has no name' : `unknown column "${written}"`,
        hint,
      });
    } else if (columns.indexOf(column) !== index) {
      reader.onProblem({ line, message: `the column "${column}" is named twice` });
    }
  }
  return columns;
}

function cellsProblem(row: readonly string[], columns: readonly unknown[]): Omit<RowProblem, 'line'> | undefined {
  if (row.length !== columns.length) {
    const hint =
      row.length > columns.length
        ? 'put a cell that holds the delimiter in quotes'
        : 'leave cells empty, but write them';
    return { message: `${row.length} cells where the header names ${columns.length}`, hint };
  }
  if (row.some((cell) => cell.includes('\n')))
    return { message: 'a cell holds a line break', hint: 'is a quote not closed?' };
  return undefined;
}

/** Reads cells, and shares the values that repeat from row to row: a million rows have a handful of tag lists. */
class CellReader {
  readonly #tags = new Map<string, readonly string[]>();

  cells(row: readonly string[], columns: readonly (Column | undefined)[]): Cells {
    const cells = new Map<Column, string>();
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index];
      const cell = row[index]?.trim() ?? '';
      if (column !== undefined && cell !== '') cells.set(column, cell);
    }
    return cells;
  }

  tags(cell: string): readonly string[] {
    const known = this.#tags.get(cell);
    if (known !== undefined) return known;
    const tags = cell.split('|').map((tag) => tag.trim());
    this.#tags.set(cell, tags);
    return tags;
  }
}

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

function readRow(cells: Cells, line: number, cellReader: CellReader, reader: KeywordFileReader): void {
  let good = true;
  const complain = (column: Column, message: string | undefined): void => {
    if (message === undefined) return;
    good = false;
    reader.onProblem({ line, column, message });
  };
  const keyword = normalKeyword(cells.get('keyword') ?? '');
  const country = cells.get('country');
  const language = cells.get('language');
  const device = cells.get('device');
  const devices = deviceLists.get(device?.toLowerCase().replaceAll(' ', '') ?? '');
  const tagsCell = cells.get('tags');
  const tags = tagsCell === undefined ? undefined : cellReader.tags(tagsCell);
  const priorityCell = cells.get('priority');
  const priority = priorities.get(priorityCell?.toLowerCase() ?? '');
  const depthCell = cells.get('depth');
  const depth = depthCell !== undefined && /^\d{1,3}$/.test(depthCell) ? Number(depthCell) : undefined;
  complain('keyword', keywordComplaint(keyword));
  if (country !== undefined) complain('country', countryComplaint(country));
  if (language !== undefined) complain('language', languageComplaint(language));
  if (device !== undefined && devices === undefined)
    complain('device', `"${device}" is not desktop, mobile or desktop|mobile`);
  for (const tag of tags ?? []) complain('tags', tagComplaint(tag));
  if (priorityCell !== undefined && priority === undefined)
    complain('priority', `"${priorityCell}" is not high, normal or low`);
  if (depthCell !== undefined && (depth === undefined || depth < 1 || depth > depthMax)) {
    complain('depth', `"${depthCell}" is no whole number from 1 to ${depthMax}`);
  }
  if (!good) return;
  reader.onKeyword(
    {
      keyword,
      ...(country === undefined ? {} : { country }),
      ...(language === undefined ? {} : { language }),
      ...(devices === undefined ? {} : { devices }),
      ...(tags === undefined ? {} : { tags }),
      ...(priority === undefined ? {} : { priority }),
      ...(depth === undefined ? {} : { depth }),
    },
    line,
  );
}
