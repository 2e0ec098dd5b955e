// Turns what an endpoint read into a body: JSON, CSV or NDJSON, one page or all of it.
import { type CsvColumn, csvChunks } from '../../report/formats/csv.ts';
import { InvalidQuery } from '../contract.ts';

const rowsDefault = 100;
const rowsMax = 10_000;

export interface Body {
  readonly type: string;
  readonly chunks: Iterable<string>;
}

/** A page of rows. `next` continues it; null: it was the last. */
interface ListPage {
  readonly data: readonly unknown[];
  readonly total: number;
  readonly next: string | null;
}

/**
 * A page of JSON, or all rows as CSV or NDJSON if `accept` prefers them. `version`: of the history, so that a cursor of
 * another one is refused and no row is skipped. Throws InvalidQuery.
 */
export function listBody(
  rows: readonly object[],
  { accept, query, version }: { readonly accept: string; readonly query: URLSearchParams; readonly version: string },
): Body {
  const format = preferredFormat(accept, query.get('format'));
  if (format === 'csv') return { type: 'text/csv; charset=utf-8', chunks: csvChunks(columnsOf(rows), rows) };
  if (format === 'ndjson') return { type: 'application/x-ndjson', chunks: ndjson(rows) };
  return documentBody(pageOf(rows, query, version));
}

export function documentBody(value: unknown): Body {
  return { type: 'application/json; charset=utf-8', chunks: [JSON.stringify(value)] };
}

type Format = 'json' | 'csv' | 'ndjson';

/** `format` wins over `Accept`, so that a link can ask for a file. */
function preferredFormat(accept: string, written: string | null): Format {
  if (written !== null && written !== '') {
    if (written !== 'json' && written !== 'csv' && written !== 'ndjson')
      throw new InvalidQuery(`format: "${written}" is not json, csv or ndjson`);
    return written;
  }
  const types = accept.split(',').map((part) => part.split(';')[0]?.trim());
  for (const type of types) {
    if (type === 'application/json') return 'json';
    if (type === 'text/csv') return 'csv';
    if (type === 'application/x-ndjson') return 'ndjson';
  }
  return 'json';
}

function pageOf(rows: readonly object[], query: URLSearchParams, version: string): ListPage {
  const limit = wholeNumber('limit', query.get('limit'), rowsDefault, rowsMax);
  const from = cursorOffset(query.get('cursor'), version);
  const data = rows.slice(from, from + limit);
  const end = from + data.length;
  return { data, total: rows.length, next: end < rows.length ? cursorAt(end, version) : null };
}

function cursorAt(offset: number, version: string): string {
  return Buffer.from(`${version} ${offset}`, 'utf8').toString('base64url');
}

function cursorOffset(cursor: string | null, version: string): number {
  if (cursor === null || cursor === '') return 0;
  const [of, offset] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  if (offset === undefined || !/^\d{1,9}$/.test(offset)) throw new InvalidQuery('cursor: not one of ours');
  if (of !== version) throw new InvalidQuery('cursor: history has changed since; start again without it');
  return Number(offset);
}

function wholeNumber(name: string, written: string | null, missing: number, max: number): number {
  if (written === null || written === '') return missing;
  const value = Number(written);
  if (!Number.isSafeInteger(value) || value < 1 || value > max)
    throw new InvalidQuery(`${name}: "${written}" is not a number from 1 to ${max}`);
  return value;
}

function* ndjson(rows: readonly object[]): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** One column per field of the first row, in snake case. Objects in a cell are JSON. */
function columnsOf(rows: readonly object[]): CsvColumn<object>[] {
  return Object.entries(rows[0] ?? {}).map(([field]) => {
    const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const value = (row: object): unknown => (row as Record<string, unknown>)[field];
    const first = rows.map(value).find((cell) => cell !== null);
    const column = { name, description: name };
    if (typeof first === 'number') return { ...column, kind: 'number', value: (row) => value(row) as number | null };
    if (typeof first === 'boolean') return { ...column, kind: 'boolean', value: (row) => value(row) as boolean | null };
    if (Array.isArray(first) && rows.every((row) => isTextList(value(row))))
      return { ...column, kind: 'list', value: (row) => value(row) as string[] };
    return { ...column, kind: 'text', value: (row) => textOf(value(row)) };
  });
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
