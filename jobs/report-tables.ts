// Which tables a report folder holds beside the tracked ones, in the order in which they are written. Each family makes its own reading of the store.
import { htmlReport } from './html-report.ts';
import { spendTables } from './outcome-tables.ts';
import type { JoinedTables, ReportScope, ReportTable } from './report-scope.ts';
import { serpTables } from './serp-tables.ts';
import { volumeTables } from './volume-tables.ts';

/** Makes tables one after another; what one needed is gone before the next is begun. */
type TableFamily = (scope: ReportScope) => Iterable<ReportTable | JoinedTables>;

const families: readonly TableFamily[] = [volumeTables, spendTables, serpTables, htmlReport];

export function* otherTables(scope: ReportScope): Generator<ReportTable | JoinedTables> {
  for (const family of families) yield* family(scope);
}
