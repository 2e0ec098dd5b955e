// A run that loses more than chance allows is suspect.
import { describe, expect, it } from 'vitest';
import { assessRun, binomialTail } from '../../../src/tracker/trust/suspect.ts';

const calm = { checks: 100, failedChecks: 0, rankedBefore: 100, lost: 0 };

/** The smallest number that makes a run suspect. */
function threshold(of: number, past?: Parameters<typeof assessRun>[1]): number {
  for (let lost = 0; lost <= of; lost += 1)
    if (assessRun({ ...calm, rankedBefore: of, lost }, past).suspect) return lost;
  return Number.POSITIVE_INFINITY;
}

describe('a suspect run', () => {
  it('without history has lost at least 9 of 173 ranks, or 3 of a few', () => {
    expect([3, 10, 50, 173, 1000, 10_000].map((of) => threshold(of))).toEqual([3, 4, 6, 9, 25, 140]);
    expect(threshold(2)).toBe(Number.POSITIVE_INFINITY);
  });

  it('names the numbers that decided', () => {
    expect(assessRun({ ...calm, rankedBefore: 173, lost: 9 })).toEqual({
      suspect: true,
      reason: '9 of 173 ranked keywords were lost at once (1.7 expected at 1.0 % a run, chance 7.1e-5)',
    });
    expect(assessRun({ ...calm, rankedBefore: 173, lost: 8 })).toEqual({ suspect: false, reason: null });
    expect(assessRun({ ...calm, rankedBefore: 500, lost: 500 }).reason).toContain('chance below 1e-12');
  });

  it('may have too many failed checks as well, and names both reasons', () => {
    expect(assessRun({ ...calm, failedChecks: 6 }).suspect).toBe(false);
    expect(assessRun({ ...calm, failedChecks: 7 }).reason).toMatch(/^7 of 100 checks failed/);
    expect(assessRun({ ...calm, failedChecks: 50, lost: 50 }).reason).toMatch(
      /lost at once .*; 50 of 100 checks failed/,
    );
    expect(assessRun({ checks: 0, failedChecks: 0, rankedBefore: 0, lost: 0 }).suspect).toBe(false);
  });

  it("is judged by the project's own history, which counts more the longer it is", () => {
    const past = (rankedBefore: number, lost: number) => ({ ...calm, rankedBefore, lost });
    expect(threshold(173, past(0, 0))).toBe(9);
    expect(threshold(173, past(6000, 0))).toBe(7);
    expect(threshold(173, past(6000, 300))).toBe(17);
  });
});

describe('the tail of a binomial distribution', () => {
  it('is exact for small numbers, and stable for large ones', () => {
    expect(binomialTail(0, 5, 0.3)).toBe(1);
    expect(binomialTail(6, 5, 0.3)).toBe(0);
    expect(binomialTail(5, 5, 0.5)).toBeCloseTo(1 / 32, 12);
    expect(binomialTail(1, 10, 0.1)).toBeCloseTo(1 - 0.9 ** 10, 12);
    expect(binomialTail(3, 4, 0.5)).toBeCloseTo(5 / 16, 12);
    expect(binomialTail(1000, 100_000, 0.01)).toBeGreaterThan(0.45);
    expect(binomialTail(1000, 100_000, 0.01)).toBeLessThan(0.55);
    expect(binomialTail(100_000, 100_000, 0.01)).toBe(0);
  });
});
