// The table answers.csv: AI answers and AI overviews of the newest periods.
import { answersCsv } from '../../../src/report/tables/answers.ts';
import { addDays } from '../../../src/tracker/changes/baseline.ts';
import { answerRows } from '../rows/answer-rows.ts';
import { countedTable, type ReportScope, type ReportTable } from '../rows/report-scope.ts';

/** Periods that begin at most this long before the run. */
const daysMax = 100;

/** Of projects that track prompts, or whose pages show AI overviews. */
export function* answerTables({
  context,
  settings,
  slot,
  project,
  warning,
  findings,
}: ReportScope): Generator<ReportTable> {
  const dates = { from: addDays(slot.localDate, -daysMax), to: slot.localDate };
  const rows = answerRows(context, project, dates, warning);
  if (rows.length === 0 && project.prompts === undefined) return;
  findings.answers = rows;
  yield countedTable('answers.csv', rows, (each) => answersCsv(each, settings.csv));
}
