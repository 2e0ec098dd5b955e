// The hash of a ledger row: over its own facts and the row before it, so that no row can be changed, dropped or put in between unseen.
import { hash } from 'node:crypto';

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
