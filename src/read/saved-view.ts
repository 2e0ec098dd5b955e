// Saved views: a named query of the keyword table, as the address of the page has it.
import * as z from 'zod/mini';
import { InvalidQuery } from './contract.ts';
import { chartShape, filterOf, filterShape, maybe, parseQuery, sortShape, text } from './queries.ts';

/** Also of the page alone: columns, and what the chart shows. */
const viewSchema = z.strictObject({
  ...filterShape,
  ...sortShape,
  ...chartShape,
  cols: maybe(text(), 'columns'),
  chart: maybe(text(), 'what the chart shows'),
});

/** A query as it is written in the config: copied from an address, it may begin with `?`. */
export function savedQuery(written: string): string {
  return written.trim().replace(/^\?/, '');
}

/** What a view shows of the keyword table. Throws InvalidQuery. */
export function parseView(written: string) {
  const query = parseQuery(viewSchema, new URLSearchParams(savedQuery(written)));
  const { date, compare } = query;
  return { date, compare, filter: filterOf(query) };
}

/** What is wrong with the query of a view; undefined: nothing. */
export function viewComplaint(written: string): string | undefined {
  const query = new URLSearchParams(savedQuery(written));
  if (query.size === 0) return 'is empty; write a query such as tag=shoes&rank=..10';
  try {
    parseView(written);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidQuery) return error.message;
    throw error;
  }
}
