// Stretches of slots count what stepping through them would, and lose exactly the slots that are removed.
import { describe, expect, it } from 'vitest';
import {
  countSlots,
  createStretch,
  type SlotStretch,
  slotsBetween,
  withoutSlots,
} from '../../../src/tracker/schedule/schedule.ts';
import { seededBelow } from '../../helpers/seeded.ts';

const utc = (text: string) => Date.parse(`${text}Z`);
const dayMs = 86_400_000;
// clock changes at midnight, and by half an hour
const zones = ['America/Santiago', 'Australia/Lord_Howe'];
const schedules = ['0 6 * * *', '30 2 * * *', '*/20 0-3 * * *', '5 * * * 1,3', '15 0 1 * *', '0 0 29 2 *', '@hourly'];

const slotsIn = ({ schedule, timezone, first, last }: SlotStretch) =>
  slotsBetween(schedule, timezone, first.at - 1, last.at, Number.POSITIVE_INFINITY);

describe.each(zones)('a stretch of slots in %s', (timezone) => {
  const below = seededBelow(20_261_122);
  const somewhere = () => utc('2011-01-01T00:00') + below(6 * 365 * 24 * 60) * 60_000;

  it.each(schedules)('by %s has as many slots as stepping through finds', (schedule) => {
    const after = somewhere();
    const until = after + below(500) * dayMs + below(1440) * 60_000;
    const walked = slotsBetween(schedule, timezone, after, until, Number.POSITIVE_INFINITY);
    expect(countSlots(schedule, timezone, after, until)).toBe(walked.length);
  });

  it.each(schedules)('by %s counts the slots from its first to its last', (schedule) => {
    const all = slotsBetween(schedule, timezone, somewhere(), Number.POSITIVE_INFINITY, 300);
    for (const cut of [1, Math.floor(all.length / 2), all.length])
      expect(createStretch(schedule, timezone, all[0]!, all[cut - 1]!).count).toBe(cut);
  });

  it.each(schedules)('by %s loses the removed slots, and no other', (schedule) => {
    const all = slotsBetween(schedule, timezone, somewhere(), Number.POSITIVE_INFINITY, 300);
    const stretch = createStretch(schedule, timezone, all[0]!, all.at(-1)!);
    expect(slotsIn(stretch)).toEqual(all);
    for (const [from, to] of [
      [0, 0],
      [299, 299],
      [0, 299],
      [7, 7],
      [100, 140],
      [-1, 20],
      [290, 301],
    ] as const) {
      const [fromKey, toKey] = [all[from]?.key ?? '0', all[to]?.key ?? '~'];
      const left = withoutSlots(stretch, fromKey, toKey);
      expect(left.flatMap(slotsIn)).toEqual(all.filter(({ key }) => key < fromKey || key > toKey));
      for (const piece of left) expect(piece.count).toBe(slotsIn(piece).length);
    }
  });
});

it('a stretch stays whole if the removed slot does not belong to it', () => {
  const [first, last] = slotsBetween('0 6 * * *', 'UTC', utc('2026-01-01T00:00'), utc('2026-01-02T12:00'), 9);
  const stretch = createStretch('0 6 * * *', 'UTC', first!, last!);
  for (const key of ['2025-12-31T06:00', '2026-01-01T06:01', '2026-01-01T09:00:01.500', '2026-01-03T06:00'])
    expect(withoutSlots(stretch, key, key)).toEqual([stretch]);
});
