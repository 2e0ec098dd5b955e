// Names of money: the budget windows of a moment, the key of a purchase, and a short budget in words. Moves none.
import { hash } from 'node:crypto';
import type { BudgetWindowRow, Currency, WindowKeys } from '../db/ledger.ts';
import { dayWindowKey } from '../src/tracker/local-time.ts';
import type { Market } from '../src/tracker/project.ts';

/** Of `2026-11`. */
const monthKeyChars = 7;

export function windowKeysAt(at: number, timezone: string): WindowKeys {
  const day = dayWindowKey(at, timezone);
  return { day, month: day.slice(0, monthKeyChars) };
}

/**
 * One key for one look at one page of one slot, on every try and after every restart: what must not be paid twice. A later `look` is another purchase, so
 * that a provider which keeps keys does not give the first answer again.
 */
export function pageKey(keyword: string, market: Market, moment: number, page: number, look = 1): string {
  const again = look === 1 ? [] : [look];
  return hashed(
    'serp',
    keyword,
    market.service,
    market.country,
    market.language,
    market.device,
    moment,
    page,
    ...again,
  );
}

/** One key for one keyword data request of one month; `repeatedAt` makes another one of a request that was asked for again. */
export function metricsKey(
  keyword: string,
  market: Pick<Market, 'service' | 'country' | 'language'>,
  month: string,
  limit: number,
  repeatedAt: number | null = null,
): string {
  const again = repeatedAt === null ? [] : [repeatedAt];
  return hashed('keyword-data', keyword, market.service, market.country, market.language, month, limit, ...again);
}

function hashed(...parts: (string | number)[]): string {
  return `rl-${hash('sha256', JSON.stringify(parts)).slice(0, 40)}`;
}

/** `budget: 12 of 500 SERP credits of this run are left` */
export function shortBudget(window: BudgetWindowRow, needed: number): string {
  const left = Math.max(0, (window.cap ?? 0) - window.reserved - window.spent);
  const of = window.scope === 'run' ? 'this run' : `the ${window.scope} ${window.key}`;
  return window.currency === 'serp_credit'
    ? `budget: needs ${needed} SERP credits, ${left} of ${window.cap ?? 0} are left for ${of}`
    : `budget: needs ${dollars(needed)} USD, ${dollars(left)} of ${dollars(window.cap ?? 0)} are left for ${of}`;
}

/** `5 SERP credits`, `0.0102 USD` */
export function amountOf(currency: Currency, amount: number): string {
  if (currency === 'micro_usd') return `${dollars(amount)} USD`;
  return amount === 1 ? '1 SERP credit' : `${amount} SERP credits`;
}

function dollars(microUsd: number): string {
  return (microUsd / 1_000_000).toFixed(6).replace(/0{1,4}$/, '');
}
