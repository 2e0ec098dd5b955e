// A clock for whole runs: short sleeps (backoff, Retry-After, spacing) take no time, timeouts wait for the test.
import type { Clock } from '../../src/service/index.ts';

/** Sleeps this long or longer are timeouts, which only `expire` ends. Above every backoff, below the clients' limit. */
const limitMsMin = 45_000;

export class JobClock implements Clock {
  /** The length of each short sleep. */
  readonly slept: number[] = [];
  #now: number;
  #limits = new Set<() => void>();

  constructor(start = Date.UTC(2026, 0, 15, 6)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  set(at: number): void {
    this.#now = at;
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      if (ms < limitMsMin) {
        this.slept.push(ms);
        this.#now += Math.ceil(ms);
        setImmediate(resolve);
        return;
      }
      const expire = () => {
        this.#limits.delete(expire);
        signal?.removeEventListener('abort', stop);
        this.#now += ms;
        resolve();
      };
      const stop = () => {
        this.#limits.delete(expire);
        reject(signal?.reason);
      };
      this.#limits.add(expire);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** Ends every running timeout. */
  expire(): void {
    for (const expire of [...this.#limits]) expire();
  }
}
