// A database as an older version of the program left it, with data.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { entryHash } from '../../db/connection/hash-chain.ts';
import { temporaryFolder } from './closing.ts';

/** Data in every table of the first version that has references or constraints. */
export const olderRows = `
  INSERT INTO projects VALUES (1, 'acme');
  INSERT INTO keywords VALUES (1, 'shoes');
  INSERT INTO markets (id, service, country, language, device) VALUES (1, 'vendor', 'US', 'en', 'desktop');
  INSERT INTO searches VALUES (1, 1, 1);
  INSERT INTO targets VALUES (1, 'domain:acme.com', 'domain', 'acme.com');
  INSERT INTO hosts VALUES (1, 'acme.com');
  INSERT INTO urls VALUES (1, 1, 'https', '/');
  INSERT INTO runs (id, kind, moment, opened_at, closed_at, state) VALUES (1, 'ranks', 1, 1, 2, 'complete');
  INSERT INTO slots (project_id, kind, slot, at, timezone, local_date, state, run_id, reason) VALUES (1, 'ranks', '2026-01-15T06:00', 1, 'UTC', '2026-01-15', 'claimed', 1, NULL);
  INSERT INTO checks (id, run_id, search_id, state, sequence, depth, paging, deep, fresh_for_ms, pages_read, checked_at)
    VALUES (1, 1, 1, 'ok', 1, 1, 'full', 0, 0, 1, 2);
  INSERT INTO check_projects VALUES (1, 1);
  INSERT INTO budget_windows (currency, scope, key, cap, reserved, spent) VALUES ('serp_credit', 'run', '1', 10, 0, 1);
  INSERT INTO budget_windows (currency, scope, key, cap, reserved, spent) VALUES ('serp_credit', 'day', '2026-01-15', NULL, 0, 1);
  INSERT INTO budget_windows (currency, scope, key, cap, reserved, spent) VALUES ('serp_credit', 'month', '2026-01', NULL, 0, 1);
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

/** The files that `databaseOf` created, by version and data. */
const made = new Map<string, Buffer>();

/** A file as a program with only the first `version` migrations left it. */
export function databaseOf(version: number, data = olderRows): string {
  const key = `${version} ${data}`;
  const bytes = made.get(key) ?? readFileSync(migratedTo(version, data));
  made.set(key, bytes);
  const file = join(temporaryFolder(), 'db.sqlite');
  writeFileSync(file, bytes);
  return file;
}

/** `data` has the layout of this schema, or an older one. */
const dataSchemaMax = 36;

/** Newer schemas get the data by their migrations. */
function migratedTo(version: number, data: string): string {
  const file = join(temporaryFolder(), 'db.sqlite');
  const sqlite = new Database(file);
  sqlite.pragma('foreign_keys = OFF');
  migrateTo(sqlite, Math.min(version, dataSchemaMax));
  sqlite.pragma('foreign_keys = ON');
  sqlite.exec(data);
  writeLedger(sqlite);
  sqlite.pragma('foreign_keys = OFF');
  migrateTo(sqlite, version);
  sqlite.pragma(`application_id = ${0x726e6b6c}`);
  sqlite.pragma(`user_version = ${version}`);
  sqlite.close();
  return file;
}

function migrateTo(sqlite: Database.Database, version: number): void {
  const migrationsFolder = join(temporaryFolder(), 'migrations');
  cpSync(join(import.meta.dirname, '../../db/migrations'), migrationsFolder, { recursive: true });
  const journalFile = join(migrationsFolder, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(journalFile, 'utf8')) as { entries: unknown[] };
  writeFileSync(journalFile, JSON.stringify({ ...journal, entries: journal.entries.slice(0, version) }));
  migrate(drizzle(sqlite), { migrationsFolder });
}
