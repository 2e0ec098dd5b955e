// The ledger's identity, its last entry, and the amount spent per day. Reads only.
import { hash } from 'node:crypto';
import type { Connection } from '../connection/client.ts';
import { EntryHashes } from '../connection/hash-chain.ts';
import type { TableRow } from '../schema/rows.ts';

/**
 * The ledger's identity, which a moved or copied file keeps: its first entry, and the first project that paid. Null
 * without an entry. If two ledgers shared it, spending would be counted twice, never too little.
 */
export function ledgerIdentity(db: Connection): string | null {
  const first = hashOf(db, 1);
  if (first === null) return null;
  const project = db.sql<TableRow<'projects', 'name'>>('SELECT name FROM projects ORDER BY id LIMIT 1').get();
  return `${first.slice(0, 24)}-${hash('sha256', String(project?.name)).slice(0, 8)}`;
}

/** Days whose spending the head names: this month's, and some before. */
const daysMax = 62;

export interface DaySpent {
  readonly currency: string;
  /** Local date of the budget. */
  readonly day: string;
  /** Spent, unknown outcomes included. */
  readonly spent: number;
}

export interface LedgerHead {
  readonly ledger: string;
  readonly entries: number;
  /** Hash of the last entry, hexadecimal. */
  readonly hash: string;
  /** The newest first. */
  readonly days: readonly DaySpent[];
}

/** Null without an entry. */
export function ledgerHead(db: Connection): LedgerHead | null {
  const ledger = ledgerIdentity(db);
  const entries = db.number('SELECT max(id) FROM ledger');
  const hash = hashOf(db, entries);
  if (ledger === null || hash === null) return null;
  return { ledger, entries, hash, days: daysSpent(db) };
}

/** Whether the ledger holds a head that was seen earlier: it is the same one, or has grown since. */
export function holdsHead(db: Connection, { entries, hash }: Pick<LedgerHead, 'entries' | 'hash'>): boolean {
  return hashOf(db, entries) === hash;
}

/** Hexadecimal; null: no such entry. Only the last entry of a transaction stores its hash; others are computed. */
function hashOf(db: Connection, id: number): string | null {
  const entry = db.sql<TableRow<'ledger', 'hash'>>('SELECT hash FROM ledger WHERE id = ?').get(id);
  if (entry === undefined) return null;
  return (entry.hash ?? new EntryHashes((text) => db.sql(text)).of(id)).toString('hex');
}

/** The spending that a head records per day and this ledger lacks; of a foreign head, all of it. */
export function missingDays(db: Connection, head: LedgerHead): DaySpent[] {
  if (holdsHead(db, head)) return [];
  const held = new Map(
    ledgerIdentity(db) === head.ledger
      ? daysSpent(db).map(({ currency, day, spent }) => [`${currency} ${day}`, spent])
      : [],
  );
  return head.days
    .map(({ currency, day, spent }) => ({ currency, day, spent: spent - (held.get(`${currency} ${day}`) ?? 0) }))
    .filter(({ spent }) => spent > 0);
}

function daysSpent(db: Connection): DaySpent[] {
  return db
    .sql<TableRow<'budget_windows', 'currency' | 'key' | 'spent'>>(
      "SELECT currency, key, spent FROM budget_windows WHERE scope = 'day' AND spent > 0 ORDER BY key DESC LIMIT ?",
    )
    .all(2 * daysMax)
    .map((row) => ({ currency: row.currency, day: row.key, spent: row.spent }));
}
