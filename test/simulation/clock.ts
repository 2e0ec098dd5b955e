// The clock of a simulated month: it moves only when nobody has anything left to do at its moment. Sleepers wake in order, whatever the wall clock shows.
import type { Clock } from '../../src/service/index.ts';

interface Sleeper {
  /** In elapsed time, which no jump of the wall clock touches. */
  readonly wakeAt: number;
  readonly wake: () => void;
}

/** Turns of the event loop that work has before time moves on a little: a group commit waits two, its successors one. */
const turnsPerStep = 4;
/** Before a leap everybody must have come to rest, or work that is under way would find itself days later. */
const turnsBeforeLeap = 60;
const leapMs = 5000;
/** With nobody asleep, work that takes longer than this many turns is stuck. */
const turnsMax = 20_000;

/** One process lives for days, in some ten thousand wakings; who wakes more often asks again and again for something that does not come. */
const wakingsMax = 2_000_000;

/** The simulation stands still although somebody waits: in a real process that would be a hang. */
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

  /** Somebody sets the wall clock. Sleepers sleep as long as they would have. */
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

  /** Lets time pass until the work has settled, and gives what it gives. Throws StandstillError where it never would. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    work.then(settle, settle);
    for (let idle = 0, wakings = 0; ; wakings += 1) {
      if (wakings > wakingsMax) throw new StandstillError('somebody wakes again and again, and the work has no end');
      const turns = this.#isLeapNext() ? turnsBeforeLeap : turnsPerStep;
      for (let turn = 0; turn < turns && !isSettled; turn += 1) await nextTurn();
      if (isSettled) return work;
      if (turns === turnsPerStep && this.#isLeapNext()) continue;
      idle = this.#wakeNext() ? 0 : idle + turnsPerStep;
      if (idle > turnsMax) throw new StandstillError('nobody sleeps, nothing moves, and the work has no end');
    }
  }

  #isLeapNext(): boolean {
    return !this.#sleepers.some(({ wakeAt }) => wakeAt < this.#elapsed + leapMs);
  }

  /** Wakes the first of the sleepers, at its moment; of those due together the one that fell asleep first. */
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
