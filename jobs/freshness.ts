// From when on a page is fresh enough to be used again.

/** UTC milliseconds; null where `freshForMs` is 0, so that only the slot's own pages are used again. */
export function freshSince(freshForMs: number, now: number): number | null {
  return freshForMs === 0 ? null : now - freshForMs;
}
