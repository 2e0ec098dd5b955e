// A database connection: guards, migrations, pragmas, prepared statements, transactions, savepoints.

import { chmodSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { localDate } from '../../src/tracker/schedule/local-time.ts';
import { foldKeyword } from '../../src/tracker/searches.ts';
import type { NewTableRow, TableName } from '../schema/rows.ts';
import { createWhole, FileIdentity, freeBytesAt, sweepTemporary } from './disk.ts';
import { asStoreError, isLocked, StoreError } from './errors.ts';
import {
  databaseExists,
  folderFor,
  guardContents,
  guardCreation,
  guardFile,
  guardPages,
  hasJournal,
  isWritable,
  keepLog,
  needsJournal,
  ownJournal,
  schemaVersion,
} from './guards.ts';
import { HashChain } from './hash-chain.ts';
import { type Migration, migrateAlone, newInMemory, writeNew } from './migrate.ts';
import { Names } from './names.ts';
import { organicCount } from './serp-archive.ts';
import {
  closeDriver,
  inserted,
  keepingPlan,
  type Row,
  type Statement,
  sqliteDriver,
  type Values,
} from './statement.ts';
import { addFunctions, Digests, RowSums, type SummingConnection, watched, withSums } from './sums.ts';
import { WindowSums } from './window-sums.ts';

const busyTimeoutMsDefault = 3000;
/** The longest wait for another program's write lock. */
export const lockedMsMax = 600_000;
/** Most of what a run holds beside its heap; pages that fall out of it are in the system's cache still. */
const cacheKiB = 6 * 1024;
/**
 * Large enough to copy a page that many checks change only once; a log of 16 MiB is read back in a moment after a
 * crash.
 */
const checkpointPages = 4096;

export interface ConnectionOptions {
  /** How long a statement waits for another process's transaction, blocking the event loop. Default: 3000. */
  readonly busyTimeoutMs?: number;
  /** Called after an older schema was migrated to this version's. */
  readonly onMigrated?: (migration: Migration) => void;
  /** This process has opened the file before: its pages are not read through again. Default: false. */
  readonly isChecked?: boolean;
  /** May be lost: nothing waits for the disk. */
  readonly isScratch?: boolean;
  /** Of renamed services, by their present names: what is stored by service keeps the first one. Default: none. */
  readonly firstServiceNames?: ReadonlyMap<string, string>;
}

export interface ReadingOptions extends Pick<ConnectionOptions, 'busyTimeoutMs' | 'firstServiceNames'> {
  /** For queries of this version: refuses an older schema, and damaged pages. Default: false. */
  readonly isCurrent?: boolean;
}

/** One open database. Statements are prepared once; transactions take the write lock at their start. */
export class Connection {
  readonly file: string;
  /** The name under which volumes, answers, labels and memory of a service are stored; in SQL `first_service_name`. */
  readonly firstServiceName: (service: string) => string;
  /** The present name of a service, by the first one. */
  readonly presentServiceName: (first: string) => string;
  /** Code that writes a row of history adds the row here; the sums are written with the transaction. */
  readonly digests: Digests = new Digests(
    (text) => this.sql(text),
    () => this.inTransaction,
  );
  /** Code that moves credits in budget windows adds the movement here; the sums are written with the transaction. */
  readonly windowSums: WindowSums = new WindowSums(
    (text) => this.sql(text),
    () => this.inTransaction,
  );
  /** Code that moves credits adds the ledger entry here; the entries are written with the transaction. */
  readonly chain: HashChain = new HashChain(
    (text) => this.sql(text),
    () => this.inTransaction,
  );
  /** Ids of names; a rollback forgets those that it gave out. */
  readonly names: Names = new Names((text) => this.sql(text));
  readonly rowSums: RowSums = new RowSums((text) => this.sql(text));
  /** What a transaction writes last, in this order. */
  readonly #atEnd = [this.chain, this.digests, this.windowSums, this.rowSums] as const;
  #transactionVersion = 0;
  /** That of the first transaction. */
  #schema: number | null = null;
  /** Null in memory, and for a connection that only reads. */
  readonly #identity: FileIdentity | null;
  #sameFileInVersion = -1;
  /**
   * Called where another program's lock keeps a transaction from beginning: it then waits where it is, for ten minutes
   * at most, and calls what this returned when it has ended. Null: the error is thrown after the busy timeout.
   */
  onBlocked: (() => () => void) | null = null;
  readonly #sqlite: BetterSqlite.Database;
  #drizzle: BetterSQLite3Database | undefined;
  readonly #statements = new Map<string, Statement>();
  /** Wrapped once: wrapping takes longer than a savepoint. */
  readonly #wrapped: BetterSqlite.Transaction<(work: () => unknown) => unknown>;

  constructor(
    sqlite: BetterSqlite.Database,
    file: string,
    firstServiceNames: ReadonlyMap<string, string> = new Map(),
    identity: FileIdentity | null = null,
  ) {
    const presentNames = new Map([...firstServiceNames].map(([present, first]) => [first, present]));
    this.firstServiceName = (service) => firstServiceNames.get(service) ?? service;
    this.presentServiceName = (first) => presentNames.get(first) ?? first;
    sqlite.function('first_service_name', { deterministic: true }, (service) => this.firstServiceName(String(service)));
    this.#sqlite = sqlite;
    this.#identity = identity;
    this.#wrapped = sqlite.transaction((work: () => unknown) => work());
    sqlite.function('local_date', { deterministic: true }, (at, zone) => localDate(Number(at), String(zone)));
    sqlite.function('stored_keyword', (text) => this.names.storedKeyword(String(text)));
    sqlite.function('fold_keyword', { deterministic: true }, (text) => foldKeyword(String(text)));
    sqlite.function('organic_count', { deterministic: true }, (archive) => organicCount(archive as Buffer));
    this.file = file;
  }

  /**
   * The prepared statement of a constant SQL text; `Result` names its columns. For measured hot paths, and what the
   * query builder would say worse (docs/decisions/0047).
   */
  sql<Result = Row>(text: string): Statement<Result> {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      this.#assertOpen();
      statement = withSums(this, text, this.#sqlite.prepare(keepingPlan(text)) as unknown as Statement);
      this.#statements.set(text, statement);
    }
    // safe where `Result` names the columns of the SELECT; their types are those of the schema, which a test compares
    return statement as Statement<unknown> as Statement<Result>;
  }

  /** The row of a query that always has one, such as sums. */
  one<Result = Row>(text: string, ...values: Values): Result {
    const row = this.sql<Result>(text).get(...values);
    if (row === undefined) throw new Error(`a query that always has a row had none: ${text}`);
    return row;
  }

  /** The only value of such a row, such as a count or the highest id; 0 where it is NULL. */
  number(text: string, ...values: Values): number {
    return Number(Object.values(this.one(text, ...values))[0]);
  }

  /** Inserts a row by prepared SQL. `conflict`: the ON CONFLICT clause. */
  insert<Name extends TableName>(table: Name, row: NewTableRow<Name>, conflict = ''): ReturnType<Statement['run']> {
    return inserted((text) => this.sql(text), table, row, conflict);
  }

  /** Inserts a row of history, and adds it to its digest. */
  record<Name extends 'rankings' | 'pages' | 'volumes'>(
    table: Name,
    row: NewTableRow<Name>,
    conflict = '',
  ): ReturnType<Statement['run']> {
    const written = this.insert(table, row, conflict);
    if (written.changes > 0) this.digests.add(table, row);
    return written;
  }

  /** drizzle's query builder, loaded when it is first used. */
  get drizzle(): BetterSQLite3Database {
    this.#assertOpen();
    this.#drizzle ??= queryBuilder(this.#sqlite, this);
    return this.#drizzle;
  }

  /** Runs `work` in one IMMEDIATE transaction; inside another one it joins that. Durable when it returns. */
  transaction<T>(work: () => T): T {
    if (this.#sqlite.inTransaction) return work();
    this.#assertOpen();
    let hasBegun = false;
    const attempt = (): T => {
      this.#transactionVersion += 1;
      return this.#undone(() =>
        this.#wrapped.immediate(() => {
          hasBegun = true;
          this.#assertSameSchema();
          const result = work();
          for (const part of this.#atEnd) part.write();
          return result;
        }),
      ) as T;
    };
    let onEnd: (() => void) | undefined;
    try {
      for (const until = performance.now() + lockedMsMax; ; ) {
        try {
          return attempt();
        } catch (error) {
          if (hasBegun || this.onBlocked === null || !isLocked(error) || performance.now() >= until) throw error;
          onEnd ??= this.onBlocked();
        }
      }
    } finally {
      onEnd?.();
    }
  }

  /** Does work whose transactions do not wait where they are: its caller tries again. */
  withoutWaiting<T>(work: () => T): T {
    const { onBlocked } = this;
    this.onBlocked = null;
    try {
      return work();
    } finally {
      this.onBlocked = onBlocked;
    }
  }

  /** Another process may have migrated the database since: it must not be written as this version understands it. */
  #assertSameSchema(): void {
    const now = this.sql<{ user_version: number }>('SELECT user_version FROM pragma_user_version').get();
    this.#schema ??= now?.user_version ?? null;
    if (now === undefined || now.user_version === this.#schema) return;
    throw new StoreError(
      'DATABASE_NEWER',
      `${this.file} was migrated from schema ${this.#schema} to ${now.user_version} while this process worked with it`,
      'Stop this process and start the newer version. What was recorded is safe, and a run goes on there.',
    );
  }

  /** Runs `work` in a savepoint: it can be rolled back without the rest of the open transaction. */
  savepoint<T>(work: () => T): T {
    if (!this.#sqlite.inTransaction) return this.transaction(work);
    return this.#undone(() => this.#wrapped(work)) as T;
  }

  /**
   * Cached facts about rows that others also write are valid until this number grows: with each transaction, and each
   * rollback inside one.
   */
  get transactionVersion(): number {
    return this.#transactionVersion;
  }

  /** What work adds to the sums goes with the work where that throws. */
  #undone<T>(work: () => T): T {
    const marks = this.#atEnd.map((part) => part.mark());
    try {
      return work();
    } catch (error) {
      this.#transactionVersion += 1;
      this.names.forget();
      for (const [index, mark] of marks.entries()) this.#atEnd[index]?.forgetSince(mark);
      throw error;
    }
  }

  /**
   * From now on, reads see the database as it is now, despite later writes, until the caller calls what this returns or
   * closes the connection. Meanwhile it must not write.
   */
  holdSnapshot(): () => void {
    this.#sqlite.exec('BEGIN');
    this.sql('SELECT count(*) FROM sqlite_master').get();
    return () => {
      if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK');
    };
  }

  /** False, inside `transaction`, after SQLite rolled it back: it does so when the disk is full or fails. */
  get inTransaction(): boolean {
    return this.#sqlite.inTransaction;
  }

  /** Throws StoreError DATABASE_REPLACED if the file's name now leads to another file. Checks once per transaction. */
  assertSameFile(): void {
    if (this.#sqlite.inTransaction && this.#sameFileInVersion === this.#transactionVersion) return;
    this.#identity?.check();
    this.#sameFileInVersion = this.#transactionVersion;
  }

  pragma(text: string): unknown {
    this.#assertOpen();
    return this.#sqlite.pragma(text, { simple: true });
  }

  /**
   * Copies the database to a new file in steps. Before each, `step` returns its number of pages. An error of `step`
   * ends the copy.
   */
  async copyTo(
    target: string,
    step: (progress: { readonly totalPages: number; readonly remainingPages: number }) => number,
  ): Promise<void> {
    await this.#sqlite.backup(target, { progress: step });
  }

  close(): void {
    this.#statements.clear();
    closeDriver(this.#sqlite);
  }

  #assertOpen(): void {
    if (this.#sqlite.open) return;
    throw new StoreError('DATABASE_CLOSED', `${this.file} is closed`, 'Open the store again, or close it later.');
  }
}

/**
 * Opens `file`, creates it and its folder if missing, and migrates it to this version's schema after making a copy.
 * `:memory:` gives a new database. Throws StoreError for a file that is empty, foreign, newer, damaged, locked or
 * read-only, and leaves such a file unchanged.
 */
export function openConnection(file: string, options: ConnectionOptions = {}): Connection {
  // SQLite would open a file that it deletes at the end
  if (file === '')
    throw new StoreError('DATABASE_UNOPENABLE', 'The database has no name.', 'Write the path of a file.');
  const Database = sqliteDriver();
  const wait = options.busyTimeoutMs ?? busyTimeoutMsDefault;
  let sqlite: BetterSqlite.Database | undefined;
  try {
    if (file !== ':memory:' && !databaseExists(file)) {
      guardCreation(file);
      createWhole(file, writeNew);
    }
    if (file !== ':memory:') {
      sweepTemporary(file);
      guardFile(file, 'write');
    }
    const opened = migrateAlone(
      () => {
        const found = file === ':memory:' ? newInMemory() : new Database(file, { timeout: wait });
        sqlite = found;
        guardContents(found, file, 'write');
        if (file !== ':memory:' && options.isChecked !== true) guardPages(found, file);
        return found;
      },
      file,
      wait,
    );
    sqlite = opened.sqlite;
    if (opened.migration !== null) options.onMigrated?.(opened.migration);
    keepLog(sqlite, wait);
    sqlite.pragma(`synchronous = ${options.isScratch === true ? 'OFF' : 'FULL'}`); // paid results must survive a power cut
    sqlite.pragma(`cache_size = -${cacheKiB}`);
    sqlite.pragma('temp_store = MEMORY'); // savepoint data above 64 KiB would go to a temporary file
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    return watched(
      sqlite,
      new Connection(sqlite, file, options.firstServiceNames, file === ':memory:' ? null : new FileIdentity(file)),
    );
  } catch (error) {
    sqlite?.close();
    throw asStoreError(error, file);
  }
}

/**
 * Opens a rankledger database of this or an older schema for reading, and changes neither file nor folder, even beside
 * a writer. Throws StoreError like `openConnection`, and if the file is missing.
 */
export function openForReading(file: string, options: ReadingOptions = {}): Connection {
  try {
    guardFile(file, 'read');
    // a reader without write access leaves the -wal and -shm files that it created; one with write access removes them
    if (isWritable(file) && !hasJournal(file)) return openedForReading(file, file, { readonly: false, ...options });
    if (hasJournal(file) || !needsJournal(file)) return openedForReading(file, file, { readonly: true, ...options });
    return openCopy(file, options);
  } catch (error) {
    throw asStoreError(error, file);
  }
}

/**
 * Takes and releases the write lock, to learn whether the file can be written now. Changes nothing. Throws StoreError.
 */
function tryWriting(file: string, { busyTimeoutMs = busyTimeoutMsDefault }: ConnectionOptions = {}): void {
  const Database = sqliteDriver();
  try {
    guardFile(file, 'write');
    const sqlite = new Database(file, { fileMustExist: true, timeout: busyTimeoutMs });
    try {
      sqlite.exec('BEGIN IMMEDIATE; ROLLBACK');
    } finally {
      sqlite.close();
    }
  } catch (error) {
    throw asStoreError(error, file);
  }
}

function openedForReading(
  path: string,
  file: string,
  {
    readonly,
    isCurrent,
    firstServiceNames,
    busyTimeoutMs = busyTimeoutMsDefault,
  }: ReadingOptions & { readonly readonly: boolean },
): Connection {
  const Database = sqliteDriver();
  const sqlite = new Database(path, { readonly, fileMustExist: true, timeout: busyTimeoutMs });
  try {
    sqlite.pragma('query_only = ON');
    sqlite.pragma(`cache_size = -${cacheKiB}`);
    sqlite.pragma('temp_store = MEMORY');
    guardContents(sqlite, file, isCurrent ? 'readCurrent' : 'read');
    if (isCurrent) guardPages(sqlite, file);
    addFunctions(sqlite);
    return new Connection(sqlite, file, firstServiceNames);
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/**
 * On a read-only disk SQLite opens no file in write-ahead log mode, even if the log is empty. This reads a copy in the
 * temporary folder; its name is deleted at once, its bytes when the connection closes.
 */
function openCopy(file: string, options: ReadingOptions): Connection {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-reading-'));
  try {
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    ownJournal(copy);
    return openedForReading(copy, file, { readonly: true, ...options });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// required rather than imported: most commands never load drizzle
const require = createRequire(import.meta.url);

/** Statements that it prepares keep the sums over rows, as those of `Connection.sql` do. */
function queryBuilder(sqlite: BetterSqlite.Database, db: SummingConnection): BetterSQLite3Database {
  const { drizzle } = require('drizzle-orm/better-sqlite3') as typeof import('drizzle-orm/better-sqlite3');
  const client = {
    prepare(text: string) {
      const statement = sqlite.prepare(text);
      const summed = (one: unknown): Statement => withSums(db, text, one as Statement);
      return {
        run: (...values: []) => summed(statement).run(...values),
        raw: () => summed(statement.raw()),
      };
    },
  };
  return drizzle({ client: client as unknown as BetterSqlite.Database }); // all that its session calls for the queries we build
}

export interface StoreState {
  /** Null where there is no database yet: the first run makes it. */
  readonly schema: number | null;
  /** What this version knows; an older schema is brought to it when the database is opened to write. */
  readonly schemaKnown: number;
  readonly bytes: number;
  /** On the disk of the database, for this user. */
  readonly freeBytes: number;
}

/** Tries the database. Throws StoreError where a run could not use it, the reason and the remedy in it. */
export function storeState(file: string, options: ConnectionOptions = {}): StoreState {
  const schemaKnown = schemaVersion();
  if (!databaseExists(file)) return { schema: null, schemaKnown, bytes: 0, freeBytes: freeBytesAt(folderFor(file)) };
  const db = openForReading(file, options);
  let schema: number;
  try {
    schema = Number(db.pragma('user_version'));
  } finally {
    db.close();
  }
  tryWriting(file, options);
  return { schema, schemaKnown, bytes: statSync(file).size, freeBytes: freeBytesAt(dirname(file)) };
}
