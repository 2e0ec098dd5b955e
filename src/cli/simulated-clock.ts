// A clock that goes where it is set, and on by what is slept: for days that pass in a second.
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../service/index.ts';

/** A pause is never all gone: work that polls would spin. */
const pauseMs = 1;

export class SimulatedClock implements Clock {
  readonly isSimulated = true;
  #now: number;

  /** `start` in UTC milliseconds. */
  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Goes on to a moment; never back. */
  goTo(moment: number): void {
    this.#now = Math.max(this.#now, moment);
  }

  /** Takes a moment of real time, and `ms` of simulated. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const wakeAt = this.#now + ms;
    await wait(pauseMs, undefined, signal === undefined ? {} : { signal });
    this.goTo(wakeAt);
  }
}
