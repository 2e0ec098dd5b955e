// How tables write their columns: by kind, and columns that several tables have, each with one description.
import { columnName, type FieldName, type FieldValues, fields } from '../../read/fields.ts';
import type { SerpRow } from '../../read/serp.ts';
import type { CsvColumn, SharedColumns } from './csv.ts';

type Kind = CsvColumn<never>['kind'];
type Value<Row, Of extends Kind> = Extract<CsvColumn<Row>, { kind: Of }>['value'];

/** A function for each kind of column: name in the header, description, value of a row. */
export function columnsOf<Row>() {
  const of =
    <Of extends Kind>(kind: Of) =>
    (name: string, description: string, value: Value<Row, Of>): CsvColumn<Row> =>
      ({ name, kind, description, value }) as CsvColumn<Row>; // `value` is of the kind
  return {
    text: of('text'),
    number: of('number'),
    boolean: of('boolean'),
    date: of('date'),
    day: of('day'),
    list: of('list'),
  };
}

/** The same columns as those of the keyword row: `rowOf` gives its fields. */
export function fieldColumns<Row, Name extends FieldName>(
  rowOf: (row: Row) => { readonly [Field in Name]?: FieldValues[Field] },
  ...names: readonly Name[]
): CsvColumn<Row>[] {
  return names.map((name) => {
    const { kind, about: description } = fields[name];
    const value = (row: Row): unknown => rowOf(row)[name] ?? null;
    // `FieldValues` ties the type of a value to the kind of its field
    const column = { name: columnName(name), kind: kind === 'moment' ? 'date' : kind, description, value };
    return column as CsvColumn<Row>;
  });
}

/** The first columns of tables with a line per search. */
export const searchFields = ['project', 'keyword', 'country', 'language', 'device'] as const;

/** A market; null in lines without one, or with several. */
export interface MarketNames {
  readonly country: string | null;
  readonly language: string | null;
  readonly device: string | null;
  readonly location?: string;
}

/** Country, language, device of summary tables: empty except in the lines of one market. */
export function marketScopeColumns<Row extends MarketNames>(): readonly CsvColumn<Row>[] {
  const { text } = columnsOf<Row>();
  return [
    text('country', 'Country, in lines with scope market', (row) => row.country),
    text('language', 'Language, in lines with scope market', (row) => row.language),
    text('device', 'Device, in lines with scope market', (row) => row.device),
  ];
}

/** The local date of rows with a check. */
export function checkDay<Row>(checkedAt: (row: Row) => number | null): CsvColumn<Row> {
  return columnsOf<Row>().day('date', fields.date.about, checkedAt);
}

/** The local date of rows that sum up a run. */
export function runDay<Row>(): CsvColumn<Row> {
  return columnsOf<Row>().day('date', 'Local date of the run', () => null);
}

/** A row of a table of searches, with its search. */
interface RowOfSearch {
  readonly of: SerpRow;
  /** Why this row has no numbers, or what explains its change. The search's own remarks follow. */
  readonly note?: string;
}

/**
 * The columns of a table of searches: the search, the table's own columns, and the provenance. Rows of a search share
 * the first and the last.
 */
export function searchTable<Row extends RowOfSearch>(
  own: readonly CsvColumn<Row>[],
): { readonly columns: readonly CsvColumn<Row>[]; readonly shared: readonly SharedColumns<Row>[] } {
  const whose = fieldColumns(({ of }: Row) => of, ...searchFields);
  const read = readColumns<Row>();
  return {
    columns: [...whose, ...own, ...read],
    shared: [
      { columns: whose, same: ({ of }) => of },
      { columns: read, same: (row) => (row.note === undefined ? row.of : row) },
    ],
  };
}

/** The last columns: the provenance of the row. */
function readColumns<Row extends RowOfSearch>(): readonly CsvColumn<Row>[] {
  const { number, text } = columnsOf<Row>();
  const nowOf = ({ of: { now, before, searchVolume, tags } }: Row) => ({
    checkedAt: now?.checkedAt ?? null,
    previousCheckedAt: before?.checkedAt ?? null,
    searchVolume,
    tags,
  });
  return [
    number('pages', 'Results pages read, from page 1 without a gap', ({ of }) => of.now?.pages ?? null),
    number('previous_pages', 'The same in the baseline', ({ of }) => of.before?.pages ?? null),
    ...fieldColumns(nowOf, 'checkedAt', 'previousCheckedAt', 'searchVolume', 'tags'),
    text('note', fields.note.about, ({ of, note }) =>
      note === undefined ? of.note : of.note === null ? note : `${note}; ${of.note}`,
    ),
    text('source', fields.source.about, ({ of }) => of.now?.source ?? null),
    ...fieldColumns(({ of }: Row) => of, 'runId'),
    checkDay(({ of }) => of.now?.checkedAt ?? null),
    ...fieldColumns(({ of }: Row) => of, 'location'),
  ];
}
