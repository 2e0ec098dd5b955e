// Local time of IANA zones: instants to local date-times and back, through clock changes. What is due is left to schedule.ts.

const minuteMs = 60_000;
const dayMs = 86_400_000;
const formattersMax = 64;

/** Formatters by zone, made when first needed; the oldest goes when there are too many. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Whether the name is an IANA zone that this runtime knows. */
export function isTimeZone(name: string): boolean {
  try {
    formatterOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Local date-time to the minute, `YYYY-MM-DDTHH:mm`: what a slot is keyed by. `at` in UTC milliseconds; throws RangeError for an unknown zone. */
export function localDateTimeKey(at: number, timeZone: string): string {
  const written = formatterOf(timeZone).format(at);
  return `${written.slice(0, 10)}T${written.slice(11, 16)}`;
}

/** No zone changes its date within a quarter of an hour, since Liberia set its clock in 1972. */
const quarterMs = 900_000;
const quartersSince = Date.UTC(1973, 0, 1);
let last = { quarter: Number.NaN, timeZone: '', date: '' };

/** Local date, `YYYY-MM-DD`. Checks of one run share it mostly: the last one is remembered. */
export function localDate(at: number, timeZone: string): string {
  const quarter = at < quartersSince ? Number.NaN : Math.floor(at / quarterMs);
  if (quarter === last.quarter && timeZone === last.timeZone) return last.date;
  const date = formatterOf(timeZone).format(at).slice(0, 10);
  last = { quarter, timeZone, date };
  return date;
}

/** The first moment of a local date. */
export function startOfDay(date: string, timeZone: string): number {
  const clock = Date.parse(`${date}T00:00:00Z`);
  return momentOf(clock, timeZone) ?? clock - (localClock(clock, timeZone) - clock);
}

/** The budget's day that the moment belongs to, `YYYY-MM-DD`. */
export function dayWindowKey(at: number, timeZone: string): string {
  return localDate(at, timeZone);
}

/** The budget's month that the moment belongs to, `YYYY-MM`. */
export function monthWindowKey(at: number, timeZone: string): string {
  return localDate(at, timeZone).slice(0, 7);
}

/** The local clock of a moment, as if it were UTC: milliseconds that one can reckon with. */
export function localClock(at: number, timeZone: string): number {
  const written = formatterOf(timeZone).format(at);
  const clock = Date.UTC(
    digits(written, 0, 4),
    digits(written, 5, 7) - 1,
    digits(written, 8, 10),
    digits(written, 11, 13),
    digits(written, 14, 16),
    digits(written, 17, 19),
  );
  return clock + (((at % 1000) + 1000) % 1000);
}

/** Whether the zone's clock is changed within a day and a bit of the moment. */
export function isNearClockChange(at: number, timeZone: string): boolean {
  const offset = offsetAt(at, timeZone);
  return offsetAt(at - 1.5 * dayMs, timeZone) !== offset || offsetAt(at + 1.5 * dayMs, timeZone) !== offset;
}

/**
 * The moment, in UTC milliseconds, at which a local clock (as `localClock` writes it, on a full minute) shows this time.
 *
 * Shown twice: the first of both. Never shown, because the clock was put forward over it: the first moment after the gap; where
 * that is another day, the last minute before the gap, so that the work of a day stays on that day. Null where the whole day is left out.
 */
export function momentOf(clock: number, timeZone: string): number | null {
  const before = offsetAt(clock - dayMs, timeZone);
  const first = clock - before;
  if (offsetAt(first, timeZone) === before) return first;
  const after = offsetAt(clock + dayMs, timeZone);
  if (offsetAt(clock - after, timeZone) === after) return clock - after;
  const gapEnd = changeBetween(clock - after, first, timeZone);
  if (sameDay(localClock(gapEnd, timeZone), clock)) return gapEnd;
  return sameDay(localClock(gapEnd - minuteMs, timeZone), clock) ? gapEnd - minuteMs : null;
}

/** How far the clock is put forward within a day of a local time, in milliseconds; negative where it is put back. */
export function skippedMs(clock: number, timeZone: string): number {
  return offsetAt(clock + dayMs, timeZone) - offsetAt(clock - dayMs, timeZone);
}

/** Milliseconds that the local clock is ahead of UTC. */
function offsetAt(at: number, timeZone: string): number {
  return localClock(at, timeZone) - at;
}

/** The first moment, on a full minute, of the offset that holds at `late`; another one holds at `early`. */
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

function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) number = number * 10 + (text.charCodeAt(at) - 48);
  return number;
}

/** Swedish writes `2026-03-29 03:00:00`. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
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
  if (formatters.size >= formattersMax) {
    const [oldest] = formatters.keys();
    if (oldest !== undefined) formatters.delete(oldest);
  }
  formatters.set(timeZone, formatter);
  return formatter;
}
