// The clock of a simulated month: it advances only when no work is left at its moment, and wakes sleepers in order.
import type { Clock } from '../../src/service/index.ts';

interface Sleeper {
  /** In elapsed time, which no jump of the wall clock affects. */
  readonly wakeAt: number;
  readonly wake: () => void;
}

/** Turns of the event loop before time advances a little: a group commit needs two, its successors one. */
const turnsPerStep = 4;
/** Before a leap all work must have settled, or work in progress would find itself days later. */
const turnsBeforeLeap = 60;
const leapMs = 5000;
/** If nothing sleeps, work that takes longer than this many turns is stuck. */
const turnsMax = 20_000;

/** A process that runs for days wakes some ten thousand times; more than this is an endless loop. */
const wakingsMax = 2_000_000;

/** The simulation stands still although work is pending: in a real process that would be a hang. */
class StandstillError extends Error {}

export class VirtualClock implements Clock {
  #elapsed = 0;
  #wall: number;
  #sleepers: Sleeper[] = [];

  constructor(start: number) {
    this.#wall = start;
  }

  now(): number {
    return this.#wall + Math.floor(this.#elapsed);
  }

  /** Sets the wall clock. Sleepers sleep as long as they would have. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const stop = (): void => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const sleeper = { wakeAt: this.#elapsed + Math.max(0, ms), wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** Lets time pass until the work has settled, and returns its result. Throws StandstillError if it never would. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    work.then(settle, settle);
    for (let idle = 0, wakings = 0; ; wakings += 1) {
      if (wakings > wakingsMax)
        throw new StandstillError('sleepers wake in an endless loop, and the work does not end');
      const turns = this.#isLeapNext() ? turnsBeforeLeap : turnsPerStep;
      for (let turn = 0; turn < turns && !isSettled; turn += 1) await nextTurn();
      if (isSettled) return work;
      if (turns === turnsPerStep && this.#isLeapNext()) continue;
      idle = this.#wakeNext() ? 0 : idle + turnsPerStep;
      if (idle > turnsMax) throw new StandstillError('nothing sleeps, nothing advances, and the work does not end');
    }
  }

  #isLeapNext(): boolean {
    return !this.#sleepers.some(({ wakeAt }) => wakeAt < this.#elapsed + leapMs);
  }

  /** Wakes the first sleeper at its time; of those due together, the one that slept first. */
  #wakeNext(): boolean {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (first === undefined || sleeper.wakeAt < first.wakeAt) first = sleeper;
    }
    if (first === undefined) return false;
    this.#sleepers.splice(this.#sleepers.indexOf(first), 1);
    this.#elapsed = Math.max(this.#elapsed, first.wakeAt);
    first.wake();
    return true;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
