// better-sqlite3, loaded with the first database, and what it takes and gives: rows, values, prepared statements.

import { createRequire } from 'node:module';
import type BetterSqlite from 'better-sqlite3';
import type { NewTableRow, RequiredColumn, TableName } from '../schema/rows.ts';

export type Row = Record<string, string | number | null | Buffer>;

export type Value = string | number | bigint | null | Buffer;

/** Values for `?`, in order, or one object for `@name` parameters that a statement uses more than once. */
type Values = readonly Value[] | readonly [Readonly<Record<string, Value>>];

/** Prepares a constant SQL text; `Result`: its columns. */
export type Prepare = <Result = Row>(text: string) => Statement<Result>;

export interface Statement<Result = Row> {
  run(...values: Values): { changes: number; lastInsertRowid: number | bigint };
  get(...values: Values): Result | undefined;
  all(...values: Values): Result[];
  iterate(...values: Values): IterableIterator<Result>;
}

/**
 * The statement with a unary plus before each parameter behind `=`: it changes no value, and SQLite keeps its first
 * plan. Without it SQLite plans a statement that joins or sorts anew for each value, which doubles its time. For a
 * partial index on a value, name that value in the text.
 */
export function keepingPlan(text: string): string {
  return text.replace(/= (?=\?|@\w)/g, '= +');
}

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

// required rather than imported: a binary that a command without a database need not load
const require = createRequire(import.meta.url);

export function sqliteDriver(): typeof BetterSqlite {
  return require('better-sqlite3') as typeof BetterSqlite;
}

/** Throws nothing where a failure has left a statement half read: that failure is the one to report. */
export function closeDriver(sqlite: BetterSqlite.Database): void {
  try {
    if (sqlite.open) sqlite.close();
  } catch (error) {
    if (!/busy executing a query/.test(String(error))) throw error;
  }
}
