// better-sqlite3, loaded with the first database, and what it takes and gives: rows, values, prepared statements.

import { createRequire } from 'node:module';
import type BetterSqlite from 'better-sqlite3';

export type Row = Record<string, string | number | null | Buffer>;

export type Value = string | number | bigint | null | Buffer;

/** Values for `?`, in order, or one object for `@name` parameters that a statement uses more than once. */
export type Values = readonly Value[] | readonly [Readonly<Record<string, Value>>];

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

/** As SQL names a column that the code calls `openedAt`. */
export function columnName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Columns for a SELECT under the names that the code uses: `columnsOf('c', ['id', 'runId'])`. */
export function columnsOf(alias: string, names: readonly string[]): string {
  return names.map((name) => `${alias}.${columnName(name)} AS ${name}`).join(', ');
}

const inserts = new Map<string, string>();

/** Inserts a row by prepared SQL; values that are absent are NULL. */
export function inserted(sql: Prepare, table: string, row: object, conflict = ''): ReturnType<Statement['run']> {
  const names = Object.keys(row);
  const key = `${table} ${names} ${conflict}`;
  let text = inserts.get(key);
  if (text === undefined) {
    text = `INSERT INTO ${table} (${names.map((name) => `"${columnName(name)}"`)}) VALUES (${names.map(() => '?')}) ${conflict}`;
    inserts.set(key, text);
  }
  // columns of the schema are numbers, texts and blobs
  return sql(text).run(...Object.values(row).map((value: Value | undefined) => value ?? null));
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
