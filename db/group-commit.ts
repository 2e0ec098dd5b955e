// Group commit: pieces of work that come in one turn of the event loop share one transaction and one sync of the disk. What they do is left to the stores.
import type { Connection } from './client.ts';
import { asStoreError } from './errors.ts';

interface Piece {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit {
  readonly #db: Connection;
  readonly #onRollback: () => void;
  #waiting: Piece[] = [];

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
      if (this.#waiting.length === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
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
