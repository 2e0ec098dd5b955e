// The ledger's hash chain: each entry's hash covers its facts and the hash before, which reveals every edit.

import { hash } from 'node:crypto';
import { entryKinds } from '../schema/money-codes.ts';
import type { TableRow } from '../schema/rows.ts';
import { inserted, type Prepare } from './statement.ts';

/** What a ledger row says, and its hash covers. */
interface LedgerFacts {
  readonly at: number;
  readonly reservationId: number;
  readonly purchaseId: number | null;
  readonly kind: TableRow<'ledger', 'kind'>['kind'];
  /** Of the reservation. */
  readonly currency: TableRow<'reservations', 'currency'>['currency'];
  readonly amount: number;
}

/** `previous`: the hash of the entry before; null for the first one. */
export function entryHash(previous: Buffer | null, entry: LedgerFacts): Buffer {
  const { at, reservationId, purchaseId, kind, currency, amount } = entry;
  const facts = Buffer.from(`${at}|${reservationId}|${purchaseId ?? ''}|${kind}|${currency}|${amount}`);
  return hash('sha256', previous === null ? facts : Buffer.concat([previous, facts]), 'buffer');
}

/**
 * Entries of a transaction, written at its end. Only the last one stores its hash: it covers the hashes of the others,
 * which follow from their facts, so that a change of any of them is revealed as before.
 */
export class HashChain {
  readonly #sql: Prepare;
  readonly #isInTransaction: () => boolean;
  readonly #pending: LedgerFacts[] = [];

  constructor(sql: Prepare, isInTransaction: () => boolean) {
    this.#sql = sql;
    this.#isInTransaction = isInTransaction;
  }

  append(entry: LedgerFacts): void {
    if (!this.#isInTransaction()) throw new Error('the ledger is written inside transactions only');
    if (entry.amount <= 0) throw new Error(`a ledger entry of ${entry.amount}: nothing is written`);
    this.#pending.push(entry);
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
    const entries = this.#pending.splice(0);
    const last = this.#sql<TableRow<'ledger', 'hash'>>('SELECT hash FROM ledger ORDER BY id DESC LIMIT 1').get();
    let previous = last?.hash ?? null;
    for (const [index, entry] of entries.entries()) {
      previous = entryHash(previous, entry);
      const hash = index === entries.length - 1 ? previous : null;
      const { at, reservationId, purchaseId, kind, amount } = entry;
      const kindCode = entryKinds.indexOf(kind);
      inserted(this.#sql, 'ledger', { at, reservationId, purchaseId, kindCode, amount, hash });
    }
  }
}

/** An entry with the hash that follows from all entries up to it. */
interface ChainedEntry {
  readonly id: number;
  readonly hash: Buffer;
  /** Null where the transaction went on. */
  readonly stored: Buffer | null;
}

/** The entries from an id on that follows a stored hash; by default all. Reads older schemas as well. */
export function* chainedEntries(sql: Prepare, from = 0): Generator<ChainedEntry> {
  let previous =
    sql<TableRow<'ledger', 'hash'>>('SELECT hash FROM ledger WHERE id < ? ORDER BY id DESC LIMIT 1').get(from)?.hash ??
    null;
  const rows = sql<LedgerFacts & { id: number; hash: Buffer | null }>(
    `SELECT e.id, e.at, e.reservation_id AS reservationId, e.purchase_id AS purchaseId, e.kind, e.amount, e.hash, v.currency
     FROM ledger e LEFT JOIN reservations v ON v.id = e.reservation_id WHERE e.id >= ? ORDER BY e.id`,
  ).iterate(from);
  for (const row of rows) {
    previous = entryHash(previous, row);
    yield { id: row.id, hash: previous, stored: row.hash };
  }
}

/** Hashes of entries by their ids. Those of a transaction are computed together and kept for the next call. */
export class EntryHashes {
  readonly #sql: Prepare;
  #known = new Map<number, Buffer>();

  constructor(sql: Prepare) {
    this.#sql = sql;
  }

  of(id: number): Buffer {
    if (!this.#known.has(id)) this.#known = this.#ofTransaction(id);
    const found = this.#known.get(id);
    if (found === undefined) throw new Error(`the ledger has no entry ${id}`);
    return found;
  }

  #ofTransaction(id: number): Map<number, Buffer> {
    const sql = 'SELECT coalesce(max(id), 0) + 1 AS id FROM ledger WHERE id < ? AND hash IS NOT NULL';
    const first = this.#sql<{ id: number }>(sql).get(id)?.id ?? 1;
    const hashes = new Map<number, Buffer>();
    for (const entry of chainedEntries(this.#sql, first)) {
      hashes.set(entry.id, entry.hash);
      if (entry.stored !== null) break;
    }
    return hashes;
  }
}
