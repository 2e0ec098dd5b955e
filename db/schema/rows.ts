// Rows as SQLite gives them, by table: names and types of columns come from the schema. Types only, so that drizzle is not loaded.
import type { InferSelectModel, Table } from 'drizzle-orm';
import type * as schema from './index.ts';

type Rows = {
  [Name in keyof typeof schema as (typeof schema)[Name] extends Table
    ? (typeof schema)[Name]['_']['name']
    : never]: (typeof schema)[Name] extends Table
    ? InferSelectModel<(typeof schema)[Name], { dbColumnNames: true }>
    : never;
};

/** A row of a table, or some of its columns: `TableRow<'runs', 'id' | 'state'>`. */
export type TableRow<Name extends keyof Rows, Column extends keyof Rows[Name] = keyof Rows[Name]> = Pick<
  Rows[Name],
  Column
>;

/** Columns of an outer join: all are null where it found no row. */
export type OuterJoined<Columns> = Columns | { [Column in keyof Columns]: null };
