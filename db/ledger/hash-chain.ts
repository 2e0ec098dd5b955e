// The ledger's hash chain: each row's hash covers its facts and the previous row, which reveals every edit.

import { hash } from 'node:crypto';
import type { Connection } from '../connection/client.ts';
import { insertInto } from '../connection/insert.ts';
import type { TableRow } from '../schema/rows.ts';

/** What a ledger row says, and its hash covers. */
export interface LedgerFacts {
  readonly at: number;
  readonly reservationId: number;
  readonly purchaseId: number | null;
  readonly kind: TableRow<'ledger', 'kind'>['kind'];
  readonly currency: TableRow<'ledger', 'currency'>['currency'];
  readonly amount: number;
}

/** `previous`: the hash of the row before; null for the first one. */
export function entryHash(previous: Buffer | null, entry: LedgerFacts): Buffer {
  const { at, reservationId, purchaseId, kind, currency, amount } = entry;
  const facts = Buffer.from(`${at}|${reservationId}|${purchaseId ?? ''}|${kind}|${currency}|${amount}`);
  return hash('sha256', previous === null ? facts : Buffer.concat([previous, facts]), 'buffer');
}

/** The newest row's hash by connection: good for the transaction in which it was written or read. */
const heads = new WeakMap<Connection, { readonly transactionVersion: number; readonly hash: Buffer | null }>();

const insertEntry = insertInto('ledger', ['at', 'reservation_id', 'purchase_id', 'kind', 'currency', 'amount', 'hash']);

/** Writes the next row of the ledger. Call inside a transaction. */
export function appendEntry(db: Connection, entry: LedgerFacts): void {
  const hash = entryHash(readHead(db), entry);
  db.insert(insertEntry, {
    at: entry.at,
    reservation_id: entry.reservationId,
    purchase_id: entry.purchaseId,
    kind: entry.kind,
    currency: entry.currency,
    amount: entry.amount,
    hash,
  });
  heads.set(db, { transactionVersion: db.transactionVersion, hash });
}

/** Outside a transaction others may have added rows since, so that it is read each time. */
function readHead(db: Connection): Buffer | null {
  const known = heads.get(db);
  if (known?.transactionVersion === db.transactionVersion && db.inTransaction) return known.hash;
  const last = db.sql<TableRow<'ledger', 'hash'>>('SELECT hash FROM ledger ORDER BY id DESC LIMIT 1').get();
  return last?.hash ?? null;
}
