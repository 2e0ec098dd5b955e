// Measured clicks: which tracked searches they belong to, and why they change. Search Console knows no languages.

import type { SearchType } from '../../service/terms.ts';
import { countryOfAlpha3 } from '../countries.ts';
import { rounded } from '../figures.ts';
import { hourMs } from '../schedule/time-units.ts';
import type { KnownFault } from './known-faults.ts';

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
  /** What clicks of pages are: asked for by page alone, or sums over the shown queries of the page. */
  readonly pagesFrom: 'pages' | 'shown-queries';
  /** Sums of what the engine gives by one dimension alone. Absent: a day was stored without. */
  readonly alone?: {
    readonly query: { readonly clicks: number; readonly impressions: number };
    readonly page: { readonly clicks: number; readonly impressions: number };
  };
  /** Of these days; absent: none. */
  readonly faults?: readonly KnownFault[];
}

/** What the search engine counted on a day in Pacific time. */
export interface DayClicks extends ClickNumbers {
  readonly date: string;
  /** False: its numbers are partial. */
  readonly isFinal: boolean;
  /** What is wrong with its impressions, as the search engine has confirmed; absent: nothing is known. */
  readonly fault?: string;
}

/** The part of a market that Search Console knows. */
export interface ClickMarket {
  readonly country: string;
  readonly device: string;
  /** Clicks are counted by country: a search from a place inside it has none. */
  readonly location?: string | null;
}

/** `normal`: the keyword in its normal form. Tablets belong to no market, and neither do unknown countries. */
export function matchKey(normal: string, { country, device, location }: ClickMarket): string {
  return [normal, country, device, ...(location ? [location] : [])].join('\n');
}

/** The key of the searches that the group belongs to; null: it belongs to none. */
export function groupKey(normal: string, group: ClickMarket): string | null {
  const country = countryOfAlpha3(group.country);
  const { device } = group;
  if (country === null || (device !== 'desktop' && device !== 'mobile')) return null;
  return matchKey(normal, { country, device });
}

export const noClicks: ClickNumbers = { clicks: 0, impressions: 0, averagePosition: null };

/** Adds up numbers of different searches or days; positions by their impressions. */
export function addClicks(a: ClickNumbers, b: ClickNumbers): ClickNumbers {
  const clicks = a.clicks + b.clicks;
  if (a.impressions === null || b.impressions === null) return { clicks, impressions: null, averagePosition: null };
  const impressions = a.impressions + b.impressions;
  const weighted = (a.averagePosition ?? 0) * a.impressions + (b.averagePosition ?? 0) * b.impressions;
  return { clicks, impressions, averagePosition: impressions === 0 ? null : weighted / impressions };
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

/** Effects in clicks, to two decimals: demand + rank + rate = change, exactly. */
export interface ClickEffects {
  readonly clicks: number;
  readonly previousClicks: number;
  readonly change: number;
  /** More or fewer impressions. */
  readonly demand: number;
  /** Of these, queries that have impressions in one of the periods only. */
  readonly newOrLost: number;
  /** Better or worse positions, along the curve. */
  readonly rank: number;
  /** Clicks that the position does not explain: snippets, features of the page, other sites. */
  readonly rate: number;
}

/** The effects on one query, page or other key. */
export interface ClickChange extends ClickEffects {
  readonly name: string;
  readonly impressions: number | null;
  readonly previousImpressions: number | null;
  readonly averagePosition: number | null;
  readonly previousPosition: number | null;
}

/** Clicks gained or lost against the period before. */
export interface ClickChanges {
  readonly property: string;
  /** Name of the click-through curve. */
  readonly curve: string;
  /** Dates in Pacific time, inclusive. `stored`: final days of them that are stored. */
  readonly period: ClickPeriod;
  readonly previous: ClickPeriod;
  /** Of all shown queries. */
  readonly total: ClickEffects;
  /** Of hidden queries and those with unknown impressions: with that of `total` it is the change of the property. */
  readonly hiddenChange: number;
  /** Those with impressions, most clicks first; absent: it is web alone, or days of it are missing. */
  readonly types?: readonly ClickTypeChange[];
  /** Of both periods: impressions, and so demand, rank and rate, are then not comparable. Absent: none. */
  readonly faults?: readonly KnownFault[];
  /** Largest first. */
  readonly rows: readonly ClickChange[];
  /** Where `rows` has the largest only. */
  readonly rowsTotal?: number;
}

/** Totals of a search type, hidden queries included: in no other sum. */
export interface ClickTypeChange extends ClickNumbers {
  readonly type: SearchType;
  /** Null, all: the period before lacks days of the type. */
  readonly previousClicks: number | null;
  readonly change: number | null;
  readonly previousImpressions: number | null;
  readonly previousPosition: number | null;
}

/** What was counted in an hour, `2026-11-27T13` in Pacific time. */
export interface CountedHour {
  readonly hour: string;
  /** False: its numbers are partial. */
  readonly isFinal: boolean;
  readonly clicks: number;
  readonly impressions: number;
}

/** With the same hour a week before. Null: it is older than what is stored. */
export interface ClickHour extends CountedHour {
  readonly previousClicks: number | null;
  readonly previousImpressions: number | null;
}

/** The newest 24 hours of stored ones, oldest first. Empty: none are stored. */
export function newestHours(stored: readonly CountedHour[]): ClickHour[] {
  const byHour = new Map(stored.map((of) => [of.hour, of]));
  const [first, newest] = [stored[0]?.hour, stored.at(-1)?.hour];
  const firstFresh = stored.find(({ isFinal }) => !isFinal)?.hour;
  if (first === undefined || newest === undefined) return [];
  return Array.from({ length: 24 }, (_, index) => {
    const hour = hourBefore(newest, 23 - index);
    const before = hourBefore(hour, 7 * 24);
    const { clicks = 0, impressions = 0 } = byHour.get(hour) ?? {};
    const was = before < first ? null : (byHour.get(before) ?? { clicks: 0, impressions: 0 });
    return {
      hour,
      isFinal: firstFresh === undefined || hour < firstFresh,
      clicks,
      impressions,
      previousClicks: was?.clicks ?? null,
      previousImpressions: was?.impressions ?? null,
    };
  });
}

/** On the clock: the same hour of another day also where clocks were changed between. */
function hourBefore(hour: string, hours: number): string {
  return new Date(Date.parse(`${hour}:00Z`) - hours * hourMs).toISOString().slice(0, 13);
}

interface ClickPeriod {
  readonly from: string;
  readonly to: string;
  readonly stored: number;
}

/**
 * With impressions I, position p and curve f, clicks are I x (f(p) + e), where e is the rest of the rate. Each effect
 * is its Shapley value: the mean over all orders in which I, p and e can change. For a sum of two products this is the
 * change of one factor times the mean of the other. Null: impressions are unknown.
 */
export function clickEffects(
  before: ClickNumbers,
  after: ClickNumbers,
  rateOf: (position: number) => number,
): ClickEffects | null {
  if (before.impressions === null || after.impressions === null) return null;
  const change = after.clicks - before.clicks;
  const shared = { clicks: after.clicks, previousClicks: before.clicks, change };
  const [was, is] = [before.averagePosition, after.averagePosition];
  // without impressions there is no position and no rate
  if (was === null || is === null) return { ...shared, demand: change, newOrLost: change, rank: 0, rate: 0 };
  const rates = before.clicks / before.impressions + after.clicks / after.impressions;
  const demand = rounded(((after.impressions - before.impressions) * rates) / 2, 2);
  const rank = rounded(((rateOf(is) - rateOf(was)) * (before.impressions + after.impressions)) / 2, 2);
  return { ...shared, demand, newOrLost: 0, rank, rate: rounded(change - demand - rank, 2) };
}

/** A group with what its numbers belong to. */
export interface Named extends ClickNumbers {
  readonly key: string;
  /** Of the key, too: whether the curve of the brand counts. */
  readonly hasBrand: boolean;
}

/**
 * One change for each name, largest first. Effects are found by key, and added up by name: `nameOf` a key. Keys with
 * unknown impressions are left out.
 */
export function clickChanges(
  before: Iterable<Named>,
  after: Iterable<Named>,
  rateOf: (position: number, hasBrand: boolean) => number,
  nameOf: (key: string) => string,
): ClickChange[] {
  const keys = new Map<string, { before: ClickNumbers; after: ClickNumbers; hasBrand: boolean }>();
  const add = (groups: Iterable<Named>, when: 'before' | 'after'): void => {
    for (const { key, hasBrand, ...numbers } of groups) {
      const known = keys.get(key) ?? { before: noClicks, after: noClicks, hasBrand };
      keys.set(key, { ...known, [when]: addClicks(known[when], numbers) });
    }
  };
  add(before, 'before');
  add(after, 'after');
  const names = new Map<string, { effects: ClickEffects[]; before: ClickNumbers; after: ClickNumbers }>();
  for (const [key, { hasBrand, ...of }] of keys) {
    const name = nameOf(key);
    const effects = clickEffects(of.before, of.after, (position) => rateOf(position, hasBrand));
    if (effects === null) continue;
    const known = names.get(name);
    names.set(name, {
      effects: [...(known?.effects ?? []), effects],
      before: known === undefined ? of.before : addClicks(known.before, of.before),
      after: known === undefined ? of.after : addClicks(known.after, of.after),
    });
  }
  const changes = [...names].map(([name, { effects, before: was, after: is }]) => ({
    name,
    ...sumEffects(effects),
    impressions: is.impressions,
    previousImpressions: was.impressions,
    averagePosition: is.averagePosition,
    previousPosition: was.averagePosition,
  }));
  return changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || b.clicks - a.clicks);
}

/** The sum of changes: its effects add up as theirs do. */
export function sumEffects(changes: Iterable<ClickEffects>): ClickEffects {
  let sum: ClickEffects = { clicks: 0, previousClicks: 0, change: 0, demand: 0, newOrLost: 0, rank: 0, rate: 0 };
  for (const each of changes) {
    sum = {
      clicks: sum.clicks + each.clicks,
      previousClicks: sum.previousClicks + each.previousClicks,
      change: sum.change + each.change,
      demand: rounded(sum.demand + each.demand, 2),
      newOrLost: rounded(sum.newOrLost + each.newOrLost, 2),
      rank: rounded(sum.rank + each.rank, 2),
      rate: rounded(sum.rate + each.rate, 2),
    };
  }
  return sum;
}
