// The rankings of one keyword over time.
import {
  type HistoryRow,
  historyRows,
  type HistoryQuery as KeywordHistoryQuery,
} from '../../../jobs/query/read-history.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { trackedLocation } from '../opening/place-names.ts';

export interface HistoryQuery extends KeywordHistoryQuery {
  readonly project?: string;
}

/** Throws UsageError for an unknown project or location. */
export function readHistory({ config, context }: App, query: HistoryQuery): IterableIterator<HistoryRow> {
  const ids = query.project === undefined ? [] : [query.project];
  const { location: written, ...rest } = query;
  const location = written === undefined ? undefined : trackedLocation(config, written, query.country);
  const located = { ...rest, location };
  return historyRows(context, projectsNamed(config, ids), located);
}
