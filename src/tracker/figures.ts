// Figures: sums, and as they are shown: rounded, ranks and amounts as text, and the order of texts.

/** `5 SERP credits`, `0.0102 USD` */
export function formatAmount(currency: 'serp_credit' | 'micro_usd', amount: number): string {
  if (currency === 'micro_usd') return `${formatDollars(amount)} USD`;
  return `${amount} SERP ${plural(amount, 'credit')}`;
}

/** The noun of a count: `search`, `searches`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** Micro-USD as dollars, with at least two decimals: `0.0102`, `1.50`. */
export function formatDollars(microUsd: number): string {
  return (microUsd / 1_000_000).toFixed(6).replace(/0{1,4}$/, '');
}

/** Numbers, or what `amount` says of each item, added up. */
export function sumOf(values: Iterable<number>): number;
export function sumOf<Item>(items: Iterable<Item>, amount: (item: Item) => number): number;
export function sumOf<Item>(items: Iterable<Item>, amount: (item: Item) => number = Number): number {
  let sum = 0;
  for (const item of items) sum += amount(item);
  return sum;
}

export function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The entries of a map, in the order of their keys. */
export function sortedEntries<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => byText(a, b));
}

/** Rounded to so many decimals, without -0. */
export function rounded(value: number, decimals: number): number;
export function rounded(value: number | null, decimals: number): number | null;
export function rounded(value: number | null, decimals: number): number | null {
  return value === null ? null : Math.round(value * 10 ** decimals) / 10 ** decimals + 0;
}

/** Decimals of figures in answers and files. Pages round them further: from two decimals, 24.8478 became 24.9. */
export const figureDecimals = 4;

/** A rank, or `not found`. */
export function rankText(rank: number | null, written: (rank: number) => string = String): string {
  return rank === null ? 'not found' : written(rank);
}
