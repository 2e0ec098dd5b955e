// The store: one database, its subjects side by side, and the transactions that span them.
import { Audit } from './audit.ts';
import { Checks } from './checks.ts';
import { type Connection, type ConnectionOptions, openConnection } from './client.ts';
import { asStoreError } from './errors.ts';
import { History } from './history.ts';
import { type Caps, Ledger } from './ledger.ts';
import { Names } from './names.ts';
import { Pages } from './pages.ts';
import { Rankings } from './rankings.ts';
import { Runs } from './runs.ts';
import { TrackedRows } from './tracked-rows.ts';
import { Volumes } from './volumes.ts';

export class Store {
  readonly file: string;
  readonly names: Names;
  readonly runs: Runs;
  readonly checks: Checks;
  readonly ledger: Ledger;
  readonly pages: Pages;
  readonly rankings: Rankings;
  readonly volumes: Volumes;
  readonly history: History;
  readonly trackedRows: TrackedRows;
  readonly audit: Audit;
  readonly #db: Connection;
  #waiting: Waiting[] = [];

  constructor(db: Connection, caps: Caps) {
    this.#db = db;
    this.file = db.file;
    this.names = new Names(db);
    this.runs = new Runs(db, this.names);
    this.checks = new Checks(db, this.names);
    this.ledger = new Ledger(db, caps);
    this.pages = new Pages(db, this.names);
    this.rankings = new Rankings(db, this.names);
    this.volumes = new Volumes(db, this.names);
    this.history = new History(db);
    this.trackedRows = new TrackedRows(db);
    this.audit = new Audit(db);
  }

  /** All or nothing, durable when it returns. Ids that a rolled-back transaction had given out are forgotten. Throws StoreError. */
  transaction<T>(work: () => T): T {
    try {
      return this.#db.transaction(work);
    } catch (error) {
      this.names.forget();
      throw asStoreError(error, this.file);
    }
  }

  /**
   * The same for work that others may join: whatever is asked for in one turn of the event loop becomes durable with one sync of the disk.
   * Each piece stands alone: one that throws is rolled back by itself. The promise settles when its piece is durable.
   */
  grouped<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: (value) => resolve(value as T), reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#commitGroup());
    });
  }

  #commitGroup(): void {
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
            this.names.forget();
            settle.push(() => reject(asStoreError(error, this.file)));
          }
        }
      });
    } catch (error) {
      this.names.forget();
      for (const { reject } of group) reject(asStoreError(error, this.file));
      return;
    }
    for (const one of settle) one();
  }

  close(): void {
    this.#db.close();
  }
}

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens (or creates) the store in `file`; `:memory:` for a fresh one. Throws StoreError. */
export function openStore(
  file: string,
  caps: Caps = { serp_credit: {}, micro_usd: {} },
  options: ConnectionOptions = {},
): Store {
  return new Store(openConnection(file, options), caps);
}
