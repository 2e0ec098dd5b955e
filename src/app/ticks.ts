// When the scheduler looks: at the start, and once a minute by node-cron. What is due is never asked of node-cron.
import type { ScheduledTask } from 'node-cron';

const minuteMs = 60_000;
/** node-cron waits for a time of day: after the clock is put back it would wait until that comes again. This watches it, on a clock that nobody sets. */
const watchEveryMs = 30_000;
const silentMsMax = 1.5 * minuteMs;

const silent = { info() {}, warn() {}, error() {}, debug() {} };

export interface Ticks {
  stop(): Promise<void>;
}

/** Calls `tick` at once and in each minute until it is stopped. */
export async function startTicks(tick: () => void): Promise<Ticks> {
  const { schedule } = await import('node-cron');
  let tickedAt = performance.now();
  const look = (): void => {
    tickedAt = performance.now();
    tick();
  };
  const begin = (): ScheduledTask =>
    schedule('* * * * *', look, {
      timezone: 'UTC',
      // a busy minute is late, not lost
      missedExecutionTolerance: minuteMs,
      suppressMissedWarning: true,
      logger: silent,
    });
  let task = begin();
  const watch = setInterval(() => {
    if (performance.now() - tickedAt < silentMsMax) return;
    const old = task;
    task = begin();
    void old.destroy();
    look();
  }, watchEveryMs);
  look();
  return {
    async stop() {
      clearInterval(watch);
      await task.destroy();
    },
  };
}
