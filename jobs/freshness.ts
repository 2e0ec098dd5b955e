// From when on a page is fresh enough to be used again.

/** UTC milliseconds; beyond every page where `freshForMs` is 0, so that only the slot's own pages are used again. */
export function freshSince(freshForMs: number, now: number): number {
  return freshForMs === 0 ? Number.MAX_SAFE_INTEGER : now - freshForMs;
}
