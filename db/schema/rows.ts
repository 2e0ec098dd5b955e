// Row types per table, inferred from the schema. Types only, so that drizzle is not loaded.
import type { InferInsertModel, InferSelectModel, Table } from 'drizzle-orm';
import type * as schema from './index.ts';

type Tables = {
  [Name in keyof typeof schema as (typeof schema)[Name] extends Table
    ? (typeof schema)[Name]['_']['name']
    : never]: (typeof schema)[Name] extends Table ? (typeof schema)[Name] : never;
};

/** As SQL names it: `account_log`. */
export type TableName = keyof Tables;

/** A row to insert. Does not compile where a column that a row needs is missing. */
export type NewTableRow<Name extends TableName> = InferInsertModel<Tables[Name]>;

/** A row by the names that the code uses, or some of its columns: `TableRow<'runs', 'id' | 'openedAt'>`. */
export type TableRow<
  Name extends TableName,
  Column extends keyof InferSelectModel<Tables[Name]> = keyof InferSelectModel<Tables[Name]>,
> = Pick<InferSelectModel<Tables[Name]>, Column>;

/** Columns of an outer join: all are null where it found no row. */
export type OuterJoined<Columns> = Columns | { [Column in keyof Columns]: null };
