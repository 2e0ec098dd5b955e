// A clock that stands still until a test moves it. Sleepers wake in the order of their moments.
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

  /** Moves time on and wakes whoever is due, one after the other; sleepers that go to sleep again on the way are woken too. */
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

  /** Waits, without moving time, until someone sleeps. For work that first has to do real input or output. */
  async untilSleeping(count = 1): Promise<void> {
    while (this.#sleepers.length < count) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
