// Provider prices above the agreed price, each with its purchase. The stated price is booked.

import type { Connection } from '../connection/client.ts';
import { insertInto } from '../connection/insert.ts';
import type { TableRow } from '../schema/rows.ts';
import type { BudgetWindows, Currency } from './budget-windows.ts';

export interface PriceDispute {
  readonly purchaseId: number;
  readonly runId: number;
  readonly service: string;
  readonly currency: Currency;
  readonly agreed: number;
  /** What was booked. */
  readonly stated: number;
  /** By how much that exceeded the fullest window of the budget; 0 where every window had room. */
  readonly exceeded: number;
  /** UTC milliseconds. */
  readonly at: number;
}

/** A dispute as it stands today. */
export interface ListedDispute extends PriceDispute {
  /** What the ledger counts: the stated price, or less once the operator has settled it. */
  readonly counted: number;
  /** Its run is still open. */
  readonly isUnderWay: boolean;
}

/** The open disputes with one service, summed up. */
export interface DisputeTotals extends Pick<PriceDispute, 'service' | 'currency'> {
  readonly purchases: number;
  readonly agreed: number;
  readonly stated: number;
  /** Of the one that exceeded the budget the most. */
  readonly exceeded: number;
}

type PurchaseRow = TableRow<'purchases', 'price' | 'service' | 'state'> &
  TableRow<'reservations', 'id' | 'run_id' | 'currency' | 'day_key' | 'month_key'>;
type DisputeRow = TableRow<'price_disputes'> &
  TableRow<'purchases', 'service' | 'charged'> &
  TableRow<'reservations', 'currency'> & { run_state: TableRow<'runs', 'state'>['state'] };

/** What is settled: `agreed` is null where nothing but the price of the purchase is known. */
export interface StatedPrice {
  readonly purchaseId: number;
  readonly agreed: number | null;
  readonly stated: number;
  readonly at: number;
}

/** A higher price counts as a billion credits or a million dollars: sums of thousands of purchases stay exact. */
const bookedMax: Readonly<Record<Currency, number>> = { serp_credit: 1_000_000_000, micro_usd: 1_000_000_000_000 };

/**
 * Books a stated price above the agreed one. The excess is reserved first, even beyond the cap; for an unknown purchase
 * it counts as unknown too. Null if the price is not above, the purchase is settled, or it was simulated. Call inside
 * the transaction that settles the purchase.
 */
export function bookStated(
  db: Connection,
  windows: BudgetWindows,
  { purchaseId, agreed: known, stated: named, at }: StatedPrice,
): PriceDispute | null {
  const purchase = db
    .sql<PurchaseRow>(
      `SELECT p.price, p.service, p.state, r.id, r.run_id, r.currency, r.day_key, r.month_key FROM purchases p JOIN reservations r ON r.id = p.reservation_id
       WHERE p.id = ? AND (p.state = 'open' OR (p.state = 'unknown' AND p.reconciled IS NULL)) AND p.simulated = 0`,
    )
    .get(purchaseId);
  if (purchase === undefined) return null;
  const price = purchase.price;
  const agreed = known ?? price;
  const currency = purchase.currency;
  const stated = Math.min(named, bookedMax[currency]);
  if (stated <= agreed) return null;
  const runId = purchase.run_id;
  const amount = stated - price;
  let exceeded = 0;
  if (amount > 0) {
    const reservationId = purchase.id;
    const keys = { day: purchase.day_key, month: purchase.month_key };
    db.sql('UPDATE purchases SET price = ? WHERE id = ?').run(stated, purchaseId);
    db.sql('UPDATE reservations SET reserved = reserved + ? WHERE id = ?').run(amount, reservationId);
    const room = { runId, currency, keys };
    exceeded = windows.exceed(room, amount);
    db.chain.append({ at, reservationId, purchaseId, kind: 'reserve', currency, amount });
    if (purchase.state === 'unknown') {
      db.sql('UPDATE purchases SET charged = charged + ? WHERE id = ?').run(amount, purchaseId);
      db.sql('UPDATE reservations SET unknown = unknown + ? WHERE id = ?').run(amount, reservationId);
      windows.move(room, -amount, amount);
      db.chain.append({ at, reservationId, purchaseId, kind: 'unknown', currency, amount });
    }
  }
  // a lost answer may have stated a price before: the first agreed one stays
  db.insert(insertDispute, { purchase_id: purchaseId, run_id: runId, agreed, stated, exceeded, at });
  return { purchaseId, runId, service: purchase.service, currency, agreed, stated, exceeded, at };
}

const insertDispute = insertInto(
  'price_disputes',
  ['purchase_id', 'run_id', 'agreed', 'stated', 'exceeded', 'at'],
  `ON CONFLICT (purchase_id) DO UPDATE SET stated = excluded.stated, exceeded = max(exceeded, excluded.exceeded), at = excluded.at`,
);
/** Whether a dispute is open: the operator has settled it neither at the agreed price nor as free. */
export const isInDispute = 'p.charged > d.agreed';

const totalsQuery = `SELECT p.service, r.currency, count(*) AS purchases, sum(d.agreed) AS agreed, sum(d.stated) AS stated, max(d.exceeded) AS exceeded
  FROM price_disputes d JOIN purchases p ON p.id = d.purchase_id JOIN reservations r ON r.id = p.reservation_id WHERE ${isInDispute}`;
const listQuery = `SELECT d.*, p.service, p.charged, r.currency, n.state AS run_state FROM price_disputes d
  JOIN purchases p ON p.id = d.purchase_id JOIN reservations r ON r.id = p.reservation_id JOIN runs n ON n.id = d.run_id`;

export class PriceDisputes {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Open ones of one run, or with null of all runs, by service and currency. */
  totals(runId: number | null = null): DisputeTotals[] {
    const where = runId === null ? '' : 'AND d.run_id = ?';
    return this.#db
      .sql<DisputeTotals>(`${totalsQuery} ${where} GROUP BY p.service, r.currency ORDER BY p.service, r.currency`)
      .all(...(runId === null ? [] : [runId]));
  }

  /** Open and settled ones, the newest first. */
  newest(limit: number): ListedDispute[] {
    return this.#db.sql<DisputeRow>(`${listQuery} ORDER BY d.purchase_id DESC LIMIT ?`).all(limit).map(toListedDispute);
  }

  /** Open ones, the oldest first. */
  open(): ListedDispute[] {
    return this.#db
      .sql<DisputeRow>(`${listQuery} WHERE ${isInDispute} ORDER BY d.purchase_id`)
      .all()
      .map(toListedDispute);
  }
}

function toListedDispute(row: DisputeRow): ListedDispute {
  return {
    purchaseId: row.purchase_id,
    runId: row.run_id,
    service: row.service,
    currency: row.currency,
    agreed: row.agreed,
    stated: row.stated,
    exceeded: row.exceeded,
    at: row.at,
    counted: row.charged,
    isUnderWay: row.run_state === 'open',
  };
}
