// The tables with a line for each tracked keyword, and their sums: rank-changes.csv and summary.csv, out of one reading of the rows.
import { type Mover, startMovers } from '../src/report/movers.ts';
import { startRankChanges } from '../src/report/rank-changes.ts';
import { rankChangeRow } from '../src/report/row.ts';
import { startSummary, summaryCsv } from '../src/report/summary.ts';
import { reportRows } from './report-rows.ts';
import type { ReportScope, ReportTable } from './report-scope.ts';

const moversMax = 5;

export interface TrackedTables {
  readonly tables: readonly ReportTable[];
  /** Rows with a complete check, of all. */
  readonly coverage: { readonly checked: number; readonly total: number };
  /** Where the pages came from, in order. */
  readonly sources: readonly string[];
  readonly movers: readonly Mover[];
}

export function trackedTables({ context, settings, run, runs, slot, project, warning }: ReportScope): TrackedTables {
  const { csv, ctrCurve, comparison } = settings;
  const changes = startRankChanges(csv);
  const summary = startSummary(ctrCurve);
  const movers = startMovers(moversMax, ctrCurve);
  const sources = new Set<string>();
  let total = 0;
  let checked = 0;
  for (const input of reportRows({ store: context.store, project, runs, slot, comparison })) {
    const row = rankChangeRow(input, ctrCurve);
    total += 1;
    if (row.complete) checked += 1;
    if (row.source !== null && row.source !== '') sources.add(row.source);
    changes.add(row);
    summary.add(row);
    movers.add(row);
  }
  const sums = summary.rows({ runId: run.id, warning });
  return {
    tables: [
      { name: 'rank-changes.csv', rows: total, chunks: changes.chunks() },
      { name: 'summary.csv', rows: sums.length, chunks: summaryCsv(sums, csv) },
    ],
    coverage: { checked, total },
    sources: [...sources].sort(),
    movers: movers.list(),
  };
}
