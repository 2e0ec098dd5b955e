// Slots: when a schedule is due, computed from cron, zone, the last slot and the time, so that nothing is skipped and nothing doubled.
import { Cron } from 'croner';
import { isNearClockChange, isTimeZone, localClock, localDateTimeKey, momentOf } from './local-time.ts';
import type { CatchUp } from './project.ts';

/** A due moment. The key is its local date-time, `YYYY-MM-DDTHH:mm`: where the clock is put back, the repeated hour is the same slot. */
export interface Slot {
  readonly key: string;
  /** UTC milliseconds. */
  readonly at: number;
}

export interface DueQuestion {
  /** Cron expression; absent: nothing is ever due by itself. */
  readonly schedule: string | undefined;
  /** IANA. */
  readonly timezone: string;
  readonly catchUp: CatchUp;
  /** The newest slot that was run or recorded as missed; null before the first. */
  readonly lastSlot: Slot | null;
  /** UTC milliseconds. */
  readonly now: number;
}

export interface DueSlots {
  /** To run, oldest first. */
  readonly due: readonly Slot[];
  /** To record as missed, oldest first. */
  readonly missed: readonly Slot[];
  /** Why, in words for `status`. */
  readonly reason: string;
  /** The first slot after now; null where none follows. */
  readonly next: Slot | null;
}

/** With `catchUp: none` a slot this old is still on time: a slow restart, a host cron that calls once an hour. */
export const onTimeMs = 3_600_000;
/** The most slots that are looked back on at once; older ones are given up. A week of a schedule that fires each minute. */
export const lookBackMax = 10_080;

const dayMs = 86_400_000;
const minuteMs = 60_000;
const patternsMax = 256;

/** Parsed cron expressions, made when first needed; the oldest goes when there are too many. */
const patterns = new Map<string, Cron>();

/** What is wrong with a schedule (five cron fields or a nickname such as `@daily`) or its zone, or null. */
export function scheduleProblem(cron: string, timezone: string): string | null {
  if (!isTimeZone(timezone)) return `"${timezone}" is no IANA time zone`;
  try {
    const neverFires = patternOf(cron).nextRun(new Date(0)) === null;
    return neverFires ? `"${cron}" never fires` : null;
  } catch (error) {
    // The cron library throws a RangeError for a number that does not fit its field.
    if (error instanceof TypeError || error instanceof RangeError) return `"${cron}" is no schedule: ${error.message}`;
    throw error;
  }
}

/** The newest slot at or before `now`; null where there is none. */
export function previousSlot(cron: string, timezone: string, now: number): Slot | null {
  for (const slot of slotsBack(cron, timezone, now)) return slot;
  return null;
}

/** The oldest slot after `now`; null where none follows. */
export function nextSlot(cron: string, timezone: string, now: number): Slot | null {
  return slotsBetween(cron, timezone, now, Number.POSITIVE_INFINITY, 1)[0] ?? null;
}

/**
 * The slots of a stretch of time, oldest first, at most `max`.
 *
 * Schedules are read on the local clock. A time that the clock shows twice is one slot, at its first showing; a time that it never shows is due
 * at the first moment after the gap (on the same day, see `momentOf`), and slots that fall together there are one.
 */
export function slotsBetween(
  cron: string,
  timezone: string,
  afterExclusive: number,
  untilInclusive: number,
  max: number,
): Slot[] {
  const pattern = patternOf(cron);
  const slots: Slot[] = [];
  let clock: Date | null = new Date(localClock(afterExclusive, timezone) - minuteMs);
  while (slots.length < max) {
    clock = pattern.nextRun(clock);
    if (clock === null) break;
    const at = momentOf(clock.getTime(), timezone);
    if (at === null || at <= afterExclusive) continue;
    if (at > untilInclusive) break;
    const key = localDateTimeKey(at, timezone);
    if (slots.at(-1)?.key !== key) slots.push({ key, at });
  }
  return slots;
}

/**
 * What is due now, by the project's `catchUp`: `latest` runs the newest slot since the last one and records the others as missed, `all` runs
 * each, `none` runs only a slot that is at most an hour old. A project's first run ever takes the newest slot that has passed.
 */
export function dueSlots(question: DueQuestion): DueSlots {
  const { schedule, timezone, catchUp, lastSlot, now } = question;
  if (schedule === undefined) return { due: [], missed: [], reason: 'no schedule: runs only when named', next: null };
  const next = nextSlot(schedule, timezone, now);
  if (lastSlot !== null && lastSlot.at > now) {
    return { due: [], missed: [], reason: `the last slot (${lastSlot.key}) lies ahead: the clock was put back`, next };
  }
  const passed = slotsSince(schedule, timezone, lastSlot, now);
  const newest = passed.at(-1);
  if (newest === undefined) return { due: [], missed: [], reason: notDueReason(lastSlot, next), next };
  if (lastSlot === null) return { due: [newest], missed: [], reason: `first run, for ${newest.key}`, next };
  if (catchUp === 'all')
    return { due: passed, missed: [], reason: dueReason(newest, passed.length - 1, 'first'), next };
  const earlier = passed.slice(0, -1);
  if (catchUp === 'none' && now - newest.at > onTimeMs) {
    return { due: [], missed: passed, reason: `${newest.key} was missed, and catchUp is none`, next };
  }
  return { due: [newest], missed: earlier, reason: dueReason(newest, earlier.length, 'missed'), next };
}

/** The slots after the last one until now, oldest first; of the very first run only the newest. */
function slotsSince(cron: string, timezone: string, lastSlot: Slot | null, now: number): Slot[] {
  const slots: Slot[] = [];
  for (const slot of slotsBack(cron, timezone, now)) {
    // A project that moves to another zone may meet a local time again: it is the same slot.
    if (lastSlot !== null && (slot.at <= lastSlot.at || slot.key === lastSlot.key)) break;
    slots.push(slot);
    if (lastSlot === null || slots.length >= lookBackMax) break;
  }
  return slots.reverse();
}

/** The slots at or before `now`, newest first. */
function* slotsBack(cron: string, timezone: string, now: number): Generator<Slot> {
  const pattern = patternOf(cron);
  // Near a clock change a slot may have been due although its local time lies ahead: in the repeated hour, or moved before a gap.
  const lead = isNearClockChange(now, timezone) ? 1.5 * dayMs : minuteMs;
  let clock = pattern.previousRuns(1, new Date(localClock(now, timezone) + lead))[0];
  let newer: Slot | null = null;
  while (clock !== undefined) {
    const at = momentOf(clock.getTime(), timezone);
    if (at !== null && at <= now) {
      const slot = { key: localDateTimeKey(at, timezone), at };
      if (newer?.key !== slot.key) yield slot;
      newer = slot;
    }
    clock = pattern.previousRuns(1, clock)[0];
  }
}

function notDueReason(lastSlot: Slot | null, next: Slot | null): string {
  const until = next === null ? 'nothing follows' : `next at ${next.key}`;
  return lastSlot === null ? `never due before now, ${until}` : `ran for ${lastSlot.key}, ${until}`;
}

function dueReason(newest: Slot, others: number, what: 'first' | 'missed'): string {
  if (others === 0) return `due at ${newest.key}`;
  return what === 'missed'
    ? `due at ${newest.key}; ${others} earlier missed`
    : `due at ${newest.key}; ${others} earlier first`;
}

/** Cron on a clock without zone or changes: local time is mapped to moments by `momentOf`, not by the cron library. */
function patternOf(cron: string): Cron {
  const known = patterns.get(cron);
  if (known !== undefined) return known;
  const pattern = new Cron(cron, { paused: true, utcOffset: 0, mode: '5-part' });
  if (patterns.size >= patternsMax) {
    const [oldest] = patterns.keys();
    if (oldest !== undefined) patterns.delete(oldest);
  }
  patterns.set(cron, pattern);
  return pattern;
}
