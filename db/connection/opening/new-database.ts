// New databases: copies of one that is migrated once per process in memory.
import { createRequire } from 'node:module';
import type BetterSqlite from 'better-sqlite3';
import { migrateIfBehind } from './migrate.ts';

// required rather than imported: a binary that a command without a database need not load
const require = createRequire(import.meta.url);

let migrated: Buffer | undefined;

/** A new database in memory. */
export function newInMemory(): BetterSqlite.Database {
  const Database = require('better-sqlite3') as typeof BetterSqlite;
  migrated ??= migratedBytes(Database);
  return new Database(migrated);
}

/** Makes `file`, which does not exist yet: whole, durable and with a write-ahead log. Throws errors of SQLite. */
export function writeNew(file: string): void {
  const Database = require('better-sqlite3') as typeof BetterSqlite;
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
