// Click curves fall, sums divide, buckets take every rank once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketOf,
  buckets,
  ctr,
  ctrCurveNames,
  estimatedClicks,
  ShareOfVoice,
  sumRates,
  Visibility,
} from '../../../src/tracker/changes/visibility.ts';

describe('click-through curves', () => {
  it('have the published numbers', () => {
    const published = [28.5, 15.7, 11.0, 8.0, 7.2, 5.1, 4.0, 3.2, 2.8, 2.5];
    published.forEach((percent, index) => {
      expect(ctr('sistrix-2020', index + 1)).toBeCloseTo(percent / 100, 12);
    });
    for (let rank = 11; rank <= 20; rank += 1) {
      expect(ctr('sistrix-2020', rank)).toBeCloseTo((1 - 0.1 * (rank - 11)) / 100, 12);
    }
    expect(ctr('sistrix-2020', 21)).toBe(0);
    expect(ctr('backlinko-4m', 1)).toBe(0.276);
    expect(ctr('backlinko-4m', 11)).toBe(0);
    expect(ctr('awr-2020-desktop', 10)).toBe(0.0117);
    expect(ctr('awr-2020-desktop', 11)).toBe(0.0117);
    expect(ctr('awr-2020-mobile', 18)).toBe(0.0115);
  });

  it('never rise with the rank, stay within 0 and 1, and end', () => {
    for (const name of ctrCurveNames) {
      for (let rank = 1; rank <= 200; rank += 1) {
        expect(ctr(name, rank)).toBeGreaterThanOrEqual(ctr(name, rank + 1));
        expect(ctr(name, rank)).toBeLessThanOrEqual(1);
      }
      expect(ctr(name, 1)).toBeGreaterThan(0.2);
      expect(ctr(name, 101)).toBe(0);
      expect(ctr(name, null)).toBe(0);
    }
    expect(ctrCurveNames[0]).toBe('sistrix-2020');
  });

  it('are selected only by name', () => {
    expect(() => ctr('toString', 1)).toThrow(RangeError);
    expect(() => new Visibility('__proto__')).toThrow(RangeError);
    expect(() => new ShareOfVoice('')).toThrow(RangeError);
  });
});

describe('estimated clicks', () => {
  it('are volume times rate, 0 for not found, unknown without a volume', () => {
    expect(estimatedClicks(1_000, 1, 'sistrix-2020')).toBeCloseTo(285, 9);
    expect(estimatedClicks(1_000, null, 'sistrix-2020')).toBe(0);
    expect(estimatedClicks(null, 1, 'sistrix-2020')).toBeNull();
    expect(estimatedClicks(0, 1, 'sistrix-2020')).toBe(0);
  });
});

describe('visibility', () => {
  it('is 100 if everything ranks first, 0 if nothing ranks, and weighs by volume', () => {
    const top = new Visibility('sistrix-2020');
    top.add(100, 1);
    top.add(900, 1);
    expect(top.percent()).toBeCloseTo(100, 9);
    const mixed = new Visibility('sistrix-2020');
    mixed.add(900, 1);
    mixed.add(100, null);
    mixed.add(null, 1);
    expect(mixed.percent()).toBeCloseTo(90, 9);
    expect(mixed.clicks()).toBeCloseTo(900 * 0.285, 9);
    expect(mixed.count()).toBe(2);
  });

  it('is unknown without volumes', () => {
    const empty = new Visibility('sistrix-2020');
    expect(empty.percent()).toBeNull();
    empty.add(0, 1);
    expect(empty.percent()).toBeNull();
  });
});

describe('share of voice', () => {
  it('divides the clicks of all domains in the checks', () => {
    const [first, second] = [new ShareOfVoice('sistrix-2020'), new ShareOfVoice('sistrix-2020')];
    const domains = sumRates('sistrix-2020', [1, 2, 3]);
    for (const [share, ranks] of [
      [first, [1, null]],
      [second, [null, 2]],
    ] as const) {
      for (const rank of ranks) share.add(1_000, rank, domains);
      share.add(null, 1, 1);
    }
    const all = 2 * (28.5 + 15.7 + 11);
    expect(first.percent()).toBeCloseTo((100 * 28.5) / all, 9);
    expect(second.percent()).toBeCloseTo((100 * 15.7) / all, 9);
    expect(new ShareOfVoice('sistrix-2020').percent()).toBeNull();
  });
});

describe('buckets', () => {
  it('take every rank once', () => {
    const limits: [number | null, string][] = [
      [1, '1'],
      [2, '2-3'],
      [3, '2-3'],
      [4, '4-10'],
      [10, '4-10'],
      [11, '11-20'],
      [20, '11-20'],
      [21, '21-50'],
      [50, '21-50'],
      [51, '51-100'],
      [100, '51-100'],
      [140, '51-100'],
      [null, 'not_found'],
    ];
    for (const [rank, bucket] of limits) expect(bucketOf(rank)).toBe(bucket);
    fc.assert(
      fc.property(fc.option(fc.integer({ min: 1 })), (rank) => {
        expect(buckets).toContain(bucketOf(rank));
      }),
    );
  });
});
