// The write-ahead log mode: enter it, leave it for standalone copies, read it from the file.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type BetterSqlite from 'better-sqlite3';
import { sqliteDriver } from '../driver.ts';

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

/** By the byte of the header that says which version of the file format reads it: 2 is the write-ahead log's. */
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
