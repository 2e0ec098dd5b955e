// Reading ahead: step by step, again after each run, and without an end of the process.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { HistoryReader } from '../../../src/read/contract.ts';
import { keepWarm } from '../../../src/workspace/server/keep-warm.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A reader of three steps whose version the test sets. */
function threeSteps(): { reader: HistoryReader; state: { version: string; steps: string[]; fails: boolean } } {
  const state = { version: 'run 1', steps: [] as string[], fails: false };
  const reader = {
    version: () => state.version,
    *warm() {
      for (const step of ['a', 'b', 'c']) {
        if (state.fails) throw new Error('the database is gone');
        state.steps.push(`${state.version} ${step}`);
        yield;
      }
    },
  };
  return { reader: reader as Partial<HistoryReader> as HistoryReader, state };
}

const secondsPass = (seconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(1_000 * seconds);

it('history is read ahead once, and again after a run', async () => {
  const { reader, state } = threeSteps();
  const warm = keepWarm(reader, () => expect.unreachable());
  await secondsPass(60);
  expect(state.steps).toEqual(['run 1 a', 'run 1 b', 'run 1 c']);
  state.version = 'run 2';
  await secondsPass(10);
  expect(state.steps.slice(3)).toEqual(['run 2 a', 'run 2 b', 'run 2 c']);
  warm.stop();
});

it('a run that lands in between starts the reading again, with what it added', async () => {
  const { reader, state } = threeSteps();
  const warm = keepWarm(reader, () => expect.unreachable());
  vi.advanceTimersToNextTimer();
  expect(state.steps).toEqual(['run 1 a']);
  state.version = 'run 2';
  await secondsPass(10);
  expect(state.steps).toEqual(['run 1 a', 'run 2 a', 'run 2 b', 'run 2 c']);
  warm.stop();
});

it('each step leaves time for requests', () => {
  const { reader, state } = threeSteps();
  const warm = keepWarm(reader, () => expect.unreachable());
  for (const count of [1, 2, 3]) {
    vi.advanceTimersToNextTimer();
    expect(state.steps).toHaveLength(count);
  }
  warm.stop();
});

it('an error is reported once, and reading goes on after the next run', async () => {
  const { reader, state } = threeSteps();
  const errors: string[] = [];
  state.fails = true;
  const warm = keepWarm(reader, (error) => errors.push(String(error)));
  await secondsPass(10);
  state.version = 'run 2';
  await secondsPass(10);
  expect(errors).toEqual(['Error: the database is gone']);
  Object.assign(state, { version: 'run 3', fails: false });
  await secondsPass(10);
  expect(state.steps).toEqual(['run 3 a', 'run 3 b', 'run 3 c']);
  warm.stop();
});

it('nothing is read after a stop', async () => {
  const { reader, state } = threeSteps();
  const warm = keepWarm(reader, () => expect.unreachable());
  vi.advanceTimersToNextTimer();
  warm.stop();
  state.version = 'run 2';
  await secondsPass(60);
  expect(state.steps).toEqual(['run 1 a']);
  expect(vi.getTimerCount()).toBe(0);
});
