// Slots of cron schedules in their time zones, skipping none and repeating none, and stretches of slots.
import { Cron } from 'croner';
import {
  isNearClockChange,
  isTimeZone,
  localClock,
  localDateTimeKey,
  skippedMs,
  startOfDay,
  toInstant,
} from './local-time.ts';
import { dayMs, minuteMs } from './time-units.ts';

/**
 * A scheduled moment. Its key is the local date-time, `YYYY-MM-DDTHH:mm`: an hour repeated by a clock change has the
 * same slots.
 */
export interface Slot {
  readonly key: string;
  /** UTC milliseconds. */
  readonly at: number;
}

/** By expression. */
const patterns = new Map<string, Cron>();

/** What is wrong with a schedule (five cron fields or a nickname such as `@daily`) or its zone; null: nothing. */
export function scheduleProblem(cron: string, timezone: string): string | null {
  if (!isTimeZone(timezone)) return `"${timezone}" is not an IANA time zone`;
  try {
    const neverFires = parsePattern(cron).nextRun(new Date(0)) === null;
    return neverFires ? `"${cron}" never fires` : null;
  } catch (error) {
    // The cron library throws a RangeError for a number that does not fit its field.
    if (error instanceof TypeError || error instanceof RangeError)
      return `"${cron}" is not a schedule: ${error.message}`;
    throw error;
  }
}

/** The newest slot at or before `now`; null: none. */
export function previousSlot(cron: string, timezone: string, now: number): Slot | null {
  for (const slot of slotsBack(cron, timezone, now)) return slot;
  return null;
}

/** The oldest slot after `now`; null: none. */
export function nextSlot(cron: string, timezone: string, now: number): Slot | null {
  return slotsBetween(cron, timezone, now, Number.POSITIVE_INFINITY, 1)[0] ?? null;
}

/**
 * The slots of a time span, oldest first, at most `max`.
 *
 * Schedules use the local clock. A time that the clock shows twice is one slot, at its first showing. A skipped time is
 * due at the first instant after the gap (on the same day, see `toInstant`), and slots that coincide there are one. A
 * schedule that fires at least as often as the gap is long, such as hourly, loses the slot: a day of 23 hours has 23
 * runs.
 */
export function slotsBetween(
  cron: string,
  timezone: string,
  afterExclusive: number,
  untilInclusive: number,
  max: number,
): Slot[] {
  const pattern = parsePattern(cron);
  const slots: Slot[] = [];
  let clock: Date | null = new Date(localClock(afterExclusive, timezone) - minuteMs);
  while (slots.length < max) {
    clock = pattern.nextRun(clock);
    if (clock === null) break;
    const slot = slotAt(pattern, clock, timezone);
    if (slot === null || slot.at <= afterExclusive) continue;
    if (slot.at > untilInclusive) break;
    if (slots.at(-1)?.key !== slot.key) slots.push(slot);
  }
  return slots;
}

/** The slots at or before `now`, newest first. */
export function* slotsBack(cron: string, timezone: string, now: number): Generator<Slot> {
  const pattern = parsePattern(cron);
  // Near a clock change, a slot may be due although its local time lies ahead: in a repeated hour, or moved before a
  // gap.
  const lead = isNearClockChange(now, timezone) ? 1.5 * dayMs : minuteMs;
  let clock = pattern.previousRuns(1, new Date(localClock(now, timezone) + lead))[0];
  let newer: Slot | null = null;
  while (clock !== undefined) {
    const slot = slotAt(pattern, clock, timezone);
    if (slot !== null && slot.at <= now) {
      if (newer?.key !== slot.key) yield slot;
      newer = slot;
    }
    clock = pattern.previousRuns(1, clock)[0];
  }
}

/** The slot of a local time; null if the clock skips the time and it is not made up for. */
function slotAt(pattern: Cron, clock: Date, timezone: string): Slot | null {
  const at = toInstant(clock.getTime(), timezone);
  if (at === null) return null;
  const key = localDateTimeKey(at, timezone);
  if (key !== formatKey(clock) && firesAround(pattern, clock, timezone)) return null;
  return { key, at };
}

/** Whether the schedule fires within the length of the gap both before and after a skipped time. */
function firesAround(pattern: Cron, clock: Date, timezone: string): boolean {
  const gapMs = skippedMs(clock.getTime(), timezone);
  const isNear = (step: (from: Date) => Date | null | undefined): boolean => {
    let near = step(clock);
    while (near != null && Math.abs(near.getTime() - clock.getTime()) <= gapMs) {
      const at = toInstant(near.getTime(), timezone);
      if (at !== null && localDateTimeKey(at, timezone) === formatKey(near)) return true;
      near = step(near);
    }
    return false;
  };
  return isNear((from) => pattern.previousRuns(1, from)[0]) && isNear((from) => pattern.nextRun(from));
}

function formatKey(clock: Date): string {
  return clock.toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length);
}
/** Parses for a clock without zone: `toInstant` maps local times to instants, not the cron library. */
function parsePattern(cron: string): Cron {
  const known = patterns.get(cron);
  if (known !== undefined) return known;
  const pattern = new Cron(cron, { paused: true, utcOffset: 0, mode: '5-part' });
  patterns.set(cron, pattern);
  return pattern;
}

const slotsPerDayMax = 1_440;

/** All slots of a schedule from the first to the last. */
export interface SlotStretch {
  /** Cron expression. */
  readonly schedule: string;
  /** IANA. */
  readonly timezone: string;
  readonly first: Slot;
  readonly last: Slot;
  readonly count: number;
}

/** `first` and `last` must be slots of the schedule. */
export function createStretch(schedule: string, timezone: string, first: Slot, last: Slot): SlotStretch {
  const count = first.key === last.key ? 1 : countSlots(schedule, timezone, first.at - 1, last.at);
  return { schedule, timezone, first, last, count };
}

/** Counts the slots in a time span. A day without a clock change is counted without visiting its slots. */
export function countSlots(cron: string, timezone: string, afterExclusive: number, untilInclusive: number): number {
  let [count, after] = [0, afterExclusive];
  let perDay: number | null = null;
  for (;;) {
    const next = nextSlot(cron, timezone, after);
    if (next === null || next.at > untilInclusive) return count;
    const date = next.key.slice(0, 10);
    const start = startOfDay(date, timezone);
    const day = Date.parse(date);
    const last = Math.max(next.at, startOfDay(new Date(day + dayMs).toISOString().slice(0, 10), timezone) - 1);
    const isWhole = after < start && last <= untilInclusive;
    if (isWhole && !isNearClockChange(start + dayMs / 2, timezone)) {
      // a cron expression has the same times on each day on which it fires
      perDay ??= slotsBetween(cron, 'UTC', day - 1, day + dayMs - 1, slotsPerDayMax).length;
      count += perDay;
    } else {
      count += slotsBetween(cron, timezone, after, Math.min(last, untilInclusive), slotsPerDayMax).length;
    }
    after = last;
  }
}

/** Removes the slots from one key to another from a stretch. */
export function withoutSlots(stretch: SlotStretch, fromKey: string, toKey: string): SlotStretch[] {
  const { schedule, timezone, first, last, count } = stretch;
  if (toKey < first.key || fromKey > last.key) return [stretch];
  if (fromKey <= first.key && toKey >= last.key) return [];
  const before = fromKey > first.key ? slotBefore(schedule, timezone, fromKey) : null;
  const after = toKey < last.key ? slotAfter(schedule, timezone, toKey) : null;
  const removed = countSlots(schedule, timezone, before?.at ?? first.at - 1, (after?.at ?? last.at + 1) - 1);
  if (removed === 0) return [stretch];
  const earlier = before === null ? [] : [createStretch(schedule, timezone, first, before)];
  const left = count - removed - (earlier[0]?.count ?? 0);
  return after === null ? earlier : [...earlier, { schedule, timezone, first: after, last, count: left }];
}

/** The newest slot with a smaller key. */
function slotBefore(schedule: string, timezone: string, key: string): Slot | null {
  let slot = previousSlot(schedule, timezone, instantOfKey(key, timezone));
  while (slot !== null && slot.key >= key) slot = previousSlot(schedule, timezone, slot.at - 1);
  return slot;
}

/** The oldest slot with a greater key. */
function slotAfter(schedule: string, timezone: string, key: string): Slot | null {
  let slot = nextSlot(schedule, timezone, instantOfKey(key, timezone) - 1);
  while (slot !== null && slot.key <= key) slot = nextSlot(schedule, timezone, slot.at);
  return slot;
}

function instantOfKey(key: string, timezone: string): number {
  return toInstant(Date.parse(`${key.slice(0, 16)}Z`), timezone) ?? startOfDay(key.slice(0, 10), timezone);
}
