// causes.csv: why the rows of a report changed, a line for each cause.
import type { CauseRecord, KeywordCauses } from '../../tracker/causes/cause-text.ts';
import { columnsOf, fieldColumns, searchFields } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/** One cause of one row. */
export interface CauseRow {
  readonly of: Omit<KeywordCauses, 'id' | 'causes'>;
  readonly cause: CauseRecord;
  /** From 1, the strongest first. */
  readonly number: number;
  readonly runId: number;
  readonly warning: string | null;
}

const { text, number, day } = columnsOf<CauseRow>();

export const causeColumns: readonly CsvColumn<CauseRow>[] = [
  ...fieldColumns(({ of }: CauseRow) => of, ...searchFields, 'target', 'rank', 'previousRank', 'changeClass'),
  ...fieldColumns(({ of }: CauseRow) => of, 'significance'),
  number('cause_number', 'From 1: the strongest first', (row) => row.number),
  text(
    'cause',
    'The cause in words. Sites, titles and notes in it are from the web or the config',
    (row) => row.cause.sentence,
  ),
  text('kind', 'Kind of the cause: docs/why.md has their list', ({ cause }) => cause.kind),
  number('strength', '0 to 1, by the rule of its kind', ({ cause }) => cause.strength),
  text('certainty', 'certain, likely or possible', ({ cause }) => cause.certainty),
  number(
    'places',
    'Ranks that the cause explains, positive is better; over the causes of a row they add up to places_all',
    ({ cause }) => cause.places ?? null,
  ),
  number(
    'places_all',
    'The change that the causes of the row add up to, or at least that, where a rank lies below what was read; empty: its pages are not stored',
    ({ of }) => of.places,
  ),
  text('site', 'Site of the other result that moved', ({ cause }) => cause.site ?? null),
  text('url', 'URL of the result that the cause is about', ({ cause }) => cause.url ?? null),
  text('feature', 'SERP feature that the cause is about', ({ cause }) => cause.feature ?? null),
  text('evidence', 'Page of the workspace that shows it, below /p/PROJECT/', ({ cause }) => cause.evidence),
  day('from', 'Local date of the check before', ({ of }) => of.from),
  day('to', 'Local date of the check', ({ of }) => of.to),
  ...fieldColumns(({ of }: CauseRow) => of, 'location'),
  number('run_id', 'Run of the report', (row) => row.runId),
  text('warning', 'Warnings: a suspect run, simulated data', (row) => row.warning),
];
