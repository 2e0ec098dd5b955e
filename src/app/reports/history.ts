// The rankings of one keyword over time.
import {
  type HistoryRow,
  historyRows,
  type HistoryQuery as KeywordHistoryQuery,
} from '../../../jobs/query/read-history.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';

export interface HistoryQuery extends KeywordHistoryQuery {
  readonly project?: string;
}

export function readHistory({ config, context }: App, query: HistoryQuery): IterableIterator<HistoryRow> {
  const ids = query.project === undefined ? [] : [query.project];
  return historyRows(context, projectsNamed(config, ids), query);
}
