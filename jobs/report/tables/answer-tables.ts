// The table answers.csv: AI answers and AI overviews of the newest periods.

import type { AnswerRow } from '../../../src/read/answer-row.ts';
import { reportTable } from '../../../src/report/formats/table-writer.ts';
import { answerColumns } from '../../../src/report/tables/answers.ts';
import { addDays } from '../../../src/tracker/schedule/local-time.ts';
import { answerRows } from '../../read/rows/answer-rows.ts';
import type { ReportScope } from '../../read/rows/report-scope.ts';

/** Periods that begin at most this long before the run. */
const daysMax = 100;
/** Rows of answers in report.html. */
export const pageAnswersMax = 2_000;

/** Of projects that track prompts, or whose pages show AI overviews. */
export const answerTable = reportTable({
  name: 'answers',
  columns: answerColumns,
  neededFor: 'page',
  start({ context, slot, project, warning, findings }: ReportScope) {
    const dates = { from: addDays(slot.localDate, -daysMax), to: slot.localDate };
    const rows = answerRows(context, project, dates, warning);
    const first = rows.next();
    if (first.done === true && project.prompts === undefined) return null;
    const shown = new ShownAnswers();
    return {
      *rest() {
        for (let next = first; next.done !== true; next = rows.next()) {
          shown.add(next.value);
          yield next.value;
        }
        findings.answers = shown.list();
      },
    };
  },
});

/** The rows that report.html may show, in their order: of all prompts together, and the newest of single ones. */
class ShownAnswers {
  #rows: AnswerRow[] = [];
  #parts = 0;

  add(row: AnswerRow): void {
    this.#rows.push(row);
    if (row.prompt === null) return;
    this.#parts += 1;
    if (this.#parts >= 2 * pageAnswersMax) this.#drop();
  }

  list(): readonly AnswerRow[] {
    this.#drop();
    return this.#rows;
  }

  #drop(): void {
    let dropped = Math.max(0, this.#parts - pageAnswersMax);
    this.#parts -= dropped;
    this.#rows = this.#rows.filter(({ prompt }) => {
      if (prompt === null || dropped === 0) return true;
      dropped -= 1;
      return false;
    });
  }
}
