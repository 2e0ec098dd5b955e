// The table click-changes.csv: why measured clicks changed, in total, by query and by page.

import { reportTable } from '../../../src/report/formats/table-writer.ts';
import { type ClickChangeRow, clickChangeColumns } from '../../../src/report/tables/click-changes.ts';
import type { ClickChanges } from '../../../src/tracker/clicks/clicks.ts';
import { clickChangesBy } from '../../clicks/click-changes.ts';
import type { ReportScope } from '../../read/rows/report-scope.ts';

/** Four whole weeks against those before. */
const periodDays = 28;
/** Largest changes that the page has. */
const shownMax = 100;

/** Only of projects with clicks. */
export const clickTable = reportTable({
  name: 'click-changes',
  columns: clickChangeColumns,
  neededFor: 'page',
  start({ context, slot, project, clicks, findings }: ReportScope) {
    if (clicks === null) return null;
    const changes = clickChangesBy(context, project, { to: slot.localDate, days: periodDays });
    const [query, page] = [changes.of('query'), changes.of('page')];
    findings.clickChanges = { query: largest(query), page: largest(page) };
    return { rest: () => lines(project.id, query, page) };
  },
});

function largest(changes: ClickChanges): ClickChanges {
  return { ...changes, rows: changes.rows.slice(0, shownMax), rowsTotal: changes.rows.length };
}

function* lines(project: string, query: ClickChanges, page: ClickChanges): Generator<ClickChangeRow> {
  const { property, curve, period, previous, faults, total, hiddenChange } = query;
  const of = { project, property, curve, period, previous, faults };
  yield { of, by: 'total', name: null, change: total };
  yield { of, by: 'hidden', name: null, change: { change: hiddenChange } };
  for (const change of query.rows) yield { of, by: 'query', name: change.name, change };
  for (const change of page.rows) yield { of, by: 'page', name: change.name, change };
}
