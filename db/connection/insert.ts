// INSERT statements typed by the schema. Types only, so that drizzle is not loaded.
import type { NewTableRow, RequiredColumn, TableName } from '../schema/rows.ts';
import type { Value } from './statement.ts';

/** Prepared SQL that inserts a `Row`. */
export interface Insert<Row> {
  readonly sql: string;
  readonly columns: readonly (keyof Row)[];
}

/** `conflict`: the ON CONFLICT clause. Does not compile where a column that a row needs is missing. */
export function insertInto<Name extends TableName, const Column extends keyof NewTableRow<Name> & string>(
  table: Name,
  columns: readonly Column[],
  ...[conflict]: [Exclude<RequiredColumn<Name>, Column>] extends [never]
    ? [conflict?: string]
    : [missing: { readonly [Missing in Exclude<RequiredColumn<Name>, Column>]: never }]
): Insert<NewTableRow<Name, Column>> {
  const marks = columns.map(() => '?').join(', ');
  return { sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks}) ${conflict ?? ''}`, columns };
}

/** In the order of the columns; absent ones are NULL. */
export function toValues<Row>({ columns }: Pick<Insert<Row>, 'columns'>, row: Row): Value[] {
  // safe: columns of the schema are numbers, texts and blobs
  return columns.map((column) => (row[column] ?? null) as Value);
}
