// Which tracked searches the clicks of a query belong to. Search Console knows no languages and no services.
import { countryOfAlpha3 } from './countries.ts';

/** Sums over a period. */
export interface ClickNumbers {
  readonly clicks: number;
  readonly impressions: number;
  /** Weighted by impressions, from 1: not a rank. Null: there are no impressions. */
  readonly averagePosition: number | null;
}

/** A query on a page, from a country and a device, over a period. */
export interface ClickGroup extends ClickNumbers {
  readonly query: string;
  readonly page: string;
  /** As Search Console has it: `usa`; `zzz`: unknown. */
  readonly country: string;
  /** `desktop`, `mobile` or `tablet`. */
  readonly device: string;
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
  /** Of the whole property, and of its hidden queries. */
  readonly clicks: number;
  readonly impressions: number;
  readonly hiddenClicks: number;
  readonly hiddenImpressions: number;
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

/** Adds up numbers; positions by their impressions. */
export function addClicks(a: ClickNumbers, b: ClickNumbers): ClickNumbers {
  const impressions = a.impressions + b.impressions;
  const weighted = (a.averagePosition ?? 0) * a.impressions + (b.averagePosition ?? 0) * b.impressions;
  return {
    clicks: a.clicks + b.clicks,
    impressions,
    averagePosition: impressions === 0 ? null : weighted / impressions,
  };
}
