// Answers a path of the read API without a server.
import { type HistoryReader, InvalidQuery, NotFound } from '../contract.ts';
import { findEndpoint, refuseUnknown } from '../route.ts';
import { askedFields, everyRow, rowsWithFields, type TextFormat, textChunks, textTypes } from '../row-files.ts';

/**
 * The document at a path such as `/v1/projects/example/keywords?limit=100`. Lists take `limit` and `offset`, and hold
 * all rows by default. Throws NotFound and InvalidQuery.
 */
export function answerPath(reader: HistoryReader, path: string): unknown {
  const { value, kind, query } = readPath(reader, path);
  if (kind === 'document') return value;
  const rows = value as readonly unknown[]; // of a list
  const from = Number(query.get('offset') ?? 0);
  const limit = query.get('limit') ?? everyRow;
  const data = rows.slice(from, limit === everyRow ? undefined : from + Number(limit));
  return { data, total: rows.length, next: null };
}

/** The file that a server gives for the path of a list with `format`: all rows. Throws NotFound and InvalidQuery. */
export function filePath(reader: HistoryReader, path: string): { readonly type: string; readonly text: string[] } {
  const { value, query, endpoint } = readPath(reader, path);
  const format = query.get('format') ?? '';
  if (!isTextFormat(format)) throw new InvalidQuery(`This file does not write ${format}.`);
  const { fields: known = [], rows: rowsOf } = endpoint;
  const rows = rowsOf === undefined ? (value as readonly object[]) : rowsOf(value as never); // rows of a list
  const text = textChunks(rowsWithFields(rows, query, known), format, askedFields(query, known));
  return { type: textTypes[format], text: [...text] };
}

function isTextFormat(format: string): format is TextFormat {
  return Object.hasOwn(textTypes, format);
}

function readPath(reader: HistoryReader, path: string) {
  const [pathname = '', search = ''] = path.split('?');
  const query = new URLSearchParams(search);
  const found = findEndpoint(pathname);
  if (found === null) throw new NotFound(`There is no ${pathname}.`);
  const { endpoint, path: names } = found;
  refuseUnknown(endpoint, query);
  return { value: endpoint.read(reader, { ...names, query }), kind: endpoint.kind, query, endpoint };
}
