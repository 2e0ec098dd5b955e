// A run that loses much at once says so.
import { describe, expect, it } from 'vitest';
import { suspicion } from '../../src/tracker/suspect.ts';

const calm = { checks: 100, failedChecks: 0, rankedBefore: 100, lost: 0 };

describe('suspicion', () => {
  it('is roused where half of ten or more ranked rows are lost at once', () => {
    expect(suspicion({ ...calm, rankedBefore: 10, lost: 5 })).toEqual({
      suspect: true,
      reason: '5 of 10 ranked keywords were lost at once',
    });
    expect(suspicion({ ...calm, rankedBefore: 10, lost: 4 }).suspect).toBe(false);
    expect(suspicion({ ...calm, rankedBefore: 9, lost: 9 }).suspect).toBe(false);
  });

  it('is roused where more than 30 % of the checks failed, three or more', () => {
    expect(suspicion({ ...calm, failedChecks: 30 })).toEqual({ suspect: false, reason: null });
    expect(suspicion({ ...calm, failedChecks: 31 }).reason).toBe('31 of 100 checks failed');
    expect(suspicion({ ...calm, checks: 2, failedChecks: 2 }).suspect).toBe(false);
    expect(suspicion({ ...calm, checks: 3, failedChecks: 3 }).suspect).toBe(true);
  });

  it('names both reasons, and has none for an empty run', () => {
    expect(suspicion({ checks: 10, failedChecks: 9, rankedBefore: 20, lost: 20 }).reason).toContain('; ');
    expect(suspicion({ checks: 0, failedChecks: 0, rankedBefore: 0, lost: 0 }).suspect).toBe(false);
  });
});
