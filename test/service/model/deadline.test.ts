// Deadlines of requests: after a suspension of the process, arrived data is read before the request times out.
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/service/model/time/clock.ts';
import { startDeadline } from '../../../src/service/model/time/deadline.ts';

/** Blocks the process, as a database lock or a frozen container does. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('a process that was suspended beyond the deadline first reads the data that has arrived', async () => {
  const deadline = startDeadline(systemClock, 100, undefined);
  standStill(400);
  await setImmediate(); // timers that are due have fired by now
  await setImmediate();
  expect(deadline.signal.aborted).toBe(false);
  await once(deadline.signal, 'abort');
  expect(deadline.signal.reason).toMatchObject({ code: 'TIMEOUT' });
  deadline.end();
});

it('local work before the request does not count, and a caller that disconnects ends the request at once', async () => {
  const caller = new AbortController();
  const deadline = startDeadline(systemClock, 50, caller.signal);
  standStill(40);
  await deadline.startAfter(() => systemClock.sleep(120));
  expect(deadline.signal.aborted).toBe(false);
  await setImmediate();
  expect(deadline.signal.aborted).toBe(false);
  caller.abort();
  expect(deadline.signal.reason).toMatchObject({ code: 'ABORTED' });
  await deadline.startAfter(undefined);
  deadline.end();
});
