// A clock that stands still until a test advances it. Sleepers wake in the order of their times.
import type { Clock } from '../../src/service/index.ts';

interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
}

export class FakeClock implements Clock {
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(start = Date.UTC(2026, 0, 15, 6)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Sleepers that a test would have to wake. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const stop = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const sleeper: Sleeper = { wakeAt: this.#now + ms, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** Advances the time and wakes each due sleeper in order, those that sleep again meanwhile included. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#sleepers.filter(({ wakeAt }) => wakeAt <= end).sort((a, b) => a.wakeAt - b.wakeAt)[0];
      if (due === undefined) break;
      this.#sleepers = this.#sleepers.filter((other) => other !== due);
      this.#now = Math.max(this.#now, due.wakeAt);
      due.wake();
      await settled();
    }
    this.#now = end;
    await settled();
  }

  /** Waits, without advancing the time, until a sleeper exists. For work that begins with real I/O. */
  async untilSleeping(count = 1): Promise<void> {
    while (this.#sleepers.length < count) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Runs everything that is ready in the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
