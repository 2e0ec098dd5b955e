// What pages cost in dollars, by the list prices of the sources that sell them. Pure.

/** In the unit of a source: the first page of a search, and each further one. */
interface PagePrice {
  readonly first: number;
  readonly further: number;
  /** Micro-USD of a unit, over the plans on sale. */
  readonly unitMicroUsd: DollarRange;
}

/** Micro-USD, from the cheapest plan to the most expensive one. */
export interface DollarRange {
  readonly least: number;
  readonly most: number;
}

/** Days of the month that all costs of a month are of. */
export const monthDays = 31;

/** Of the pages of a service of several sources, so many are bought twice at most, to compare the sources. */
export const doubleShareMax = 0.029;

/** The price of so many pages in units of the source; `searches`: the checks that they belong to. */
export function pageUnits(
  { first, further }: Omit<PagePrice, 'unitMicroUsd'>,
  pages: number,
  searches: number,
): number {
  const firsts = Math.min(pages, searches);
  return firsts * first + (pages - firsts) * further;
}

/** What so many pages cost at any of these sources; null: no price is known. */
export function costOfPages(prices: readonly PagePrice[], pages: number, searches: number): DollarRange | null {
  return joined(
    prices.map((price) => {
      const units = pageUnits(price, pages, searches);
      return { least: units * price.unitMicroUsd.least, most: units * price.unitMicroUsd.most };
    }),
  );
}

/** What a page costs at any of these sources, first or not; null: no price is known. */
export function rangeOfPages(prices: readonly PagePrice[]): DollarRange | null {
  return joined([costOfPages(prices, 1, 1), costOfPages(prices, 1, 0)].filter((range) => range !== null));
}

/** From the lowest to the highest; null: of none. */
export function joined(ranges: readonly DollarRange[]): DollarRange | null {
  if (ranges.length === 0) return null;
  return {
    least: Math.min(...ranges.map(({ least }) => least)),
    most: Math.max(...ranges.map(({ most }) => most)),
  };
}

/** The cost of a keyword in a month, in whole micro-USD, from what `keywords` cost in `days`; null: unknown. */
export function keywordMonth(cost: DollarRange | null, keywords: number, days = monthDays): DollarRange | null {
  if (cost === null || keywords === 0 || days === 0) return null;
  const ofOne = (microUsd: number): number => Math.round((microUsd * monthDays) / days / keywords);
  return { least: ofOne(cost.least), most: ofOne(cost.most) };
}
