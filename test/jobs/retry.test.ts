// What follows a failure: another attempt, a wait, abandoning the page, or a halt; bounded in number and time.
import { describe, expect, it } from 'vitest';
import { decideRetry, type RequestFailure, retryLimits } from '../../jobs/retry.ts';

const failure = (more: Partial<RequestFailure>): RequestFailure => ({
  code: 'INTERNAL_ERROR',
  message: '',
  hint: '',
  disposition: 'retry',
  charged: 'unknown',
  retryAfterMs: null,
  body: null,
  ...more,
});

describe('a failed request', () => {
  it('that halts nothing is retried, charged or not', () => {
    for (const charged of ['no', 'yes', 'unknown'] as const) {
      expect(decideRetry(failure({ disposition: 'halt', charged }), 1, 0, 0)).toEqual({ kind: 'halt' });
    }
  });

  it('that was sold is never retried', () => {
    expect(decideRetry(failure({ charged: 'yes' }), 1, 0, 0)).toEqual({ kind: 'give-up' });
    expect(decideRetry(failure({ charged: 'yes', disposition: 'wait' }), 1, 1, 0)).toEqual({ kind: 'give-up' });
  });

  it('is retried after growing pauses with jitter, up to a limit', () => {
    expect(decideRetry(failure({}), 1, 0, 0)).toEqual({ kind: 'again', delayMs: 250 });
    expect(decideRetry(failure({}), 1, 0, 1)).toEqual({ kind: 'again', delayMs: 500 });
    expect(decideRetry(failure({}), 2, 0, 1)).toEqual({ kind: 'again', delayMs: 1000 });
    expect(decideRetry(failure({}), retryLimits.attemptsMax, 0, 1)).toEqual({ kind: 'give-up' });
  });

  it('waits at least as long as the provider requires', () => {
    expect(decideRetry(failure({ disposition: 'wait', retryAfterMs: 90_000 }), 0, 1, 0)).toEqual({
      kind: 'again',
      delayMs: 90_000,
    });
    expect(decideRetry(failure({ retryAfterMs: 7000 }), 1, 0, 0)).toEqual({ kind: 'again', delayMs: 7000 });
    expect(decideRetry(failure({ retryAfterMs: 1 }), 2, 0, 0)).toEqual({ kind: 'again', delayMs: 500 });
  });

  it('without a required pause waits up to half a minute, up to a limit', () => {
    expect(decideRetry(failure({ disposition: 'wait' }), 0, retryLimits.waitsMax, 1)).toEqual({
      kind: 'again',
      delayMs: retryLimits.backoff.maxMs,
    });
    expect(decideRetry(failure({ disposition: 'wait' }), 0, retryLimits.waitsMax, 0).kind).toBe('again');
    expect(decideRetry(failure({ disposition: 'wait' }), 0, retryLimits.waitsMax + 1, 0)).toEqual({ kind: 'give-up' });
  });

  it('of our own making abandons the page', () => {
    expect(decideRetry(failure({ disposition: 'abandon', charged: 'no' }), 1, 0, 0)).toEqual({ kind: 'give-up' });
  });
});
