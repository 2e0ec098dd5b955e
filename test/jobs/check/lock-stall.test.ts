// Another program holds the write lock beyond the request timeout: each paid answer is recorded once, no service fails.
import { expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/service/index.ts';
import { runThroughLockStalls } from '../../helpers/lock-stalls.ts';

const size = {
  keywords: 60,
  locks: 1,
  heldMs: 900,
  timeoutMs: 400,
  busyTimeoutMs: 5000,
  clock: stallClock(300),
};

it('stalls of the write lock lose no answer, buy nothing twice and open no circuit breaker', async () => {
  await runThroughLockStalls(size, (world, provider, held) => {
    expect(held).toBe(size.locks);
    expect(world.rows("SELECT error_code FROM purchases WHERE state <> 'paid'")).toEqual([]);
    expect(provider.sold.serpCredits).toBe(size.keywords);
    expect(world.value("SELECT count(*) FROM checks WHERE state = 'ok'")).toBe(size.keywords);
    expect(world.broken()).toEqual([]);
  });
});

/**
 * A sleep of `stallMs` or longer ends only when one of its timers was late by `stallMs`; shorter ones are real.
 * So a request timeout never hits a slow answer, and always hits a stall.
 */
function stallClock(stallMs: number): Clock {
  return {
    now: () => systemClock.now(),
    async sleep(ms, signal) {
      for (;;) {
        const begunAt = performance.now();
        await systemClock.sleep(ms, signal);
        if (ms < stallMs || performance.now() - begunAt - ms >= stallMs) return;
      }
    },
  };
}
