// Intervals of the product on the simulated clock: heartbeats come at regular simulated times, not at real ones.
import type { VirtualClock } from './clock.ts';

/** Most ticks are lost, as on an overloaded machine: heartbeats come each minute instead of each 5 seconds. */
const stretch = 12;

/** Replaces the system's intervals during the work, and restores them. No other work may run in this thread. */
export async function withIntervalsOn<T>(clock: VirtualClock, work: () => Promise<T>): Promise<T> {
  const { setInterval: set, clearInterval: clear } = globalThis;
  const begin = (tick: () => void, ms: number): SimulatedInterval => beginInterval(clock, tick, ms);
  const end = (interval: SimulatedInterval | undefined): void => interval?.end();
  Object.assign(globalThis, { setInterval: begin, clearInterval: end });
  try {
    return await work();
  } finally {
    Object.assign(globalThis, { setInterval: set, clearInterval: clear });
  }
}

interface SimulatedInterval {
  end(): void;
  unref(): SimulatedInterval;
}

function beginInterval(clock: VirtualClock, tick: () => void, ms: number): SimulatedInterval {
  const ended = new AbortController();
  const go = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await clock.sleep(ms * stretch, ended.signal);
      tick();
    }
  };
  go().catch(() => undefined);
  const interval: SimulatedInterval = { end: () => ended.abort('ended'), unref: () => interval };
  return interval;
}
