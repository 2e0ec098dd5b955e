// Migrates a database to this version's schema, after a copy: one process at a time, all or nothing. New databases.

import { chmodSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { sumOf } from '../../src/tracker/figures.ts';
import { freeBytesAt, syncToDisk } from './disk.ts';
import { diskFull, StoreError } from './errors.ts';
import { applicationId, guardContents, migrationsFolder, schemaVersion } from './guards.ts';
import { type Row, sqliteDriver } from './statement.ts';
import { addTally, computeTallies, sumUpRows } from './sums.ts';

// required rather than imported: only when a migration is due
const require = createRequire(import.meta.url);

/** What a migration that rewrites no table adds to the database and its log, at most. */
const leastGrowthBytes = 2 * 1024 * 1024;

/** What became of a database that held an older schema. */
export interface Migration {
  readonly fromSchema: number;
  readonly toSchema: number;
  /** What it was before, a file beside it. */
  readonly copy: string;
}

/** Between two attempts to have the file alone; processes of one moment must not try in step. */
const pauseMs = 50;

/**
 * Migrates a database that holds an older schema. Null if another process did, or the file was empty. `open` opens the
 * file, and leaves it open with the schema of this version.
 *
 * No other process may have the file open: one of the older version would go on writing as its version understands the
 * tables. It is waited for up to `patienceMs`, then named. Leaving write-ahead log mode needs the file alone, so SQLite
 * finds out, also about processes that only wait or read. If several processes of this version open a file, one
 * migrates it and the others wait: each closes the file between two attempts.
 *
 * One transaction covers the whole migration and locks the file, so that a process that dies leaves the older schema.
 * drizzle's own migrator uses two transactions with a gap between them; this code uses its list of migrations and its
 * table of applied ones.
 */
export function migrateAlone(
  open: () => BetterSqlite.Database,
  file: string,
  patienceMs: number,
): { readonly sqlite: BetterSqlite.Database; readonly migration: Migration | null } {
  for (const until = performance.now() + patienceMs; ; ) {
    const sqlite = open();
    if (!isBehind(sqlite)) return { sqlite, migration: null };
    if (readVersion(sqlite) === 0 || isAlone(sqlite)) return { sqlite, migration: migrateIfBehind(sqlite, file) };
    const owners = ownersOf(sqlite);
    sqlite.close();
    if (performance.now() >= until) throw inUse(file, owners);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs * (0.5 + Math.random()));
  }
}

/** Whether no other connection has the file open. It is in the mode of a rollback journal then. */
function isAlone(sqlite: BetterSqlite.Database): boolean {
  try {
    return sqlite.pragma('journal_mode = DELETE', { simple: true }) === 'delete';
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}

/** The processes that own open runs, as older versions wrote them: `host|boot|pid|...`. */
function ownersOf(sqlite: BetterSqlite.Database): string[] {
  try {
    const owners = sqlite.prepare("SELECT DISTINCT owner FROM runs WHERE state = 'open' AND owner IS NOT NULL");
    return owners.pluck().all() as string[];
  } catch {
    return []; // the schema of the first versions
  }
}

function inUse(file: string, owners: readonly string[]): StoreError {
  const processes = owners.map((owner) => owner.split('|')[2] ?? owner);
  const working = processes.length === 0 ? '' : ` (runs under way: process ${processes.join(', ')})`;
  return new StoreError(
    'DATABASE_IN_USE',
    `${file} has an older schema, and another process has it open${working}`,
    'Stop the older `schedule`, `serve`, `view` and `run`, then run `rankledger migrate` again. The database is unchanged.',
  );
}

function migrateIfBehind(sqlite: BetterSqlite.Database, file: string): Migration | null {
  // off before the transaction: the pragma is a no-op inside one, and rebuilding a table would then delete rows that
  // refer to it
  sqlite.pragma('foreign_keys = OFF');
  const alone = sqlite.transaction(() => {
    guardContents(sqlite, file, 'write'); // another process may have been first, of a newer version even
    return isBehind(sqlite) ? migrate(sqlite, file) : null;
  });
  const migration = alone.immediate();
  if (migration !== null) removeOtherCopies(file, migration.copy);
  return migration;
}

function isBehind(sqlite: BetterSqlite.Database): boolean {
  return readVersion(sqlite) !== schemaVersion();
}

function readVersion(sqlite: BetterSqlite.Database): number {
  return sqlite.pragma('user_version', { simple: true }) as number;
}

/** What is in it already is copied first: a migration cannot be taken back. */
function migrate(sqlite: BetterSqlite.Database, file: string): Migration | null {
  const [fromSchema, toSchema] = [readVersion(sqlite), schemaVersion()];
  const copy = fromSchema === 0 ? null : copyBefore(sqlite, file, toSchema, growthBytes(sqlite));
  applyMigrations(sqlite);
  const broken = sqlite.pragma('foreign_key_check') as unknown[];
  if (broken.length > 0)
    throw new StoreError(
      'DATABASE_CORRUPT',
      `the migration left ${broken.length} broken references`,
      'Restore the database from a backup and report this as a bug.',
    );
  sumUpWhatStands(sqlite);
  sumUpRows(sqlite);
  sqlite.pragma(`application_id = ${applicationId}`);
  sqlite.pragma(`user_version = ${toSchema}`);
  return copy === null ? null : { fromSchema, toSchema, copy };
}

/**
 * Disk space that the pending migrations of an older database need: the write-ahead log holds every page that they
 * write, and the file grows by the largest table that is written anew before the old one is dropped.
 */
export function growthBytes(sqlite: BetterSqlite.Database): number {
  const tables = new Set(pendingMigrations(sqlite).flatMap(({ sql }) => sql.flatMap(rewrittenTables)));
  const bytesOf = sqlite
    .prepare<[string], number>(
      `SELECT coalesce(sum((SELECT pgsize FROM dbstat d WHERE d.name = m.name AND d.aggregate = TRUE)), 0)
       FROM sqlite_master m WHERE m.tbl_name = ? AND m.rootpage > 0`,
    )
    .pluck();
  const sizes = [...tables].map((table) => bytesOf.get(table) ?? 0);
  return leastGrowthBytes + sumOf(sizes) + Math.max(0, ...sizes);
}

/** Tables whose rows a statement of a migration copies, changes or indexes. */
function rewrittenTables(statement: string): string[] {
  const found = statement.matchAll(
    /\bINSERT INTO `__new_(\w+)`|\bUPDATE `(\w+)` SET|\bINDEX `\w+` ON `(\w+)`|\bALTER TABLE `(\w+)` DROP\b/g,
  );
  return [...found].flatMap((names) => names.slice(1).filter((name) => name !== undefined));
}

function pendingMigrations(sqlite: BetterSqlite.Database) {
  const { readMigrationFiles } = require('drizzle-orm/migrator') as typeof import('drizzle-orm/migrator');
  const newest = Number(sqlite.prepare('SELECT max(created_at) FROM __drizzle_migrations').pluck().get() ?? 0);
  return readMigrationFiles({ migrationsFolder }).filter(({ folderMillis }) => folderMillis > newest);
}

/** As drizzle's migrator does it, so that drizzle-kit finds what it expects. */
function applyMigrations(sqlite: BetterSqlite.Database): void {
  sqlite.exec(
    'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
  );
  const applied = sqlite.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)');
  for (const { sql, hash, folderMillis } of pendingMigrations(sqlite)) {
    for (const statement of sql) sqlite.exec(statement);
    applied.run(hash, folderMillis);
  }
}

/**
 * Rows recorded before digests existed are trusted as they are at the upgrade; from then on every change is detected.
 */
function sumUpWhatStands(sqlite: BetterSqlite.Database): void {
  if (sqlite.prepare('SELECT 1 FROM history_digests').get() !== undefined) return;
  const insert = sqlite.prepare(addTally);
  for (const [subject, tallies] of computeTallies((query) => sqlite.prepare<[], Row>(query).iterate())) {
    for (const [key, { rows, digest }] of tallies) insert.run(subject, key, rows, digest);
  }
}

/** `data/rankledger.before-8.sqlite`: what `data/rankledger.sqlite` was before schema 8. */
function copyName(file: string, schema: number): string {
  return join(dirname(file), `${baseName(file)}.before-${schema}.sqlite`);
}

function baseName(file: string): string {
  return basename(file).replace(/\.(sqlite3?|db)$/, '');
}

/**
 * Copies the open, unchanged database to a name with its schema version, whole and durable or not at all. Throws
 * StoreError if there is no disk space for the copy and `growthBytes` more.
 */
function copyBefore(sqlite: BetterSqlite.Database, file: string, schema: number, growthBytes: number): string {
  const copy = copyName(file, schema);
  const partial = `${copy}.partial`;
  const pragma = (name: string): number => sqlite.pragma(name, { simple: true }) as number;
  const bytes = (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  rmSync(partial, { force: true }); // of a process that was killed
  const free = freeBytesAt(dirname(file));
  if (free < bytes + growthBytes) throw withoutRoom(file, schema, bytes + growthBytes, free);
  try {
    vacuumInto(file, partial);
    chmodSync(partial, statSync(file).mode & 0o777);
    syncToDisk(partial);
    renameSync(partial, copy);
    syncToDisk(dirname(file));
  } catch (error) {
    rmSync(partial, { force: true });
    const code = String((error as { code?: unknown }).code);
    throw code.startsWith('SQLITE_FULL') || code === 'ENOSPC' ? diskFull(file, error) : error;
  }
  return copy;
}

/** Of the copies before several schemas the newest is kept. */
function removeOtherCopies(file: string, kept: string): void {
  const isCopy = (name: string): boolean =>
    name.startsWith(`${baseName(file)}.before-`) &&
    /^\d+\.sqlite$/.test(name.slice(baseName(file).length + '.before-'.length));
  for (const name of readdirSync(dirname(file))) {
    const other = join(dirname(file), name);
    if (isCopy(name) && other !== kept) rmSync(other, { force: true });
  }
}

function withoutRoom(file: string, schema: number, needed: number, free: number): StoreError {
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  return new StoreError(
    'DISK_FULL',
    `${file} cannot be migrated to schema ${schema}: the copy before it and the change need ${megabytes(needed)}, and only ${megabytes(free)} are free`,
    'Free some space and run again. The database is unchanged, and the previous version can still use it.',
  );
}

/** By a second connection: the one that migrates is inside its transaction, where SQLite does not vacuum. */
function vacuumInto(file: string, target: string): void {
  const Database = sqliteDriver();
  const reader = new Database(file, { readonly: true, fileMustExist: true });
  try {
    reader.prepare('VACUUM INTO ?').run(target);
  } finally {
    reader.close();
  }
}

let migrated: Buffer | undefined;

/** A new database in memory. */
export function newInMemory(): BetterSqlite.Database {
  const Database = sqliteDriver();
  migrated ??= migratedBytes(Database);
  return new Database(migrated);
}

/** Makes `file`, which does not exist yet: whole, durable and with a write-ahead log. Throws errors of SQLite. */
export function writeNew(file: string): void {
  const Database = sqliteDriver();
  const source = newInMemory();
  try {
    source.prepare('VACUUM INTO ?').run(file);
  } finally {
    source.close();
  }
  const sqlite = new Database(file, { fileMustExist: true });
  try {
    sqlite.pragma('journal_mode = WAL'); // while no other process knows the file
  } finally {
    sqlite.close();
  }
}

function migratedBytes(Database: typeof BetterSqlite): Buffer {
  const sqlite = new Database(':memory:');
  try {
    migrateIfBehind(sqlite, ':memory:');
    sqlite.exec('VACUUM'); // the rebuilds of tables leave pages free
    return sqlite.serialize();
  } finally {
    sqlite.close();
  }
}
