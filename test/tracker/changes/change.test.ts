// A change is printed only if two observations prove one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeClasses, chooseBaseline, compare, notComparable } from '../../../src/tracker/changes/change.ts';
import type { Observation } from '../../../src/tracker/observation.ts';

function ranked(rank: number, page: number | null, depth = 3, checkedAt = 1): Observation {
  return {
    status: 'ranked',
    rank,
    absoluteRank: null,
    page,
    url: 'https://acme.com/',
    depth,
    resultsRead: null,
    checkedAt,
    source: 'default/sandbox',
  };
}

function absent(depth: number, checkedAt = 1, resultsRead: number | null = null): Observation {
  return { ...ranked(1, null, depth, checkedAt), status: 'not_found', rank: null, url: null, resultsRead };
}

describe('the comparison of two observations', () => {
  it('calls two ranks improved, declined or unchanged, positive is better, at any depths', () => {
    expect(compare(ranked(8, 1), ranked(5, 1))).toEqual({ changeClass: 'improved', change: 3, reason: null });
    expect(compare(ranked(5, 1), ranked(42, 5, 10))).toEqual({ changeClass: 'declined', change: -37, reason: null });
    expect(compare(ranked(5, 1, 10), ranked(5, 1, 1))).toEqual({ changeClass: 'unchanged', change: 0, reason: null });
  });

  it('calls the first observation `first_check`', () => {
    expect(compare(null, ranked(5, 1)).changeClass).toBe('first_check');
    expect(compare(null, absent(3)).changeClass).toBe('first_check');
  });

  it('calls a rank dropped only if the pages read reach down to it', () => {
    expect(compare(ranked(25, 3), absent(3))).toEqual({ changeClass: 'dropped', change: null, reason: null });
    const shallow = compare(ranked(45, 5, 10), absent(3));
    expect(shallow.changeClass).toBe('not_comparable');
    expect(shallow.reason).toBe('last ranked on page 5, this check reads 3 pages');
    expect(compare(ranked(45, null, 10), absent(3)).changeClass).toBe('not_comparable');
  });

  it('calls a rank entered only if the earlier pages reached down to it', () => {
    expect(compare(absent(3), ranked(25, 3)).changeClass).toBe('entered');
    expect(compare(absent(3), ranked(45, 5, 10)).reason).toBe('ranks on page 5, the earlier check read 3 pages');
    expect(compare(absent(3), ranked(45, null, 10)).changeClass).toBe('not_comparable');
  });

  it('compares a rank with an absence down to the results that were read, if their number is known', () => {
    const [ten, hundred] = [absent(1, 1, 10), absent(1, 1, 100)];
    expect(compare(ten, ranked(57, 1, 1))).toEqual({
      changeClass: 'not_comparable',
      change: null,
      reason: 'ranks 57, the earlier check read 10 results',
    });
    expect(compare(ranked(57, 1, 1), ten).reason).toBe('last ranked 57, this check reads 10 results');
    expect(compare(ranked(11, 1, 1), absent(1, 1, 1)).reason).toBe('last ranked 11, this check reads 1 result');
    expect(compare(ranked(10, 1, 1), absent(1, 1, 9)).changeClass).toBe('dropped');
    expect(compare(ten, ranked(10, 1, 1)).changeClass).toBe('entered');
    expect(compare(ranked(10, 1, 1), ten).changeClass).toBe('dropped');
    expect(compare(hundred, ranked(57, 1, 1)).changeClass).toBe('entered');
    // 100 results on one page reach further than three pages of ten
    expect(compare(ranked(25, 3), hundred).changeClass).toBe('dropped');
    expect(compare(ranked(57, 1, 1), ranked(8, 1, 1))).toMatchObject({ changeClass: 'improved', change: 49 });
    expect(compare(ten, hundred).changeClass).toBe('unchanged');
  });

  it('calls two absences unchanged only at equal depth', () => {
    expect(compare(absent(3), absent(3))).toEqual({ changeClass: 'unchanged', change: null, reason: null });
    expect(compare(absent(1), absent(10)).reason).toBe('not found in 1 page before, in 10 pages now');
  });

  it('never compares sources', () => {
    const other = { ...ranked(5, 1), source: 'vendor/remote' };
    expect(compare(other, ranked(5, 1)).reason).toContain('vendor/remote');
  });

  it('is symmetric, and has a reason exactly if it is not comparable', () => {
    expect(notComparable('page 2 failed')).toEqual({
      changeClass: 'not_comparable',
      change: null,
      reason: 'page 2 failed',
    });
    const observation = fc.oneof(
      fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 10 })).map(([r, p]) => ranked(r, p, 10)),
      fc
        .tuple(fc.integer({ min: 1, max: 10 }), fc.option(fc.integer({ min: 0, max: 100 })))
        .map(([depth, results]) => absent(depth, 1, results)),
    );
    fc.assert(
      fc.property(fc.option(observation), observation, (previous, current) => {
        const result = compare(previous, current);
        expect(changeClasses).toContain(result.changeClass);
        expect(result.reason !== null).toBe(result.changeClass === 'not_comparable');
        expect(result.change !== null).toBe(previous?.status === 'ranked' && current.status === 'ranked');
        if (previous === null) return;
        const back = compare(current, previous);
        const opposite = { improved: 'declined', declined: 'improved', entered: 'dropped', dropped: 'entered' };
        const expected = opposite[result.changeClass as keyof typeof opposite] ?? result.changeClass;
        expect(back.changeClass).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the choice of a baseline', () => {
  it('prefers the most recent comparable observation', () => {
    const deepBefore = ranked(45, 5, 10, 10);
    const shallowBefore = absent(3, 20);
    expect(chooseBaseline(ranked(41, 5, 10, 30), [shallowBefore, deepBefore])).toBe(deepBefore);
    expect(chooseBaseline(absent(3, 30), [deepBefore, shallowBefore])).toBe(shallowBefore);
    expect(chooseBaseline(ranked(2, 1, 3, 30), [ranked(4, 1, 3, 10), ranked(3, 1, 3, 20)])?.rank).toBe(3);
  });

  it('falls back to the most recent one, whose reason is then printed', () => {
    expect(chooseBaseline(absent(3, 30), [ranked(45, 5, 10, 10), ranked(44, 5, 10, 20), null])?.rank).toBe(44);
  });

  it('accepts one of an earlier slot that used the same page', () => {
    const before = absent(3, 30);
    expect(chooseBaseline(absent(3, 30), [before, absent(3, 30), null])).toBe(before);
  });

  it('never accepts one that was observed later', () => {
    expect(chooseBaseline(absent(3, 30), [absent(3, 31), absent(3, 40), null])).toBeNull();
    expect(chooseBaseline(absent(3, 30), [])).toBeNull();
  });
});
