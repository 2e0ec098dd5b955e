// The columns of a ranking that is older than its slot: a keyword that waits.
import type { LastRanking } from '../../rows/note.ts';
import type { CsvColumn } from './csv.ts';

export function ageColumns<Row>(lastOf: (row: Row) => LastRanking | undefined): CsvColumn<Row>[] {
  return [
    {
      name: 'last_rank',
      kind: 'number',
      description: 'Where the keyword was not checked: its newest rank before; empty if it was not found then',
      value: (row) => lastOf(row)?.rank ?? null,
    },
    {
      name: 'last_checked_at',
      kind: 'date',
      description: 'When the pages of last_rank were read, UTC',
      value: (row) => lastOf(row)?.checkedAt ?? null,
    },
    {
      name: 'last_age_days',
      kind: 'number',
      description: 'Whole days between last_checked_at and this slot',
      value: (row) => lastOf(row)?.ageDays ?? null,
    },
  ];
}
