// Settles unknown purchases and disputed prices later: confirms, refunds, books. Call inside a transaction.

import type { Market } from '../../src/tracker/project.ts';
import type { Connection } from '../connection/client.ts';
import { marketIn } from '../connection/names.ts';
import { and, count, desc, eq, gt, isNull, sql, total } from '../schema/drizzle.ts';
import { priceDisputes, purchases, reservations } from '../schema/money.ts';
import { hasKeySql, hasStateSql } from '../schema/money-codes.ts';
import { keywords, markets, searches } from '../schema/names.ts';
import type { TableRow } from '../schema/rows.ts';
import { runs } from '../schema/runs.ts';
import { BudgetWindows, type Caps, type Currency, type WindowRoom } from './budget-windows.ts';

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

/**
 * A dispute as it stands today. `counted`: what the ledger counts, the stated price, or less once the operator has
 * settled it. `isUnderWay`: its run is still open.
 */
export type ListedDispute = ReturnType<PriceDisputes['open']>[number];

/** The open disputes with one service, summed up. */
export interface DisputeTotals extends Pick<PriceDispute, 'service' | 'currency'> {
  readonly purchases: number;
  readonly agreed: number;
  readonly stated: number;
  /** Of the one that exceeded the budget the most. */
  readonly exceeded: number;
}

type PurchaseRow = TableRow<'purchases', 'price' | 'service' | 'state'> &
  TableRow<'reservations', 'id' | 'runId' | 'currency' | 'dayKey' | 'monthKey'>;

/** What is settled: `agreed` is null where nothing but the price of the purchase is known. */
interface StatedPrice {
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
      `SELECT p.price, p.service, p.state, r.id, r.run_id AS runId, r.currency, r.day_key AS dayKey, r.month_key AS monthKey FROM purchases p JOIN reservations r ON r.id = p.reservation_id
       WHERE p.id = ? AND (p.state = 'open' OR (p.state = 'unknown' AND p.reconciled IS NULL)) AND p.simulated = 0`,
    )
    .get(purchaseId);
  if (purchase === undefined) return null;
  const price = purchase.price;
  const agreed = known ?? price;
  const currency = purchase.currency;
  const stated = Math.min(named, bookedMax[currency]);
  if (stated <= agreed) return null;
  const runId = purchase.runId;
  const amount = stated - price;
  let exceeded = 0;
  if (amount > 0) {
    const reservationId = purchase.id;
    const keys = { day: purchase.dayKey, month: purchase.monthKey };
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
  db.insert(
    'price_disputes',
    { purchaseId, runId, agreed, stated, exceeded, at },
    `ON CONFLICT (purchase_id) DO UPDATE SET stated = excluded.stated, exceeded = max(exceeded, excluded.exceeded), at = excluded.at`,
  );
  return { purchaseId, runId, service: purchase.service, currency, agreed, stated, exceeded, at };
}

/** The operator has settled it neither at the agreed price nor as free. */
const isInDispute = () => gt(purchases.charged, priceDisputes.agreed);

export class PriceDisputes {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Open ones of one run, or with null of all runs, by service and currency. */
  totals(runId: number | null = null): DisputeTotals[] {
    const { agreed, stated, exceeded } = priceDisputes;
    const { service } = purchases;
    const { currency } = reservations;
    return this.#db.drizzle
      .select({
        service,
        currency,
        purchases: count(),
        agreed: total(agreed),
        stated: total(stated),
        exceeded: sql<number>`max(${exceeded})`,
      })
      .from(priceDisputes)
      .innerJoin(purchases, eq(purchases.id, priceDisputes.purchaseId))
      .innerJoin(reservations, eq(reservations.id, purchases.reservationId))
      .where(and(isInDispute(), runId === null ? undefined : eq(priceDisputes.runId, runId)))
      .groupBy(service, currency)
      .orderBy(service, currency)
      .all();
  }

  /** Open and settled ones, the newest first. */
  newest(limit: number) {
    return this.#select().orderBy(desc(priceDisputes.purchaseId)).limit(limit).all();
  }

  /** Open ones, the oldest first. */
  open() {
    return this.#select().where(isInDispute()).orderBy(priceDisputes.purchaseId).all();
  }

  #select() {
    const { purchaseId, runId, agreed, stated, exceeded, at } = priceDisputes;
    const { service, charged: counted } = purchases;
    const { currency } = reservations;
    const isUnderWay = sql<boolean>`${runs.state} = 'open'`.mapWith(Boolean);
    return this.#db.drizzle
      .select({ purchaseId, runId, service, currency, agreed, stated, exceeded, at, counted, isUnderWay })
      .from(priceDisputes)
      .innerJoin(purchases, eq(purchases.id, priceDisputes.purchaseId))
      .innerJoin(reservations, eq(reservations.id, purchases.reservationId))
      .innerJoin(runs, eq(runs.id, priceDisputes.runId));
  }
}

export type ReconciledAs = 'charged' | 'free';

/**
 * A purchase whose outcome is unknown: it counts as spent. `isUnderWay`: its run is still open, and its process may
 * learn the outcome when it retries. `page`: null if it was no page of a search.
 */
export type UnknownAttempt = ReturnType<typeof unknownAttempts>[number];

export interface UnknownPage {
  readonly searchId: number;
  /** Of the run that it was for, UTC milliseconds. */
  readonly moment: number;
  readonly keyword: string;
  readonly market: Market;
  readonly page: number;
}

/** Purchases that are still unknown, oldest first. */
export function unknownAttempts(db: Connection) {
  return db.drizzle
    .select({ purchase: purchases, reservation: reservations, run: runs, keyword: keywords.text, market: markets })
    .from(purchases)
    .innerJoin(reservations, eq(reservations.id, purchases.reservationId))
    .innerJoin(runs, eq(runs.id, reservations.runId))
    .leftJoin(searches, eq(searches.id, purchases.searchId))
    .leftJoin(keywords, eq(keywords.id, searches.keywordId))
    .leftJoin(markets, eq(markets.id, searches.marketId))
    .where(and(sql.raw(hasStateSql('purchases', 'unknown')), isNull(purchases.reconciled)))
    .orderBy(purchases.id)
    .all()
    .map(({ purchase, reservation, run, keyword, market }) => {
      const { id: purchaseId, service, requestKey, openedAt, charged: amount, errorCode, page, searchId } = purchase;
      const { currency, dayKey } = reservation;
      const { moment } = run;
      const isPage = keyword !== null && market !== null && page !== null && searchId !== null;
      const requested: UnknownPage | null = isPage
        ? { searchId, moment, keyword, market: marketIn(market), page }
        : null;
      const isUnderWay = run.state === 'open';
      return {
        purchaseId,
        service,
        requestKey,
        openedAt,
        amount,
        currency,
        dayKey,
        errorCode,
        isUnderWay,
        page: requested,
      };
    });
}

export class Reconciliations {
  readonly #db: Connection;
  readonly #windows: BudgetWindows;

  constructor(db: Connection, caps: Caps) {
    this.#db = db;
    this.#windows = new BudgetWindows(db, caps);
  }

  unknown(): UnknownAttempt[] {
    return unknownAttempts(this.#db);
  }

  /** Counts what a provider states for an unknown purchase where that is more than is counted; null where it is not. */
  book(purchaseId: number, stated: number, at: number): PriceDispute | null {
    return bookStated(this.#db, this.#windows, { purchaseId, agreed: null, stated, at });
  }

  /**
   * Settles an unknown purchase for good; `charged` is its cost, 0 if it was free. False if it is no longer unknown.
   */
  settle(purchaseId: number, as: ReconciledAs, charged: number, at: number): boolean {
    const purchase = this.#db
      .sql<
        TableRow<'purchases', 'charged'> & TableRow<'reservations', 'id' | 'runId' | 'currency' | 'dayKey' | 'monthKey'>
      >(
        `SELECT p.charged, r.id, r.run_id AS runId, r.currency, r.day_key AS dayKey, r.month_key AS monthKey FROM purchases p JOIN reservations r ON r.id = p.reservation_id
         WHERE p.id = ? AND p.state = 'unknown' AND p.reconciled IS NULL`,
      )
      .get(purchaseId);
    if (purchase === undefined) return false;
    const counted = purchase.charged;
    const confirmed = as === 'free' ? 0 : Math.min(charged, counted);
    const refunded = counted - confirmed;
    const reservationId = purchase.id;
    this.#db
      .sql('UPDATE purchases SET reconciled = ?, reconciled_at = ?, charged = ? WHERE id = ?')
      .run(as, at, confirmed, purchaseId);
    this.#db
      .sql('UPDATE reservations SET unknown = unknown - ?, spent = spent + ?, released = released + ? WHERE id = ?')
      .run(counted, confirmed, refunded, reservationId);
    if (refunded > 0) this.#windows.giveBack(toWindowRoom(purchase), refunded);
    const entry = { at, reservationId, purchaseId, currency: purchase.currency };
    if (confirmed > 0) this.#db.chain.append({ ...entry, kind: 'confirm', amount: confirmed });
    if (refunded > 0) this.#db.chain.append({ ...entry, kind: 'refund', amount: refunded });
    return true;
  }

  /**
   * Settles a purchase whose price is in dispute at the agreed price: its bill does not have the higher one. What it
   * counted beyond returns to its windows. False if no price of it is in dispute.
   */
  settleAsAgreed(purchaseId: number, at: number): boolean {
    const purchase = this.#db
      .sql<
        TableRow<'purchases', 'charged' | 'state' | 'reconciled'> &
          TableRow<'price_disputes', 'agreed'> &
          TableRow<'reservations', 'id' | 'runId' | 'currency' | 'dayKey' | 'monthKey'>
      >(
        `SELECT p.charged, p.state, p.reconciled, d.agreed, r.id, r.run_id AS runId, r.currency, r.day_key AS dayKey, r.month_key AS monthKey
         FROM price_disputes d JOIN purchases p ON p.id = d.purchase_id JOIN reservations r ON r.id = p.reservation_id
         WHERE p.id = ? AND p.state <> 'open' AND p.charged > d.agreed`,
      )
      .get(purchaseId);
    if (purchase === undefined) return false;
    const { agreed, charged } = purchase;
    if (purchase.state === 'unknown' && purchase.reconciled === null)
      return this.settle(purchaseId, 'charged', agreed, at);
    const returned = charged - agreed;
    const reservationId = purchase.id;
    this.#db.sql('UPDATE purchases SET charged = ? WHERE id = ?').run(agreed, purchaseId);
    this.#db
      .sql('UPDATE reservations SET spent = spent - ?, released = released + ? WHERE id = ?')
      .run(returned, returned, reservationId);
    this.#windows.giveBack(toWindowRoom(purchase), returned);
    this.#db.chain.append({
      at,
      reservationId,
      purchaseId,
      kind: 'release',
      currency: purchase.currency,
      amount: returned,
    });
    return true;
  }

  /** When a retry gained the first page of a run of this moment, at `since` or later; null: never. */
  firstGained(moment: number, since: number): number | null {
    const row = this.#db
      .sql<{ first: number | null }>(
        `SELECT min(g.observed_at) AS first FROM purchases p JOIN pages g ON g.purchase_id = p.id
         WHERE ${hasStateSql('p', 'unknown')} AND p.reconciled = 'charged' AND g.moment = ? AND g.observed_at >= ?`,
      )
      .get(moment, since);
    return row?.first ?? null;
  }

  /**
   * For a provider that charges a key once: settles earlier unknown attempts of the key, opened at `since` or later, as
   * free, because this one carries the charge. Returns their ids.
   */
  freeEarlier(purchaseId: number, since: number, at: number): number[] {
    const earlier = this.#db
      .sql<TableRow<'purchases', 'id'>>(
        `SELECT e.id FROM purchases p JOIN purchases e ON ${hasKeySql('e', 'p.key')} AND e.attempt < p.attempt
         WHERE p.id = ? AND e.state = 'unknown' AND e.reconciled IS NULL AND e.opened_at BETWEEN ? AND ? ORDER BY e.id`,
      )
      .all(purchaseId, since, at)
      .map((row) => row.id);
    return earlier.filter((id) => this.settle(id, 'free', 0, at));
  }
}

function toWindowRoom(row: TableRow<'reservations', 'runId' | 'currency' | 'dayKey' | 'monthKey'>): WindowRoom {
  return {
    runId: row.runId,
    currency: row.currency,
    keys: { day: row.dayKey, month: row.monthKey },
  };
}
