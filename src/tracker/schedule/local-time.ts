// Local dates and times of IANA zones: instants to local date-times and back, through daylight saving changes.
import { dayMs, minuteMs } from './time-units.ts';

/** By zone. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The default zone. It needs no formatter; the first one takes a third of the time of an empty process. */
const utc = 'UTC';

/** Whether the name is an IANA zone that this runtime knows. */
export function isTimeZone(name: string): boolean {
  if (name === utc) return true;
  try {
    getFormatter(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Local date-time to the minute, `YYYY-MM-DDTHH:mm`: the key of a slot. `at` in UTC milliseconds; throws RangeError for
 * an unknown zone.
 */
export function localDateTimeKey(at: number, timeZone: string): string {
  return new Date(localClock(at, timeZone)).toISOString().slice(0, 16);
}

/** Since Liberia set its clock in 1972, every offset is a multiple of 15 minutes: dates change only at quarters. */
const quarterMs = 15 * minuteMs;
const quartersSince = Date.UTC(1973, 0, 1);
const datesMax = 5_000;
/** By quarter of an hour and zone: the checks of a run share few. */
const dates = new Map<string, string>();

/** Local date, `YYYY-MM-DD`. */
export function localDate(at: number, timeZone: string): string {
  const key = `${at < quartersSince ? `${at} ms` : Math.floor(at / quarterMs)} ${timeZone}`;
  const known = dates.get(key);
  if (known !== undefined) return known;
  const date = localDateTimeKey(at, timeZone).slice(0, 10);
  if (dates.size >= datesMax) dates.clear();
  dates.set(key, date);
  return date;
}

/** Whether the text is a date that the calendar has, `2026-11-20`. The day after it has four digits of a year, too. */
export function isDate(text: string): boolean {
  return /^(?!9999)\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
}

/** Adds days to a date; negative days subtract. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** The first instant of a local date, UTC milliseconds. */
export function startOfDay(date: string, timeZone: string): number {
  const clock = Date.parse(`${date}T00:00:00Z`);
  return toInstant(clock, timeZone) ?? clock - (localClock(clock, timeZone) - clock);
}

/** The month of the budget at this instant, `YYYY-MM`. */
export function monthWindowKey(at: number, timeZone: string): string {
  return localDate(at, timeZone).slice(0, 7);
}

/** The local clock at an instant, encoded as if it were UTC milliseconds, so that it can be computed with. */
export function localClock(at: number, timeZone: string): number {
  if (timeZone === utc) return at;
  const clock = Date.parse(`${getFormatter(timeZone).format(at).replace(' ', 'T')}Z`);
  return clock + (((at % 1000) + 1000) % 1000);
}

/** Whether the zone changes its offset within about a day of the instant. */
export function isNearClockChange(at: number, timeZone: string): boolean {
  const offset = offsetAt(at, timeZone);
  return offsetAt(at - 1.5 * dayMs, timeZone) !== offset || offsetAt(at + 1.5 * dayMs, timeZone) !== offset;
}

/**
 * The instant, in UTC milliseconds, at which a local clock (as `localClock` encodes it, a full minute) shows this time.
 *
 * A time shown twice means the first showing. A skipped time means the first instant after the gap; if that is another
 * day, the last minute before the gap, so that a day's work stays on its day. Null if the zone skips the whole day.
 */
export function toInstant(clock: number, timeZone: string): number | null {
  const before = offsetAt(clock - dayMs, timeZone);
  const first = clock - before;
  if (offsetAt(first, timeZone) === before) return first;
  const after = offsetAt(clock + dayMs, timeZone);
  if (offsetAt(clock - after, timeZone) === after) return clock - after;
  const gapEnd = changeBetween(clock - after, first, timeZone);
  if (sameDay(localClock(gapEnd, timeZone), clock)) return gapEnd;
  return sameDay(localClock(gapEnd - minuteMs, timeZone), clock) ? gapEnd - minuteMs : null;
}

/** How far the clock moves forward within a day of a local time, milliseconds; negative: it moves back. */
export function skippedMs(clock: number, timeZone: string): number {
  return offsetAt(clock + dayMs, timeZone) - offsetAt(clock - dayMs, timeZone);
}

/** Offset from UTC, milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  return localClock(at, timeZone) - at;
}

/** The first full minute with the offset of `late`; `early` has another one. */
function changeBetween(early: number, late: number, timeZone: string): number {
  const offset = offsetAt(late, timeZone);
  let low = Math.floor(early / minuteMs) - 1;
  let high = Math.ceil(late / minuteMs);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * minuteMs, timeZone) === offset) high = middle;
    else low = middle;
  }
  return high * minuteMs;
}

function sameDay(clock: number, other: number): boolean {
  return Math.floor(clock / dayMs) === Math.floor(other / dayMs);
}

/** The Swedish locale formats as `2026-03-29 03:00:00`. */
function getFormatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formatters.set(timeZone, formatter);
  return formatter;
}
