// better-sqlite3, loaded with the first database.
import { createRequire } from 'node:module';
import type BetterSqlite from 'better-sqlite3';
import { StoreError } from './errors.ts';

// required rather than imported: a binary that a command without a database need not load
const require = createRequire(import.meta.url);

/** Throws StoreError where rankledger is installed without its optional packages. */
export function sqliteDriver(): typeof BetterSqlite {
  try {
    return require('better-sqlite3') as typeof BetterSqlite;
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw cause;
    const message = 'A database needs the packages better-sqlite3 and drizzle-orm, which are not installed.';
    throw new StoreError('DATABASE_UNOPENABLE', message, 'Run: npm install better-sqlite3 drizzle-orm', cause);
  }
}
