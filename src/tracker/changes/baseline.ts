// What a report compares with: the written form, and the time span in which a baseline may lie.
import { startOfDay } from '../schedule/local-time.ts';
import { dayMs } from '../schedule/time-units.ts';

/** The previous check, the last one of a local date, or the last one of last month. */
export type Comparison =
  | { readonly kind: 'previous' }
  | { readonly kind: 'days'; readonly days: number }
  | { readonly kind: 'date'; readonly date: string }
  | { readonly kind: 'last-month' };

/** UTC milliseconds, inclusive. */
export interface BaselineSpan {
  readonly from: number;
  readonly until: number;
}

/** The compared slot and its time zone. */
export interface ComparedSlot {
  readonly localDate: string;
  /** IANA. */
  readonly timezone: string;
  /** Slot of the oldest run in the report: a baseline must be older. */
  readonly moment: number;
  /** How much older than requested a baseline may be. Default: a quarter of the distance, at least 36 hours. */
  readonly toleranceMs?: number;
}

/** One missed slot must not leave a weekly comparison without a baseline. */
const toleranceMsMin = 36 * 3_600_000;

/** Parses `previous`, `7d`, `2026-11-01` or `last-month`; null for anything else. */
export function parseComparison(written: string): Comparison | null {
  if (written === 'previous' || written === 'last-month') return { kind: written };
  const days = /^([1-9]\d{0,3})d$/.exec(written);
  if (days !== null) return { kind: 'days', days: Number(days[1]) };
  return isDate(written) ? { kind: 'date', date: written } : null;
}

/** The accepted forms, for error messages. */
export const comparisonHint = 'previous, last-month, a number of days such as 7d, or a date such as 2026-11-01';

/** The written form. */
export function comparisonName(comparison: Comparison): string {
  if (comparison.kind === 'days') return `${comparison.days}d`;
  return comparison.kind === 'date' ? comparison.date : comparison.kind;
}

/** For a sentence: `1 day before`, `7 days before`, `2026-11-01`. */
export function comparisonText(comparison: Comparison): string {
  if (comparison.kind === 'days') return `${comparison.days} ${comparison.days === 1 ? 'day' : 'days'} before`;
  if (comparison.kind === 'date') return comparison.date;
  return comparison.kind === 'previous' ? 'the previous check' : 'the end of last month';
}

/** Whether the text is a date that the calendar has, `2026-11-20`. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
}

/** The time span in which a baseline may lie. */
export function baselineSpan(comparison: Comparison, slot: ComparedSlot): BaselineSpan {
  if (comparison.kind === 'previous') return { from: 0, until: slot.moment - 1 };
  const until = startOfDay(dayAfter(comparison, slot.localDate), slot.timezone) - 1;
  const distance = Math.max(0, startOfDay(addDays(slot.localDate, 1), slot.timezone) - 1 - until);
  const toleranceMs = slot.toleranceMs ?? Math.max(toleranceMsMin, distance / 4);
  return { from: until + 1 - dayMs - toleranceMs, until };
}

/** The date after the requested one. */
function dayAfter(comparison: Exclude<Comparison, { kind: 'previous' }>, localDate: string): string {
  if (comparison.kind === 'days') return addDays(localDate, 1 - comparison.days);
  return comparison.kind === 'date' ? addDays(comparison.date, 1) : `${localDate.slice(0, 7)}-01`;
}

/** Adds days to a date; negative days subtract. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}
