// Serialises answers as JSON, CSV, NDJSON or an Excel workbook: one page or all rows.
import { createHash } from 'node:crypto';
import { InvalidQuery } from '../../read/contract.ts';
import type { ListRows } from '../../read/lazy-rows.ts';
import { everyRow, type formats } from '../../read/queries.ts';
import { csvChunks } from '../../report/formats/csv.ts';
import { csvRows } from '../../report/formats/csv-rows.ts';
import { xlsxChunks } from '../../report/formats/workbook/xlsx.ts';
import { listColumns, rowsWithFields, textChunks, textTypes } from '../row-files.ts';

const rowsDefault = 100;

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

type Format = (typeof formats)[number];

/** The pages and forms of a list, as its query names them. */
export interface ListParameters {
  readonly limit?: number | typeof everyRow;
  readonly cursor?: string;
  readonly offset?: number;
  readonly fields?: readonly string[];
  readonly format?: Format;
}

interface ListRequest {
  readonly accept: string;
  readonly query: ListParameters;
  readonly version: string;
  /** The columns of files, also without rows. */
  readonly columns: readonly string[];
  /** Adds to a page of JSON what exports do not have. */
  readonly withPage?: ((rows: readonly object[]) => readonly object[]) | undefined;
}

/**
 * A page of JSON, or all rows in another format if `format` or `accept` names one. `version` is that of the history: a
 * cursor of another version is refused, so that no row is skipped. Throws InvalidQuery.
 */
export function listBody(rows: ListRows, { accept, query, version, columns, withPage }: ListRequest): Body {
  const format = preferredFormat(accept, query);
  const { fields = [] } = query;
  if (format === 'json' && query.limit !== everyRow) {
    const page = toListPage(rows, query, version);
    const hasMore = withPage !== undefined && (fields.length === 0 || fields.includes('trend'));
    return documentBody({ ...page, data: rowsWithFields(hasMore ? withPage(page.data) : page.data, fields) });
  }
  const shown = rowsWithFields([...rows], fields);
  const asked = fields.length > 0 ? fields : columns;
  return { type: types[format], chunks: format === 'xlsx' ? workbook(shown, asked) : textChunks(shown, format, asked) };
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
} as const satisfies Readonly<Record<Format, string>>;

const names = Object.keys(types) as Format[]; // the keys of a literal are known

/** Whether the request asks for JSON. */
export function wantsJson(accept: string, query: ListParameters): boolean {
  return preferredFormat(accept, query) === 'json';
}

/** `format` wins over `Accept`, so that a link can name the format. */
function preferredFormat(accept: string, { format: named }: ListParameters): Format {
  if (named !== undefined) return named;
  for (const part of accept.split(',')) {
    const type = part.split(';')[0]?.trim();
    const format = names.find((known) => types[known].split(';')[0] === type);
    if (format !== undefined) return format;
  }
  return 'json';
}

function toListPage(rows: ListRows, { limit, cursor, offset = 0 }: ListParameters, version: string): ListPage {
  const from = cursorOffset(cursor, version) ?? offset;
  const data = rows.slice(from, from + (typeof limit === 'number' ? limit : rowsDefault));
  const end = from + data.length;
  return { data, total: rows.length, next: end < rows.length ? cursorAt(end, version) : null };
}

function cursorAt(offset: number, version: string): string {
  return Buffer.from(`${version} ${offset}`, 'utf8').toString('base64url');
}

function cursorOffset(cursor: string | undefined, version: string): number | null {
  if (cursor === undefined) return null;
  const [of, offset] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  if (offset === undefined || !/^\d{1,9}$/.test(offset))
    throw new InvalidQuery('cursor: not valid; pass `next` of the previous page');
  if (of !== version) throw new InvalidQuery('cursor: history has changed since; start again without it');
  return Number(offset);
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
