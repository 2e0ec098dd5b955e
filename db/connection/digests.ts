// Digests of history that reveal bit rot: each new row adds its hash. verify.ts compares them.
import { hash } from 'node:crypto';
import type { TableRow } from '../schema/rows.ts';
import type { Prepare, Row, Value } from './statement.ts';

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
export const digestColumns = {
  rankings: [
    'moment',
    'target_id',
    'search_id',
    'check_id',
    'rank',
    'absolute_rank',
    'page',
    'url_id',
    'depth',
    'owned_features',
  ],
  pages: ['moment', 'search_id', 'page', 'purchase_id', 'observed_at', 'source', 'last', 'archive'],
  checks: [
    'run_id',
    'id',
    'search_id',
    'depth',
    'paging',
    'deep',
    'pages_read',
    'pages_reused',
    'checked_at',
    'finished_at',
    'source',
    'features',
  ],
  volumes: [
    'month',
    'keyword_id',
    'service',
    'country',
    'language',
    'observed_at',
    'source',
    'purchase_id',
    'search_volume',
    'cpc_micro_usd',
    'competition',
    'competition_level',
    'intent',
    'related_keywords',
  ],
} as const satisfies { readonly [Subject in DigestSubject]: readonly (keyof TableRow<Subject>)[] };

/** The rows that count, or those of them that `where` names. */
function selectRows(subject: DigestSubject, where = 'true'): string {
  const final = subject === 'checks' ? "state = 'ok'" : 'true';
  return `SELECT ${digestColumns[subject].join(', ')} FROM ${subject} WHERE ${final} AND ${where}`;
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

  /** Adds a row that was just written, by the values of its `digestColumns`. */
  add(subject: DigestSubject, values: readonly Value[]): void {
    this.#pending.push({ subject, key: rowKey(values), hash: hashRow(values) });
    if (!this.#isInTransaction()) this.write();
  }

  /** Adds a check that has just ended, if it ended well. */
  addCheck(id: number): void {
    for (const row of this.#sql(selectRows('checks', 'id = ?')).all(id)) this.add('checks', Object.values(row));
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
      const ofSubject = tallies.get(subject) ?? new Map<number, Tally>();
      tallies.set(subject, ofSubject);
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
