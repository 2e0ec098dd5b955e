// What SQLite takes and gives: rows, values, and a prepared statement.
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
