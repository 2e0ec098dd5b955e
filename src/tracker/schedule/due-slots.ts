// Computes due and missed slots from a schedule, the last slot, the time and the project's `catchUp`. Pure.

import { localClock } from './local-time.ts';
import { createStretch, nextSlot, previousSlot, type Slot, type SlotStretch, slotsBack } from './schedule.ts';
import { hourMs, minuteMs } from './time-units.ts';

/** The last slot that was run or recorded as missed. */
interface LastSlot extends Slot {
  /** No run took it. Default: it was run. */
  readonly isMissed?: boolean;
  /** A schedule in the present time zone had it, perhaps an earlier one. Default: false. */
  readonly isScheduled?: boolean;
}

/** Which missed slots are run after downtime. */
export type CatchUp = 'none' | 'latest' | 'all';

interface DueQuestion {
  /** Cron expression; absent: no slot is ever due. */
  readonly schedule: string | undefined;
  /** IANA. */
  readonly timezone: string;
  readonly catchUp: CatchUp;
  /**
   * The newest slot up to now that was run or recorded as missed. If the clock was set back and all lie ahead, one of
   * those. Null before the first.
   */
  readonly lastSlot: LastSlot | null;
  /**
   * Whether a slot was run or recorded as missed. After a clock or zone adjustment the last slot alone does not answer
   * this.
   */
  readonly isSettled?: (key: string) => boolean;
  /** Absent: a run starts at its slot. */
  readonly jitter?: Jitter;
  /** UTC milliseconds. */
  readonly now: number;
}

/** Delays starts by up to `seconds`. The delay depends on seed and slot only, so a restart does not change it. */
interface Jitter {
  readonly seed: string;
  readonly seconds: number;
}

/** A due slot whose start is delayed by jitter. */
interface WaitingSlot extends Slot {
  /** UTC milliseconds. */
  readonly startsAt: number;
}

export interface DueSlots {
  /** Slots to run, oldest first. */
  readonly due: readonly Slot[];
  /** Slots more than `lookBackMax` back: to record as missed in any case. */
  readonly tooOld: SlotStretch | null;
  /** Slots to record as missed. The count includes slots inside the stretch that already have a row. */
  readonly missed: SlotStretch | null;
  /** The reason stored with the missed slots. */
  readonly missedReason: string;
  /** Missed and due slots together. */
  readonly passed: SlotStretch | null;
  /** The slot whose start is delayed; null: none. */
  readonly waiting: WaitingSlot | null;
  /** Explanation for `status`. */
  readonly reason: string;
  /** The first slot after now; null: none. */
  readonly next: Slot | null;
}

/** With `catchUp: none`, a slot this old is still on time: after a slow restart, or with an hourly host cron. */
export const onTimeMs = hourMs;
/**
 * The most slots that a project catches up with; older ones are missed. One week of a schedule that fires every minute.
 */
export const lookBackMax = 10_080;

/**
 * Computes what is due now by `catchUp`: `latest` runs the newest slot since the last one and records the others as
 * missed; `all` runs each; `none` runs only a slot that is at most an hour old. The first run of a project takes the
 * newest slot that has passed.
 */
export function dueSlots(question: DueQuestion): DueSlots {
  const { schedule, lastSlot, now } = question;
  if (schedule === undefined) return nothingDue('no schedule: runs only when named', null);
  const next = nextUnsettled(schedule, question);
  if (lastSlot !== null && lastSlot.at > now)
    return nothingDue(`the last slot (${lastSlot.key}) lies ahead: the clock was put back`, next);
  const open = slotsSince(schedule, question);
  const newest = open.slots.at(-1);
  if (newest === undefined) return nothingDue(notDueReason(lastSlot, next), next);
  if (lastSlot !== null && now - newest.at > onTimeMs && isOfEarlier(schedule, question, newest))
    return nothingDue(`ran for ${lastSlot.key}, before the schedule changed; ${untilNext(next)}`, next);
  const startsAt = newest.at + delayMs(question.jitter, newest, next);
  const [tooOld, slots] = splitTooOld(schedule, question, open.slots);
  const recent = { ...open, slots };
  return { ...applyCatchUp(schedule, question, recent, { ...newest, startsAt }, tooOld?.count ?? 0), tooOld, next };
}

/**
 * Whether the last slot ran for another schedule than the present one, and so close to `newest` that it stands for it.
 */
function isOfEarlier(schedule: string, { timezone, lastSlot }: DueQuestion, newest: Slot): boolean {
  if (lastSlot === null || lastSlot.isMissed === true || lastSlot.isScheduled !== true) return false;
  if (nextSlot(schedule, timezone, lastSlot.at - 1)?.at === lastSlot.at) return false;
  const before = previousSlot(schedule, timezone, newest.at - 1)?.at ?? 0;
  return newest.at - lastSlot.at < (newest.at - before) / 2;
}

/** The first slot after now that has not run: after a change of the zone, the next local times may have. */
function nextUnsettled(schedule: string, { timezone, isSettled, now }: DueQuestion): Slot | null {
  let next = nextSlot(schedule, timezone, now);
  while (next !== null && isSettled?.(next.key) === true) next = nextSlot(schedule, timezone, next.at);
  return next;
}

function nothingDue(reason: string, next: Slot | null): DueSlots {
  const nothing = { due: [], tooOld: null, missed: null, missedReason: '', passed: null, waiting: null };
  return { ...nothing, reason, next };
}

/** Separates the slots that are too old to catch up with. */
function splitTooOld(
  schedule: string,
  { timezone, lastSlot }: DueQuestion,
  passed: readonly Slot[],
): [SlotStretch | null, readonly Slot[]] {
  const [last, ...recent] = passed;
  const first = lastSlot === null ? null : nextSlot(schedule, timezone, lastSlot.at);
  if (last === undefined || first === null || passed.length <= lookBackMax) return [null, passed];
  return [createStretch(schedule, timezone, first, last), recent];
}

/** Applies `catchUp` to the passed slots, of which `newest` is the last. `tooOld`: how many precede them. */
function applyCatchUp(
  schedule: string,
  { timezone, catchUp, lastSlot, now }: DueQuestion,
  { slots: passed, isWhole }: OpenSlots,
  newest: WaitingSlot,
  tooOld: number,
): Omit<DueSlots, 'tooOld' | 'next'> {
  const earlier = passed.slice(0, -1);
  const missedReason =
    catchUp === 'none' ? 'not run in time, and catchUp is none' : `${newest.key} was run for it (catchUp: ${catchUp})`;
  const stretch = (slots: readonly Slot[]): SlotStretch | null => {
    const [first, last] = [slots[0], slots.at(-1)];
    if (first === undefined || last === undefined) return null;
    if (isWhole) return { schedule, timezone, first, last, count: slots.length };
    return createStretch(schedule, timezone, first, last);
  };
  const settled = (missed: readonly Slot[], due: readonly Slot[], reason: string) => ({
    due,
    missed: stretch(missed),
    missedReason,
    passed: stretch([...missed, ...due]),
    waiting: null,
    reason,
  });
  if (newest.startsAt > now) {
    const reason = `due at ${newest.key}, starts at ${timeOfDay(newest.startsAt, timezone)} (jitter)`;
    return { ...settled([], catchUp === 'all' ? earlier : [], reason), waiting: newest };
  }
  const due = passed.slice(-1);
  if (lastSlot === null) return settled([], due, `first run, for ${newest.key}`);
  if (catchUp === 'all') return settled([], passed, dueReason(newest, earlier.length, 'first'));
  if (catchUp === 'none' && now - newest.startsAt > onTimeMs)
    return settled(passed, [], `${newest.key} was missed, and catchUp is none`);
  return settled(earlier, due, dueReason(newest, earlier.length + tooOld, 'missed'));
}

/** Delay of a start after its slot, milliseconds. The next scheduler tick must still come before the next slot. */
function delayMs(jitter: Jitter | undefined, slot: Slot, next: Slot | null): number {
  if (jitter === undefined) return 0;
  const room = next === null ? Number.POSITIVE_INFINITY : next.at - slot.at - minuteMs;
  return Math.floor(Math.max(0, Math.min(jitter.seconds * 1000, room)) * hashToUnit(`${jitter.seed} ${slot.key}`));
}

/** Hashes a text to a number from 0 to 1: FNV-1a, then the finalizer of MurmurHash3, which spreads similar texts. */
function hashToUnit(text: string): number {
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

/** Slots to run or to record as missed, oldest first. */
interface OpenSlots {
  readonly slots: readonly Slot[];
  /** No slot between them is settled. */
  readonly isWhole: boolean;
}

/** The open slots from the last one up to now: at most `lookBackMax` + 1. Before the first run, only the newest. */
function slotsSince(cron: string, { timezone, lastSlot, isSettled, now }: DueQuestion): OpenSlots {
  const slots: Slot[] = [];
  let isWhole = true;
  for (const slot of slotsBack(cron, timezone, now)) {
    // A project that moves to another zone may meet a local time again: it is the same slot.
    if (lastSlot !== null && (slot.at <= lastSlot.at || slot.key === lastSlot.key)) break;
    if (isSettled?.(slot.key) === true) isWhole = false;
    else slots.push(slot);
    if (lastSlot === null || slots.length > lookBackMax) break;
  }
  return { slots: slots.reverse(), isWhole };
}

function notDueReason(lastSlot: LastSlot | null, next: Slot | null): string {
  const until = untilNext(next);
  if (lastSlot === null) return `never due before now, ${until}`;
  return lastSlot.isMissed === true ? `missed ${lastSlot.key}, ${until}` : `ran for ${lastSlot.key}, ${until}`;
}

function untilNext(next: Slot | null): string {
  return next === null ? 'nothing follows' : `next at ${next.key}`;
}

function dueReason(newest: Slot, others: number, what: 'first' | 'missed'): string {
  if (others === 0) return `due at ${newest.key}`;
  return what === 'missed'
    ? `due at ${newest.key}; ${others} earlier missed`
    : `due at ${newest.key}; ${others} earlier first`;
}
