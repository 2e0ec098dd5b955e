// Lists the tables of a report beside the tracked ones, in the order in which they are written.
import { htmlReport } from './html-report.ts';
import { spendTables } from './outcome-tables.ts';
import { periodTables } from './period-table.ts';
import type { JoinedTables, ReportScope, ReportTable } from './report-scope.ts';
import { serpTables } from './serp-tables.ts';
import { volumeTables } from './volume-tables.ts';

/** Makes tables one after another, so that memory of one is free before the next begins. */
type TableFamily = (scope: ReportScope) => Iterable<ReportTable | JoinedTables>;

const families: readonly TableFamily[] = [volumeTables, spendTables, serpTables, periodTables, htmlReport];

export function* otherTables(scope: ReportScope): Generator<ReportTable | JoinedTables> {
  for (const family of families) yield* family(scope);
}
