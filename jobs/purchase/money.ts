// Keys of budget windows and purchases, and the text for a budget that runs short.

import { hash } from 'node:crypto';
import type { PromptSearch } from '../../db/history/answers.ts';
import type { BudgetWindowRow, WindowKeys } from '../../db/ledger/budget-windows.ts';
import { limits } from '../../src/service/terms.ts';
import { formatDollars } from '../../src/tracker/figures.ts';
import type { Market } from '../../src/tracker/project.ts';
import { localDate } from '../../src/tracker/schedule/local-time.ts';

/** Of `2026-11`. */
const monthKeyChars = 7;

export function windowKeysAt(at: number, timezone: string): WindowKeys {
  const day = localDate(at, timezone);
  return { day, month: day.slice(0, monthKeyChars) };
}

/**
 * The idempotency key of one purchase of one page in one slot, the same on every attempt and after every restart. A
 * later purchase `number` has another key, so that a provider which keeps keys does not repeat the first answer.
 */
export function pageKey(keyword: string, market: Market, moment: number, page: number, number: number): string {
  const again = number === 1 ? [] : [number];
  const where = market.location === undefined ? [] : [`@ ${market.location}`];
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
    ...where,
  );
}

/** The same of pages 1 to `through` at once. */
export function rangeKey(keyword: string, market: Market, moment: number, through: number): string {
  return pageKey(keyword, market, moment, 1, -through);
}

/** The last page of the range that a key is of; undefined: it is the key of a single page. */
export function rangeOfKey(key: string, keyword: string, market: Market, moment: number): number | undefined {
  for (let through = 2; through <= limits.lastPage; through += 1)
    if (rangeKey(keyword, market, moment, through) === key) return through;
  return undefined;
}

/** Pages of another source are other purchases, and so are those that the source sells to its own searches. */
export function boughtMarket(market: Market, seller: string): Market {
  return seller === market.service ? market : { ...market, service: `${market.service}=${seller}` };
}

/**
 * The idempotency key of one keyword data request in one month; `repeatedAt` makes another key for a request that is
 * repeated.
 */
export function metricsKey(
  keyword: string,
  market: Pick<Market, 'service' | 'country' | 'language'>,
  month: string,
  limit: number,
  repeatedAt: number | null,
): string {
  const again = repeatedAt === null ? [] : [repeatedAt];
  return hashed('keyword-data', keyword, market.service, market.country, market.language, month, limit, ...again);
}

/** The idempotency key of one sample of an AI answer in one period. */
export function answerKey(search: PromptSearch, period: string, sample: number): string {
  const { prompt, engine, service, country, language } = search;
  return hashed('answer', prompt, engine, service, country, language, period, sample);
}

function hashed(...parts: (string | number)[]): string {
  return `rl-${hash('sha256', JSON.stringify(parts)).slice(0, 40)}`;
}

/** `budget: 12 of 500 SERP credits of this run are left` */
export function shortBudget(window: BudgetWindowRow, needed: number): string {
  const cap = window.cap ?? 0;
  const left = Math.max(0, cap - window.reserved - window.spent);
  const of = window.scope === 'run' ? 'this run' : `the ${window.scope} ${window.key}`;
  return window.currency === 'serp_credit'
    ? `budget: needs ${needed} SERP credits, ${left} of ${cap} are left for ${of}`
    : `budget: needs ${formatDollars(needed)} USD, ${formatDollars(left)} of ${formatDollars(cap)} are left for ${of}`;
}
