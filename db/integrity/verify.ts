// Proves that a database is intact: file, schema, money, history, pages and bodies. Reads only.

import { zstdDecompressSync } from 'node:zlib';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { type Connection, openConnection } from '../connection/client.ts';
import { schemaVersion } from '../connection/guards.ts';
import { decodePage } from '../connection/serp-archive.ts';
import {
  addTally,
  computeRowSums,
  computeTallies,
  type DigestSubject,
  type Tallies,
  type Tally,
} from '../connection/sums.ts';
import { CheckColumnStore } from '../history/columns/check-columns.ts';
import type { TableRow } from '../schema/rows.ts';
import { Audit, type AuditCheck, Broken, type Proof, provenOrUnreadable } from './audit.ts';

/** The first few broken items of each kind are named, the others counted. */
const namedMax = 5;

const digestsName = 'no recorded row of history has changed (digests)';

/** Proofs that read every row or archived page: three times the work of those of the ledger. */
const proofsOfRows: readonly (readonly [name: string, prove: (db: Connection) => Proof])[] = [
  [digestsName, digestProof],
  ['no row of any table has changed (sums)', rowSumsProof],
  ['columns of checks are those of history', columnsProof],
  ['every check refers only to pages of its search', ownPagesProof],
  ['every archived page can be read', archiveProof],
  ['every kept body can be read', bodyProof],
  ['tables, indexes and triggers are those of this version', schemaProof],
];

/** The largest database of which `audit` proves every row: 50 s of processor time, about half a million rankings. */
export const auditBytesMax = 512_000_000;

/** Whether a check is no part of the ledger's own proof. */
export function isProofOfRows({ name }: AuditCheck): boolean {
  return proofsOfRows.some(([known]) => known === name);
}

/**
 * All checks, each run when the caller requests the next, on a snapshot of the database taken at the start: a run may
 * continue to write. On an older schema only the checks that hold for any schema. A database of more than `bytesMax`
 * skips the proofs of rows.
 */
export function* verification(db: Connection, bytesMax = Number.POSITIVE_INFINITY): Generator<AuditCheck> {
  const release = db.holdSnapshot();
  try {
    const proofs = new Audit(db).proofs();
    const version = Number(db.pragma('user_version'));
    const today = schemaVersion();
    if (version < today) {
      yield {
        name: 'the schema is one that this version knows',
        ok: true,
        detail: `schema ${version}; the other checks need schema ${today}, to which the next run migrates it`,
      };
      for (const proof of proofs) {
        yield proof;
        if (proof.name.includes('hash chain')) return;
      }
    }
    yield* proofs;
    const isTooLarge = Number(db.pragma('page_count')) * Number(db.pragma('page_size')) > bytesMax;
    const detail = `the database has more than ${bytesMax / 1e6} MB: \`rankledger verify\` proves it`;
    for (const [name, prove] of proofsOfRows)
      yield isTooLarge ? { name, ok: true, detail, skipped: true } : provenOrUnreadable(name, () => prove(db));
  } finally {
    release();
  }
}

/** Whether a broken check may have the known cause of `acceptSums`. */
export function isSumCheck({ name }: AuditCheck): boolean {
  return /\((digests|sums)\)$/.test(name);
}

/**
 * Computes all sums again, so that rows as they stand are what later proofs compare with: after a program that keeps no
 * sums has written, such as an older version. Call inside a transaction that records why.
 */
export function acceptSums(db: Connection): void {
  // the triggers that keep sums from being lowered, for the length of the transaction
  const triggers = db
    .sql<{ name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('history_digests', 'row_sums')",
    )
    .all();
  for (const { name } of triggers) db.sql(`DROP TRIGGER ${name}`).run();
  db.sql('DELETE FROM history_digests').run();
  for (const [subject, tallies] of computeTallies((query) => db.sql(query).iterate()))
    for (const [key, { rows, digest }] of tallies) db.sql(addTally).run(subject, key, rows, digest);
  db.sql('DELETE FROM row_sums').run();
  for (const [name, { rows, digest }] of computeRowSums((query) => db.sql(query).iterate()))
    db.sql('INSERT INTO row_sums (name, rows, digest) VALUES (?, ?, ?)').run(name, rows, digest);
  for (const { sql } of triggers) db.sql(sql).run();
}

/** Whether every row of history is what was recorded, by its digests. */
export function historyCheck(db: Connection): AuditCheck {
  return provenOrUnreadable(digestsName, () => digestProof(db));
}

/**
 * Compares the schema with a new database: without a trigger or STRICT the other checks would prove less than they
 * claim.
 */
function schemaProof(db: Connection): Proof {
  const fresh = openConnection(':memory:');
  const described = (connection: Connection): Map<string, string> =>
    new Map(
      connection
        .sql<{ type: string; name: string; sql: string | null }>(
          "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'",
        )
        .all()
        .map(({ type, name, sql }) => [`${type} ${name}`, name === migrationsTable ? plainSql(sql) : String(sql)]),
    );
  const [found, expected] = [described(db), described(fresh)];
  fresh.close();
  const broken = [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) => {
    if (!found.has(name)) return `${name} is missing`;
    if (!expected.has(name)) return `${name} is not ours`;
    return found.get(name) === expected.get(name) ? [] : `${name} is another`;
  });
  return broken.length === 0 ? `${expected.size}, schema ${schemaVersion()}` : brokenBy(broken);
}

/** Up to schema 9, drizzle's own migrator created this table: in other quotes and spaces. */
const migrationsTable = '__drizzle_migrations';

function plainSql(sql: string | null): string {
  return String(sql).replaceAll(/["\s]/g, '');
}

function digestProof(db: Connection): Proof {
  const recorded = recordedTallies(db);
  const broken: string[] = [];
  let rows = 0;
  for (const [subject, found] of computeTallies((query) => db.sql(query).iterate())) {
    const due = recorded.get(subject) ?? new Map<number, Tally>();
    for (const key of new Set([...due.keys(), ...found.keys()])) {
      const was = due.get(key);
      const is = found.get(key);
      rows += is?.rows ?? 0;
      if (was?.rows === is?.rows && was?.digest === is?.digest) continue;
      broken.push(`${subject} of ${keyName(subject, key)}: ${describeDifference(was?.rows ?? 0, is?.rows ?? 0)}`);
    }
  }
  return broken.length === 0 ? `${rows} rows` : brokenBy(broken);
}

function rowSumsProof(db: Connection): Proof {
  const recorded = new Map<string, Tally>();
  for (const row of db.sql<TableRow<'row_sums'>>('SELECT name, rows, digest FROM row_sums').iterate())
    recorded.set(row.name, { rows: row.rows, digest: row.digest });
  const found = computeRowSums((query) => db.sql(query).iterate());
  const broken: string[] = [];
  let rows = 0;
  for (const name of new Set([...recorded.keys(), ...found.keys()])) {
    const was = recorded.get(name) ?? { rows: 0, digest: 0 };
    const is = found.get(name) ?? { rows: 0, digest: 0 };
    rows += is.rows;
    if (was.rows !== is.rows || was.digest !== is.digest)
      broken.push(`${name}: ${describeDifference(was.rows, is.rows)}`);
  }
  return broken.length === 0 ? `${rows} rows of ${found.size} tables` : brokenBy(broken);
}

function recordedTallies(db: Connection): Tallies {
  const tallies = new Map<DigestSubject, Map<number, Tally>>();
  for (const row of db
    .sql<TableRow<'history_digests'>>('SELECT subject, key, rows, digest FROM history_digests')
    .iterate()) {
    const subject = row.subject;
    const ofSubject = getOrInsert(tallies, subject, () => new Map<number, Tally>());
    ofSubject.set(row.key, { rows: row.rows, digest: row.digest });
  }
  return tallies;
}

function keyName(subject: DigestSubject, key: number): string {
  if (subject === 'checks') return `run ${key}`;
  if (subject === 'volumes') return `${Math.floor(key / 100)}-${String(key % 100).padStart(2, '0')}`;
  return Math.abs(key) <= 8.64e15 ? new Date(key).toISOString() : `moment ${key}`;
}

function describeDifference(due: number, found: number): string {
  if (found < due) return `${due - found} of ${due} rows are missing`;
  if (found > due) return `${found - due} rows were never recorded`;
  return `not what was recorded, in one of ${due} rows or more`;
}

/** Derives the columns of each run again. Stale ones, which nothing reads, are left out. */
function columnsProof(db: Connection): Proof {
  const broken: string[] = [];
  let compared = 0;
  const checks = new CheckColumnStore(db);
  for (const { runId, projectId } of checks.stored()) {
    compared += 1;
    if (!checks.isDerived(runId, projectId)) broken.push(`project ${projectId} in run ${runId}`);
  }
  if (broken.length === 0) return `${compared} compared`;
  return brokenBy(broken.map((columns) => `the columns of ${columns} are not what history says`));
}

function ownPagesProof(db: Connection): Proof {
  const strange = db
    .sql<TableRow<'check_pages', 'checkId' | 'page'>>(
      `SELECT cp.check_id AS checkId, cp.page FROM check_pages cp JOIN pages p ON p.id = cp.page_id JOIN checks c ON c.id = cp.check_id
       WHERE p.page <> cp.page OR p.search_id <> c.search_id AND NOT EXISTS (
         SELECT 1 FROM searches a JOIN keywords ak ON ak.id = a.keyword_id JOIN searches b ON b.market_id = a.market_id JOIN keywords bk ON bk.id = b.keyword_id
         WHERE a.id = p.search_id AND b.id = c.search_id AND fold_keyword(ak.text) = fold_keyword(bk.text))`,
    )
    .all();
  return strange.length === 0
    ? ''
    : brokenBy(strange.map(({ checkId, page }) => `page ${page} of check ${checkId} belongs to another search`));
}

/** URLs and types of features are only ever added, so that an id which was given out is at most the highest. */
function archiveProof(db: Connection): Proof {
  const highest = (table: string): number => db.number(`SELECT max(id) FROM ${table}`);
  const [urls, types, listed] = [highest('urls'), highest('feature_types'), highest('places')];
  const isUrl = (id: number): boolean => id >= 1 && id <= urls;
  return readable(db.sql<BytesRow>('SELECT id, archive AS bytes FROM pages').iterate(), 'page', (bytes) => {
    const { organic, features, places } = decodePage(bytes);
    const known =
      organic.every(({ urlId }) => isUrl(urlId)) &&
      features.every(({ typeId, urlIds }) => typeId >= 1 && typeId <= types && urlIds.every(isUrl)) &&
      places.every(({ placeId }) => placeId >= 1 && placeId <= listed);
    if (!known) throw new Error('it refers to a URL, feature or place that does not exist');
  });
}

function bodyProof(db: Connection): Proof {
  const rows = db.sql<BytesRow>('SELECT purchase_id AS id, body AS bytes FROM bodies').iterate();
  return readable(rows, 'body of purchase', (bytes) => void zstdDecompressSync(bytes));
}

interface BytesRow {
  readonly id: number;
  readonly bytes: Buffer;
}

function readable(rows: Iterable<BytesRow>, what: string, read: (bytes: Buffer) => void): Proof {
  const broken: string[] = [];
  let count = 0;
  for (const { id, bytes } of rows) {
    count += 1;
    try {
      read(bytes);
    } catch (error) {
      broken.push(`${what} ${id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return broken.length === 0 ? `${count}` : brokenBy(broken);
}

function brokenBy(all: readonly string[]): Broken {
  const more = all.length > namedMax ? `; and ${all.length - namedMax} more` : '';
  return new Broken(`${all.slice(0, namedMax).join('; ')}${more}`);
}
