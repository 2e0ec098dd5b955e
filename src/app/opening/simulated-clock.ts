// A simulated clock: it moves when it is set, and by the time that is slept, so that a day passes in a second.
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../service/index.ts';

/** A sleep takes at least this share of real time: otherwise polling work would spin. */
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

  /** Moves forward to a moment; never back. */
  goTo(moment: number): void {
    this.#now = Math.max(this.#now, moment);
  }

  /** Sleeps `ms` of simulated time, and a moment of real time. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const wakeAt = this.#now + ms;
    await wait(pauseMs, undefined, signal === undefined ? {} : { signal });
    this.goTo(wakeAt);
  }
}
