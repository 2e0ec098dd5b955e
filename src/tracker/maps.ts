// Maps whose entries are made when they are first asked for: values, lists and counts.

interface Entries<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The value of a key; made and kept if there is none. */
export function getOrInsert<Key, Value>(entries: Entries<Key, Value>, key: Key, make: () => Value): Value {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const made = make();
  entries.set(key, made);
  return made;
}

/** Adds to the count or sum of a key. */
export function addTo<Key>(sums: Map<Key, number>, key: Key, amount = 1): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}
