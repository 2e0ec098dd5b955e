// An older database with data is migrated to the current schema without losing a row.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { schemaVersion } from '../../../db/connection/guards.ts';
import { growthBytes, type Migration } from '../../../db/connection/migrate.ts';
import { historyCheck, verification } from '../../../db/integrity/verify.ts';
import { openStore } from '../../../db/store.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { databaseOf, olderRows } from '../../helpers/older-database.ts';

/** Where a column of an older schema is kept now. */
const movedColumns: Readonly<Record<string, string>> = {
  'ledger.currency': '(SELECT v.currency FROM reservations v WHERE v.id = ledger.reservation_id) AS currency',
  'runs.suspect_reason':
    '(SELECT s.suspect_reason FROM slots s WHERE s.run_id = runs.id AND s.suspect_reason IS NOT NULL) AS suspect_reason',
};

/** Every row of every table; with `like`, only the tables and columns that it has. */
function contentsOf(file: string, like?: ReadonlyMap<string, unknown[]>): Map<string, unknown[]> {
  const sqlite = new Database(file, { readonly: true });
  const names = sqlite
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%drizzle%' ORDER BY name")
    .pluck()
    .all() as string[];
  const columnsOf = (name: string) =>
    Object.keys((like?.get(name)?.[0] as object | undefined) ?? {})
      .map((column) => movedColumns[`${name}.${column}`] ?? column)
      .join(', ') || '*';
  const tables = like === undefined ? names : [...like.keys()];
  const contents = new Map(
    tables.map((name) => [name, sqlite.prepare(`SELECT ${columnsOf(name)} FROM ${name}`).all()]),
  );
  sqlite.close();
  return contents;
}

/** Every third from the first, and the newest: rows of an older one go through all migrations that follow it. */
const olderVersions = Array.from({ length: schemaVersion() - 1 }, (_, index) => index + 1).filter(
  (version) => version % 3 === 1 || version === schemaVersion() - 1,
);

describe('a database of schema', () => {
  const schemaOf = (file: string) => {
    const sqlite = new Database(file, { readonly: true });
    const rows = sqlite
      .prepare("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE '%drizzle%' ORDER BY type, name")
      .all();
    sqlite.close();
    return rows;
  };
  let schema: unknown[];
  beforeAll(() => {
    const file = join(temporaryFolder(), 'new.sqlite');
    openConnection(file).close();
    schema = schemaOf(file);
  });

  it.each(olderVersions)('%i is migrated to the current schema, with the same rows', (version) => {
    const file = databaseOf(version);
    const before = new Map([...contentsOf(file)].filter(([, table]) => table.length > 0));
    expect(before.size).toBeGreaterThan(15);
    const db = openConnection(file);
    expect(db.sql('PRAGMA user_version').get()).toEqual({ user_version: schemaVersion() });
    // what verify expects includes the migrator's table
    const isOfSchema = ({ name }: { readonly name: string }) => name.startsWith('tables, indexes and triggers');
    expect([...verification(db)].find(isOfSchema)).toMatchObject({ ok: true });
    db.close();
    expect(contentsOf(file, before)).toEqual(before);
    expect(schemaOf(file)).toEqual(schema);
  });

  it('1 gets accounts, and the audit finds its old rows sound', async () => {
    const store = openStore(databaseOf(1));
    const account = { name: 'acme', serpCredits: 3, microUsd: 0, whitelist: [], createdAt: 1 };
    expect(await store.accounts.createAccount(account)).toBe(true);
    expect(store.audit.checks().filter(({ ok }) => !ok)).toEqual([]);
    store.close();
  });

  it('6 records which source of a chain sold a page, and accepts no other label for a source', () => {
    const sold = olderRows.replace("1, 'vendor/remote', 0", "1, 'web/chain:serper', 0");
    expect(sold).not.toBe(olderRows);
    const connection = openConnection(databaseOf(6, `${sold}; UPDATE checks SET source = 'web/chain'`));
    expect(connection.sql('SELECT purchase_id, run_id, part, requests_charged FROM purchase_sources').all()).toEqual([
      { purchase_id: 1, run_id: 1, part: 'serper', requests_charged: null },
    ]);
    connection.close();
    const plain = openConnection(databaseOf(6));
    expect(plain.sql('SELECT * FROM purchase_sources').all()).toEqual([]);
    plain.close();
  });

  it('40 has the suspicion of a run at the projects that its text names', () => {
    const file = databaseOf(40);
    const older = new Database(file);
    older.exec(
      `INSERT INTO projects (id, name) VALUES (91, 'shop'), (92, 'blog');
       INSERT INTO runs (id, kind, moment, opened_at, closed_at, state, suspect_reason)
         VALUES (91, 'ranks', 91, 91, 91, 'partial', 'blog: 4 of 8 checks failed (chance 1e-9)'), (92, 'ranks', 92, 92, 92, 'partial', '5 of 9 checks failed');
       INSERT INTO slots (project_id, kind, slot, at, timezone, local_date, state, run_id)
         VALUES (91, 'ranks', '2025-01-01T06:00', 91, 'UTC', '2025-01-01', 'claimed', 91),
                (92, 'ranks', '2025-01-01T06:00', 91, 'UTC', '2025-01-01', 'claimed', 91),
                (92, 'ranks', '2025-01-02T06:00', 92, 'UTC', '2025-01-02', 'claimed', 92)`,
    );
    older.close();
    const store = openStore(file);
    const reasons = [91, 92].flatMap((id) => store.runs.slotsOf(id).map((slot) => [slot.project, slot.suspectReason]));
    store.close();
    expect(reasons).toEqual([
      ['blog', 'ranks were lost or checks failed more often than chance explains'],
      ['shop', null],
      ['blog', '5 of 9 checks failed'],
    ]);
  });

  it('43 has its days of clicks marked as sums over pages', () => {
    const file = databaseOf(43);
    const older = new Database(file);
    older.exec(
      `INSERT INTO click_days VALUES (1, 1, 'sc-domain:acme.com', '2026-01-09', 'final', 90, 5600, 1);
       INSERT INTO urls VALUES (2, 1, 'https', '/men');
       INSERT INTO click_rows VALUES (1, 1, 1, 'usa', 'desktop', 90, 2800, 1), (1, 1, 2, 'usa', 'desktop', 0, 2800, 2)`,
    );
    older.close();
    const store = openStore(file);
    const asked = ['acme', 'sc-domain:acme.com', '2026-01-09', '2026-01-09'] as const;
    expect(store.clicks.days(...asked)).toMatchObject([{ clicks: 90, impressions: null }]);
    expect(store.clicks.queries(...asked)).toMatchObject([
      { query: 'shoes', clicks: 90, impressions: null, averagePosition: null, pages: [{ impressions: 2800 }, {}] },
    ]);
    store.close();
  });

  it('39 keeps its columns of checks', () => {
    const file = databaseOf(39);
    const older = new Database(file);
    older.exec(`INSERT INTO check_columns VALUES (1, 1, 1, 1, 'vendor/remote', 0, 0, 2, 2, x'03', NULL, x'04')`);
    older.close();
    const before = contentsOf(file);
    openConnection(file).close();
    const after = contentsOf(file);
    expect(before.get('check_columns')).toHaveLength(1);
    expect(after.get('check_columns')).toEqual(before.get('check_columns'));
  });

  it('3 gets sums of its history, so that every later change is detected', () => {
    const connection = openConnection(databaseOf(3));
    expect(historyCheck(connection)).toMatchObject({ ok: true, detail: '4 rows' });
    const digests = connection.sql('SELECT subject, key, rows FROM history_digests ORDER BY subject').all();
    expect(digests.map(({ subject, key, rows }) => `${subject} ${key} ${rows}`)).toEqual([
      'checks 1 1',
      'pages 1 1',
      'rankings 1 1',
      'volumes 202601 1',
    ]);
    connection.close();
  });
});

describe('before a schema change', () => {
  const last = schemaVersion() - 1;
  const copyOf = (file: string) => join(dirname(file), `db.before-${schemaVersion()}.sqlite`);

  it('a database is copied whole to the same folder, and the caller gets a notice', () => {
    const file = databaseOf(last);
    const before = contentsOf(file);
    const notices: Migration[] = [];
    openConnection(file, { onMigrated: (migration) => notices.push(migration) }).close();
    expect(notices).toEqual([{ fromSchema: last, toSchema: schemaVersion(), copy: copyOf(file) }]);
    expect(contentsOf(copyOf(file))).toEqual(before);
    const sqlite = new Database(copyOf(file));
    expect(sqlite.pragma('user_version', { simple: true })).toBe(last);
    expect(sqlite.pragma('application_id', { simple: true })).toBe(0x726e6b6c);
    sqlite.close();
    // the copied schema can be migrated to the current one again
    openConnection(copyOf(file)).close();
  });

  it('the space that it needs is known, also where whole tables are rewritten', () => {
    const file = databaseOf(36);
    const older = new Database(file);
    older.exec(
      `WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 60000)
       INSERT INTO ledger (at, reservation_id, purchase_id, kind, currency, amount, hash)
       SELECT value, 1, 1, 'spend', 'serp_credit', 1, randomblob(32) FROM numbers`,
    );
    const needed = growthBytes(older);
    older.close();
    const before = statSync(file).size;
    openConnection(file).close();
    const used = statSync(file).size - before;
    expect(used).toBeGreaterThan(1024 * 1024);
    // the journal of the transaction holds at most what the file held before
    expect(used + before).toBeLessThan(needed);
    expect(needed).toBeLessThan(4 * (used + before));
  });

  it('the write-ahead log is copied as well', () => {
    const file = databaseOf(last);
    const writer = new Database(file);
    writer.pragma('journal_mode = WAL');
    writer.exec("INSERT INTO keywords VALUES (2, 'boots')");
    copyFileSync(`${file}-wal`, `${file}-kept`);
    copyFileSync(file, `${file}-main`);
    writer.close();
    // the state after a process was killed
    renameSync(`${file}-main`, file);
    renameSync(`${file}-kept`, `${file}-wal`);
    openConnection(file).close();
    expect(contentsOf(copyOf(file)).get('keywords')).toHaveLength(2);
  });

  it('only the newest copy is kept, and no other file is deleted', () => {
    const file = databaseOf(last);
    const names = ['db.before-2.sqlite', 'db.before-mine.sqlite', 'other.before-2.sqlite', 'db.before-2.sqlite.txt'];
    for (const name of names) writeFileSync(join(dirname(file), name), '');
    openConnection(file).close();
    const kept = [...names.slice(1), 'db.sqlite', `db.before-${schemaVersion()}.sqlite`];
    expect(readdirSync(dirname(file)).sort()).toEqual(kept.sort());
  });

  it('no copy is made of a new database, or when it is opened again', () => {
    const file = join(temporaryFolder(), 'db.sqlite');
    const notices: unknown[] = [];
    for (let time = 0; time < 2; time += 1) openConnection(file, { onMigrated: (one) => notices.push(one) }).close();
    expect(notices).toEqual([]);
    expect(readdirSync(dirname(file))).toEqual(['db.sqlite']);
  });

  it('the tables change in one transaction: if it fails, they stay unchanged', () => {
    const file = databaseOf(last);
    const sqlite = new Database(file);
    sqlite.pragma('foreign_keys = OFF');
    sqlite.exec('INSERT INTO check_projects (project_id, check_id) VALUES (77, 77)'); // refers to no row: found at the end of the migration
    sqlite.close();
    const before = contentsOf(file);
    expect(() => openConnection(file)).toThrow(/broken references/);
    const after = new Database(file, { readonly: true });
    expect(after.pragma('user_version', { simple: true })).toBe(last);
    expect(after.prepare('SELECT count(*) FROM __drizzle_migrations').pluck().get()).toBe(last);
    after.close();
    expect(contentsOf(file)).toEqual(before);
  });

  it('a copy that cannot be made prevents the change and leaves the database unchanged', () => {
    const file = databaseOf(last);
    const before = readFileSync(file).toString('base64');
    mkdirSync(`${copyOf(file)}.partial/in-the-way`, { recursive: true });
    expect(() => openConnection(file)).toThrow();
    expect(readFileSync(file).toString('base64')).toBe(before);
    expect(existsSync(copyOf(file))).toBe(false);
  });
});

describe('a database of an older schema that another process has open', () => {
  const holding = (file: string) => {
    const text = `const db = new (require('better-sqlite3'))(${JSON.stringify(file)}); db.pragma('journal_mode = WAL');
      db.prepare('SELECT count(*) FROM runs').get(); process.stdout.write('open'); setInterval(() => db.open, 1000);`;
    const child = spawn(process.execPath, ['--input-type=commonjs', '-e', text], { cwd: process.cwd() });
    return { child, isOpen: once(child.stdout, 'data') };
  };

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'is not migrated until that process has ended, also by %s',
    async (signal) => {
      const file = databaseOf(schemaVersion() - 1);
      const { child, isOpen } = holding(file);
      await isOpen;
      const migrate = () => openConnection(file, { busyTimeoutMs: 200 }).close();
      expect(migrate).toThrow(
        expect.objectContaining({ code: 'DATABASE_IN_USE', message: expect.stringContaining('has an older schema') }),
      );
      const unchanged = new Database(file, { readonly: true });
      expect(unchanged.pragma('user_version', { simple: true })).toBe(schemaVersion() - 1);
      unchanged.close();
      child.kill(signal);
      await once(child, 'exit');
      migrate();
      const migrated = openConnection(file);
      expect(migrated.pragma('user_version')).toBe(schemaVersion());
      expect(migrated.pragma('journal_mode')).toBe('wal');
      migrated.close();
    },
  );
});

it('a process whose database is migrated by a newer version writes nothing more, and says so', () => {
  const file = join(temporaryFolder(), 'db.sqlite');
  const store = openStore(file);
  store.transaction(() => store.names.keywordId('before'));
  const newer = new Database(file);
  newer.pragma(`user_version = ${schemaVersion() + 1}`);
  newer.close();
  expect(() => store.transaction(() => store.names.keywordId('after'))).toThrow(
    expect.objectContaining({ code: 'DATABASE_NEWER', message: expect.stringContaining('was migrated from schema') }),
  );
  expect(store.names.knownTargetId('domain:x')).toBeNull();
  store.close();
  const found = new Database(file, { readonly: true });
  expect(found.prepare('SELECT text FROM keywords').pluck().all()).toEqual(['before']);
  found.close();
});
