// The append-only chain of the ledger: each row's hash is over its own facts and the row before it, so that none can be changed, dropped or put in between unseen.
import { hash } from 'node:crypto';
import type { Connection } from './client.ts';

/** What a ledger row says, and its hash covers. */
export interface LedgerFacts {
  readonly at: number;
  readonly reservationId: number;
  readonly purchaseId: number | null;
  readonly kind: string;
  readonly currency: string;
  readonly amount: number;
}

/** `previous`: the hash of the row before; null for the first one. */
export function entryHash(previous: Buffer | null, entry: LedgerFacts): Buffer {
  const facts = [entry.at, entry.reservationId, entry.purchaseId ?? '', entry.kind, entry.currency, entry.amount].join(
    '|',
  );
  return hash('sha256', Buffer.concat([previous ?? Buffer.alloc(0), Buffer.from(facts)]), 'buffer');
}

/** Writes the next row of the ledger. Call inside a transaction. */
export function appendEntry(db: Connection, entry: LedgerFacts): void {
  const last = db.sql('SELECT hash FROM ledger ORDER BY id DESC LIMIT 1').get();
  const hash = entryHash((last?.['hash'] as Buffer | undefined) ?? null, entry);
  db.sql(
    'INSERT INTO ledger (at, reservation_id, purchase_id, kind, currency, amount, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ).run(entry.at, entry.reservationId, entry.purchaseId, entry.kind, entry.currency, entry.amount, hash);
}
