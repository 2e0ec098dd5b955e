// A preflight check with a timeout: a late result counts, a hanging check is abandoned, and only a signal ends all.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type PreflightSubject,
  runPreflightCheck,
  toPreflightResult,
} from '../../../src/app/preflight/online-checks.ts';
import { ServiceError } from '../../../src/service/index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const subject: PreflightSubject = { what: 'pages', service: 'web', source: 'one' };
const limits = (signal = new AbortController().signal) => ({ timeoutMs: 10_000, signal });
const never = () => new Promise<never>(() => undefined);

describe('a preflight check', () => {
  it('that does not end in time is abandoned, even if it ignores the signal', async () => {
    const trial = runPreflightCheck(subject, limits(), never);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await trial).toMatchObject({ state: 'failed', problems: [{ code: 'TIMEOUT' }] });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('may still return its result at the timeout', async () => {
    const trial = runPreflightCheck(
      subject,
      limits(),
      (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => setTimeout(() => resolve({ says: '3 of 5 answer.' }), 100));
        }),
    );
    await vi.advanceTimersByTimeAsync(10_200);
    expect(await trial).toMatchObject({ state: 'ok', says: '3 of 5 answer.' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that fails says why, and a bug of ours is one of its problems, too', async () => {
    const broken = async () => {
      throw new TypeError('x is not a function');
    };
    expect(await runPreflightCheck(subject, limits(), broken)).toMatchObject({
      state: 'failed',
      problems: [{ code: 'UNEXPECTED', message: 'x is not a function', remedy: null }],
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends on the operator's signal, without a result", async () => {
    const stop = new AbortController();
    const trial = runPreflightCheck(subject, limits(stop.signal), never);
    stop.abort(new Error('interrupted'));
    const outcome = expect(trial).rejects.toThrow('interrupted');
    await vi.advanceTimersByTimeAsync(600);
    await outcome;
    expect(vi.getTimerCount()).toBe(0);
  });
});

it.each([
  [['TIMEOUT', 'INVALID_API_KEY'], 'refused'],
  [['TIMEOUT'], 'failed'],
  [['NOT_FOUND'], 'failed'],
  [['INSUFFICIENT_CREDITS'], 'refused'],
  [[], 'ok'],
] as const)('a preflight check with the problems %j is %s', (codes, state) => {
  const problems = codes.map((code) => new ServiceError(code, 'No.'));
  expect(toPreflightResult({ answers: true, creditsLeft: null, unit: 'credit', message: '', problems }).state).toBe(
    state,
  );
});
