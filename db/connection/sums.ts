// Sums of hashes that reveal bit rot: digests of history, and row sums of the other tables. verify.ts compares them.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type BetterSqlite from 'better-sqlite3';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { columnName, type Prepare, type Row, type Statement } from './statement.ts';

// A sum of hashes, not a hash of ordered rows: rows of one moment come from several runs, and later ones are derived
// from stored pages. Each row costs one addition, and nothing is read again. No separate column: 6 bytes would make a
// ranking a sixth larger.

export type DigestSubject = 'rankings' | 'pages' | 'checks' | 'volumes';

/** Rows, and the sum of their hashes modulo 2^48. */
export interface Tally {
  readonly rows: number;
  readonly digest: number;
}

/** By subject, then by key: the moment of rankings and pages, the run of checks, the month of volumes as a number. */
export type Tallies = ReadonlyMap<DigestSubject, ReadonlyMap<number, Tally>>;

const modulus = 2 ** 48;
const hashHexDigits = 12;

/** The columns that are summed up, key first. Their rows never change; a check is final once it is `ok`. */
export const digestColumns: Readonly<Record<DigestSubject, readonly string[]>> = {
  rankings: 'moment targetId searchId checkId rank absoluteRank page urlId depth ownedFeatures'.split(' '),
  pages: 'moment searchId page purchaseId observedAt source last archive'.split(' '),
  checks: 'runId id searchId depth paging deep pagesRead pagesReused checkedAt finishedAt source features'.split(' '),
  volumes: `month keywordId service country language observedAt source purchaseId
    searchVolume cpcMicroUsd competition competitionLevel intent relatedKeywords`.split(/\s+/),
};

/** The rows that count, or those of them that `where` names. */
function selectRows(subject: DigestSubject, where = 'true'): string {
  const final = subject === 'checks' ? "state = 'ok'" : 'true';
  return `SELECT ${digestColumns[subject].map(columnName)} FROM ${subject} WHERE ${final} AND ${where}`;
}

export const addTally = `INSERT INTO history_digests (subject, key, rows, digest) VALUES (?, ?, ?, ?)
  ON CONFLICT (subject, key) DO UPDATE SET rows = rows + excluded.rows, digest = (digest + excluded.digest) & ${modulus - 1}`;

/** The sums of the rows that `read` finds. Throws where the database cannot be read. */
export function computeTallies(read: (query: string) => Iterable<Row>): Tallies {
  const tallies = new Map<DigestSubject, Map<number, Tally>>();
  for (const subject of Object.keys(digestColumns) as DigestSubject[]) {
    const ofSubject = new Map<number, Tally>();
    for (const row of read(selectRows(subject))) {
      const values = Object.values(row);
      count(ofSubject, rowKey(values), hashRow(values));
    }
    tallies.set(subject, ofSubject);
  }
  return tallies;
}

/** Sums up while rows are recorded: one statement a key at the end of a transaction, however many rows it wrote. */
export class Digests {
  readonly #sql: Prepare;
  readonly #isInTransaction: () => boolean;
  readonly #pending: { readonly subject: DigestSubject; readonly key: number; readonly hash: number }[] = [];

  constructor(sql: Prepare, isInTransaction: () => boolean) {
    this.#sql = sql;
    this.#isInTransaction = isInTransaction;
  }

  /** Adds a row that was just written. */
  add(subject: DigestSubject, row: object): void {
    this.#addValues(
      subject,
      digestColumns[subject].map((name) => Reflect.get(row, name) ?? null),
    );
  }

  /** Adds a check that has just ended, if it ended well. */
  addCheck(id: number): void {
    for (const row of this.#sql(selectRows('checks', 'id = ?')).all(id)) this.#addValues('checks', Object.values(row));
  }

  #addValues(subject: DigestSubject, values: readonly unknown[]): void {
    this.#pending.push({ subject, key: rowKey(values), hash: hashRow(values) });
    if (!this.#isInTransaction()) this.write();
  }

  /** A state to return to after a rollback. */
  mark(): number {
    return this.#pending.length;
  }

  forgetSince(mark: number): void {
    this.#pending.length = mark;
  }

  /** The last thing that a transaction does. */
  write(): void {
    if (this.#pending.length === 0) return;
    const tallies = new Map<DigestSubject, Map<number, Tally>>();
    for (const { subject, key, hash: summand } of this.#pending) {
      const ofSubject = getOrInsert(tallies, subject, () => new Map<number, Tally>());
      count(ofSubject, key, summand);
    }
    this.#pending.length = 0;
    for (const [subject, ofSubject] of tallies) {
      for (const [key, { rows, digest }] of ofSubject) this.#sql(addTally).run(subject, key, rows, digest);
    }
  }
}

function count(tallies: Map<number, Tally>, key: number, summand: number): void {
  const { rows, digest } = tallies.get(key) ?? { rows: 0, digest: 0 };
  tallies.set(key, { rows: rows + 1, digest: (digest + summand) % modulus });
}

/** A month `2026-11` counts as 202611. */
function rowKey([first]: readonly unknown[]): number {
  return typeof first === 'string' ? Number(first.replace('-', '')) : Number(first);
}

/**
 * Hashes the values as text, each with a terminator: columns are typed, so no two rows give the same text. Twice as
 * fast as JSON.
 */
function hashRow(values: readonly unknown[]): number {
  let text = '';
  for (const value of values) {
    text += value === null ? '\u0001' : Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
    text += '\u0000';
  }
  return Number.parseInt(hash('sha256', text).slice(0, hashHexDigits), 16);
}

// Triggers, because no writer can forget them. Temporary, because they call our function: writes by other programs show
// up in `verify`. An update subtracts the row as the file has it, so damage before the update is still found.

interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly isBlob: boolean }[];
}

interface UndoEntry {
  readonly table: string;
  readonly rows: number;
  readonly digest: number;
}

/** Summed up or chained elsewhere, by all their columns (digests.ts, hash-chain.ts), and the sums themselves. */
const provenElsewhere: ReadonlySet<string> = new Set(['rankings', 'volumes', 'ledger', 'history_digests', 'row_sums']);
const addSql = `INSERT INTO row_sums (name, rows, digest) VALUES (?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET rows = rows + excluded.rows, digest = (digest + excluded.digest) & ${modulus - 1}`;

/** What a connection's writes move in the sums, until its transaction ends. */
export class RowSums {
  readonly #sql: Prepare;
  readonly #undoLog: UndoEntry[] = [];

  constructor(sql: Prepare) {
    this.#sql = sql;
  }

  /** Installs the triggers. For a connection that writes a database of this version. */
  watch(sqlite: BetterSqlite.Database): void {
    addFunctions(sqlite);
    const tables = readTables((query) => sqlite.prepare<[], Row>(query).all());
    sqlite.function('rankledger_row', (tableIndex: number, before: string | null, after: string | null) => {
      const table = tables[tableIndex];
      if (table !== undefined && before !== after) this.#add(table.name, before, after);
      return null;
    });
    sqlite.exec(`BEGIN; ${tables.map((table, tableIndex) => sumTriggers(table, tableIndex)).join('\n')} COMMIT;`);
  }

  #add(table: string, before: string | null, after: string | null): void {
    const rows = (after === null ? 0 : 1) - (before === null ? 0 : 1);
    const digest = (after === null ? 0 : hashText(after)) - (before === null ? 0 : hashText(before));
    this.#undoLog.push({ table, rows, digest });
  }

  /** A state to return to after a rollback. */
  mark(): number {
    return this.#undoLog.length;
  }

  forgetSince(mark: number): void {
    this.#undoLog.length = mark;
  }

  /** The last thing that a transaction does. */
  write(): void {
    if (this.#undoLog.length === 0) return;
    const sums = new Map<string, Tally>();
    for (const { table, rows, digest } of this.#undoLog) {
      const sum = sums.get(table) ?? { rows: 0, digest: 0 };
      sums.set(table, { rows: sum.rows + rows, digest: (((sum.digest + digest) % modulus) + modulus) % modulus });
    }
    this.#undoLog.length = 0;
    for (const [table, { rows, digest }] of sums) {
      if (rows !== 0 || digest !== 0) this.#sql(addSql).run(table, rows, digest);
    }
  }
}

/** The connection, its writes summed up from here on. */
export function watched<Writer extends { readonly rowSums: RowSums }>(
  sqlite: BetterSqlite.Database,
  connection: Writer,
): Writer {
  connection.rowSums.watch(sqlite);
  return connection;
}

/** A connection that writes the sums with each transaction. */
export interface SummingConnection {
  transaction<Result>(work: () => Result): Result;
}

/** A change outside a transaction is one with its sums. */
export function withSums(db: SummingConnection, text: string, statement: Statement): Statement {
  if (!/^\s*(?:INSERT|UPDATE|DELETE)\b/i.test(text)) return statement;
  return {
    run: (...values) => db.transaction(() => statement.run(...values)),
    get: (...values) => db.transaction(() => statement.get(...values)),
    all: (...values) => db.transaction(() => statement.all(...values)),
    iterate: (...values) => statement.iterate(...values),
  };
}

/** After a migration: existing rows are trusted as they are; from then on every change is detected. */
export function sumUpRows(sqlite: BetterSqlite.Database): void {
  addFunctions(sqlite);
  sqlite.exec('DELETE FROM row_sums');
  const insert = sqlite.prepare(addSql);
  for (const [name, { rows, digest }] of computeRowSums((query) => sqlite.prepare<[], Row>(query).iterate()))
    insert.run(name, rows, digest);
}

/**
 * The sums of tables that have rows. `read` belongs to a connection with `addFunctions`. Throws if the database cannot
 * be read.
 */
export function computeRowSums(read: (query: string) => Iterable<Row>): Map<string, Tally> {
  const sums = new Map<string, Tally>();
  for (const table of readTables((query) => [...read(query)])) {
    let rows = 0;
    let digest = 0;
    for (const row of read(`SELECT ${rowText(table)} AS text FROM "${table.name}"`)) {
      rows += 1;
      digest = (digest + hashText(String(row['text']))) % modulus;
    }
    if (rows > 0) sums.set(table.name, { rows, digest });
  }
  return sums;
}

/** What the expressions of `rowSumsOf` call. */
export function addFunctions(sqlite: BetterSqlite.Database): void {
  sqlite.function('rankledger_crc', { deterministic: true }, (value: Buffer | null) =>
    value === null ? null : `${value.length}:${crc32(value)}`,
  );
}

function readTables(all: (query: string) => readonly Row[]): Table[] {
  const columns = all(
    `SELECT m.name AS name, c.name AS column, c.type AS type FROM sqlite_master m, pragma_table_xinfo(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.hidden = 0 ORDER BY m.name, c.cid`,
  );
  const byTable = Map.groupBy(columns, (row) => String(row['name']));
  return [...byTable]
    .filter(([name]) => !provenElsewhere.has(name))
    .map(([name, rows]) => ({
      name,
      columns: rows.map((row) => ({
        name: String(row['column']),
        isBlob: String(row['type']).toLowerCase() === 'blob',
      })),
    }));
}

/** Blobs up to this length are in the text as they are: a call of our function takes longer. */
const shortBytes = 32;

/** The row as one text, made by SQLite: two rows that differ read differently. */
function rowText({ columns }: Table, row = ''): string {
  return columns
    .map(({ name, isBlob }) => {
      const value = `${row}"${name}"`;
      return `quote(${isBlob ? `iif(length(${value}) <= ${shortBytes}, ${value}, rankledger_crc(${value}))` : value})`;
    })
    .join(" || ',' || ");
}

function sumTriggers(table: Table, tableIndex: number): string {
  const [before, after] = [rowText(table, 'OLD.'), rowText(table, 'NEW.')];
  const trigger = (event: string, one: string, other: string): string =>
    `CREATE TEMP TRIGGER "sum_${event}_${table.name}" AFTER ${event} ON main."${table.name}" BEGIN SELECT rankledger_row(${tableIndex}, ${one}, ${other}); END;`;
  return [trigger('INSERT', 'NULL', after), trigger('UPDATE', before, after), trigger('DELETE', before, 'NULL')].join(
    '\n',
  );
}

/**
 * 48 bits that depend on each character and its position (cyrb53), eight times as fast as SHA-256. Detects accidents,
 * not forgery.
 */
function hashText(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (low & 0xffff) + (high >>> 0);
}
