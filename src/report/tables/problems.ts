// problems.csv: every search of a run without a complete check, why, and what to do about it.

import type { CheckStatus } from '../../tracker/observation.ts';
import { type CsvColumn, type CsvOptions, columnNotes, csvChunks } from '../formats/csv.ts';
import { checkDay } from '../formats/day-columns.ts';
import { locationColumn, searchColumns } from '../rows/search-columns.ts';

/** Null: missing. A search that was not checked at all has neither depth nor run. */
export interface ProblemRow {
  readonly project: string;
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly location?: string | undefined;
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

/** The columns of problems.csv, in order. */
const problemColumns: readonly CsvColumn<ProblemRow>[] = [
  ...searchColumns<ProblemRow>((row) => row),
  {
    name: 'status',
    kind: 'text',
    description: 'failed, unknown_paid, incomplete or deferred; the table is in this order',
    value: (row) => row.status,
  },
  { name: 'reason', kind: 'text', description: 'What went wrong', value: (row) => row.reason },
  { name: 'remedy', kind: 'text', description: 'What to do about it', value: (row) => row.remedy },
  { name: 'depth', kind: 'number', description: 'Requested results pages', value: (row) => row.depth },
  { name: 'pages_read', kind: 'number', description: 'Results pages that were read', value: (row) => row.pagesRead },
  { name: 'checked_at', kind: 'date', description: 'When the first page was read, UTC', value: (r) => r.checkedAt },
  { name: 'finished_at', kind: 'date', description: 'When the check ended, UTC', value: (row) => row.finishedAt },
  {
    name: 'credits',
    kind: 'number',
    description: 'Cost of the whole check, also if projects share it; unknown outcomes count as spent',
    value: (row) => row.credits,
  },
  { name: 'source', kind: 'text', description: 'service/source of the pages', value: (row) => row.source },
  { name: 'run_id', kind: 'number', description: 'Run of the check', value: (row) => row.runId },
  {
    name: 'warning',
    kind: 'text',
    description: 'Warnings about the whole run: it is suspect, the data is simulated',
    value: (row) => row.warning,
  },
  checkDay((row) => row.checkedAt),
  locationColumn((row) => row),
];

/** Name, kind and meaning of each column, for the documentation. */
export const problemColumnNotes = () => columnNotes(problemColumns);

export function problemsCsv(rows: Iterable<ProblemRow>, options?: CsvOptions): Generator<string> {
  return csvChunks(problemColumns, rows, options);
}
