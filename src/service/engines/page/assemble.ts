// Assembles a root object: elements with their places, ranks over all of them, and no empty fields.
import type { Ad, OrganicResult, PeopleAlsoAsk, RelatedSearch } from '../../model/results/serp.ts';

/** An element of the page with its position in document order. */
interface Placed {
  readonly order: number;
}
export interface FoundResult extends Placed {
  readonly result: Omit<OrganicResult, 'rank' | 'global_rank'>;
}
export interface FoundAd extends Placed {
  readonly ad: Omit<Ad, 'rank'>;
}
export interface PlacedAd extends FoundAd {
  readonly isTop: boolean;
}
export interface PlacedRelated extends Placed {
  readonly related: Omit<RelatedSearch, 'rank' | 'global_rank'>;
}
export interface PlacedQuestion extends Placed {
  readonly question: Omit<PeopleAlsoAsk, 'rank' | 'global_rank'>;
  /** The destinations of all links in its answer. */
  readonly cited: readonly string[];
}

/** The organic results in reading order. */
export interface ResultList {
  readonly results: readonly FoundResult[];
  /** Items that may be results but cannot be parsed: a list without them would prove nothing. */
  readonly unread: number;
  /** False if the class names are not those of the engine: then only the results are reliable. */
  readonly isNamed: boolean;
}

/** The position of each ranked element among all of them, in reading order. */
export function globalRanks(placed: readonly Placed[]): (element: Placed) => number {
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
