// The scheduler ticks once a minute, also when the clock of the machine is changed.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startTicks, type Ticks } from '../../../src/cli/commands/schedule.ts';

const minuteMs = 60_000;
const start = Date.UTC(2026, 0, 15, 6, 0, 20);

let ticks: Ticks | undefined;
beforeEach(() => {
  vi.useFakeTimers({
    now: start,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
});
afterEach(async () => {
  await ticks?.stop();
  vi.useRealTimers();
});

async function begin(): Promise<Date[]> {
  const moments: Date[] = [];
  ticks = await startTicks(() => moments.push(new Date()));
  return moments;
}

it('the scheduler ticks at once, then at the beginning of each minute', async () => {
  const moments = await begin();
  await vi.advanceTimersByTimeAsync(3 * minuteMs);
  expect(moments.map((moment) => moment.toISOString().slice(14, 19))).toEqual(['00:20', '01:00', '02:00', '03:00']);
});

it.each([-25, 25])('the scheduler continues to tick when the clock is set by %i hours', async (hours) => {
  const moments = await begin();
  await vi.advanceTimersByTimeAsync(2 * minuteMs);
  const before = moments.length;
  vi.setSystemTime(Date.now() + hours * 60 * minuteMs);
  await vi.advanceTimersByTimeAsync(10 * minuteMs);
  expect(moments.length - before).toBeGreaterThanOrEqual(8);
});

it('the scheduler does not tick after it was stopped', async () => {
  const moments = await begin();
  await ticks?.stop();
  await vi.advanceTimersByTimeAsync(5 * minuteMs);
  expect(moments.length).toBe(1);
});
