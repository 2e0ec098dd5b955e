// Checks before a database file is opened: it must be ours, whole, and not newer than this version. Its log mode.

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { StoreError } from './errors.ts';
import { sqliteDriver } from './statement.ts';

/** 'rnkl': marks a file as ours, so that databases of other programs are never migrated. */
export const applicationId = 0x726e6b6c;
export const migrationsFolder = join(import.meta.dirname, '../migrations');

/** Number of migrations this version knows; kept in the file's user_version. */
export function schemaVersion(): number {
  const journal = JSON.parse(readFileSync(join(migrationsFolder, 'meta', '_journal.json'), 'utf8')) as {
    entries: unknown[];
  };
  return journal.entries.length;
}

/**
 * The largest file, in bytes, that is checked before it is written: 5 ms per MiB. `rankledger verify` checks larger
 * ones.
 */
const readThroughMax = 32 * 1024 * 1024;

export function databaseExists(file: string): boolean {
  return factsOf(file) !== undefined;
}

/**
 * Undefined if the file is missing. Throws StoreError if this user cannot find out, or if a link leads nowhere: neither
 * counts as missing.
 */
function factsOf(file: string): Stats | undefined {
  const facts = statOf(file);
  if (facts === undefined) guardLinks(file);
  return facts;
}

/** Refuses a path on which a link leads nowhere: the disk of the database may not be mounted. */
function guardLinks(file: string): void {
  for (let path = file; !existsSync(path) && path !== dirname(path); path = dirname(path)) {
    const target = linkTarget(path);
    if (target === null) continue;
    throw new StoreError(
      'DATABASE_MISSING',
      `${file} does not exist: ${path} is a link to ${target}, which does not exist`,
      'Mount the disk that holds the database, or remove the link to begin a new history.',
    );
  }
}

/** Null if it is no link. */
function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isForbidden = 'code' in error && error.code === 'EACCES';
    throw new StoreError(
      'DATABASE_UNOPENABLE',
      `${file} cannot be opened: ${isForbidden ? 'this user may not look into its folder' : error.message}`,
      isForbidden
        ? 'Run the command as the user that owns the database, or give this user access to the folder.'
        : 'Check `database:` in the config, and the folders on the path.',
      error,
    );
  }
}

/**
 * Checks without letting SQLite open the file: it would silently turn an empty file into a new database. It does not
 * open the file either: closing it would drop the locks of a connection that this process has (POSIX).
 */
export function guardFile(file: string, use: 'read' | 'write'): void {
  const facts = factsOf(file);
  if (facts === undefined) {
    throw new StoreError(
      'DATABASE_MISSING',
      `${file} does not exist`,
      'Check `database:` in the config; the first `rankledger run` creates the database.',
    );
  }
  if (facts.isDirectory())
    throw new StoreError('DATABASE_UNOPENABLE', `${file} is a folder`, 'Write the name of a file under `database:`.');
  if (use === 'write' && facts.nlink > 1) {
    throw new StoreError(
      'DATABASE_UNOPENABLE',
      `${file} has ${facts.nlink} names (hard links): with each name SQLite uses another log, and loses what the others wrote`,
      'Remove the other names, or make a copy with `rankledger backup`.',
    );
  }
  if (facts.size === 0) {
    throw new StoreError(
      'DATABASE_EMPTY_FILE',
      `${file} is empty: the database may have lost its contents`,
      'Restore it from a backup, or delete the empty file to start a new history.',
    );
  }
  if (use === 'write') guardPermission(file);
}

/**
 * Refuses to create a database beside the write-ahead log of another one, which was deleted or renamed, perhaps in use.
 */
export function guardStaleLog(file: string): void {
  const log = ['-wal', '-journal'].map((suffix) => file + suffix).find((path) => existsSync(path));
  if (log === undefined || databaseExists(file)) return; // another process has just made it
  throw new StoreError(
    'DATABASE_MISSING',
    `${file} does not exist, but ${log} does: the database was deleted or renamed, and rankledger creates no new one beside its log`,
    'Stop all rankledger processes. Put the database back beside its log, or restore a backup. To begin a new history, move the log away.',
  );
}

/**
 * Whether this user may write the file and its log beside it. Root can write files marked read-only, but should not.
 */
export function isWritable(file: string): boolean {
  return findUnwritablePath(file) === null;
}

function guardPermission(file: string): void {
  const path = findUnwritablePath(file);
  if (path === null) return;
  throw new StoreError(
    'DATABASE_READ_ONLY',
    path === file ? `${file} is read-only` : `${file} cannot be written: its folder is read-only`,
    `Give this user write permission to the ${path === file ? 'file' : 'folder'}, or choose another disk.`,
  );
}

function findUnwritablePath(file: string): string | null {
  if ((statSync(file).mode & 0o222) === 0) return file;
  for (const path of [dirname(file), file]) {
    try {
      accessSync(path, constants.W_OK);
    } catch {
      return path;
    }
  }
  return null;
}

/**
 * Refuses databases of other programs or newer versions. A database without tables is accepted for writing.
 * `readCurrent` refuses an older schema, too: a reader cannot migrate it.
 */
export function guardContents(
  sqlite: BetterSqlite.Database,
  file: string,
  use: 'read' | 'readCurrent' | 'write',
): void {
  // in one transaction: another process may be migrating the file at this moment
  const { version, owner, tables } = sqlite.transaction(() => ({
    version: sqlite.pragma('user_version', { simple: true }) as number,
    owner: sqlite.pragma('application_id', { simple: true }) as number,
    tables: sqlite.prepare('SELECT count(*) FROM sqlite_master').pluck().get() as number,
  }))();
  if (use === 'write' && owner === 0 && version === 0 && tables === 0) return;
  if (owner !== applicationId) {
    throw new StoreError(
      'DATABASE_FOREIGN',
      `${file} belongs to another program`,
      'Point `database:` at another file.',
    );
  }
  if (version > schemaVersion()) {
    throw new StoreError(
      'DATABASE_NEWER',
      `${file} was written by a newer rankledger (schema ${version}, this one knows ${schemaVersion()})`,
      'Upgrade rankledger; an older version must not touch it.',
    );
  }
  if (use === 'readCurrent' && version < schemaVersion()) {
    throw new StoreError(
      'DATABASE_OLDER',
      `${file} was written by an older rankledger (schema ${version}, this one reads ${schemaVersion()}), and this command only reads`,
      'Run `rankledger migrate` once: it keeps a copy and brings the database to this version.',
    );
  }
}

/** Rejects a damaged file, if it is small enough to be read completely. */
export function guardPages(sqlite: BetterSqlite.Database, file: string): void {
  if (statSync(file).size > readThroughMax) return;
  const found = sqlite.pragma('quick_check(1)', { simple: true }) as string;
  if (found === 'ok') return;
  throw new StoreError(
    'DATABASE_CORRUPT',
    `${file} is damaged (${found.replace(/\s+/g, ' ').slice(0, 200)})`,
    'Restore it from a backup; the file was left as it is.',
  );
}

/** Refuses to create a database where another one was lost, or where this user cannot create it. */
export function guardCreation(file: string): void {
  guardStaleLog(file);
  folderFor(file);
}

/**
 * The existing folder in which the database and its missing parent folders will be created. Throws StoreError if that
 * is impossible.
 */
export function folderFor(file: string): string {
  let folder = dirname(file);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const refusal = (what: string, hint: string): StoreError =>
    new StoreError('DATABASE_UNOPENABLE', `${file} cannot be made: ${folder} ${what}`, hint);
  if (!statSync(folder).isDirectory())
    throw refusal('is not a folder', 'Write a file in an existing folder under `database:`.');
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    throw refusal('is read-only', 'Give this user write permission to the folder, or choose another one.');
  }
  return folder;
}

/** Between two attempts to enter write-ahead log mode. */
const pauseMs = 5;

/**
 * Enters write-ahead log mode if the file is not in it, such as a restored backup. Of several processes that try at
 * once, SQLite lets one succeed and refuses the others immediately. So this retries for up to `patienceMs`.
 */
export function keepLog(sqlite: BetterSqlite.Database, patienceMs: number): void {
  for (
    const until = performance.now() + patienceMs;
    ;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
  ) {
    try {
      sqlite.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = (error as { code?: string }).code === 'SQLITE_BUSY';
      if (!isBusy || performance.now() >= until) throw error;
    }
  }
}

/** Makes a copy standalone: without a write-ahead log it can be read on a read-only disk. */
export function ownJournal(file: string): void {
  const Database = sqliteDriver();
  const sqlite = new Database(file, { fileMustExist: true });
  try {
    sqlite.pragma('journal_mode = DELETE');
  } finally {
    sqlite.close();
  }
}

/** Whether another process has the file open, or died with it: what it wrote last is not in the file itself yet. */
export function hasJournal(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * By the byte of the header that says which version of the file format reads it: 2 is the write-ahead log's. For files
 * without a log that this user cannot write: a connection of this process holds no lock on them between its reads.
 */
export function needsJournal(file: string): boolean {
  const header = Buffer.alloc(20);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, header, 0, header.length, 0);
  } finally {
    closeSync(handle);
  }
  return header[19] === 2;
}
