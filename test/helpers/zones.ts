// Ten years of a daily job in a time zone, checked by the calendar alone: each local day has exactly one slot.
import { localClock } from '../../src/tracker/schedule/local-time.ts';
import { slotsBetween } from '../../src/tracker/schedule/schedule.ts';

const dayMs = 86_400_000;
const tenYears = { from: Date.UTC(2017, 0, 1), until: Date.UTC(2027, 0, 1) };

export interface ZoneVerdict {
  readonly days: number;
  /** Errors as text; empty is right. */
  readonly wrong: readonly string[];
}

/** The days of ten calendar years compared with those on which a 02:30 job has slots. */
export function dailySlots(zone: string): ZoneVerdict {
  const { from, until } = tenYears;
  const slots = slotsBetween('30 2 * * *', zone, from, until, 100_000);
  const wrong: string[] = [];
  const first = dateOf(slots[0]?.key);
  slots.forEach(({ key, at }, index) => {
    if (dateOf(key) !== first + index * dayMs) wrong.push(`${zone}: ${key} is slot ${index + 1}`);
    if (localClock(at, zone) !== Date.parse(`${key}Z`)) wrong.push(`${zone}: ${key} is not what the clock shows then`);
  });
  const days = (dateOf(slots.at(-1)?.key) - first) / dayMs + 1;
  if (slots.length !== days || days < 3651) wrong.push(`${zone}: ${slots.length} slots on ${days} days`);
  return { days, wrong };
}

function dateOf(key: string | undefined): number {
  return Date.parse(`${key?.slice(0, 10)}T00:00:00Z`);
}
