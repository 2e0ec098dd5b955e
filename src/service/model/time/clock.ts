// The system clock, for hosts without their own.
import type { Clock } from '../ports.ts';

export const minuteMs = 60_000;
export const dayMs = 86_400_000;

/** The longest delay of a timer in the runtime; longer sleeps take several timers. */
const timerMsMax = 2_147_483_647;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    let rest = ms;
    do {
      await timer(Math.min(rest, timerMsMax), signal);
      rest -= timerMsMax;
    } while (rest > 0);
  },
};

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(handle);
      reject(signal?.reason);
    };
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
