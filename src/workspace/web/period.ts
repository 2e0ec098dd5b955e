// The one period of all pages: real dates with checks, and what its end is compared with.

import type { ProjectFacts } from '../../read/records.ts';
import { dayMs } from '../../tracker/schedule/time-units.ts';
import { changed } from './address.ts';
import { counted, day, days } from './words.ts';

const daysDefault = 30;

export interface Period {
  /** Dates with checks; null: nothing was checked yet. */
  readonly from: string | null;
  readonly to: string | null;
  /** What the rows at `to` are compared with, as the read API takes it. */
  readonly compare: string;
  /** In words, after "vs.". */
  readonly comparedWith: string;
}

export function daysBefore(date: string, count: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - count * dayMs).toISOString().slice(0, 10);
}

export const comparisons: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: 'start of the period' },
  { value: 'previous', label: 'the check before' },
  { value: '7d', label: '7 days before' },
  { value: '30d', label: '30 days before' },
  { value: 'last-month', label: 'last month' },
  { value: '365d', label: 'a year before' },
];

/** The period of the address: the newest 30 days unless it says otherwise, compared with their start. */
export function periodOf(query: URLSearchParams, dates: ProjectFacts['dates']): Period {
  const newest = dates.at(-1);
  if (newest === undefined) return { from: null, to: null, compare: 'previous', comparedWith: 'nothing yet' };
  const asked = query.get('to') ?? query.get('date') ?? newest;
  const to = dates.findLast((date) => date <= asked) ?? newest;
  const start = query.get('from') ?? daysBefore(to, daysDefault - 1);
  const from = dates.find((date) => date >= start && date <= to) ?? to;
  const compare = query.get('compare') ?? '';
  if (compare === '') {
    return from === to
      ? { from, to, compare: 'previous', comparedWith: 'the check before' }
      : { from, to, compare: from, comparedWith: day(from, to) };
  }
  const known = comparisons.find(({ value }) => value === compare);
  return { from, to, compare, comparedWith: known?.label ?? (/^\d{4}-/.test(compare) ? day(compare, to) : compare) };
}

/** The period of a file, which holds one date against one baseline. */
export function heldPeriod(dates: ProjectFacts['dates'], compare: string): Period {
  const to = dates.at(-1) ?? null;
  const known = comparisons.find(({ value }) => value === compare)?.label;
  const count = /^(\d+)d$/.exec(compare)?.[1];
  const words =
    known ?? (count === undefined ? day(compare, to ?? undefined) : `${counted(Number(count), 'day')} before`);
  return { from: dates[0] ?? null, to, compare: '', comparedWith: words };
}

/** The query of the address with the dates of the period, as the read API takes them. */
export function askedOf(query: URLSearchParams, { from, to, compare }: Period): URLSearchParams {
  return changed(query, { from, to, date: compare === '' ? null : to, compare });
}

interface Preset {
  readonly label: string;
  readonly from: string;
}

/** Periods that end with the newest date. */
export function presets(dates: readonly string[]): readonly Preset[] {
  const [first, newest] = [dates[0], dates.at(-1)];
  if (first === undefined || newest === undefined) return [];
  const counted = [7, 30, 90, 365]
    .map((count) => ({ label: `${count} days`, from: daysBefore(newest, count - 1) }))
    .filter(({ from }, index) => index < 2 || from > first);
  return [...counted, { label: 'All', from: first }];
}

export function periodText({ from, to }: Period): string {
  return from === null || to === null ? 'nothing checked yet' : days(from, to);
}

/** Every date from the first to the last. */
export function datesBetween(from: string, to: string): string[] {
  const dates: string[] = [];
  for (let date = from; date <= to; date = daysBefore(date, -1)) dates.push(date);
  return dates;
}

/** Gives the local date of moments in a time zone: `2026-11-26`. */
export function datesIn(timezone: string): (at: Date) => string {
  // the Swedish form of a date is ISO 8601
  const format = new Intl.DateTimeFormat('sv', { timeZone: timezone, dateStyle: 'short' });
  return (at) => format.format(at);
}
