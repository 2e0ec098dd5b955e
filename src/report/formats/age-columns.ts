// The columns of a ranking that is older than its slot: a keyword that waits.
import type { CsvColumn } from './csv.ts';

/** The newest proven ranking of a keyword that waits. It is in no sum. */
export interface LastRanking {
  /** Null: it was not found. */
  readonly rank: number | null;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  /** Whole days between it and the slot. */
  readonly ageDays: number;
  /** Pages of that check. */
  readonly depth: number;
}

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
