// The columns that a template chose for the keyword table, and what a file answers where it does not hold something.
import type { PageProject } from '../../report/html/data/page-data.ts';
import { InvalidQuery } from '../contract.ts';

/** Columns of a template by the names that the table gives them. */
const tableColumns = {
  market: ['market', 'device'],
  target: ['target'],
  rank: ['rank'],
  change: ['change'],
  trend: ['trend'],
  bestRank: ['best'],
  volume: ['volume'],
  clicks: ['clicks'],
  clicksChange: ['clicks-change'],
  url: ['url'],
} as const;

export function templateColumns(columns: PageProject['columns']): { readonly columns?: readonly string[] } {
  return columns === null ? {} : { columns: ['keyword', ...columns.flatMap((name) => tableColumns[name])] };
}

export function notHeld(what: string): InvalidQuery {
  return new InvalidQuery(`This file does not hold ${what}. \`rankledger view\` shows them.`);
}
