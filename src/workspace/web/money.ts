// What was spent: sums of the ledger, and where a month ends at the pace of its days so far.
import type { SpendDay } from '../records.ts';
import { number } from './words.ts';

export type Currency = SpendDay['currency'];

const microsPerDollar = 1_000_000;

export function money(currency: Currency, amount: number): string {
  return currency === 'serp_credit' ? number(amount) : `$${(amount / microsPerDollar).toFixed(2)}`;
}

/** `6,501 credits`, `$0.15`. */
export function moneyText(currency: Currency, amount: number): string {
  return currency === 'serp_credit'
    ? `${number(amount)} ${amount === 1 ? 'credit' : 'credits'}`
    : money(currency, amount);
}

/** What counts against the budget: money of unknown outcome counts as spent until it is reconciled. */
export function spentOf(days: readonly SpendDay[], currency: Currency): number {
  return days.reduce((sum, of) => sum + (of.currency === currency ? of.spent + of.unknown : 0), 0);
}

export interface Forecast {
  /** Days of the month that it is drawn through. */
  readonly days: number;
  readonly perDay: number;
  readonly monthEnd: string;
  /** At the end of the month. */
  readonly spent: number;
}

/**
 * A straight line through the days of the month so far. Today counts once something was spent on it. Null: on the first
 * of a month there are no days yet.
 */
export function forecastOf(spent: number, today: string, hasSpentToday: boolean): Forecast | null {
  const days = Number(today.slice(8)) - (hasSpentToday ? 0 : 1);
  if (days === 0) return null;
  const [year = 0, month = 0] = today.split('-').map(Number);
  const monthDays = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const perDay = spent / days;
  return { days, perDay, monthEnd: `${today.slice(0, 8)}${monthDays}`, spent: perDay * monthDays };
}

/** When the line of the forecast reaches the cap; null: not in this month, or it already has. */
export function dayOfCap(forecast: Forecast, cap: number): string | null {
  const day = Math.floor(cap / forecast.perDay) + 1;
  if (forecast.spent <= cap || day <= forecast.days) return null;
  return `${forecast.monthEnd.slice(0, 8)}${String(day).padStart(2, '0')}`;
}
