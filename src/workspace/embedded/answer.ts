// Answers a path of the read API without a server.
import { type HistoryReader, InvalidQuery, NotFound } from '../../read/contract.ts';
import { everyRow, parseQuery } from '../../read/queries.ts';
import { findEndpoint } from '../../read/route.ts';
import { rowsWithFields, type TextFormat, textChunks, textTypes } from '../row-files.ts';

/**
 * The document at a path such as `/v1/projects/example/keywords?limit=100`. Lists take `limit` and `offset`, and hold
 * all rows by default. Throws NotFound and InvalidQuery.
 */
export function answerPath(reader: HistoryReader, path: string): unknown {
  const { value, endpoint, query } = readPath(reader, path);
  if (endpoint.kind === 'document') return value;
  const rows = value as readonly unknown[]; // of a list
  const { offset: from = 0, limit = everyRow } = query;
  const data = rows.slice(from, limit === everyRow ? undefined : from + limit);
  return { data, total: rows.length, next: null };
}

/** The file that a server gives for the path of a list with `format`: all rows. Throws NotFound and InvalidQuery. */
export function filePath(reader: HistoryReader, path: string): { readonly type: string; readonly text: string[] } {
  const { value, query, endpoint } = readPath(reader, path);
  const { format = '', fields } = query;
  if (!isTextFormat(format)) throw new InvalidQuery(`This file does not write ${format}.`);
  const { columns = [], rows: rowsOf } = endpoint;
  const rows = rowsOf === undefined ? (value as readonly object[]) : rowsOf(value as never); // rows of a list
  const text = textChunks(rowsWithFields(rows, fields), format, fields ?? columns);
  return { type: textTypes[format], text: [...text] };
}

function isTextFormat(format: string): format is TextFormat {
  return Object.hasOwn(textTypes, format);
}

interface AskedFile {
  readonly limit?: number | typeof everyRow;
  readonly offset?: number;
  readonly fields?: readonly string[];
  readonly format?: string;
}

function readPath(reader: HistoryReader, path: string) {
  const [pathname = '', search = ''] = path.split('?');
  const found = findEndpoint(pathname);
  if (found === null) throw new NotFound(`There is no ${pathname}.`);
  const { endpoint, path: names } = found;
  const query: AskedFile = parseQuery(endpoint.query, new URLSearchParams(search));
  return { value: endpoint.read(reader, { ...names, query: query as never }), query, endpoint }; // by its parameters
}
