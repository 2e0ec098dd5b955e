// Saved views: a named query of the keyword table, as the address of the page has it.

import { comparisonHint, parseComparison } from '../tracker/changes/change.ts';
import { isDate } from '../tracker/schedule/local-time.ts';
import { InvalidQuery } from './contract.ts';
import { filterParameters, parseFilter, parseSort } from './keyword-filter.ts';

const dates = ['date', 'from', 'to'];
const granularities = ['day', 'week', 'month'];
/** Of the page alone: columns, and what the chart shows. */
const display = ['cols', 'chart'];
const parameters: readonly string[] = [
  ...Object.keys(filterParameters),
  'sort',
  ...dates,
  'compare',
  'granularity',
  ...display,
];

/** A query as it is written in the config: copied from an address, it may begin with `?`. */
export function savedQuery(written: string): string {
  return written.trim().replace(/^\?/, '');
}

/** What is wrong with the query of a view; undefined: nothing. */
export function viewComplaint(written: string): string | undefined {
  const query = new URLSearchParams(savedQuery(written));
  const unknown = [...query.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) return `has no parameter "${unknown}"; known: ${parameters.join(', ')}`;
  if (query.size === 0) return 'is empty; write a query such as tag=shoes&rank=..10';
  for (const name of dates) {
    const date = query.get(name);
    if (date && !isDate(date)) return `${name}: "${date}" is not a date such as 2026-11-20`;
  }
  const compare = query.get('compare');
  if (compare && parseComparison(compare) === null) return `compare: "${compare}" is not ${comparisonHint}`;
  const granularity = query.get('granularity');
  if (granularity && !granularities.includes(granularity))
    return `granularity: "${granularity}" is not ${granularities.join(', ')}`;
  try {
    parseFilter(query);
    parseSort(query.get('sort'));
    return undefined;
  } catch (error) {
    if (error instanceof InvalidQuery) return error.message;
    throw error;
  }
}
