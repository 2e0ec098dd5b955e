// Inspects a database without changing it: new, ours, older, locked, foreign, or impossible to create.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openConnection, storeState } from '../../../db/connection/client.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { schemaVersion } from '../../../db/connection/guards.ts';
import { openStoreForReading } from '../../../db/store.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

const sumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

function made(): string {
  const file = join(temporaryFolder(), 'db.sqlite');
  openConnection(file).close();
  return file;
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    throw error;
  }
  return 'none';
}

it('a usable database is left unchanged', () => {
  const file = made();
  const before = sumOf(file);
  expect(storeState(file)).toMatchObject({ schema: schemaVersion(), schemaKnown: schemaVersion() });
  expect(storeState(file).freeBytes).toBeGreaterThan(0);
  expect([sumOf(file), existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([before, false, false]);
});

it('a missing database is not created, and is usable if its folder can be written', () => {
  const file = join(temporaryFolder(), 'data/deeper/db.sqlite');
  expect(storeState(file)).toMatchObject({ schema: null, bytes: 0 });
  expect(existsSync(join(file, '..'))).toBe(false);
  const inFile = join(made(), 'db.sqlite');
  expect(codeOf(() => storeState(inFile))).toBe('DATABASE_UNOPENABLE');
});

it('an older database keeps its schema', () => {
  const file = made();
  const db = openConnection(file);
  db.pragma('user_version = 1');
  db.close();
  expect(storeState(file)).toMatchObject({ schema: 1, schemaKnown: schemaVersion() });
});

it('a database that a run is writing is usable, and one that another program locks is not', () => {
  const file = made();
  const other = openConnection(file);
  try {
    expect(storeState(file)).toMatchObject({ schema: schemaVersion() });
    other.transaction(() => expect(codeOf(() => storeState(file, { busyTimeoutMs: 1 }))).toBe('DATABASE_LOCKED'));
  } finally {
    other.close();
  }
});

it('a database that a run could not use is refused with the reason', () => {
  const folder = temporaryFolder();
  const [empty, foreign, locked] = [join(folder, 'empty'), join(folder, 'text'), made()];
  writeFileSync(empty, '');
  writeFileSync(foreign, 'no database at all');
  chmodSync(locked, 0o444);
  expect([empty, foreign, locked].map((file) => codeOf(() => storeState(file)))).toEqual([
    'DATABASE_EMPTY_FILE',
    'DATABASE_CORRUPT',
    'DATABASE_READ_ONLY',
  ]);
});

it('a store that is opened read-only refuses to write', async () => {
  const file = made();
  const store = openStoreForReading(file);
  try {
    expect(await store.accounts.findAccount('acme')).toBeUndefined();
    expect(() => store.names.projectId('acme')).toThrow();
  } finally {
    store.close();
  }
});
