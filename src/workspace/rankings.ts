// The ranks of rows over the dates of a period: the keyword table of each date.

import { apiValue } from '../rows/fields.ts';
import { type HistoryReader, InvalidQuery } from './contract.ts';
import type { ReadRequest } from './endpoint.ts';
import { parseFilter } from './keyword-filter.ts';
import type { KeywordRow } from './records.ts';
import { fields } from './row-fields.ts';

const rowsMax = 200_000;

/**
 * Only of dates on which the row was checked, failed checks included. Throws InvalidQuery for more rows than memory is
 * meant to hold.
 */
export function rankings(reader: HistoryReader, { project, query }: ReadRequest): readonly object[] {
  const [from, to] = [query.get('from') || null, query.get('to') || null];
  const { dates } = reader.project(project);
  const isMeant = (date: string): boolean => (from === null || date >= from) && (to === null || date <= to);
  const meant = from === null && to === null ? dates.slice(-1) : dates.filter(isMeant);
  const filter = parseFilter(query);
  const found: object[] = [];
  for (const date of meant) {
    for (const row of reader.keywords({ project, date, filter, sort: [] }))
      if (row.date === date && row.runId !== null) found.push(pick(row));
    if (found.length > rowsMax)
      throw new InvalidQuery(
        `from, to: more than ${rowsMax} ranks; shorten the period, add a filter, or use rankledger export`,
      );
  }
  return found;
}

function pick(row: KeywordRow): object {
  return Object.fromEntries(fields.rankingFields.map((field) => [field, apiValue(row, field) ?? null]));
}
