// Verify proves that written data is intact: it names damage of each kind and does not change a sound file.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openForReading } from '../../../db/connection/client.ts';
import type { AuditCheck } from '../../../db/integrity/audit.ts';
import { isProofOfRows, verification } from '../../../db/integrity/verify.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { type RecordedHistory, recordedHistory } from '../../helpers/recorded-history.ts';
import { seeded } from '../../helpers/seeded.ts';

let history: RecordedHistory;
beforeAll(async () => {
  history = await recordedHistory(3);
});
afterAll(async () => {
  await history.close();
});

const digestOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

function brokenIn(file: string): AuditCheck[] {
  const db = openForReading(file);
  try {
    return [...verification(db)].filter(({ ok }) => !ok);
  } finally {
    db.close();
  }
}

function copied(): string {
  const file = join(temporaryFolder(), 'db.sqlite');
  writeFileSync(file, readFileSync(history.file));
  return file;
}

/** A copy in which SQL has made a change that triggers and constraints prevent. */
function harmed(sql: string): string {
  const file = copied();
  const sqlite = new Database(file);
  sqlite.pragma('foreign_keys = OFF');
  sqlite.pragma('ignore_check_constraints = ON');
  const triggers = sqlite.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all() as {
    name: string;
    sql: string;
  }[];
  for (const { name } of triggers) sqlite.exec(`DROP TRIGGER ${name}`);
  const { changes } = sqlite.prepare(sql).run();
  if (!/^(DROP|CREATE|ALTER)/.test(sql)) expect(changes).toBeGreaterThan(0);
  for (const trigger of triggers) sqlite.exec(trigger.sql);
  sqlite.close();
  return file;
}

describe('a sound database', () => {
  it('passes every proof, and its file and folder do not change', () => {
    const before = digestOf(history.file);
    expect(brokenIn(history.file)).toEqual([]);
    expect(digestOf(history.file)).toBe(before);
    expect(readdirSync(dirname(history.file)).sort()).toEqual(['rankledger.sqlite', 'rankledger.sqlite.witness']);
  });

  it('passes while a run writes it, with the data of one moment', async () => {
    const world = history.open();
    await history.runNextDay(world);
    const db = openForReading(history.file);
    const proofs = verification(db);
    const first = proofs.next();
    await history.runNextDay(world);
    expect(first.value).toMatchObject({ ok: true });
    expect([...proofs].filter(({ ok }) => !ok)).toEqual([]);
    db.close();
    expect(world.broken()).toEqual([]);
    await world.close();
    expect(brokenIn(history.file)).toEqual([]);
  });

  it('that is large is proven without reading every row, and says so', () => {
    const db = openForReading(history.file);
    const skipped = [...verification(db, 0)].filter((proof) => proof.skipped);
    db.close();
    expect(skipped.filter(isProofOfRows)).toEqual(skipped);
    expect(skipped).toHaveLength(7);
    expect(skipped[0]).toMatchObject({ ok: true, detail: expect.stringContaining('`rankledger verify`') });
  });

  it('of an older schema is proven for the tables that it has', () => {
    const file = copied();
    const sqlite = new Database(file);
    sqlite.exec('DROP TABLE history_digests; PRAGMA user_version = 3');
    sqlite.close();
    const db = openForReading(file);
    const proofs = [...verification(db)];
    db.close();
    expect(proofs.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    expect(proofs[0]?.detail).toContain('schema 3');
  });
});

const planted: readonly (readonly [string, string, string, RegExp])[] = [
  [
    'a rank that was changed',
    'UPDATE rankings SET rank = rank + 1 WHERE rank = 12',
    'digests',
    /rankings of 2026-01-1/,
  ],
  [
    'a ranking that is gone',
    'DELETE FROM rankings WHERE (target_id, search_id, moment) IN (SELECT target_id, search_id, moment FROM rankings LIMIT 1)',
    'digests',
    /1 of 20 rows are missing/,
  ],
  [
    'a ranking that was slipped in',
    `INSERT INTO rankings SELECT target_id, search_id, moment - 1, check_id, rank, absolute_rank, page, url_id, depth, owned_features
     FROM rankings LIMIT 1`,
    'digests',
    /1 rows were never recorded/,
  ],
  [
    'a page that was observed at another time',
    'UPDATE pages SET observed_at = observed_at + 1 WHERE id = 1',
    'digests',
    /pages of/,
  ],
  ['another archive', "UPDATE pages SET archive = x'01000000' WHERE id = 1", 'digests', /pages of/],
  ['a check that read less', 'UPDATE checks SET pages_read = 1 WHERE id = 1', 'digests', /checks of run 1/],
  [
    'a sum that was changed',
    "UPDATE history_digests SET digest = digest + 1 WHERE subject = 'checks'",
    'digests',
    /run 1.*run 2/,
  ],
  [
    'an archive that ends too early',
    "UPDATE pages SET archive = x'010a' WHERE id = 2",
    'every archived page',
    /page 2: .*ends too early/,
  ],
  [
    'an archive of a URL that is not here',
    "UPDATE pages SET archive = x'0101ff7f00000000' WHERE id = 2",
    'every archived page',
    /page 2/,
  ],
  [
    'a body that is no longer what was sent',
    'UPDATE bodies SET body = substr(body, 1, length(body) - 5) WHERE purchase_id = 1',
    'every kept body',
    /body of purchase 1/,
  ],
  [
    "another search's page",
    'UPDATE check_pages SET page_id = (SELECT max(id) FROM pages) WHERE check_id = 1 AND page = 1',
    'pages of its search',
    /page 1 of check 1/,
  ],
  [
    'an index that is gone',
    'DROP INDEX purchases_key',
    'tables, indexes and triggers',
    /index purchases_key is missing/,
  ],
  ['a table of another program', 'CREATE TABLE mine (a)', 'tables, indexes and triggers', /table mine is not ours/],
  [
    'a ledger entry that was changed',
    'UPDATE ledger SET amount = amount + 1 WHERE id = 3',
    'hash chain',
    /one of the entries 1 to 4/,
  ],
];

describe('damage', () => {
  it.each(planted)('such as %s is detected and named', (_what, sql, name, detail) => {
    const found = brokenIn(harmed(sql)).find((check) => check.name.includes(name));
    expect(found?.detail).toMatch(detail);
  });

  it('to a table that cannot be read breaks its proofs, and the other proofs still run', () => {
    const file = copied();
    const sqlite = new Database(file);
    const root = Number(sqlite.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'rankings'").pluck().get());
    const size = Number(sqlite.pragma('page_size', { simple: true }));
    sqlite.close();
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(size, 0xa5), 0, size, (root - 1) * size);
    closeSync(handle);
    const broken = brokenIn(file);
    expect(broken.map(({ name }) => name)).toContain('no recorded row of history has changed (digests)');
    expect(broken.length).toBeLessThan(12);
  });
});

/** Content of every row of the three tables: separates flips of row data from flips of bytes that SQLite ignores. */
function rowsOf(sqlite: Database.Database): string {
  return ['ledger', 'rankings', 'pages']
    .map((table) => JSON.stringify(sqlite.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4`).all()))
    .join();
}

/** Byte ranges of the rows of these tables in the file: the cells of each leaf. */
function rowBytes(file: string): number[] {
  const sqlite = new Database(file, { readonly: true });
  const pages = sqlite
    .prepare("SELECT pageno, pgsize FROM dbstat WHERE name IN ('ledger', 'rankings', 'pages') AND pagetype = 'leaf'")
    .all() as { pageno: number; pgsize: number }[];
  sqlite.close();
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  const handle = openSync(file, 'r');
  const header = Buffer.alloc(8);
  const places = pages.flatMap(({ pageno, pgsize }) => {
    const start = (pageno - 1) * pgsize;
    readSync(handle, header, 0, 8, start);
    const contents = header.readUInt16BE(5);
    return Array.from({ length: pgsize - contents }, (_, index) => start + contents + index);
  });
  closeSync(handle);
  return places;
}

const flips = 100;

describe('bit rot', () => {
  it(`in rows of ledger, rankings and pages: of ${flips} flipped bits at least 99 % are detected`, () => {
    const whole = readFileSync(history.file);
    const places = rowBytes(history.file);
    const file = join(temporaryFolder(), 'db.sqlite');
    const random = seeded(20_260_115);
    const found = { byVerify: 0, bySqlite: 0 };
    let tried = 0;
    const original = new Database(history.file, { readonly: true });
    const rows = rowsOf(original);
    original.close();
    while (tried < flips) {
      const bytes = Buffer.from(whole);
      const place = places[Math.floor(random() * places.length)] ?? 0;
      bytes[place] = (bytes[place] ?? 0) ^ (1 << Math.floor(random() * 8));
      writeFileSync(file, bytes);
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
      if (!hasChangedRows(file, rows)) continue;
      tried += 1;
      const [verify, sqlite] = whoFinds(file);
      if (verify) found.byVerify += 1;
      if (sqlite) found.bySqlite += 1;
    }
    process.stderr.write(
      `bit rot: of ${flips} flipped bits verify finds ${found.byVerify}, SQLite's integrity_check alone ${found.bySqlite}\n`,
    );
    expect(found.byVerify).toBeGreaterThanOrEqual(flips * 0.99);
    expect(found.bySqlite).toBeLessThan(flips / 2);
  });
});

function hasChangedRows(file: string, rows: string): boolean {
  const sqlite = new Database(file);
  try {
    return rowsOf(sqlite) !== rows;
  } catch {
    return true;
  } finally {
    sqlite.close();
  }
}

/** Whether verify finds the damage, and whether integrity_check does without it. */
function whoFinds(file: string): readonly [boolean, boolean] {
  const db = openForReading(file);
  try {
    let first: AuditCheck | undefined;
    for (const check of verification(db)) {
      first ??= check;
      if (!check.ok) return [true, !first.ok];
    }
    return [false, false];
  } finally {
    db.close();
  }
}
