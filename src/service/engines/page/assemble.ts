// Assembles a root object: ranks over all elements of a page, and no empty fields.

/** The position of each ranked element among all of them, in reading order. */
export function globalRanks(
  placed: readonly { readonly order: number }[],
): (element: { readonly order: number }) => number {
  const orders = [...new Set(placed.map((each) => each.order))].sort((a, b) => a - b);
  const ranks = new Map(orders.map((order, index) => [order, index + 1]));
  return (element) => ranks.get(element.order) ?? 0;
}

/** Items with their ranks, 1-based. */
export function ranked<T, R extends object>(items: readonly T[], read: (item: T) => R): (R & { rank: number })[] {
  return items.map((item, index) => ({ rank: index + 1, ...read(item) }));
}

/** A field without a value (undefined, an empty text or list) is absent. */
export function withoutEmpty<T extends object>(fields: T): T {
  const entries = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(entries) as T;
}
