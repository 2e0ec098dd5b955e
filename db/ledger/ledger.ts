// Money: reservations, purchases and the append-only ledger. Call inside a transaction. Bench: `throughput`.

import type { Connection } from '../connection/client.ts';

import { currencies, hasKeySql, hasStateSql, purchaseStates, storedKey } from '../schema/money-codes.ts';
import type { TableRow } from '../schema/rows.ts';
import {
  type BudgetWindowRow,
  BudgetWindows,
  type Caps,
  type Currency,
  type WindowKeys,
  type WindowRoom,
} from './budget-windows.ts';
import { ledgerIdentity } from './ledger-head.ts';
import { keepPurchaseSource, type PurchaseSource } from './purchases.ts';
import { bookStated, type PriceDispute } from './reconciliations.ts';
import type { RunFence } from './run-fence.ts';

interface ReservationRequest {
  readonly runId: number;
  readonly checkId: number | null;
  /** Without a check: how many keywords of the request each project wants (`reservation_projects`). */
  readonly wantedBy?: ReadonlyMap<string, number>;
  readonly currency: Currency;
  readonly amount: number;
  readonly at: number;
  readonly keys: WindowKeys;
}

/** What was reserved, or the window that is too small for it. */
type ReservationResult =
  | { readonly ok: true; readonly id: number }
  | { readonly ok: false; readonly short: BudgetWindowRow };

interface PurchaseIntent {
  readonly reservationId: number;
  readonly service: string;
  readonly requestKey: string;
  readonly searchId: number | null;
  readonly moment: number;
  readonly page: number | null;
  readonly price: number;
  /** Bought from a source that only simulates. Default: false. */
  readonly isSimulated?: boolean;
  readonly at: number;
}

/** A recorded purchase; `attempt` counts the attempts of its request key from 1. */
export interface OpenPurchase {
  readonly id: number;
  readonly attempt: number;
}

/** What became of a purchase. `free`: proven not charged. `unknown` counts as spent until it is reconciled. */
export interface PurchaseSettlement {
  readonly state: 'paid' | 'free' | 'unknown';
  /** Only with `paid`; at most the price. */
  readonly charged?: number;
  /** The cost that the provider stated, if any. The larger of both is booked. Free purchases have none. */
  readonly stated?: number;
  readonly at: number;
  readonly errorCode?: string;
  readonly message?: string;
  readonly source?: PurchaseSource;
}

/** `left` of its reservation; null where it cost nothing. */
interface SettlementResult {
  readonly left: number | null;
  readonly dispute: PriceDispute | null;
}

/** While a purchase is open; see the schema. */
const twoBytes = 32_767;

interface Reservation extends WindowRoom {
  readonly id: number;
  /** Neither spent nor released. */
  readonly open: number;
}

const reservationColumns = `id, run_id AS runId, currency, day_key AS day, month_key AS month,
  reserved - spent - unknown - released AS open`;
const spendSql = `UPDATE reservations SET spent = spent + ? WHERE id = ? RETURNING ${reservationColumns}`;
const unknownSql = `UPDATE reservations SET unknown = unknown + ? WHERE id = ? RETURNING ${reservationColumns}`;
const releaseSql = 'UPDATE reservations SET released = released + ? WHERE id = ?';

export class Ledger {
  readonly #db: Connection;
  readonly #windows: BudgetWindows;
  readonly #fence: RunFence;

  constructor(db: Connection, caps: Caps, fence: RunFence) {
    this.#db = db;
    this.#fence = fence;
    this.#windows = new BudgetWindows(db, caps);
  }

  /** Sets `amount` aside in every window, or in none and says which is too small. */
  reserve(request: ReservationRequest): ReservationResult {
    this.#fence.check(request.runId);
    const short = this.#windows.take(request.currency, request.runId, request.keys, request.amount);
    if (short !== null) return { ok: false, short };
    const { lastInsertRowid } = this.#db.insert('reservations', {
      runId: request.runId,
      checkId: request.checkId,
      currencyCode: currencies.indexOf(request.currency),
      dayKey: request.keys.day,
      reserved: request.amount,
    });
    const id = Number(lastInsertRowid);
    for (const [project, keywords] of request.wantedBy ?? [])
      this.#db
        .sql(
          'INSERT INTO reservation_projects (reservation_id, project_id, keywords) SELECT ?, id, ? FROM projects WHERE name = ?',
        )
        .run(id, keywords, project);
    this.#db.chain.append({
      at: request.at,
      reservationId: id,
      purchaseId: null,
      kind: 'reserve',
      currency: request.currency,
      amount: request.amount,
    });
    return { ok: true, id };
  }

  /** Ensures that at least `amount` of the reservation is unused, and takes the missing part from its windows. */
  ensure(reservationId: number, amount: number, at: number): BudgetWindowRow | null {
    const reservation = this.#reservation(reservationId);
    const missing = amount - reservation.open;
    if (missing <= 0) return null;
    const short = this.#windows.take(reservation.currency, reservation.runId, reservation.keys, missing);
    if (short !== null) return short;
    this.#db.sql('UPDATE reservations SET reserved = reserved + ? WHERE id = ?').run(missing, reservationId);
    this.#db.chain.append({
      at,
      reservationId,
      purchaseId: null,
      kind: 'reserve',
      currency: reservation.currency,
      amount: missing,
    });
    return null;
  }

  /** Records the intent to buy. It is durable when the transaction ends; only then may the request leave. */
  open(intent: PurchaseIntent): OpenPurchase {
    // a separate count, as attempts are numbered without gaps: in one statement SQLite would plan it per key, at five
    // times the cost
    const last = this.#db
      .sql<{ n: number }>(`SELECT count(*) AS n FROM purchases p WHERE ${hasKeySql('p', '@key')}`)
      .get({ key: storedKey(intent.requestKey) });
    const attempt = (last?.n ?? 0) + 1;
    return { id: this.#openAs(intent, attempt), attempt };
  }

  /** The same for what was not tried before; null, and nothing changed, where it was. */
  openFirst(intent: PurchaseIntent): OpenPurchase | null {
    const isTried = this.#db
      .sql(`SELECT 1 FROM purchases p WHERE ${hasKeySql('p', '@key')} LIMIT 1`)
      .get({ key: storedKey(intent.requestKey) });
    return isTried === undefined ? { id: this.#openAs(intent, 1), attempt: 1 } : null;
  }

  /** Moves what the purchase cost from reserved to spent. Each purchase is settled once. */
  settle(purchaseId: number, settlement: PurchaseSettlement): SettlementResult {
    this.#fence.checkPurchase(purchaseId);
    const { state, at, errorCode = null, message = null, source } = settlement;
    const agreed = state === 'free' ? 0 : state === 'unknown' ? null : (settlement.charged ?? null);
    const dispute =
      settlement.stated === undefined || state === 'free'
        ? null
        : bookStated(this.#db, this.#windows, { purchaseId, agreed, stated: settlement.stated, at });
    const asked = dispute?.stated ?? agreed;
    const purchase = this.#db
      .sql<TableRow<'purchases', 'charged' | 'reservationId'>>(
        `UPDATE purchases SET state_code = ?, charged = coalesce(?, price), open_ms = ? - opened_at, error_code = ?, message = ?
         WHERE id = ? AND state = 'open' RETURNING charged, reservation_id AS reservationId`,
      )
      .get(purchaseStates.indexOf(state), asked, at, errorCode, message, purchaseId);
    if (purchase === undefined) throw new Error(`purchase ${purchaseId} is not open: it cannot be settled again`);
    if (source !== undefined) keepPurchaseSource(this.#db, purchaseId, source);
    const charged = purchase.charged;
    if (charged === 0) return { left: null, dispute };
    const kind = state === 'unknown' ? 'unknown' : 'spend';
    const reservation = this.#taken(kind === 'spend' ? spendSql : unknownSql, charged, purchase.reservationId);
    this.#windows.move(reservation, -charged, charged);
    this.#db.chain.append({
      at,
      reservationId: reservation.id,
      purchaseId,
      kind,
      currency: reservation.currency,
      amount: charged,
    });
    return { left: reservation.open, dispute };
  }

  /** Gives back what the reservation did not use. Its purchases must be settled. */
  release(reservationId: number, at: number): void {
    const reservation = this.#reservation(reservationId);
    if (reservation.open === 0) return;
    this.#db.sql(releaseSql).run(reservation.open, reservationId);
    this.#windows.move(reservation, -reservation.open, 0);
    this.#db.chain.append({
      at,
      reservationId,
      purchaseId: null,
      kind: 'release',
      currency: reservation.currency,
      amount: reservation.open,
    });
  }

  /**
   * After a crash: settles the purchases that a dead process left open in a run, and releases its reservations. A
   * request that may have left is `unknown`, unless it is recorded as simulated. Returns the number of unknown
   * purchases.
   */
  recover(runId: number, at: number): number {
    this.#fence.check(runId);
    let unknown = 0;
    const open = this.#db
      .sql<TableRow<'purchases', 'id' | 'simulated'>>(
        `SELECT p.id, p.simulated FROM purchases p JOIN reservations r ON r.id = p.reservation_id
         WHERE ${hasStateSql('p', 'open')} AND r.run_id = ?`,
      )
      .all(runId);
    for (const purchase of open) {
      const free = purchase.simulated === 1;
      if (!free) unknown += 1;
      this.settle(purchase.id, {
        state: free ? 'free' : 'unknown',
        at,
        errorCode: 'INTERRUPTED',
        message: 'the process ended before the answer was recorded',
      });
    }
    const reservations = this.#db
      .sql<TableRow<'reservations', 'id'>>(
        'SELECT id FROM reservations WHERE run_id = ? AND reserved > spent + unknown + released',
      )
      .all(runId);
    for (const reservation of reservations) this.release(reservation.id, at);
    return unknown;
  }

  /** Sums of a run's reservations in one currency. */
  totals(runId: number, currency: Currency): { reserved: number; spent: number; unknown: number; released: number } {
    const sums = this.#db
      .sql<{ reserved: number; spent: number; unknown: number; released: number }>(
        `SELECT coalesce(sum(reserved), 0) AS reserved, coalesce(sum(spent), 0) AS spent, coalesce(sum(unknown), 0) AS unknown,
                coalesce(sum(released), 0) AS released FROM reservations WHERE run_id = ? AND currency = ?`,
      )
      .get(runId, currency);
    return sums ?? { reserved: 0, spent: 0, unknown: 0, released: 0 };
  }

  spentBy(runId: number, currency: Currency): number {
    return this.#windows.spentBy(runId, currency);
  }

  /** The windows that a run at this moment would draw on, whether used yet or not. */
  windows(runKey: string, keys: WindowKeys): BudgetWindowRow[] {
    return this.#windows.list(runKey, keys);
  }

  wasRaised(runKey: string, keys: WindowKeys): boolean {
    return this.#windows.wasRaised(runKey, keys);
  }

  /** See ledgerIdentity. The ledger must have an entry. */
  identity(): string {
    const identity = ledgerIdentity(this.#db);
    if (identity === null) throw new Error('a ledger without an entry has no identity yet');
    return identity;
  }

  unknownPurchases(): number {
    const isOpen = `${hasStateSql('p', 'unknown')} AND p.reconciled IS NULL`;
    return this.#db.number(`SELECT count(*) FROM purchases p WHERE ${isOpen}`);
  }

  #openAs(intent: PurchaseIntent, attempt: number): number {
    this.#fence.checkReservation(intent.reservationId);
    this.#db.assertSameFile();
    const { reservationId, service, requestKey, searchId, moment, page, price, isSimulated = false, at } = intent;
    const { lastInsertRowid } = this.#db.insert('purchases', {
      reservationId,
      service,
      key: storedKey(requestKey),
      attempt,
      searchId,
      moment,
      page,
      price,
      simulated: isSimulated ? 1 : 0,
      stateCode: purchaseStates.indexOf('open'),
      openedAt: at,
      openMs: twoBytes,
    });
    return Number(lastInsertRowid);
  }

  #reservation(id: number): Reservation {
    const row = this.#db.sql<WindowRow>(`SELECT ${reservationColumns} FROM reservations WHERE id = ?`).get(id);
    if (row === undefined) throw new Error(`no reservation has the id ${id}`);
    const reservation = toReservation(row);
    this.#fence.check(reservation.runId);
    return reservation;
  }

  /** Takes an amount out of the open part, and returns the updated reservation. */
  #taken(update: string, amount: number, id: number): Reservation {
    const row = this.#db.sql<WindowRow>(update).get(amount, id);
    if (row === undefined) throw new Error(`no reservation has the id ${id}`);
    return toReservation(row);
  }
}

type WindowRow = TableRow<'reservations', 'id' | 'runId' | 'currency'> & { day: string; month: string; open: number };

function toReservation({ day, month, ...reservation }: WindowRow): Reservation {
  return { ...reservation, keys: { day, month } };
}
