// Searches ascending document orders: two lookups find the elements within another one, however large the page.

/** Index of the first order that is at least `order`; the length where there is none. */
export function firstFrom(orders: readonly number[], order: number): number {
  let low = 0;
  let high = orders.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((orders[middle] ?? 0) < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many orders lie from `first` to `last`, both included. */
export function countWithin(orders: readonly number[], first: number, last: number): number {
  return firstFrom(orders, last + 1) - firstFrom(orders, first);
}
