// The column `date` of report tables: a local day, which spreadsheets read as a date.
import type { CsvColumn } from './csv.ts';

/** Of rows with a check. */
export function checkDay<Row>(checkedAt: (row: Row) => number | null): CsvColumn<Row> {
  const description = 'Local date on which the pages were read; if none was read, local date of the run';
  return { name: 'date', kind: 'day', description, value: checkedAt };
}

/** Of rows that sum up a run. */
export function runDay<Row>(): CsvColumn<Row> {
  return { name: 'date', kind: 'day', description: 'Local date of the run', value: () => null };
}
