// Date ranges of the toolbar, counted back from the newest date with checks.
import { day } from './words.js';

export const dayMs = 86_400_000;

/** @param {string} date @param {number} days */
function daysBefore(date, days) {
  return new Date(Date.parse(`${date}T00:00:00Z`) - days * dayMs).toISOString().slice(0, 10);
}

/**
 * @param {readonly string[]} dates with checks, oldest first
 * @returns {{ readonly label: string, readonly from: string }[]}
 */
export function rangePresets(dates) {
  const [first, newest] = [dates[0], dates.at(-1)];
  if (first === undefined || newest === undefined) return [];
  const counted = [7, 30, 90].map((days) => ({ label: `${days} days`, from: daysBefore(newest, days - 1) }));
  return [...counted, { label: 'All', from: first }];
}

export const comparisons = [
  { value: 'previous', label: 'previous check' },
  { value: '7d', label: '7 days before' },
  { value: '30d', label: '30 days before' },
  { value: 'last-month', label: 'last month' },
  { value: '365d', label: '1 year before' },
];

/**
 * The comparison of a range with as many days before it. Null: the range has no beginning, or has one day.
 * @param {string | null} from
 * @param {string | null | undefined} to null: the newest date
 */
export function periodBefore(from, to) {
  if (!from || !to) return null;
  const days = Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs) + 1;
  return days > 1 ? { value: `${days}d`, label: `the period before (${days} days)` } : null;
}

/** A comparison as people read it. @param {string | null | undefined} compare */
export function comparisonText(compare) {
  if (!compare) return 'as configured';
  const days = /^(\d+)d$/.exec(compare)?.[1];
  if (/^\d{4}-/.test(compare)) return day(compare);
  return comparisons.find(({ value }) => value === compare)?.label ?? (days ? `${days} days before` : compare);
}
