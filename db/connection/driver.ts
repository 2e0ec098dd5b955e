// better-sqlite3, loaded with the first database.
import { createRequire } from 'node:module';
import type BetterSqlite from 'better-sqlite3';

// required rather than imported: a binary that a command without a database need not load
const require = createRequire(import.meta.url);

export function sqliteDriver(): typeof BetterSqlite {
  return require('better-sqlite3') as typeof BetterSqlite;
}

/** Throws nothing where a failure has left a statement half read: that failure is the one to report. */
export function closeDriver(sqlite: BetterSqlite.Database): void {
  try {
    if (sqlite.open) sqlite.close();
  } catch (error) {
    if (!/busy executing a query/.test(String(error))) throw error;
  }
}
