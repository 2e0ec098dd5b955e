// A database of an older version that holds data is brought to this one without losing a row.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { afterAll, describe, expect, it } from 'vitest';
import { openConnection, schemaVersion } from '../../db/client.ts';
import { entryHash } from '../../db/hash-chain.ts';
import { openStore } from '../../db/store.ts';
import { historyCheck } from '../../db/verify.ts';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/jobs.ts';

afterAll(removeTemporaryFolders);

/** Data in every table of the first version that refers to another or guards itself. */
const rows = `
  INSERT INTO projects VALUES (1, 'acme');
  INSERT INTO keywords VALUES (1, 'shoes');
  INSERT INTO markets VALUES (1, 'vendor', 'US', 'en', 'desktop');
  INSERT INTO searches VALUES (1, 1, 1);
  INSERT INTO targets VALUES (1, 'domain:acme.com', 'domain', 'acme.com');
  INSERT INTO hosts VALUES (1, 'acme.com');
  INSERT INTO urls VALUES (1, 1, 'https', '/');
  INSERT INTO runs (id, kind, moment, opened_at, closed_at, state) VALUES (1, 'ranks', 1, 1, 2, 'complete');
  INSERT INTO slots VALUES (1, 'ranks', '2026-01-15T06:00', 1, 'UTC', '2026-01-15', 'claimed', 1, NULL);
  INSERT INTO checks (id, run_id, search_id, state, sequence, depth, paging, deep, fresh_for_ms, pages_read, checked_at)
    VALUES (1, 1, 1, 'ok', 1, 1, 'full', 0, 0, 1, 2);
  INSERT INTO check_projects VALUES (1, 1);
  INSERT INTO budget_windows VALUES ('serp_credit', 'run', '1', 10, 0, 1);
  INSERT INTO budget_windows VALUES ('serp_credit', 'day', '2026-01-15', NULL, 0, 1);
  INSERT INTO budget_windows VALUES ('serp_credit', 'month', '2026-01', NULL, 0, 1);
  INSERT INTO reservations VALUES (1, 1, 1, 'serp_credit', '2026-01-15', '2026-01', 1, 1, 0, 0);
  INSERT INTO purchases (id, reservation_id, service, request_key, attempt, search_id, moment, page, price, charged, state, opened_at)
    VALUES (1, 1, 'vendor', 'key', 1, 1, 1, 1, 1, 1, 'paid', 1);
  INSERT INTO pages VALUES (1, 1, 1, 1, 1, 1, 'vendor/remote', 0, x'01000000');
  INSERT INTO check_pages VALUES (1, 1, 1);
  INSERT INTO rankings VALUES (1, 1, 1, 1, 1, 1, 1, 1, 1, NULL);
  INSERT INTO volumes (keyword_id, service, country, language, month, observed_at, source, search_volume)
    VALUES (1, 'vendor', 'US', 'en', '2026-01', 1, 'vendor/remote', 90000)`;

/** One credit reserved and spent. */
function writeLedger(sqlite: Database.Database): void {
  let previous: Buffer | null = null;
  for (const [kind, purchaseId] of [
    ['reserve', null],
    ['spend', 1],
  ] as const) {
    const hash = entryHash(previous, { at: 1, reservationId: 1, purchaseId, kind, currency: 'serp_credit', amount: 1 });
    const insert =
      'INSERT INTO ledger (at, reservation_id, purchase_id, kind, currency, amount, hash) VALUES (1, 1, ?, ?, ?, 1, ?)';
    sqlite.prepare(insert).run(purchaseId, kind, 'serp_credit', hash);
    previous = hash;
  }
}

/** A file as a program that knew only the first `version` migrations left it. */
function databaseOf(version: number, data = rows): string {
  const migrationsFolder = join(temporaryFolder(), 'migrations');
  cpSync(join(import.meta.dirname, '..', '..', 'db', 'migrations'), migrationsFolder, { recursive: true });
  const journalFile = join(migrationsFolder, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(journalFile, 'utf8')) as { entries: unknown[] };
  writeFileSync(journalFile, JSON.stringify({ ...journal, entries: journal.entries.slice(0, version) }));
  const file = join(temporaryFolder(), 'db.sqlite');
  const sqlite = new Database(file);
  migrate(drizzle(sqlite), { migrationsFolder });
  sqlite.pragma(`application_id = ${0x726e6b6c}`);
  sqlite.pragma(`user_version = ${version}`);
  sqlite.exec(data);
  writeLedger(sqlite);
  sqlite.close();
  return file;
}

/** Every row of every table, by table. */
/** Every row of every table; with `like`, only the tables and columns that it has. */
function contentsOf(file: string, like?: ReadonlyMap<string, unknown[]>): Map<string, unknown[]> {
  const sqlite = new Database(file, { readonly: true });
  const names = sqlite
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%drizzle%' ORDER BY name")
    .pluck()
    .all() as string[];
  const columnsOf = (name: string) => Object.keys((like?.get(name)?.[0] as object | undefined) ?? {}).join(', ') || '*';
  const tables = like === undefined ? names : [...like.keys()];
  const contents = new Map(
    tables.map((name) => [name, sqlite.prepare(`SELECT ${columnsOf(name)} FROM ${name}`).all()]),
  );
  sqlite.close();
  return contents;
}

const olderVersions = Array.from({ length: schemaVersion() - 1 }, (_, index) => index + 1);

describe('a database of schema', () => {
  it.each(olderVersions)('%i becomes one of today, row by row the same', (version) => {
    const file = databaseOf(version);
    const before = new Map([...contentsOf(file)].filter(([, table]) => table.length > 0));
    expect(before.size).toBeGreaterThan(15);
    openConnection(file).close();
    expect(contentsOf(file, before)).toEqual(before);
    const sqlite = new Database(file);
    expect(sqlite.pragma('user_version', { simple: true })).toBe(schemaVersion());
    sqlite.close();
  });

  it.each(olderVersions)('%i has the same tables, indexes and triggers as a new one', (version) => {
    const schemaOf = (file: string) => {
      openConnection(file).close();
      const sqlite = new Database(file, { readonly: true });
      const rows = sqlite.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all();
      sqlite.close();
      return rows;
    };
    expect(schemaOf(databaseOf(version))).toEqual(schemaOf(join(temporaryFolder(), 'new.sqlite')));
  });

  it('1 takes accounts, and the audit finds its old rows whole', async () => {
    const store = openStore(databaseOf(1));
    const account = { name: 'acme', serpCredits: 3, microUsd: 0, whitelist: [], createdAt: 1 };
    expect(await store.accounts.createAccount(account)).toBe(true);
    expect(store.audit.checks().filter(({ ok }) => !ok)).toEqual([]);
    store.close();
  });

  it('6 keeps which source of a chain sold what, and takes no other label for one', () => {
    const sold = rows.replace("1, 'vendor/remote', 0", "1, 'web/chain:serper', 0");
    expect(sold).not.toBe(rows);
    const connection = openConnection(databaseOf(6, `${sold}; UPDATE checks SET source = 'web/chain'`));
    expect(connection.sql('SELECT purchase_id, run_id, part, requests_charged FROM purchase_sources').all()).toEqual([
      { purchase_id: 1, run_id: 1, part: 'serper', requests_charged: null },
    ]);
    connection.close();
    const plain = openConnection(databaseOf(6));
    expect(plain.sql('SELECT * FROM purchase_sources').all()).toEqual([]);
    plain.close();
  });

  it('3 has its history summed up, so that from then on nothing changes in it unseen', () => {
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
