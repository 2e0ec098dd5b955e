// problems.csv: every search of a run without a complete check, why, and what to do about it.

import type { CheckStatus } from '../../tracker/observation.ts';
import type { NamedMarket } from '../../tracker/project.ts';
import { checkDay, columnsOf, fieldColumns, searchFields } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/** Null: missing. A search that was not checked at all has neither depth nor run. */
export interface ProblemRow extends NamedMarket {
  readonly project: string;
  readonly keyword: string;
  readonly status: CheckStatus;
  readonly reason: string | null;
  readonly remedy: string | null;
  readonly depth: number | null;
  readonly pagesRead: number | null;
  /** UTC milliseconds, like `finishedAt`. */
  readonly checkedAt: number | null;
  readonly finishedAt: number | null;
  readonly credits: number | null;
  readonly source: string | null;
  readonly runId: number | null;
  readonly warning: string | null;
}

const { text, number, date } = columnsOf<ProblemRow>();

export const problemColumns: readonly CsvColumn<ProblemRow>[] = [
  ...fieldColumns((row: ProblemRow) => row, ...searchFields),
  text('status', 'failed, unknown_paid, incomplete or deferred; the table is in this order', (row) => row.status),
  text('reason', 'What went wrong', (row) => row.reason),
  text('remedy', 'What to do about it', (row) => row.remedy),
  number('depth', 'Requested results pages', (row) => row.depth),
  number('pages_read', 'Results pages that were read', (row) => row.pagesRead),
  date('checked_at', 'When the first page was read, UTC', (r) => r.checkedAt),
  date('finished_at', 'When the check ended, UTC', (row) => row.finishedAt),
  number(
    'credits',
    'Cost of the whole check, also if projects share it; unknown outcomes count as spent',
    (row) => row.credits,
  ),
  text('source', 'service/source of the pages', (row) => row.source),
  number('run_id', 'Run of the check', (row) => row.runId),
  text('warning', 'Warnings about the whole run: it is suspect, the data is simulated', (row) => row.warning),
  checkDay((row) => row.checkedAt),
  ...fieldColumns((row: ProblemRow) => row, 'location'),
];
