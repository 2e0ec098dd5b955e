// Assembles a root object: ranks over all elements of a page, and no empty fields.
import type { SerpPage } from '../../model/results/serp.ts';

/** The position of each ranked element among all of them, in reading order. */
export function globalRanks(
  placed: readonly { readonly order: number }[],
): (element: { readonly order: number }) => number {
  const orders = [...new Set(placed.map((each) => each.order))].sort((a, b) => a - b);
  const ranks = new Map(orders.map((order, index) => [order, index + 1]));
  return (element) => ranks.get(element.order) ?? 0;
}

type Nullish<T> = { [K in keyof T]: T[K] | undefined };

/** A field without a value is absent. */
export function withoutEmpty(page: Partial<Nullish<Required<SerpPage>>>): SerpPage {
  const entries = Object.entries(page).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(entries) as SerpPage;
}
