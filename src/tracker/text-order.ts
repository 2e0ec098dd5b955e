// The order of texts by code unit: the same on every machine.

export function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The entries of a map, in the order of their keys. */
export function sortedEntries<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => byText(a, b));
}
