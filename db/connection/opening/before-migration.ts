// Copies a database before its schema changes. migrate.ts keeps other writers out meanwhile.
import { chmodSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { freeBytesAt, syncToDisk } from '../disk/disk.ts';
import { sqliteDriver } from '../driver.ts';
import { diskFull, StoreError } from '../errors.ts';

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
export function copyBefore(sqlite: BetterSqlite.Database, file: string, schema: number, growthBytes: number): string {
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
export function removeOtherCopies(file: string, kept: string): void {
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
