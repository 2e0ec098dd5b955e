// Row types per table, inferred from the schema. Types only, so that drizzle is not loaded.
import type { InferInsertModel, InferSelectModel, Table } from 'drizzle-orm';
import type * as schema from './index.ts';

type Tables = {
  [Name in keyof typeof schema as (typeof schema)[Name] extends Table
    ? (typeof schema)[Name]['_']['name']
    : never]: (typeof schema)[Name] extends Table ? (typeof schema)[Name] : never;
};

type Rows = { [Name in keyof Tables]: InferSelectModel<Tables[Name], { dbColumnNames: true }> };
type NewRows = { [Name in keyof Tables]: InferInsertModel<Tables[Name], { dbColumnNames: true }> };

/** As SQL names it: `account_log`. */
export type TableName = keyof Tables;

/** A row to insert, or some of its columns. */
export type NewTableRow<Name extends TableName, Column extends keyof NewRows[Name] = keyof NewRows[Name]> = Pick<
  NewRows[Name],
  Column
>;

/** Columns that have neither a default nor NULL. The ids of tables that give them out are not among them. */
export type RequiredColumn<Name extends TableName> = {
  [Column in keyof NewRows[Name]]-?: undefined extends NewRows[Name][Column] ? never : Column;
}[keyof NewRows[Name]];

/** A row of a table, or some of its columns: `TableRow<'runs', 'id' | 'state'>`. */
export type TableRow<Name extends keyof Rows, Column extends keyof Rows[Name] = keyof Rows[Name]> = Pick<
  Rows[Name],
  Column
>;

/** Columns of an outer join: all are null where it found no row. */
export type OuterJoined<Columns> = Columns | { [Column in keyof Columns]: null };
