// A clock on which the time of a request is over only after this process stood still, however slow the machine is.
import { type Clock, systemClock } from '../../src/service/index.ts';

/**
 * A sleep of `stallMs` or longer ends only when one timer of it was late by `stallMs`; a shorter one is the system's.
 * So a limit on requests never meets a slow answer, and always meets a stall.
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
