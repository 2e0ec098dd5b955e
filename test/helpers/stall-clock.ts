// A clock on which a request times out only after this process stalled, however slow the machine is.
import { type Clock, systemClock } from '../../src/service/index.ts';

/**
 * A sleep of `stallMs` or longer ends only when one of its timers was late by `stallMs`; shorter ones are real.
 * So a request timeout never hits a slow answer, and always hits a stall.
 */
export function stallClock(stallMs: number): Clock {
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
