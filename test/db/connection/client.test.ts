// A file that is foreign, incomplete or read-only is refused by name and stays unchanged.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { schemaVersion } from '../../../db/connection/guards.ts';
import { openStore, openStoreForReading } from '../../../db/store.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { databaseOf } from '../../helpers/older-database.ts';

const impatient = { busyTimeoutMs: 50 };

/** A database of ours with a row in it, closed. */
function ours(): string {
  const file = join(temporaryFolder(), 'db.sqlite');
  const store = openStore(file);
  store.transaction(() => store.names.keywordId('kept'));
  store.close();
  return file;
}

function another(change: (sqlite: Database.Database) => void): string {
  const file = join(temporaryFolder(), 'db.sqlite');
  const sqlite = new Database(file);
  change(sqlite);
  sqlite.close();
  return file;
}

function fileOf(contents: string | Buffer): string {
  const file = join(temporaryFolder(), 'db.sqlite');
  writeFileSync(file, contents);
  return file;
}

function changed(file: string, change: (sqlite: Database.Database) => void): string {
  const sqlite = new Database(file);
  change(sqlite);
  sqlite.close();
  return file;
}

function refusalOf(file: string): StoreError {
  try {
    openConnection(file, impatient).close();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error(`${file} was opened`);
}

const damaged = (from: number, to: number): string => {
  const file = ours();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(to - from, 0xa5), 0, to - from, from);
  closeSync(handle);
  return file;
};

const refusals: readonly (readonly [string, () => string, StoreError['code']])[] = [
  ['empty', () => fileOf(''), 'DATABASE_EMPTY_FILE'],
  ['a text', () => fileOf('projects:\n  - id: acme\n'), 'DATABASE_CORRUPT'],
  ['shorter than a header', () => fileOf('SQLite'), 'DATABASE_CORRUPT'],
  [
    'noise behind a header',
    () => fileOf(Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)])),
    'DATABASE_CORRUPT',
  ],
  ['cut off', () => fileOf(readFileSync(ours()).subarray(0, 5000)), 'DATABASE_CORRUPT'],
  ['damaged in its first page', () => damaged(100, 4096), 'DATABASE_CORRUPT'],
  [
    "another program's",
    () => another((sqlite) => sqlite.exec('CREATE TABLE things (a); PRAGMA application_id = 7')),
    'DATABASE_FOREIGN',
  ],
  [
    'of a program that has no name',
    () => another((sqlite) => sqlite.exec('CREATE TABLE things (a)')),
    'DATABASE_FOREIGN',
  ],
  [
    'empty but numbered by another program',
    () => another((sqlite) => sqlite.pragma('user_version = 3')),
    'DATABASE_FOREIGN',
  ],
  [
    'of a newer version',
    () => changed(ours(), (sqlite) => sqlite.pragma(`user_version = ${schemaVersion() + 1}`)),
    'DATABASE_NEWER',
  ],
];

describe('a file that is', () => {
  it.each(refusals)('%s is refused and left unchanged', (_name, make, code) => {
    const file = make();
    const before = readFileSync(file);
    const refusal = refusalOf(file);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(file);
    expect(refusal.hint).not.toBe('');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('a folder is refused', () => {
    const folder = join(temporaryFolder(), 'db.sqlite');
    mkdirSync(folder);
    expect(refusalOf(folder).code).toBe('DATABASE_UNOPENABLE');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('in a path that is not a folder is refused', () => {
    const file = fileOf('x');
    expect(() => openConnection(join(file, 'db.sqlite'))).toThrow();
  });

  it('marked read-only is refused, even for a user who could write it', () => {
    const file = ours();
    const before = readFileSync(file);
    chmodSync(file, 0o444);
    expect(refusalOf(file).code).toBe('DATABASE_READ_ONLY');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('locked by another program is refused soon', () => {
    const file = ours();
    const holder = new Database(file);
    holder.pragma('locking_mode = EXCLUSIVE');
    holder.exec('BEGIN EXCLUSIVE');
    expect(refusalOf(file).code).toBe('DATABASE_LOCKED');
    holder.exec('COMMIT');
    holder.close();
    openConnection(file).close();
  });

  it('written by another program is opened, and a transaction that times out reports it', () => {
    const file = ours();
    const store = openStore(file, undefined, impatient);
    const holder = new Database(file);
    holder.exec('BEGIN IMMEDIATE');
    expect(() => store.transaction(() => store.names.keywordId('later'))).toThrow(
      expect.objectContaining({ code: 'DATABASE_LOCKED' }),
    );
    holder.exec('COMMIT');
    store.transaction(() => store.names.keywordId('later'));
    store.close();
    holder.close();
  });
});

describe('a database', () => {
  it('is created with its folder and records the name and version of this program', () => {
    const file = join(temporaryFolder(), 'data', 'deep', 'db.sqlite');
    openConnection(file).close();
    expect(readdirSync(join(file, '..'))).toEqual(['db.sqlite']);
    const sqlite = new Database(file);
    expect(sqlite.pragma('application_id', { simple: true })).toBe(0x726e6b6c);
    expect(sqlite.pragma('user_version', { simple: true })).toBe(schemaVersion());
    sqlite.close();
  });

  it('keeps its data when it is opened again, and writes durably', () => {
    const connection = openConnection(ours());
    expect(connection.sql('SELECT text FROM keywords').all()).toEqual([{ text: 'kept' }]);
    expect(connection.pragma('journal_mode')).toBe('wal');
    expect(connection.pragma('synchronous')).toBe(2);
    expect(connection.pragma('foreign_keys')).toBe(1);
    expect(connection.pragma('locking_mode')).toBe('normal');
    connection.close();
  });

  it('keeps the plan of a statement for every value', () => {
    const connection = openConnection(':memory:');
    const plan = connection.sql('EXPLAIN QUERY PLAN SELECT id FROM purchases WHERE state = ?');
    expect(plan.all('open')).toEqual(plan.all('paid'));
    connection.close();
  });

  it('without tables gets our tables', () => {
    const file = another((sqlite) => sqlite.exec('CREATE TABLE a (b); DROP TABLE a'));
    const connection = openConnection(file);
    expect(connection.sql('SELECT count(*) AS n FROM runs').get()).toEqual({ n: 0 });
    connection.close();
  });

  it('whose migration was interrupted is migrated by the next start', () => {
    const file = another((sqlite) => sqlite.pragma(`application_id = ${0x726e6b6c}`));
    openConnection(file).close();
    // migrated, but the process died before it wrote the number
    changed(file, (sqlite) => sqlite.pragma('user_version = 0'));
    const connection = openConnection(file);
    expect(connection.pragma('user_version')).toBe(schemaVersion());
    connection.close();
  });

  it('with a damaged table is not written any more, and its audit finds the damage', () => {
    const file = join(temporaryFolder(), 'db.sqlite');
    const store = openStore(file);
    store.transaction(() => {
      for (let index = 0; index < 2000; index += 1) store.names.keywordId(`keyword number ${index}`);
    });
    store.close();
    const sqlite = new Database(file);
    const root = Number(
      sqlite.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'keywords_text_unique'").pluck().get(),
    );
    const size = Number(sqlite.pragma('page_size', { simple: true }));
    sqlite.close();
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(64, 0xff), 0, 64, (root - 1) * size + 12);
    closeSync(handle);
    const before = readFileSync(file);
    expect(refusalOf(file)).toMatchObject({
      code: 'DATABASE_CORRUPT',
      message: expect.stringContaining('is damaged ('),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    const again = openStoreForReading(file);
    expect(again.audit.checks().some((check) => !check.ok)).toBe(true);
    again.close();
  });
});

describe('several processes', () => {
  const child = join(import.meta.dirname, '../../helpers/open-child.ts');
  async function openAtOnce(file: string, count: number): Promise<string> {
    const children = Array.from({ length: count }, () =>
      spawn(process.execPath, [child, file], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    await Promise.all(children.map((one) => once(one.stdout, 'data'))); // each is ready
    for (const one of children) one.stdin.end('go');
    const answers = await Promise.all(children.map(async (one) => String((await once(one.stdout, 'data'))[0])));
    return [...new Set(answers)].join();
  }

  it('open a file that none of them has created yet, and one that needs a migration', async () => {
    const fresh = join(temporaryFolder(), 'db.sqlite');
    const bare = another((sqlite) => sqlite.exec('CREATE TABLE a (b); DROP TABLE a'));
    const older = changed(databaseOf(schemaVersion() - 1), (sqlite) => sqlite.pragma('journal_mode = WAL'));
    const answers = await Promise.all([fresh, bare, older].map((file) => openAtOnce(file, 3)));
    expect(answers).toEqual(['opened', 'opened', 'opened']);
    for (const [file, keywords] of [
      [fresh, 3],
      [bare, 3],
      [older, 4],
    ] as const) {
      const connection = openConnection(file);
      expect(connection.sql('SELECT count(*) AS n FROM keywords').get()).toEqual({ n: keywords });
      connection.close();
      expect(readdirSync(join(file, '..')).filter((name) => !name.includes('.before-'))).toEqual(['db.sqlite']);
    }
  });
});

it('closing a connection whose statement was left half read by a failure does not replace that failure', () => {
  const connection = openConnection(join(temporaryFolder(), 'db.sqlite'));
  const failing = (): void => {
    const rows = connection.sql('SELECT 1 AS n UNION ALL SELECT 2').iterate();
    try {
      rows.next();
      throw new Error('the row is damaged');
    } finally {
      connection.close();
    }
  };
  expect(failing).toThrow('the row is damaged');
});
