// What was spent: sums of the ledger as people read them.

import type { ProjectOverview, SpendDay } from '../../read/records.ts';
import { sumOf } from '../../tracker/figures.ts';
import type { DollarRange } from '../../tracker/page-price.ts';
import { type Forecast, forecastOf } from '../../tracker/spend-pace.ts';
import { number } from './words.ts';

export type Currency = SpendDay['currency'];

const microsPerDollar = 1_000_000;

export function money(currency: Currency, amount: number): string {
  return currency === 'serp_credit' ? number(amount) : `$${(amount / microsPerDollar).toFixed(2)}`;
}

/** `6,501 credits`, `$0.15`. */
export function moneyText(currency: Currency, amount: number): string {
  return currency === 'serp_credit' ? `${number(amount)} ${creditUnit(amount)}` : money(currency, amount);
}

/** Beside a number with so many decimals. */
export function creditUnit(amount: number | null | undefined, digits = 0): string {
  return number(amount, digits) === '1' ? 'credit' : 'credits';
}

/** What counts against the budget: money of unknown outcome counts as spent until it is reconciled. */
export function spentOf(days: readonly SpendDay[], currency: Currency): number {
  return sumOf(days, (of) => (of.currency === currency ? of.spent + of.unknown : 0));
}

/** Of the month: all projects of a database share its budget, those of several databases add up. */
export function budgetsOf(projects: readonly ProjectOverview[]): ProjectOverview['spend'] {
  const oneOfEach = new Map(projects.map((one) => [one.database, one])).values();
  const spend = [...oneOfEach].flatMap((one) => one.spend);
  return [...Map.groupBy(spend, ({ currency }) => currency)].map(([currency, same]) => ({
    currency,
    spent: sumOf(same, ({ spent }) => spent),
    spentToday: sumOf(same, ({ spentToday }) => spentToday),
    cap: same.reduce<number | null>((sum, { cap }) => (sum === null || cap === null ? null : sum + cap), 0),
  }));
}

/** Spend of the month of a project and its database. */
export interface Month {
  readonly today: string;
  /** Of all projects, which share the budget. */
  readonly spent: number;
  readonly cap: number | null;
  readonly own: number;
  /** Null: the month has no days yet. */
  readonly forecast: Forecast | null;
  readonly ownForecast: Forecast | null;
  readonly dollars: { readonly spent: number; readonly cap: number | null; readonly own: number };
}

export function monthOf({ today, spend, ownSpend }: Pick<ProjectOverview, 'today' | 'spend' | 'ownSpend'>): Month {
  const none = { spent: 0, spentToday: 0, cap: null };
  const sum = (currency: Currency) => spend.find((of) => of.currency === currency) ?? none;
  const own = (currency: Currency) => ownSpend.find((of) => of.currency === currency) ?? none;
  const { spent, spentToday, cap } = sum('serp_credit');
  const ownCredits = own('serp_credit');
  return {
    today,
    spent,
    cap,
    own: ownCredits.spent,
    forecast: forecastOf(spent, today, spentToday > 0),
    ownForecast: forecastOf(ownCredits.spent, today, ownCredits.spentToday > 0),
    dollars: { ...sum('micro_usd'), own: own('micro_usd').spent },
  };
}

/** From the cheapest plan to the most expensive one, with three digits: `$0.0279 to $0.093`. */
export function smallDollars({ least, most }: DollarRange): string {
  const text = (microUsd: number) =>
    `$${(microUsd / microsPerDollar).toLocaleString('en', { maximumSignificantDigits: 3 })}`;
  return text(least) === text(most) ? text(least) : `${text(least)} to ${text(most)}`;
}
