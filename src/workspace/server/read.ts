// Answers a question to the read API: as a body, or a refusal. The server calls it, and its side thread.
import { ExpressionsUsedUp, type HistoryReader, InvalidQuery, NotFound } from '../../read/contract.ts';
import type { LimitExpressions } from '../../read/expression.ts';
import type { ListRows } from '../../read/lazy-rows.ts';
import { parseQuery } from '../../read/queries.ts';
import type { KeywordRow } from '../../read/records.ts';
import { findEndpoint } from '../../read/route.ts';
import { RefusedAside } from '../heavy.ts';
import { type Refusal, tooMany } from '../readers.ts';
import { NotShared } from '../scoped-reader.ts';
import { type Body, documentBody, type ListParameters, listBody, wantsJson } from './answers.ts';

/** A decoded request of a path that exists. */
export interface ReadQuestion {
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  /** For limits. */
  readonly client: string;
}

/** Throws what `refusalOf` turns into a refusal. */
export function readBody(
  reader: HistoryReader,
  { pathname, query, accept, client }: ReadQuestion,
  limitExpressions: LimitExpressions,
): Body {
  const found = findEndpoint(pathname);
  if (found === null) throw new NotFound(`there is no ${pathname}`);
  const { endpoint, path } = found;
  const { withPage, columns = [] } = endpoint;
  return limitExpressions(client, () => {
    // expressions are compiled where they are parsed
    const parsed: ListParameters = parseQuery(endpoint.query, query);
    const asked = { ...path, query: parsed as never }; // by its parameters
    const list = { accept, query: parsed, version: reader.version(), columns };
    const isTable = endpoint.rows !== undefined && !wantsJson(accept, parsed);
    const value = endpoint.read(reader, asked);
    if (endpoint.kind === 'list')
      return listBody(value as ListRows, {
        ...list,
        withPage: withPage && ((rows) => withPage(reader, asked, rows as KeywordRow[])), // of `read`
      });
    return isTable && endpoint.rows !== undefined
      ? listBody(endpoint.rows(value as never), list) // of `read`
      : documentBody(value);
  });
}

/** Null: the error is unexpected. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof RefusedAside) return error.refusal;
  const refused = (status: number): Refusal => ({ status, message: error.message, headers: {} });
  if (error instanceof NotFound) return refused(404);
  if (error instanceof ExpressionsUsedUp) return tooMany(error.message, error.retryAfterMs);
  if (error instanceof NotShared) return refused(403);
  return error instanceof InvalidQuery ? refused(400) : null;
}
