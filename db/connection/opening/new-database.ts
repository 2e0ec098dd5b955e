// New databases: copies of one that is migrated once per process in memory.
import type BetterSqlite from 'better-sqlite3';
import { sqliteDriver } from '../driver.ts';
import { migrateIfBehind } from './migrate.ts';

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
