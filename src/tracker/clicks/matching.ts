// Which tracked searches the clicks of a query belong to. Search Console knows no languages and no services.
import { countryOfAlpha3 } from './countries.ts';

/** Sums over a period. */
export interface ClickNumbers {
  readonly clicks: number;
  /** Null: unknown. Only those of single pages are stored, and a results page may show several of them. */
  readonly impressions: number | null;
  /** Weighted by impressions, from 1: not a rank. Null: there are no impressions, or they are unknown. */
  readonly averagePosition: number | null;
}

/** A query from a country and a device, over a period. */
export interface QueryGroup extends ClickNumbers {
  readonly query: string;
  /** As Search Console has it: `usa`; `zzz`: unknown. */
  readonly country: string;
  /** `desktop`, `mobile` or `tablet`. */
  readonly device: string;
}

/** The same on one page. */
export interface ClickGroup extends QueryGroup {
  readonly page: string;
}

/** A query with what is counted for the property, and for each of its pages. */
export interface QueryClicks extends QueryGroup {
  readonly pages: readonly ClickGroup[];
}

/** The days of measured clicks, in Pacific time, and what is hidden on them. */
export interface ClickFacts {
  readonly property: string;
  readonly from: string;
  readonly to: string;
  /** Final days that are stored, of 28. */
  readonly days: number;
  /** Days since `from` that are left out: their numbers are partial. */
  readonly freshDays: number;
  /** Of the whole property, and of its hidden queries. Null: some days are stored by page only. */
  readonly clicks: number;
  readonly impressions: number | null;
  readonly hiddenClicks: number;
  readonly hiddenImpressions: number | null;
}

/** What the search engine counted on a day in Pacific time. */
export interface DayClicks extends ClickNumbers {
  readonly date: string;
  /** False: its numbers are partial. */
  readonly isFinal: boolean;
}

/** The part of a market that Search Console knows. */
export interface ClickMarket {
  readonly country: string;
  readonly device: string;
  /** Clicks are counted by country: a search from a place inside it has none. */
  readonly location?: string | null | undefined;
}

/** `normal`: the keyword in its normal form. Tablets belong to no market, and neither do unknown countries. */
export function matchKey(normal: string, { country, device, location }: ClickMarket): string {
  return [normal, country, device, ...(location ? [location] : [])].join('\n');
}

/** The key of the searches that the group belongs to; null: it belongs to none. */
export function groupKey(normal: string, group: ClickMarket): string | null {
  const country = countryOfAlpha3(group.country);
  const { device } = group;
  return country === null || (device !== 'desktop' && device !== 'mobile')
    ? null
    : matchKey(normal, { country, device });
}

export const noClicks: ClickNumbers = { clicks: 0, impressions: 0, averagePosition: null };

/** Adds up numbers of different searches or days; positions by their impressions. */
export function addClicks(a: ClickNumbers, b: ClickNumbers): ClickNumbers {
  const clicks = a.clicks + b.clicks;
  if (a.impressions === null || b.impressions === null) return { clicks, impressions: null, averagePosition: null };
  const impressions = a.impressions + b.impressions;
  const weighted = (a.averagePosition ?? 0) * a.impressions + (b.averagePosition ?? 0) * b.impressions;
  return {
    clicks,
    impressions,
    averagePosition: impressions === 0 ? null : weighted / impressions,
  };
}

/**
 * What some of the pages of a query have: the total of the property where they are all of them. Else the impressions of
 * several pages are unknown, because results pages that show several of them count for each.
 */
export function clicksOn({ pages, ...total }: QueryClicks, some: readonly ClickGroup[]): ClickNumbers {
  if (some.length === pages.length) return total;
  const sum = some.reduce(addClicks, noClicks);
  return some.length === 1 ? sum : { ...sum, impressions: null, averagePosition: null };
}

/** Totals of queries joined with their pages, by query, country, device and, if they have one, date. */
export function joinPages<Total extends QueryGroup>(
  totals: readonly Total[],
  pages: readonly ClickGroup[],
): (Total & QueryClicks)[] {
  const keyOf = (group: QueryGroup & { readonly date?: string }): string =>
    [group.query, group.country, group.device, group.date].join('\n');
  const byQuery = Map.groupBy(pages, keyOf);
  return totals.map((total) => ({ ...total, pages: byQuery.get(keyOf(total)) ?? [] }));
}
