// The ticks of the scheduler: at the start, and once a minute by node-cron. node-cron never decides what is due.
import type { ScheduledTask } from 'node-cron';
import { minuteMs } from '../../tracker/schedule/time-units.ts';

/**
 * node-cron waits for a time of day: after the clock is put back, it would wait until that time comes again. A
 * monotonic clock detects that.
 */
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
  const onMinute = (): void => {
    tickedAt = performance.now();
    tick();
  };
  const begin = (): ScheduledTask =>
    schedule('* * * * *', onMinute, {
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
    onMinute();
  }, watchEveryMs);
  onMinute();
  return {
    async stop() {
      clearInterval(watch);
      await task.destroy();
    },
  };
}
