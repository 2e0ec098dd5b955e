// What checks find of the changes of rank, and how late.
import { describe, expect, it } from 'vitest';
import { type DailyLook, findChanges } from '../../../src/tracker/signal/simulation.ts';

const curve = 'sistrix-2020';
/** Rank 3 moves to 5 on day 2, and to 4 on day 6. */
const ranks = [3, 3, 5, 5, 5, 5, 4, 4];
const look = (day: number, rank: number | null, seenDownTo = 100): DailyLook => ({ day, rank, seenDownTo });
const found = (looks: readonly DailyLook[], truth: readonly (number | null)[] = ranks) =>
  findChanges([{ volume: 100, ranks: truth, looks }], truth.length, curve);

describe('findChanges', () => {
  it('finds every change at once with daily checks', () => {
    const all = ranks.map((rank, day) => look(day, rank));
    expect(found(all)).toMatchObject({ changes: 2, foundTraffic: 1, foundChanges: 1, delayDays: 0, longestGapDays: 1 });
  });

  it('counts a change as found in time if a check shows it one day later, and not two', () => {
    expect(found([look(3, 5), look(7, 4)])).toMatchObject({ foundChanges: 1, delayDays: 1 });
    expect(found([look(4, 5), look(7, 4)])).toMatchObject({ foundChanges: 0.5, delayDays: 1.5 });
  });

  it('weighs changes by volume and click-through rate', () => {
    // 3 to 5: 11.0 to 7.2 %; 5 to 4: 7.2 to 8.0 %
    expect(found([look(2, 5)]).foundTraffic).toBeCloseTo(3.8 / (3.8 + 0.8), 10);
  });

  it('never finds a change that is reversed before a check', () => {
    expect(found([look(3, 3)], [3, 5, 3, 3])).toMatchObject({ changes: 2, foundTraffic: 0, delayDays: null });
  });

  it('does not take a shallow absence for a change of a deep rank', () => {
    const deep = [25, 25, 30, 30];
    expect(found([look(2, null, 10)], deep)).toMatchObject({ changes: 1, foundTraffic: null, foundChanges: 0 });
    expect(found([look(2, null, 100)], [25, 25, null, null])).toMatchObject({ foundChanges: 1 });
  });

  it('says how long a target was without a check', () => {
    expect(found([])).toMatchObject({ foundTraffic: 0, longestGapDays: 7, oldTargets: 0 });
    expect(found([], [...ranks, 4])).toMatchObject({ longestGapDays: 8, oldTargets: 1 });
  });

  it('knows no share without a change, and no error without a difference', () => {
    expect(found([look(1, 3)], [3, 3, 3])).toMatchObject({ changes: 0, foundTraffic: null, foundTrafficError: null });
    expect(found(ranks.map((rank, day) => look(day, rank))).foundTrafficError).toBe(0);
  });
});
