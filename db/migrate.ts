// Brings a database to this version's schema: one process at a time, all or nothing. Whether the file may be touched at all is judged in guards.ts.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { copyBefore, removeOtherCopies } from './before-migration.ts';
import type { Row } from './client.ts';
import { addTally, talliesOf } from './digests.ts';
import { freeBytesAt } from './disk.ts';
import { diskFull, StoreError } from './errors.ts';
import { applicationId, guardContents, migrationsFolder, schemaVersion } from './guards.ts';

// required rather than imported: drizzle as ESM costs 350 ms and 190 MB at start (../shared/STACK.md), this way 55 ms and only when a migration is due
const require = createRequire(import.meta.url);

/** What a new database takes, its journal included: with less a migration fails for want of room. */
const migrationBytes = 2 * 1024 * 1024;

/** What became of a database that held an older schema. */
export interface Migration {
  readonly fromSchema: number;
  readonly toSchema: number;
  /** What it was before, a file beside it. */
  readonly copy: string;
}

/** Of several processes that open a file at once one migrates it, and the others wait. Null where that was another one, or there was nothing in it. */
export function migrateIfBehind(sqlite: BetterSqlite.Database, file: string): Migration | null {
  if (!isBehind(sqlite)) return null;
  // in this mode the lock of the first transaction is held until the mode is left: over all transactions of the migrator
  sqlite.pragma('locking_mode = EXCLUSIVE');
  sqlite.exec('BEGIN EXCLUSIVE; COMMIT');
  guardContents(sqlite, file, 'write'); // another process may have been first, of a newer version even
  const migration = isBehind(sqlite) ? migrateCopied(sqlite, file) : null;
  sqlite.pragma('locking_mode = NORMAL');
  isBehind(sqlite); // the lock goes with the next reading
  return migration;
}

/** What is in it already is copied first: a migration cannot be taken back. */
function migrateCopied(sqlite: BetterSqlite.Database, file: string): Migration | null {
  const fromSchema = versionOf(sqlite);
  const toSchema = schemaVersion();
  // where a process died between the tables and the version, the copy was made by it, and what is there now is no longer the older schema
  const isCopied = fromSchema === 0 || appliedTo(sqlite) >= toSchema;
  const copy = isCopied ? null : copyBefore(sqlite, file, toSchema, migrationBytes);
  migrate(sqlite, file);
  if (copy === null) return null;
  removeOtherCopies(file, copy);
  return { fromSchema, toSchema, copy };
}

/** Migrations whose tables stand. */
function appliedTo(sqlite: BetterSqlite.Database): number {
  return sqlite.prepare('SELECT count(*) FROM __drizzle_migrations').pluck().get() as number;
}

function isBehind(sqlite: BetterSqlite.Database): boolean {
  return versionOf(sqlite) !== schemaVersion();
}

function versionOf(sqlite: BetterSqlite.Database): number {
  return sqlite.pragma('user_version', { simple: true }) as number;
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
  sqlite.transaction(() => {
    sumUpWhatStands(sqlite);
    sqlite.pragma(`user_version = ${schemaVersion()}`);
  })();
}

/** History that was recorded before there were digests is taken as it stands at the upgrade: from here on nothing changes in it unseen. */
function sumUpWhatStands(sqlite: BetterSqlite.Database): void {
  if (sqlite.prepare('SELECT 1 FROM history_digests').get() !== undefined) return;
  const insert = sqlite.prepare(addTally);
  for (const [subject, tallies] of talliesOf((query) => sqlite.prepare<[], Row>(query).iterate())) {
    for (const [key, { rows, digest }] of tallies) insert.run(subject, key, rows, digest);
  }
}
