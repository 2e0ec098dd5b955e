// Sums over projects, and money as people read it.
import { number } from './words.js';

/** @typedef {import('../records.ts').ProjectOverview} ProjectOverview */

/** The budget is shared, so that of one project is that of all. @param {readonly ProjectOverview[]} projects */
export function totalOf(projects) {
  const sum = (/** @type {(of: ProjectOverview) => number | null} */ value) => {
    const known = projects.map(value).filter((one) => one !== null);
    return known.length === 0 ? null : known.reduce((total, one) => total + one, 0);
  };
  return {
    keywords: sum(({ keywords }) => keywords),
    checked: sum(({ checked }) => checked),
    total: sum(({ total }) => total),
    top3: sum(({ top3 }) => top3),
    top10: sum(({ top10 }) => top10),
    alerts: sum(({ alerts }) => alerts),
    budget: projects[0]?.spend ?? [],
  };
}

const microsPerDollar = 1_000_000;

/**
 * `75 of 1,000 credits`, `$0.29`.
 * @param {{ currency: 'serp_credit' | 'micro_usd', spent: number, cap: number | null }} spend
 */
export function spendText({ currency, spent, cap }) {
  const money = (/** @type {number} */ amount) =>
    currency === 'serp_credit' ? number(amount) : `$${(amount / microsPerDollar).toFixed(2)}`;
  const unit = currency === 'serp_credit' ? ' credits' : '';
  return cap === null ? `${money(spent)}${unit}` : `${money(spent)} of ${money(cap)}${unit}`;
}
