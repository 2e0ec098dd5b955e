// Group commit: pieces of work that come in one turn of the event loop share one transaction and one sync of the disk. What they do is left to the stores.
import type { Connection } from './client.ts';
import { asStoreError } from './errors.ts';

interface Piece {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The longest that a piece waits for others, and the share of the last group's size that is worth waiting for. */
const patienceMs = 2;
const crowdShare = 0.75;

export class GroupCommit {
  readonly #db: Connection;
  readonly #onRollback: () => void;
  #waiting: Piece[] = [];
  #lastSize = 0;

  /** `onRollback` is told that work was undone, so that nothing it has learned is remembered. */
  constructor(db: Connection, onRollback: () => void) {
    this.#db = db;
    this.#onRollback = onRollback;
  }

  /**
   * Runs the work with whatever else is asked for in this turn. Each piece stands alone: one that throws is rolled back by itself, and its promise
   * rejects. The promise settles when its piece is durable. Failures of the database come as StoreError.
   */
  run<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: (value) => resolve(value as T), reject });
      if (this.#waiting.length === 1) this.#schedule();
    });
  }

  /** Where many came last time, the first of a group waits a moment for the others: one sync for forty is worth more than a millisecond. */
  #schedule(): void {
    const commitAt = performance.now() + patienceMs;
    const look = (): void => {
      const isCrowd = this.#waiting.length >= this.#lastSize * crowdShare;
      if (isCrowd || performance.now() >= commitAt) this.#commit();
      else setImmediate(look);
    };
    setImmediate(look);
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    this.#lastSize = group.length;
    const settle: (() => void)[] = [];
    try {
      this.#db.transaction(() => {
        for (const { work, resolve, reject } of group) {
          try {
            const value = this.#db.savepoint(work);
            settle.push(() => resolve(value));
          } catch (error) {
            if (!this.#db.inTransaction) throw error; // a full or failing disk: SQLite has rolled back the pieces before, too
            this.#onRollback();
            settle.push(() => reject(asStoreError(error, this.#db.file)));
          }
        }
      });
    } catch (error) {
      this.#onRollback();
      for (const { reject } of group) reject(asStoreError(error, this.#db.file));
      return;
    }
    for (const one of settle) one();
  }
}
