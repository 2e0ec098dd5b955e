import { expect, it } from 'vitest';
import { systemClock } from '../../../src/service/index.ts';

it('the system clock reads the time of this machine and ends sleeps', async () => {
  const before = Date.now();
  await systemClock.sleep(0);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
});

it('a sleep ends with its signal, before or during the sleep, with the reason of the signal', async () => {
  const reason = new Error('enough');
  await expect(systemClock.sleep(1e12, AbortSignal.abort(reason))).rejects.toBe(reason);
  const stop = new AbortController();
  const sleep = systemClock.sleep(1e12, stop.signal);
  stop.abort(reason);
  await expect(sleep).rejects.toBe(reason);
});
