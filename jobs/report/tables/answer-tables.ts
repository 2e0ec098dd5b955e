// The table answers.csv: AI answers of the newest periods.
import { answersCsv } from '../../../src/report/tables/answers.ts';
import { answerRows } from '../rows/answer-rows.ts';
import { countedTable, type ReportScope, type ReportTable } from '../rows/report-scope.ts';

/** Periods that begin at most this long before the run. */
const daysMax = 100;
const dayMs = 86_400_000;

/** Only of projects that track prompts. */
export function* answerTables({ context, settings, slot, project, warning }: ReportScope): Generator<ReportTable> {
  if (project.prompts === undefined) return;
  const from = new Date(Date.parse(`${slot.localDate}T00:00:00Z`) - daysMax * dayMs).toISOString().slice(0, 10);
  const rows = answerRows(context, project, { from, to: slot.localDate }, warning);
  yield countedTable('answers.csv', rows, (each) => answersCsv(each, settings.csv));
}
