// Answers a path of the read API without a server.
import type { HistoryReader } from '../contract.ts';
import { NotFound } from '../contract.ts';
import { findEndpoint, refuseUnknown } from '../route.ts';

/**
 * The document at a path such as `/v1/projects/example/keywords?limit=100`. Lists take `limit` and `offset`, and hold
 * all rows by default. Throws NotFound and InvalidQuery.
 */
export function answerPath(reader: HistoryReader, path: string): unknown {
  const [pathname = '', search = ''] = path.split('?');
  const query = new URLSearchParams(search);
  const found = findEndpoint(pathname);
  if (found === null) throw new NotFound(`There is no ${pathname}.`);
  const { endpoint, path: names } = found;
  refuseUnknown(endpoint, query);
  const value = endpoint.read(reader, { ...names, query });
  if (endpoint.kind === 'document') return value;
  const rows = value as readonly unknown[]; // of a list
  const from = Number(query.get('offset') ?? 0);
  return { data: rows.slice(from, from + Number(query.get('limit') ?? rows.length)), total: rows.length, next: null };
}
