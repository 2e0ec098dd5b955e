// Rows that know their numbers, and read everything else only when they are shown.

/** Names the method of a row that reads many rows of its kind in full, in their order. */
export const rowsInFull = Symbol('rowsInFull');

export interface PartialRow {
  readonly searchIndex: number;
  /** The same function for all rows of one reading. */
  readonly [rowsInFull]: (searchIndices: readonly number[]) => object[];
}

/** The rows as plain objects with all their fields, in their order. */
export function wholeRows(rows: readonly object[]): readonly object[] {
  const partial = rows.filter(isPartial);
  if (partial.length === 0) return rows;
  const found = new Map<object, object>();
  for (const [read, group] of Map.groupBy(partial, (row) => row[rowsInFull])) {
    const whole = read(group.map(({ searchIndex }) => searchIndex));
    for (const [at, row] of group.entries()) found.set(row, whole[at] ?? row);
  }
  return rows.map((row) => found.get(row) ?? row);
}

function isPartial(row: object): row is PartialRow {
  return rowsInFull in row;
}
