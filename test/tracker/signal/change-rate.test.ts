// Change rates from irregular checks, and the detector of updates, against processes of known rates.
import { describe, expect, it } from 'vitest';
import { creditsForToday } from '../../../src/tracker/signal/adaptive-plan.ts';
import {
  bandPrior,
  changeRate,
  moveOutlook,
  priorOfMean,
  rankBandOf,
  ranksAfterChange,
  usualRates,
} from '../../../src/tracker/signal/rates.ts';
import { detectUpdates, type MovedShare, rateFactor } from '../../../src/tracker/signal/update-detector.ts';
import { seeded } from '../../helpers/seeded.ts';

/** Intervals of these lengths under a Poisson process. */
function observed(rate: number, lengths: readonly number[], seed: number) {
  const next = seeded(seed);
  const changedDays: number[] = [];
  let stillDays = 0;
  for (const days of lengths) {
    if (next() < -Math.expm1(-rate * days)) changedDays.push(days);
    else stillDays += days;
  }
  return { changedDays, stillDays };
}

describe('the change rate', () => {
  it.each([0.02, 0.1, 0.5])('recovers a rate of %f per day from checks 1 to 14 days apart', (rate) => {
    const lengths = Array.from({ length: 4_000 }, (_, index) => [1, 2, 7, 14][index % 4] as number);
    const found = changeRate(observed(rate, lengths, 5), priorOfMean(0.2));
    expect(found / rate).toBeGreaterThan(0.9);
    expect(found / rate).toBeLessThan(1.1);
  });

  it('is higher than the naive rate, which counts a changed week as one change', () => {
    const weekly = observed(
      0.5,
      Array.from({ length: 4_000 }, () => 7),
      6,
    );
    const naive = weekly.changedDays.length / 28_000;
    expect(naive).toBeLessThan(0.2);
    expect(changeRate(weekly, priorOfMean(0.2))).toBeGreaterThan(0.45);
  });

  it('is the prior without history, and moves from it with every check', () => {
    const prior = priorOfMean(0.2);
    expect(changeRate({ changedDays: [], stillDays: 0 }, prior)).toBeCloseTo(0.2, 6);
    expect(changeRate({ changedDays: [], stillDays: 30 }, prior)).toBeLessThan(0.04);
    expect(changeRate({ changedDays: [1, 1, 1, 1], stillDays: 0 }, prior)).toBeGreaterThan(0.4);
  });

  it('shrinks to the rate of the other keywords of its band', () => {
    const calm = Array.from({ length: 100 }, () => ({ changedDays: [], stillDays: 30 }));
    const { shape, days } = bandPrior('4-10', calm);
    expect(shape / days).toBeLessThan(usualRates['4-10'] / 10);
    expect([null, 1, 3, 10, 20, 21].map(rankBandOf)).toEqual(['not_found', '1', '2-3', '4-10', '11-20', '21+']);
  });
});

describe('the distribution of moves', () => {
  it.each([1, 5, 33, null])('from %s adds up to 1, without the same rank', (rank) => {
    const chances = ranksAfterChange(rank, 10, 0.4);
    expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 9);
    expect(chances).toHaveLength(101);
    if (rank !== null) expect(chances[rank - 1]).toBe(0);
  });

  it('is worth more at the top, and seen only by pages that reach the rank', () => {
    const outlook = (rank: number | null, pages: number) =>
      moveOutlook(rank, { depth: 10, pages, spread: 0.3, curve: 'sistrix-2020' });
    expect(outlook(2, 1).worth).toBeGreaterThan(outlook(8, 1).worth);
    expect(outlook(15, 10).worth).toBeGreaterThan(outlook(15, 1).worth);
    expect(outlook(15, 10).pagesRead).toBeGreaterThan(outlook(15, 1).pagesRead);
  });
});

describe('the detection of updates', () => {
  /** Shares of 200 keywords, each moving with 6 % plus the extra of the day. */
  function days(count: number, seed: number, addOn: Readonly<Record<number, number>> = {}): MovedShare[] {
    const next = seeded(seed);
    return Array.from({ length: count }, (_, day) => {
      const share = 0.06 + (addOn[day] ?? 0) + 0.02 * (next() - 0.5);
      const outside = Array.from({ length: 200 }, () => next() < share).filter(Boolean).length;
      return { date: `day ${day}`, compared: 200, outside };
    });
  }

  it('works on the day they begin, and they do not become normal while they last', () => {
    const found = detectUpdates(days(40, 1, { 30: 0.2, 31: 0.2, 32: 0.2, 33: 0.2 }));
    expect(found.map(({ date }) => date)).toEqual(['day 30', 'day 31', 'day 32', 'day 33']);
    expect(found[0]?.usualShare).toBeLessThan(0.1);
  });

  it('has at most two false alarms in 20 years', () => {
    const falseAlarms = Array.from({ length: 20 }, (_, seed) => detectUpdates(days(365, 100 + seed)).length);
    expect(falseAlarms.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2);
  });

  it('needs a past, and more than a handful of keywords', () => {
    expect(detectUpdates(days(6, 3, { 5: 0.5 }))).toEqual([]);
    const few = Array.from({ length: 30 }, (_, day) => ({ date: `${day}`, compared: 10, outside: day === 29 ? 4 : 0 }));
    expect(detectUpdates(few)).toEqual([]);
  });

  it('raises the rates of the day only beyond chance, and never without end', () => {
    expect(rateFactor(12, 10)).toBe(1);
    expect(rateFactor(60, 12)).toBeGreaterThan(3);
    expect(rateFactor(1_000, 1)).toBe(5);
  });
});

describe('the credits for today', () => {
  it.each([
    ['an even share of the month', { leftToday: null, leftThisMonth: 3_000, slotsLeft: 30, rateFactor: 1 }, 100],
    [
      'twice the share while an update rolls out',
      { leftToday: null, leftThisMonth: 3_000, slotsLeft: 30, rateFactor: 4 },
      200,
    ],
    ['never beyond the day', { leftToday: 60, leftThisMonth: 3_000, slotsLeft: 30, rateFactor: 4 }, 60],
    ['the rest on the last day', { leftToday: 500, leftThisMonth: 70, slotsLeft: 1, rateFactor: 2 }, 70],
    ['nothing once it is spent', { leftToday: -5, leftThisMonth: 70, slotsLeft: 3, rateFactor: 1 }, 0],
    ['no limit without a budget', { leftToday: null, leftThisMonth: null, slotsLeft: 3, rateFactor: 1 }, null],
  ])('are %s', (_, pace, expected) => {
    expect(creditsForToday(pace)).toBe(expected);
  });
});
