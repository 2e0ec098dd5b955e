// The store: one database, its subjects side by side, and the transactions that span them.
import { Audit } from './audit.ts';
import { Checks } from './checks.ts';
import { type Connection, openConnection } from './client.ts';
import { asStoreError } from './errors.ts';
import { History } from './history.ts';
import { type Caps, Ledger } from './ledger.ts';
import { Names } from './names.ts';
import { Pages } from './pages.ts';
import { Rankings } from './rankings.ts';
import { Runs } from './runs.ts';
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
  readonly audit: Audit;
  readonly #db: Connection;

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

  close(): void {
    this.#db.close();
  }
}

/** Opens (or creates) the store in `file`; `:memory:` for a fresh one. Throws StoreError. */
export function openStore(file: string, caps: Caps = { serp_credit: {}, micro_usd: {} }): Store {
  return new Store(openConnection(file), caps);
}
