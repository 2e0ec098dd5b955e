// What a report compares with, and how a target changed between two checks. Only proven observations compare.

import type { ChangeClass, Observation } from '../observation.ts';
import { addDays, isDate, startOfDay } from '../schedule/local-time.ts';
import { dayMs, hourMs } from '../schedule/time-units.ts';

/** The previous check, the last one of a local date, or the last one of last month. */
export type Comparison =
  | { readonly kind: 'previous' }
  | { readonly kind: 'days'; readonly days: number }
  | { readonly kind: 'date'; readonly date: string }
  | { readonly kind: 'last-month' };

/** UTC milliseconds, inclusive. */
interface BaselineSpan {
  readonly from: number;
  readonly until: number;
}

/** The compared slot and its time zone. */
interface ComparedSlot {
  readonly localDate: string;
  /** IANA. */
  readonly timezone: string;
  /** Slot of the oldest run in the report: a baseline must be older. */
  readonly moment: number;
  /** How much older than requested a baseline may be. Default: a quarter of the distance, at least 36 hours. */
  readonly toleranceMs?: number;
}

/** One missed slot must not leave a weekly comparison without a baseline. */
const toleranceMsMin = 36 * hourMs;

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

/** A change, or the reason why the two are not comparable. */
export interface Change {
  readonly changeClass: ChangeClass;
  /** Previous rank - current rank: positive is better; null unless both are ranked. */
  readonly change: number | null;
  /** Why the two are not comparable; null if they are. */
  readonly reason: string | null;
}

/** All classes, in the order of reports. */
export const changeClasses = [
  'improved',
  'declined',
  'unchanged',
  'entered',
  'dropped',
  'first_check',
  'not_comparable',
] as const satisfies readonly ChangeClass[];

/** Whether the class means that the ranking changed. */
export function hasMoved(changeClass: ChangeClass): boolean {
  return ['improved', 'declined', 'entered', 'dropped'].includes(changeClass);
}

/** Every reason why two observations are not comparable. docs/reports.md lists them. */
export const incomparable = {
  otherSource: (source: string) => `the earlier check came from another source (${source})`,
  rankedBelowResults: (rank: number, results: number) =>
    `last ranked ${rank}, this check reads ${counted(results, 'result')}`,
  ranksBelowResults: (rank: number, results: number) =>
    `ranks ${rank}, the earlier check read ${counted(results, 'result')}`,
  rankedBelowPages: (page: number, depth: number) =>
    `last ranked on page ${page}, this check reads ${counted(depth, 'page')}`,
  ranksBelowPages: (page: number, depth: number) =>
    `ranks on page ${page}, the earlier check read ${counted(depth, 'page')}`,
  otherDepth: (before: number, now: number) =>
    `not found in ${counted(before, 'page')} before, in ${counted(now, 'page')} now`,
  earlierPageUnknown: () => 'the page of the earlier rank is not known',
  pageUnknown: () => 'the page of this rank is not known',
  noBaseline: (comparison: string) => `no complete check near ${comparison}`,
  seenLater: (source: string) => `what the slot before shows was seen after this check (${source})`,
} as const;

/**
 * Compares two observations of one target in one search. Two ranks compare at any depth. A rank and an absence compare
 * only if the absence covers the rank: within the results that were read, or within as many pages of ten. So a page of
 * 9 results after one of 10 still shows a drop, and a page of 100 shows none. Two absences compare only at equal depth.
 * Observations of different sources compare only if the sources were measured to agree.
 */
export function compare(previous: Observation | null, current: Observation): Change {
  if (previous === null) return { changeClass: 'first_check', change: null, reason: null };
  if (comparableSource(previous.source) !== comparableSource(current.source))
    return notComparable(incomparable.otherSource(previous.source));
  if (previous.rank !== null && current.rank !== null) {
    const change = previous.rank - current.rank;
    return { changeClass: change > 0 ? 'improved' : change < 0 ? 'declined' : 'unchanged', change, reason: null };
  }
  if (previous.rank !== null)
    return betweenRankAndAbsence({ rank: previous.rank, page: previous.page }, current, false);
  if (current.rank !== null) return betweenRankAndAbsence({ rank: current.rank, page: current.page }, previous, true);
  if (previous.depth === current.depth) return { changeClass: 'unchanged', change: null, reason: null };
  return notComparable(incomparable.otherDepth(previous.depth, current.depth));
}

/** Checks of other sources that agree with one have its label first: `first/serper=second/dataforseo`. */
export function comparableSource(label: string): string {
  const end = label.indexOf('=');
  return end === -1 ? label : label.slice(0, end);
}

/** The change of a row without an observation: its check is incomplete, failed, deferred or `unknown_paid`. */
export function notComparable(reason: string): Change {
  return { changeClass: 'not_comparable', change: null, reason };
}

/**
 * Chooses the observation to compare with: the most recent comparable candidate; else the most recent one, whose date
 * and reason the report prints; else null. Candidates belong to earlier slots, latest first. The database gives the one
 * of the latest earlier slot and, for a deep check, one of at least the same depth. A candidate observed at the same
 * moment as `current` counts, because two slots may share a fresh page or a recording. A later one does not.
 */
export function chooseBaseline(current: Observation, candidates: readonly (Observation | null)[]): Observation | null {
  const earlier = candidates
    .filter((candidate) => candidate !== null)
    .filter(({ checkedAt }) => checkedAt <= current.checkedAt)
    .toSorted((a, b) => b.checkedAt - a.checkedAt);
  return (
    earlier.find((candidate) => compare(candidate, current).changeClass !== 'not_comparable') ?? earlier[0] ?? null
  );
}

type Ranked = { readonly rank: number; readonly page: number | null };
type Absent = Pick<Observation, 'depth' | 'resultsRead'>;

/** The most organic results of an ordinary results page. A larger page counts as several. */
const resultsPerPageMax = 10;

/**
 * Whether an absence covers a rank: within its results, or within as many ordinary pages. Null if this needs the page
 * of the rank and it is unknown. Results are looked at last: columns of ranks do not hold their number.
 */
function covers(absent: Absent, { rank, page }: Ranked): boolean | null {
  if (page !== null && Math.max(page, Math.ceil(rank / resultsPerPageMax)) <= absent.depth) return true;
  const { depth, resultsRead } = absent;
  if (resultsRead === null) return page === null ? null : page <= depth;
  return rank <= resultsRead;
}

/** The change between a rank and an absence; `isEntry`: the absence came first. */
function betweenRankAndAbsence(ranked: Ranked, absent: Absent, isEntry: boolean): Change {
  const isCovered = covers(absent, ranked);
  if (isCovered === true) return { changeClass: isEntry ? 'entered' : 'dropped', change: null, reason: null };
  const { rank, page } = ranked;
  const { depth, resultsRead } = absent;
  if (isCovered === null || page === null)
    return notComparable(isEntry ? incomparable.pageUnknown() : incomparable.earlierPageUnknown());
  if (resultsRead === null)
    return notComparable(incomparable[isEntry ? 'ranksBelowPages' : 'rankedBelowPages'](page, depth));
  return notComparable(incomparable[isEntry ? 'ranksBelowResults' : 'rankedBelowResults'](rank, resultsRead));
}

function counted(count: number, one: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${one}s`;
}
