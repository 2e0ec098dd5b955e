// Serialises answers as JSON, CSV, NDJSON or an Excel workbook: one page or all rows.
import { createHash } from 'node:crypto';
import { csvChunks } from '../../report/formats/csv.ts';
import { csvRows } from '../../report/formats/csv-rows.ts';
import { xlsxChunks } from '../../report/formats/workbook/xlsx.ts';
import { InvalidQuery } from '../contract.ts';
import type { ListRows } from '../lazy-rows.ts';
import { askedFields, everyRow, listColumns, rowsWithFields, textChunks, textTypes } from '../row-files.ts';

const rowsDefault = 100;
const rowsMax = 10_000;

export interface Body {
  readonly type: string;
  readonly chunks: Iterable<string | Uint8Array>;
}

/** A body, here or from another thread. */
export interface SentBody {
  readonly type: string;
  readonly chunks: Body['chunks'] | AsyncIterable<Uint8Array>;
}

/** Content that does not change while the server runs, hashed once. */
export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** For the header ETag. */
  readonly tag: string;
}

export function toAsset(type: string, content: string | Uint8Array): Asset {
  return { type, bytes: Buffer.from(content), tag: toTag(content) };
}

export function toTag(content: string | Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/** A page of rows. `next` continues it; null: it was the last. */
interface ListPage {
  readonly data: readonly object[];
  readonly total: number;
  readonly next: string | null;
}

interface ListRequest {
  readonly accept: string;
  readonly query: URLSearchParams;
  readonly version: string;
  /** The columns of files, also without rows. */
  readonly fields: readonly string[];
  /** Adds to a page of JSON what exports do not have. */
  readonly withPage?: ((rows: readonly object[]) => readonly object[]) | undefined;
}

/**
 * A page of JSON, or all rows in another format if `format` or `accept` names one. `version` is that of the history: a
 * cursor of another version is refused, so that no row is skipped. Throws InvalidQuery.
 */
export function listBody(rows: ListRows, { accept, query, version, fields: known, withPage }: ListRequest): Body {
  const format = preferredFormat(accept, query.get('format'));
  if (format === 'json' && query.get('limit') !== everyRow) {
    const page = toListPage(rows, query, version);
    const fields = query.get('fields')?.split(',').filter(Boolean) ?? [];
    const hasMore = withPage !== undefined && (fields.length === 0 || fields.includes('trend'));
    return documentBody({ ...page, data: rowsWithFields(hasMore ? withPage(page.data) : page.data, query, known) });
  }
  const shown = rowsWithFields([...rows], query, known);
  const columns = askedFields(query, known);
  return {
    type: types[format],
    chunks: format === 'xlsx' ? workbook(shown, columns) : textChunks(shown, format, columns),
  };
}

export function documentBody(value: unknown): Body {
  return { type: types.json, chunks: [JSON.stringify(value)] };
}

export function documentAsset(value: unknown): Asset {
  return toAsset(types.json, JSON.stringify(value));
}

const types = {
  ...textTypes,
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
type Format = keyof typeof types;
const formats = Object.keys(types) as Format[]; // the keys of a literal are known

/** Whether the request asks for JSON. Throws InvalidQuery. */
export function wantsJson(accept: string, query: URLSearchParams): boolean {
  return preferredFormat(accept, query.get('format')) === 'json';
}

/** `format` wins over `Accept`, so that a link can name the format. */
function preferredFormat(accept: string, written: string | null): Format {
  if (written !== null && written !== '') {
    const format = formats.find((known) => known === written);
    if (format === undefined) throw new InvalidQuery(`format: "${written}" is not ${formats.join(', ')}`);
    return format;
  }
  for (const part of accept.split(',')) {
    const type = part.split(';')[0]?.trim();
    const format = formats.find((known) => types[known].split(';')[0] === type);
    if (format !== undefined) return format;
  }
  return 'json';
}

function toListPage(rows: ListRows, query: URLSearchParams, version: string): ListPage {
  const limit = wholeNumber('limit', query.get('limit'), rowsDefault, rowsMax);
  const from = cursorOffset(query.get('cursor'), version) ?? startRow(query.get('offset'));
  const data = rows.slice(from, from + limit);
  const end = from + data.length;
  return { data, total: rows.length, next: end < rows.length ? cursorAt(end, version) : null };
}

function cursorAt(offset: number, version: string): string {
  return Buffer.from(`${version} ${offset}`, 'utf8').toString('base64url');
}

function startRow(written: string | null): number {
  if (written === null || written === '') return 0;
  if (!/^\d{1,9}$/.test(written)) throw new InvalidQuery(`offset: "${written}" is not a number of rows`);
  return Number(written);
}

function cursorOffset(cursor: string | null, version: string): number | null {
  if (cursor === null || cursor === '') return null;
  const [of, offset] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  if (offset === undefined || !/^\d{1,9}$/.test(offset))
    throw new InvalidQuery('cursor: not valid; pass `next` of the previous page');
  if (of !== version) throw new InvalidQuery('cursor: history has changed since; start again without it');
  return Number(offset);
}

function wholeNumber(name: string, written: string | null, missing: number, max: number): number {
  if (written === null || written === '') return missing;
  const value = Number(written);
  if (!Number.isSafeInteger(value) || value < 1 || value > max)
    throw new InvalidQuery(`${name}: "${written}" is not a number from 1 to ${max}, or ${everyRow}`);
  return value;
}

/** One sheet with the cells of the CSV: numbers and moments are typed, texts are never formulas. */
function workbook(rows: readonly object[], fields: readonly string[]): Generator<Uint8Array> {
  const columns = listColumns(rows, fields);
  const plain = { bom: false, delimiter: ',', safe: false };
  const cells = csvRows(csvChunks(columns, rows, plain), plain);
  cells.next(); // the header
  const kinds = columns.map(({ name, kind }) => ({ name, kind: name.endsWith('_at') ? 'date' : kind }) as const);
  return xlsxChunks([{ name: 'rows', columns: kinds, rows: cells }]);
}
