// Reads a small table from JSON or CSV, and names file and row of each problem.
import { readFile } from 'node:fs/promises';
import Papa from 'papaparse';

/** One row. Cells are found by lower-case column name; blank cells and nulls are absent. */
export class Row {
  readonly #cells: ReadonlyMap<string, unknown>;
  readonly #place: string;

  constructor(cells: ReadonlyMap<string, unknown>, place: string) {
    this.#cells = cells;
    this.#place = place;
  }

  /** The trimmed text of a cell; numbers and booleans as text. Throws Error for lists and objects. */
  text(column: string): string | undefined {
    const cell = this.#cells.get(column);
    if (cell === undefined || cell === null) return undefined;
    if (typeof cell === 'object') throw this.problem(`"${column}" must be text`);
    const text = String(cell).trim();
    return text === '' ? undefined : text;
  }

  required(column: string): string {
    const text = this.text(column);
    if (text === undefined) throw this.problem(`"${column}" is missing`);
    return text;
  }

  /** A number that is not negative; undefined where the cell is blank. */
  amount(column: string): number | undefined {
    const text = this.text(column);
    if (text === undefined) return undefined;
    if (!/^\d+(\.\d+)?$/.test(text)) throw this.problem(`"${column}" must be a number, not "${text}"`);
    return Number(text);
  }

  /** A list: an array in JSON, text joined by `|` in CSV. */
  list(column: string): string[] {
    const cell = this.#cells.get(column);
    const items = Array.isArray(cell) ? cell.map(String) : (this.text(column)?.split('|') ?? []);
    return items.map((item) => item.trim()).filter((item) => item !== '');
  }

  /** An error that says where the row stands. */
  problem(message: string): Error {
    return new Error(`${this.#place}: ${message}.`);
  }
}

/**
 * Reads all rows of `file`. Throws Error naming the file: unreadable, not JSON, not an array, or without a required
 * column.
 */
export async function readTable(file: string, requiredColumns: readonly string[]): Promise<Row[]> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (cause) {
    throw new Error(`${file} cannot be read as UTF-8 text.`, { cause });
  }
  const rows = file.toLowerCase().endsWith('.csv') ? csvRows(file, text, requiredColumns) : jsonRows(file, text);
  return rows.map((cells, index) => new Row(cells, `${file}, row ${index + 1}`));
}

function jsonRows(file: string, text: string): Map<string, unknown>[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not valid JSON.`, { cause });
  }
  if (!Array.isArray(value)) throw new Error(`${file} must hold an array of objects.`);
  return value.map((row: unknown, index) => {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      throw new Error(`${file}, row ${index + 1}: must be an object.`);
    }
    return new Map(Object.entries(row));
  });
}

function csvRows(file: string, text: string, requiredColumns: readonly string[]): Map<string, unknown>[] {
  const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: 'greedy' });
  const broken = errors.find(({ type }) => type === 'Quotes');
  if (broken !== undefined) throw new Error(`${file}, row ${broken.row ?? 0}: ${broken.message}.`);
  const [header = [], ...rows] = data;
  const columns = header.map((name) => name.trim().toLowerCase());
  const missing = requiredColumns.filter((column) => !columns.includes(column));
  if (missing.length > 0) throw new Error(`${file} lacks the column ${missing.join(', ')}.`);
  return rows.map((cells) => new Map(columns.map((column, index) => [column, cells[index]])));
}
