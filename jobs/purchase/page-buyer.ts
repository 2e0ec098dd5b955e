// The money of one check: reserves its worst case, opens and settles purchases of pages, gives back what is left.
import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import type { WindowKeys } from '../../db/ledger/budget-windows.ts';
import type { OpenPurchase, PurchaseSettlement } from '../../db/ledger/ledger-orders.ts';
import { isSimulated, type JobContext } from '../context.ts';
import { isAlive } from '../ownership.ts';
import type { PageJob } from '../queue/queue.ts';
import { retryLimits } from '../retry.ts';
import { shortBudget, windowKeysAt } from './money.ts';
import { type NextPurchase, PagePurchases } from './page-purchases.ts';
import { type PurchaseRef, type SettledPurchase, settlePurchase } from './settlement.ts';

/** Credits that are set aside for a check. */
export interface PageReservation {
  readonly id: number;
  /** Neither spent nor released; null where unknown. */
  readonly left: number | null;
  /** The windows that it counts in. */
  readonly keys: WindowKeys;
  /** How many pages the check may still buy. */
  readonly pagesAtMost: number;
}

interface Reserved {
  readonly reservation: PageReservation | null;
  /** Why the budget has no room; null where it has. */
  readonly short: string | null;
}

type Unbought =
  | { readonly kind: 'short'; readonly reason: string; readonly reservation: PageReservation | null }
  /** Another living process is buying this page. */
  | { readonly kind: 'elsewhere'; readonly reservation: PageReservation | null };

/** `ready`: its credit is reserved. `exhausted`: it may have been charged as often as it may be. */
export type PreparedPurchase =
  | { readonly kind: 'ready'; readonly reservation: PageReservation | null }
  | { readonly kind: 'exhausted'; readonly reason: string }
  | Unbought;

export type OpenedPurchase =
  | ({ readonly kind: 'open'; readonly reservation: PageReservation | null } & OpenPurchase)
  | Unbought;

/** Holds no state. Call its methods inside transactions. */
export class PageBuyer {
  readonly #context: JobContext;
  readonly #check: PlannedCheck;
  readonly #moment: number;
  readonly purchases: PagePurchases;

  constructor(context: JobContext, check: PlannedCheck, moment: number) {
    this.#context = context;
    this.#check = check;
    this.#moment = moment;
    this.purchases = new PagePurchases(context, check, moment);
  }

  /**
   * Reserves what the purchase needs: `pagesAtMost` the first time, one more credit where an attempt goes beyond that.
   */
  prepare(purchase: NextPurchase, reservation: PageReservation | null, pagesAtMost: number): PreparedPurchase {
    const at = this.#context.clock.now();
    if (this.purchases.chargedAttempts(purchase) >= retryLimits.attemptsMax) {
      return {
        kind: 'exhausted',
        reason: `${retryLimits.attemptsMax} attempts without an answer may have been charged`,
      };
    }
    if (purchase.wasTried && this.#isBoughtElsewhere(purchase.key, at)) return { kind: 'elsewhere', reservation };
    const reserved = this.#reserve(reservation, pagesAtMost, at);
    if (reserved.short !== null) return { kind: 'short', reason: reserved.short, reservation: reserved.reservation };
    return { kind: 'ready', reservation: reserved.reservation };
  }

  /**
   * Opens the purchase of a request that is about to leave. It counts in the windows of this moment: a reservation in
   * past windows moves to them first. `elsewhere` where another process was quicker.
   */
  open(purchase: NextPurchase, before: PageReservation | null): OpenedPurchase {
    const { store, clock } = this.#context;
    const at = clock.now();
    if (before === null) throw new Error('a purchase needs a reservation');
    const isPast = !isInWindows(before, windowKeysAt(at, this.#context.timezone));
    const { reservation, short } = isPast
      ? this.#reserve(before, before.pagesAtMost, at)
      : { reservation: before, short: null };
    if (short !== null || reservation === null) return { kind: 'short', reason: short ?? '', reservation };
    const intent = {
      reservationId: reservation.id,
      service: this.#check.market.service,
      requestKey: purchase.key,
      searchId: this.#check.searchId,
      moment: this.#moment,
      page: purchase.page,
      price: 1,
      isSimulated: isSimulated(this.#context, this.#check.market.service, 'serp_credit'),
      at,
    };
    const first = purchase.wasTried ? null : store.ledger.openFirst(intent);
    if (first !== null) return { kind: 'open', reservation, ...first };
    if (store.purchaseAttempts.isPaid(purchase.key) || this.#isBoughtElsewhere(purchase.key, at)) {
      return { kind: 'elsewhere', reservation };
    }
    return { kind: 'open', reservation, ...store.ledger.open(intent) };
  }

  settle(purchase: NextPurchase, purchaseId: number, settlement: PurchaseSettlement): SettledPurchase {
    return settlePurchase(this.#context, this.ref(purchase, purchaseId), settlement);
  }

  /** A purchase of this check, as the log names it. */
  ref({ page, key }: NextPurchase, purchaseId: number): PurchaseRef {
    const { id: checkId, runId, market } = this.#check;
    return { runId, checkId, service: market.service, purchaseId, requestKey: key, page };
  }

  release(reservation: PageReservation | null): void {
    if (reservation === null || reservation.left === 0) return;
    this.#context.store.ledger.release(reservation.id, this.#context.clock.now());
  }

  request(page: number): PageJob['request'] {
    const { country, language, device, location } = this.#check.market;
    const where = location === undefined ? {} : { location };
    return { keyword: this.#check.keyword, country, language, mobile: device === 'mobile', page, ...where };
  }

  #isBoughtElsewhere(requestKey: string, at: number): boolean {
    const other = this.#context.store.purchaseAttempts.otherBuyer(requestKey, this.#check.runId);
    return other !== null && isAlive(other.owner, other.heartbeatAt, at);
  }

  /** Makes sure that a credit is reserved and unused in the windows of this moment. */
  #reserve(before: PageReservation | null, pagesAtMost: number, at: number): Reserved {
    const { store, timezone } = this.#context;
    const keys = windowKeysAt(at, timezone);
    if (before !== null && isInWindows(before, keys)) {
      const short = store.ledger.ensure(before.id, 1, at);
      return { reservation: { ...before, left: null, pagesAtMost }, short: short && shortBudget(short, 1) };
    }
    this.release(before);
    const reserved = store.ledger.reserve({
      runId: this.#check.runId,
      checkId: this.#check.id,
      currency: 'serp_credit',
      amount: pagesAtMost,
      at,
      keys,
    });
    if (!reserved.ok) return { reservation: null, short: shortBudget(reserved.short, pagesAtMost) };
    return { reservation: { id: reserved.id, left: null, keys, pagesAtMost }, short: null };
  }
}

function isInWindows({ keys }: PageReservation, { day, month }: WindowKeys): boolean {
  return keys.day === day && keys.month === month;
}
