// Slots: when a schedule is due, computed from cron, zone, the last slot and the time, so that nothing is skipped and nothing doubled.
import { Cron } from 'croner';
import { isNearClockChange, isTimeZone, localClock, localDateTimeKey, momentOf, skippedMs } from './local-time.ts';
import type { CatchUp } from './project.ts';

/** A due moment. The key is its local date-time, `YYYY-MM-DDTHH:mm`: where the clock is put back, the repeated hour is the same slot. */
export interface Slot {
  readonly key: string;
  /** UTC milliseconds. */
  readonly at: number;
}

/** The slot that was settled last. */
export interface LastSlot extends Slot {
  /** It went by without a run. Default: it was run. */
  readonly isMissed?: boolean;
}

export interface DueQuestion {
  /** Cron expression; absent: nothing is ever due by itself. */
  readonly schedule: string | undefined;
  /** IANA. */
  readonly timezone: string;
  readonly catchUp: CatchUp;
  /** The newest slot until now that was run or recorded as missed; where all of them lie ahead, one of those; null before the first. */
  readonly lastSlot: LastSlot | null;
  /** Whether a slot was run or recorded as missed: after a leap of the clock or of the zone more than the last one may have been. */
  readonly isSettled?: (key: string) => boolean;
  /** Absent: a run starts with its slot. */
  readonly jitter?: Jitter;
  /** UTC milliseconds. */
  readonly now: number;
}

/** Starts are put off by up to `seconds`: always the same for a seed and a slot, so that a restart changes nothing. */
export interface Jitter {
  readonly seed: string;
  readonly seconds: number;
}

/** A slot that has passed, and starts only now or later. */
export interface WaitingSlot extends Slot {
  /** UTC milliseconds. */
  readonly startsAt: number;
}

export interface DueSlots {
  /** To run, oldest first. */
  readonly due: readonly Slot[];
  /** To record as missed, oldest first. */
  readonly missed: readonly Slot[];
  /** Why they were, for their rows. */
  readonly missedReason: string;
  /** More slots were missed than are told at once: record these, and ask again before anything is run. */
  readonly isMore: boolean;
  /** The slot whose start is put off; null where none is. */
  readonly waiting: WaitingSlot | null;
  /** Why, in words for `status`. */
  readonly reason: string;
  /** The first slot after now; null where none follows. */
  readonly next: Slot | null;
}

/** With `catchUp: none` a slot this old is still on time: a slow restart, a host cron that calls once an hour. */
export const onTimeMs = 3_600_000;
/** The most slots that are caught up with; older ones are missed. A week of a schedule that fires each minute. */
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
 * at the first moment after the gap (on the same day, see `momentOf`), and slots that fall together there are one. A schedule that fires at least as
 * often as the gap is long, such as each hour, loses it: a day of 23 hours has 23 runs.
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
    const slot = slotAt(pattern, clock, timezone);
    if (slot === null || slot.at <= afterExclusive) continue;
    if (slot.at > untilInclusive) break;
    if (slots.at(-1)?.key !== slot.key) slots.push(slot);
  }
  return slots;
}

/**
 * What is due now, by the project's `catchUp`: `latest` runs the newest slot since the last one and records the others as missed, `all` runs
 * each, `none` runs only a slot that is at most an hour old. A project's first run ever takes the newest slot that has passed.
 */
export function dueSlots(question: DueQuestion): DueSlots {
  const { schedule, timezone, lastSlot, now } = question;
  if (schedule === undefined) return nothingDue('no schedule: runs only when named', null);
  const next = nextSlot(schedule, timezone, now);
  if (lastSlot !== null && lastSlot.at > now)
    return nothingDue(`the last slot (${lastSlot.key}) lies ahead: the clock was put back`, next);
  const passed = slotsSince(schedule, question);
  const newest = passed.at(-1);
  if (newest === undefined) return nothingDue(notDueReason(lastSlot, next), next);
  const startsAt = newest.at + delayMs(question.jitter, newest, next);
  if (passed.length > lookBackMax) return tooManySlots(schedule, question, passed.slice(1), next);
  return caughtUp(question, passed, { ...newest, startsAt }, next);
}

function nothingDue(reason: string, next: Slot | null): DueSlots {
  return { due: [], missed: [], missedReason: '', isMore: false, waiting: null, reason, next };
}

/** What `catchUp` makes of the slots that have passed, of which `newest` is the last. */
function caughtUp(
  { timezone, catchUp, lastSlot, now }: DueQuestion,
  passed: readonly Slot[],
  newest: WaitingSlot,
  next: Slot | null,
): DueSlots {
  const earlier = passed.slice(0, -1);
  const missedReason =
    catchUp === 'none' ? 'not run in time, and catchUp is none' : `${newest.key} was run for it (catchUp: ${catchUp})`;
  const answer = { ...nothingDue('', next), missedReason };
  const due = passed.slice(-1);
  if (newest.startsAt > now) {
    const reason = `due at ${newest.key}, starts at ${timeOfDay(newest.startsAt, timezone)} (jitter)`;
    return { ...answer, due: catchUp === 'all' ? earlier : [], waiting: newest, reason };
  }
  if (lastSlot === null) return { ...answer, due, reason: `first run, for ${newest.key}` };
  if (catchUp === 'all') return { ...answer, due: passed, reason: dueReason(newest, earlier.length, 'first') };
  if (catchUp === 'none' && now - newest.startsAt > onTimeMs)
    return { ...answer, missed: passed, reason: `${newest.key} was missed, and catchUp is none` };
  return { ...answer, due, missed: earlier, reason: dueReason(newest, earlier.length, 'missed') };
}

/** More have passed than are caught up with: the oldest of the rest are told, a part at a time. */
function tooManySlots(
  schedule: string,
  { timezone, lastSlot }: DueQuestion,
  kept: readonly Slot[],
  next: Slot | null,
): DueSlots {
  const after = lastSlot?.at ?? Number.NEGATIVE_INFINITY;
  const missed = slotsBetween(schedule, timezone, after, (kept[0]?.at ?? 0) - 1, lookBackMax);
  const missedReason = `more than ${lookBackMax} slots back`;
  return { ...nothingDue('many slots were missed', next), missed, missedReason, isMore: true };
}

/** How long after its slot a run starts, milliseconds: the next look of the scheduler still comes before the next slot. */
function delayMs(jitter: Jitter | undefined, slot: Slot, next: Slot | null): number {
  if (jitter === undefined) return 0;
  const room = next === null ? Number.POSITIVE_INFINITY : next.at - slot.at - minuteMs;
  return Math.floor(Math.max(0, Math.min(jitter.seconds * 1000, room)) * spread(`${jitter.seed} ${slot.key}`));
}

/** A number from 0 to 1 that follows from a text: FNV-1a, then the finalizer of MurmurHash3, which spreads texts that differ in little. */
function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** `06:04:30` on the local clock. */
function timeOfDay(at: number, timezone: string): string {
  return new Date(localClock(at, timezone)).toISOString().slice(11, 19);
}

/** The unsettled slots after the last one until now, oldest first, at most one more than are caught up with; of the very first run only the newest. */
function slotsSince(cron: string, { timezone, lastSlot, isSettled, now }: DueQuestion): Slot[] {
  const slots: Slot[] = [];
  for (const slot of slotsBack(cron, timezone, now)) {
    // A project that moves to another zone may meet a local time again: it is the same slot.
    if (lastSlot !== null && (slot.at <= lastSlot.at || slot.key === lastSlot.key)) break;
    if (isSettled?.(slot.key) !== true) slots.push(slot);
    if (lastSlot === null || slots.length > lookBackMax) break;
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
    const slot = slotAt(pattern, clock, timezone);
    if (slot !== null && slot.at <= now) {
      if (newer?.key !== slot.key) yield slot;
      newer = slot;
    }
    clock = pattern.previousRuns(1, clock)[0];
  }
}

/** The slot of a time on the local clock; null where that is never shown and not made up for. */
function slotAt(pattern: Cron, clock: Date, timezone: string): Slot | null {
  const at = momentOf(clock.getTime(), timezone);
  if (at === null) return null;
  const key = localDateTimeKey(at, timezone);
  if (key !== keyOf(clock) && firesAround(pattern, clock, timezone)) return null;
  return { key, at };
}

/** Whether, around a time that the clock skips, the schedule fires no further away than the skipped stretch is long, both before and after it. */
function firesAround(pattern: Cron, clock: Date, timezone: string): boolean {
  const gapMs = skippedMs(clock.getTime(), timezone);
  const isNear = (step: (from: Date) => Date | null | undefined): boolean => {
    let near = step(clock);
    while (near != null && Math.abs(near.getTime() - clock.getTime()) <= gapMs) {
      const at = momentOf(near.getTime(), timezone);
      if (at !== null && localDateTimeKey(at, timezone) === keyOf(near)) return true;
      near = step(near);
    }
    return false;
  };
  return isNear((from) => pattern.previousRuns(1, from)[0]) && isNear((from) => pattern.nextRun(from));
}

/** A local clock as a slot is keyed. */
function keyOf(clock: Date): string {
  return clock.toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length);
}

function notDueReason(lastSlot: LastSlot | null, next: Slot | null): string {
  const until = next === null ? 'nothing follows' : `next at ${next.key}`;
  if (lastSlot === null) return `never due before now, ${until}`;
  return lastSlot.isMissed === true ? `missed ${lastSlot.key}, ${until}` : `ran for ${lastSlot.key}, ${until}`;
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
