// Stretches of consecutive slots as first, last and count, so that a year of minutes is one value.
import { isNearClockChange, startOfDay, toInstant } from './local-time.ts';
import { nextSlot, previousSlot, type Slot, slotsBetween } from './schedule.ts';
import { dayMs } from './time-units.ts';

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
