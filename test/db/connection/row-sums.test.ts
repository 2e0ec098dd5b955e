// Damage in any row of any table is found: a changed value in each column, and flipped bits in the file.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Connection, openConnection, openForReading } from '../../../db/connection/client.ts';
import type { Row } from '../../../db/connection/statement.ts';
import { verification } from '../../../db/integrity/verify.ts';
import { openStore } from '../../../db/store.ts';
import { Accounts } from '../../../src/service/index.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { cheapScrypt } from '../../helpers/customers.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { databaseOf } from '../../helpers/older-database.ts';
import { seededBelow } from '../../helpers/seeded.ts';

/** Rows of the tables that came after the first version, which refer to its rows. */
const newerRows = `
  INSERT INTO notes (id, local_date, project_id, text, created_at) VALUES (1, '2026-01-15', 1, 'a release', 1);
  INSERT INTO alert_deliveries (id, run_id, project_id, rule, subject, channel, state, attempts, payload, created_at)
    VALUES (1, 1, 1, 'moved', 'shoes', 'ops', 'pending', 0, '{"alert": 1}', 1);
  INSERT INTO source_memory (service, key, value, expires_at) VALUES ('vendor', 'task', 'abc', 9);
  INSERT INTO purchase_sources (purchase_id, run_id, part) VALUES (1, 1, 'serper');
  INSERT INTO report_failures (run_id, part, project, reason, attempts, at, next_try_at) VALUES (1, 'report', 'acme', 'ENOTDIR', 1, 1, 2);
  INSERT INTO feature_types (id, name) VALUES (1, 'video')`;

let file: string;

beforeAll(async () => {
  // every row is written by a connection of the current schema
  const older = openConnection(databaseOf(1));
  file = join(temporaryFolder(), 'db.sqlite');
  const db = openConnection(file);
  db.pragma('foreign_keys = OFF');
  for (const table of ['history_digests', ...tablesOf(older)]) {
    const names = older
      .sql<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`) // without generated columns
      .all()
      .map(({ name }) => name);
    for (const row of older.sql(`SELECT ${names.join()} FROM "${table}"`).all()) {
      db.sql(`INSERT INTO "${table}" (${names.join()}) VALUES (${names.map(() => '?').join()})`).run(
        ...Object.values(row),
      );
    }
  }
  for (const statement of newerRows.split(';')) db.sql(statement).run();
  const body = zstdCompressSync('<html>a page</html>');
  db.sql('INSERT INTO bodies (purchase_id, content_type, readable, body) VALUES (1, ?, 1, ?)').run('text/html', body);
  older.close();
  db.close();
  const store = openStore(file);
  const accounts = new Accounts(store.accounts, new FakeClock(), cheapScrypt);
  await accounts.create('acme', { serpCredits: 3, microUsd: 500 });
  await accounts.addUser('acme');
  store.close();
  const plain = new Database(file);
  plain.pragma('journal_mode = DELETE');
  plain.close();
});

const tablesOf = (db: Connection): string[] =>
  db
    .sql("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !/^sqlite_|^__drizzle|_digests$|^row_sums$/.test(name));

const brokenIn = (damaged: string): string[] => {
  const db = openForReading(damaged);
  try {
    return [...verification(db)].filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  } finally {
    db.close();
  }
};

/** Stops at the first failed proof; damage that prevents opening the file counts as found. */
function isFound(damaged: string): boolean {
  try {
    const db = openForReading(damaged);
    try {
      return verification(db).some(({ ok }) => !ok);
    } finally {
      db.close();
    }
  } catch {
    return true;
  }
}

function copied(): string {
  const copy = join(temporaryFolder(), 'damaged.sqlite');
  copyFileSync(file, copy);
  return copy;
}

/** Every table with its stored columns, without the internal tables of SQLite and drizzle. */
function columnsOf(): { table: string; column: string }[] {
  const db = new Database(file);
  const found = db
    .prepare<[], { table: string; column: string }>(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_xinfo(m.name) c
       WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.hidden = 0 ORDER BY 1, c.cid`,
    )
    .all();
  const filled = found.filter(({ table }) => db.prepare(`SELECT 1 FROM "${table}"`).get() !== undefined);
  db.close();
  return filled;
}

/** Changes the value as a flipped bit would, past every constraint and trigger. */
function damage(copy: string, table: string, column: string): void {
  const db = new Database(copy);
  db.pragma('foreign_keys = OFF');
  db.pragma('synchronous = OFF');
  db.pragma('journal_mode = MEMORY');
  db.pragma('ignore_check_constraints = ON');
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    .all();
  db.exec('BEGIN');
  for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`);
  const type = db.prepare(`SELECT typeof("${column}") FROM "${table}" LIMIT 1`).pluck().get();
  const declared = db.prepare('SELECT type FROM pragma_table_info(?) WHERE name = ?').pluck().get(table, column);
  const kind = type === 'null' ? String(declared).toLowerCase() : type;
  // a code without a name cannot be written, even so: the columns computed from it refuse it
  const value = column.endsWith('_code') ? `iif("${column}" = 0, 1, 0)` : changedValue(column, kind);
  const one = table === '__drizzle_migrations' ? 'WHERE rowid = 1' : '';
  db.exec(`UPDATE "${table}" SET "${column}" = ${value} ${one}`);
  for (const { sql } of triggers) db.exec(sql);
  db.exec('COMMIT');
  db.close();
}

function changedValue(column: string, kind: unknown): string {
  if (kind === 'integer') return `coalesce("${column}", 6) + 1000`;
  return kind === 'blob' ? "x'0102'" : `coalesce("${column}", '') || 'x'`;
}

describe('a database whose rows are summed up', () => {
  it('is sound as written', () => {
    expect(brokenIn(file)).toEqual([]);
  });

  it('shows a changed value in every column of every table', () => {
    const all = columnsOf();
    const firsts = all.filter(({ table }, index) => all[index - 1]?.table !== table);
    const columns = [...new Set([...firsts, ...all.filter((_, nth) => nth % 4 === 0)])];
    const missed = columns.filter(({ table, column }) => {
      const copy = copied();
      damage(copy, table, column);
      const found = isFound(copy);
      rmSync(copy);
      return !found;
    });
    process.stdout.write(`row sums: ${columns.length - missed.length} of ${columns.length} changed columns found\n`);
    expect(missed).toEqual([]);
    expect(new Set(columns.map(({ table }) => table)).size).toBeGreaterThanOrEqual(25);
  });

  it('shows every flipped bit that changes data', () => {
    const bytes = readFileSync(file);
    const below = seededBelow(20_260_115);
    const whole = dumped(file);
    let changing = 0;
    const missed: number[] = [];
    const flips = 200;
    for (let flip = 0; flip < flips; flip += 1) {
      const at = 100 + below(bytes.length - 100);
      const copy = join(temporaryFolder(), 'flipped.sqlite');
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << below(8));
      writeFileSync(copy, flipped);
      if (dumped(copy) !== whole) {
        changing += 1;
        if (!isFound(copy)) missed.push(at);
      }
      rmSync(copy);
    }
    process.stdout.write(
      `row sums: ${changing - missed.length} of ${changing} flips that change data found (${flips} flips)\n`,
    );
    expect(missed).toEqual([]);
    expect(changing).toBeGreaterThan(5);
  });

  it('stays sound after writes in and out of transactions, rollbacks, updates and deletions', () => {
    const copy = copied();
    const store = openStore(copy);
    store.notes.add({ date: '2026-01-16', project: null, text: 'kept' }, 5);
    expect(() =>
      store.transaction(() => {
        store.notes.add({ date: '2026-01-17', project: null, text: 'undone' }, 5);
        throw new Error('undo');
      }),
    ).toThrow();
    store.transaction(() => store.notes.remove(Number(store.notes.list()[0]?.id)));
    store.close();
    const db = openConnection(copy);
    db.sql('UPDATE runs SET heartbeat_at = 77').run();
    db.close();
    expect(brokenIn(copy)).toEqual([]);
  });

  it('detects a row that another program added, and one that it deleted', () => {
    for (const change of ["INSERT INTO keywords VALUES (9, 'boots')", 'DELETE FROM notes']) {
      const copy = copied();
      const db = new Database(copy);
      db.exec(change);
      db.close();
      expect(brokenIn(copy)).toHaveLength(1);
    }
  });

  it('still detects a row that was damaged before a legitimate change', () => {
    const copy = copied();
    damage(copy, 'runs', 'moment');
    const db = openConnection(copy);
    db.sql('UPDATE runs SET heartbeat_at = 99').run();
    db.close();
    expect(brokenIn(copy).join()).toContain('runs: ');
  });
});

/** All readable data as text; unreadable data counts as a difference. */
function dumped(copy: string): string {
  let db: Database.Database | undefined;
  try {
    db = new Database(copy, { readonly: true });
    const tables = db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all();
    return JSON.stringify(
      tables.map(({ name }) => [name, (db as Database.Database).prepare<[], Row>(`SELECT * FROM "${name}"`).all()]),
    );
  } catch (error) {
    return String(error);
  } finally {
    db?.close();
  }
}
