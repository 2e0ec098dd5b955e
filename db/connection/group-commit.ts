// Group commit: work of one turn of the event loop shares one transaction and one disk sync.

import { setTimeout } from 'node:timers/promises';
import { type Connection, lockedMsMax } from './client.ts';
import { asStoreError, isDiskFull, isLocked } from './errors.ts';

interface QueuedWork {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Attempt =
  | { readonly settle: readonly (() => void)[] }
  /** `hasBegun`: some work ran before it failed. */
  | { readonly error: unknown; readonly hasBegun: boolean };

/**
 * The longest time that work waits for other work, and the share of the last group's size that is worth waiting for.
 */
const patienceMs = 2;
const crowdShare = 0.75;

export class GroupCommit {
  readonly #db: Connection;
  readonly #now: () => number;
  readonly #room: { make(): boolean };
  #waiting: QueuedWork[] = [];
  #lastSize = 0;
  #lockedSince: number | null = null;

  /**
   * `now` in milliseconds, from any origin. `room` frees the reserved disk space, and returns whether there was any.
   */
  constructor(
    db: Connection,
    now: () => number = () => performance.now(),
    room: { make(): boolean } = { make: () => false },
  ) {
    this.#db = db;
    this.#now = now;
    this.#room = room;
  }

  /**
   * Runs the work with all other work of this turn. Each piece is atomic: one that throws is rolled back alone, and its
   * promise rejects. The promise settles when its piece is durable. Database failures arrive as StoreError.
   *
   * The work may run twice, because it is repeated after a rollback of its group. It may change only the database, and
   * returns what the caller adopts.
   */
  run<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: (value) => resolve(value as T), reject });
      if (this.#waiting.length === 1) this.#schedule();
    });
  }

  /**
   * If the last group was large, the first piece of a group waits a moment for others: one sync for forty is worth a
   * millisecond.
   */
  #schedule(): void {
    const commitAt = this.#now() + patienceMs;
    const poll = (): void => {
      const isCrowd = this.#waiting.length >= this.#lastSize * crowdShare;
      if (isCrowd || this.#now() >= commitAt) this.#commit();
      else setImmediate(poll);
    };
    setImmediate(poll);
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    this.#lastSize = group.length;
    let result = this.#attempt(group);
    if ('error' in result && isDiskFull(result.error) && this.#room.make()) result = this.#attempt(group);
    if ('error' in result) {
      if (!result.hasBegun && isLocked(result.error) && this.#mayWait()) {
        this.#waiting = [...group, ...this.#waiting];
        void setTimeout(lockPauseMs).then(() => this.#commit());
        return;
      }
      const error = asStoreError(result.error, this.#db.file);
      for (const { reject } of group) reject(error);
      return;
    }
    this.#lockedSince = null;
    for (const one of result.settle) one();
  }

  /**
   * A savepoint per piece costs more than most pieces write, so they are made only after one of the group has thrown.
   */
  #attempt(group: readonly QueuedWork[]): Attempt {
    let hasBegun = false;
    let hasThrown = false;
    const runTogether = (): (() => void)[] => {
      hasBegun = true;
      return group.map(({ work, resolve }) => {
        try {
          const value = work();
          return () => resolve(value);
        } catch (error) {
          hasThrown = true;
          throw error;
        }
      });
    };
    try {
      try {
        return { settle: this.#db.withoutWaiting(() => this.#db.transaction(runTogether)) };
      } catch (error) {
        if (!hasThrown) throw error; // the transaction could not begin, or its commit failed
      }
      return { settle: this.#db.transaction(() => this.#runApart(group)) };
    } catch (error) {
      return { error, hasBegun };
    }
  }

  /** Whether to keep waiting for another program's lock. The work waits in memory: at most what is in flight. */
  #mayWait(): boolean {
    this.#lockedSince ??= this.#now();
    if (this.#now() - this.#lockedSince < lockedMsMax) return true;
    this.#lockedSince = null;
    return false;
  }

  #runApart(group: readonly QueuedWork[]): (() => void)[] {
    return group.map(({ work, resolve, reject }) => {
      try {
        const value = this.#db.savepoint(work);
        return () => resolve(value);
      } catch (error) {
        if (!this.#db.inTransaction || isDiskFull(error)) throw error; // a full or failing disk: SQLite has rolled back the pieces before, too
        return () => reject(asStoreError(error, this.#db.file));
      }
    });
  }
}

/** Between two attempts to get the write lock; answers are read meanwhile. */
const lockPauseMs = 200;

/** How work waits for another program's write lock: one patience for all work of a store. */
export class LockPatience {
  /** Called at each attempt that fails. */
  onLocked: () => void;
  readonly #now: () => number;
  readonly #pause: () => Promise<unknown>;

  /** `now` in milliseconds, from any origin; `pause` lies between two attempts. */
  constructor(
    onLocked: () => void = () => {},
    { now, pause }: { readonly now: () => number; readonly pause: () => Promise<unknown> } = {
      now: () => performance.now(),
      pause: () => setTimeout(lockPauseMs),
    },
  ) {
    this.onLocked = onLocked;
    this.#now = now;
    this.#pause = pause;
  }

  /**
   * Does the work, and repeats it while the lock keeps its transaction from beginning. The first attempt is made before
   * this returns. `stop` ends the wait.
   */
  async until<T>(work: () => T, stop: AbortSignal): Promise<T> {
    for (const until = this.#now() + lockedMsMax; ; await this.#pause()) {
      try {
        return work();
      } catch (error) {
        if (!isLocked(error) || stop.aborted || this.#now() >= until) throw error;
        this.onLocked();
      }
    }
  }
}
