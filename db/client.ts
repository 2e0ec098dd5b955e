// Opens the database file: guards first, then pragmas and migrations. What stands in the tables is the stores' business.
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { asStoreError, diskFull, StoreError } from './errors.ts';

// required rather than imported: drizzle as ESM costs 350 ms and 190 MB at start (../shared/STACK.md), this way 55 ms and only when a migration is due
const require = createRequire(import.meta.url);

/** 'rnkl': marks a file as ours, so that no other program's database is ever migrated. */
const applicationId = 0x726e6b6c;
const busyTimeoutMsDefault = 3000;
/** Most of what a run holds beside its heap; pages that fall out of it are in the system's cache still. */
const cacheKiB = 6 * 1024;
const migrationsFolder = join(import.meta.dirname, 'migrations');

export type Row = Record<string, string | number | null | Buffer>;
export type Value = string | number | bigint | null | Buffer;

/** Values for `?`, in order, or one object for `@name` parameters that a statement uses more than once. */
export type Values = readonly Value[] | readonly [Readonly<Record<string, Value>>];

export interface Statement {
  run(...values: Values): { changes: number; lastInsertRowid: number | bigint };
  get(...values: Values): Row | undefined;
  all(...values: Values): Row[];
  iterate(...values: Values): IterableIterator<Row>;
}

export interface ConnectionOptions {
  /** How long a statement waits for another process's transaction. It blocks the event loop, so it is short. Default: 3000. */
  readonly busyTimeoutMs?: number;
}

/** One open database. Statements are prepared once; transactions take the write lock at their start. */
export class Connection {
  readonly file: string;
  readonly #sqlite: BetterSqlite.Database;
  readonly #statements = new Map<string, Statement>();
  /** Wrapped once: making the wrapper takes longer than the savepoint it makes. */
  readonly #wrapped: BetterSqlite.Transaction<(work: () => unknown) => unknown>;

  constructor(sqlite: BetterSqlite.Database, file: string) {
    this.#sqlite = sqlite;
    this.#wrapped = sqlite.transaction((work: () => unknown) => work());
    this.file = file;
  }

  /** The prepared statement of a constant SQL text. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#sqlite.prepare(text) as unknown as Statement;
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** Runs `work` in one IMMEDIATE transaction; inside another one it joins that. Durable when it returns. */
  transaction<T>(work: () => T): T {
    if (this.#sqlite.inTransaction) return work();
    return this.#wrapped.immediate(work) as T;
  }

  /** Runs `work` so that it can be rolled back by itself inside an open transaction. */
  savepoint<T>(work: () => T): T {
    return this.#wrapped(work) as T;
  }

  /** False, inside `transaction`, where SQLite has given the transaction up by itself: a full or failing disk makes it do so. */
  get inTransaction(): boolean {
    return this.#sqlite.inTransaction;
  }

  pragma(text: string): unknown {
    return this.#sqlite.pragma(text, { simple: true });
  }

  close(): void {
    this.#statements.clear();
    if (this.#sqlite.open) this.#sqlite.close();
  }
}

/**
 * Opens `file`, creating it (and its folder) where there is none, and brings it to this version's schema.
 * `:memory:` gives a fresh database. Throws StoreError for a file that is empty, foreign, newer, damaged, locked or read-only;
 * such a file is left byte for byte as it was.
 */
export function openConnection(file: string, options: ConnectionOptions = {}): Connection {
  const Database = require('better-sqlite3') as typeof BetterSqlite;
  let sqlite: BetterSqlite.Database | undefined;
  try {
    if (file !== ':memory:' && !existsSync(file)) createFile(Database, file);
    if (file !== ':memory:') guardFile(file);
    sqlite = new Database(file, { timeout: options.busyTimeoutMs ?? busyTimeoutMsDefault });
    guardContents(sqlite, file);
    migrateIfBehind(sqlite, file);
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL'); // paid results must survive a power cut; better-sqlite3 would fall back to NORMAL
    sqlite.pragma(`cache_size = -${cacheKiB}`);
    sqlite.pragma('temp_store = MEMORY'); // what a savepoint may have to undo would go to a file of its own above 64 KiB
    sqlite.pragma('foreign_keys = ON');
    return new Connection(sqlite, file);
  } catch (error) {
    sqlite?.close();
    throw asStoreError(error, file);
  }
}

/** A new database appears whole or not at all: it is made beside its place, and of several processes the first puts its own there. */
function createFile(Database: typeof BetterSqlite, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.new-${process.pid}`;
  rmSync(temporary, { force: true });
  try {
    const sqlite = new Database(temporary);
    try {
      migrateIfBehind(sqlite, file);
    } finally {
      sqlite.close();
    }
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** What can be told without letting SQLite touch the file: an empty file would silently become a new database. */
function guardFile(file: string): void {
  const facts = statSync(file);
  if (facts.isDirectory())
    throw new StoreError('DATABASE_UNOPENABLE', `${file} is a folder`, 'Let `database:` name a file.');
  if (facts.size === 0) {
    throw new StoreError(
      'DATABASE_EMPTY_FILE',
      `${file} is empty: a database that lost its contents?`,
      'Restore it from a backup, or delete the empty file to start a new history.',
    );
  }
  if ((facts.mode & 0o222) === 0) {
    throw new StoreError('DATABASE_READ_ONLY', `${file} is read-only`, 'Give this user write permission to the file.');
  }
  const header = Buffer.alloc(16);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, header, 0, 16, 0);
  } finally {
    closeSync(handle);
  }
  if (header.toString('latin1') !== 'SQLite format 3\0') {
    throw new StoreError(
      'DATABASE_CORRUPT',
      `${file} is not a SQLite database`,
      'Point `database:` at another file, or restore this one from a backup.',
    );
  }
}

function guardContents(sqlite: BetterSqlite.Database, file: string): void {
  // in one transaction: another process may be migrating the file at this moment
  const { version, owner, tables } = sqlite.transaction(() => ({
    version: sqlite.pragma('user_version', { simple: true }) as number,
    owner: sqlite.pragma('application_id', { simple: true }) as number,
    tables: sqlite.prepare('SELECT count(*) FROM sqlite_master').pluck().get() as number,
  }))();
  if (owner === 0 && version === 0 && tables === 0) return;
  if (owner !== applicationId) {
    throw new StoreError(
      'DATABASE_FOREIGN',
      `${file} belongs to another program`,
      'Point `database:` at a file of its own.',
    );
  }
  if (version > schemaVersion()) {
    throw new StoreError(
      'DATABASE_NEWER',
      `${file} was written by a newer rankledger (schema ${version}, this one knows ${schemaVersion()})`,
      'Upgrade rankledger; an older version must not touch it.',
    );
  }
}

/** Number of migrations this version knows; kept in the file's user_version. */
export function schemaVersion(): number {
  const journal = JSON.parse(readFileSync(join(migrationsFolder, 'meta', '_journal.json'), 'utf8')) as {
    entries: unknown[];
  };
  return journal.entries.length;
}

function isBehind(sqlite: BetterSqlite.Database): boolean {
  return (sqlite.pragma('user_version', { simple: true }) as number) !== schemaVersion();
}

/** What a new database takes, its journal included: with less a migration fails for want of room. */
const migrationBytes = 2 * 1024 * 1024;

/** Bytes free on the disk of a folder. */
export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Of several processes that open a file at once one migrates it, and the others wait. */
function migrateIfBehind(sqlite: BetterSqlite.Database, file: string): void {
  if (!isBehind(sqlite)) return;
  // in this mode the lock of the first transaction is held until the mode is left: over all transactions of the migrator
  sqlite.pragma('locking_mode = EXCLUSIVE');
  sqlite.exec('BEGIN EXCLUSIVE; COMMIT');
  guardContents(sqlite, file); // another process may have been first, of a newer version even
  if (isBehind(sqlite)) migrate(sqlite, file);
  sqlite.pragma('locking_mode = NORMAL');
  isBehind(sqlite); // the lock goes with the next reading
}

function migrate(sqlite: BetterSqlite.Database, file: string): void {
  // off before migrate(): inside its transaction the pragma is a no-op, and a table rebuild would then delete what refers to it
  sqlite.pragma('foreign_keys = OFF');
  const { drizzle } = require('drizzle-orm/better-sqlite3') as typeof import('drizzle-orm/better-sqlite3');
  const migrator =
    require('drizzle-orm/better-sqlite3/migrator') as typeof import('drizzle-orm/better-sqlite3/migrator');
  sqlite.pragma(`application_id = ${applicationId}`);
  try {
    migrator.migrate(drizzle(sqlite), { migrationsFolder });
  } catch (error) {
    // a disk that is full makes SQLite roll back by itself; the migrator then fails to roll back, and that is all it tells
    if (freeBytesAt(dirname(file)) < migrationBytes) throw diskFull(file, error);
    throw error instanceof Error && error.cause !== undefined ? error.cause : error;
  }
  const broken = sqlite.pragma('foreign_key_check') as unknown[];
  if (broken.length > 0)
    throw new StoreError(
      'DATABASE_CORRUPT',
      `the migration left ${broken.length} broken references`,
      'Restore the database from a backup and report this as a bug.',
    );
  sqlite.pragma(`user_version = ${schemaVersion()}`);
}
