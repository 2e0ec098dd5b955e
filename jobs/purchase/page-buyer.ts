// The money of one check: its purchases, the credits reserved for it, and what is given back.

import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import type { Pages } from '../../db/history/checks/pages.ts';
import type { RunRow } from '../../db/history/runs/runs.ts';
import type { WindowKeys } from '../../db/ledger/budget-windows.ts';
import type { OpenPurchase, PurchaseSettlement } from '../../db/ledger/ledger.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { creditsAtMost, isCheaperAtOnce, type PageNeed, type PagesAtOnce } from '../../src/tracker/paging.ts';
import { firstPageCredits, isSimulated, type JobContext, soldAtOnce } from '../context.ts';
import { isAlive } from '../ownership.ts';
import type { PageJob } from '../queue/queue.ts';
import { furtherTries, retryLimits } from '../retry.ts';
import { boughtMarket, pageKey, rangeKey, shortBudget, windowKeysAt } from './money.ts';
import { keepsKeys, keysKeptMs, type PurchaseRef, type SettledPurchase, settlePurchase } from './settlement.ts';

/** Attempts that ended with our own process and are not counted. A page that kills the process each time must end. */
const interruptionsMax = 10;
/** The shortest time between an answer that was of no use and the next purchase of the page. */
const repurchasePauseMs = 5000;

/**
 * The purchase of a page that may be made now: the first one without an answer, so that a restart buys nothing twice.
 */
export interface NextPurchase {
  /** The page that is needed. */
  readonly page: number;
  /** Pages 1 to this one are bought at once; absent: the page alone. */
  readonly through?: number;
  /** From 1. */
  readonly number: number;
  readonly key: string;
  /** An attempt under this key was recorded. */
  readonly wasTried: boolean;
  /** Nothing is left to buy: this purchase and all before it were answered. */
  readonly isOver: boolean;
}

/** Whether an answer was received that is of no use, and the page may be bought once more. */
export function mayBuyAgain({ number, isOver }: NextPurchase): boolean {
  return number > 1 && !isOver;
}

/** Whether nothing was ever sent for the page. */
function isFirst({ number, wasTried }: NextPurchase): boolean {
  return number === 1 && !wasTried;
}

/** The pages of a purchase. */
export type AskedPages = Pick<NextPurchase, 'page' | 'through'>;

type UnreadAnswer = NonNullable<ReturnType<Pages['unreadBody']>> & { readonly asked: AskedPages };

/** Credits that are set aside for a check. */
export interface PageReservation {
  readonly id: number;
  /** Neither spent nor released; null where unknown. */
  readonly left: number | null;
  /** The windows that it counts in. */
  readonly keys: WindowKeys;
  /** What the check may still cost. */
  readonly creditsAtMost: number;
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
type PreparedPurchase =
  | { readonly kind: 'ready'; readonly reservation: PageReservation | null }
  | { readonly kind: 'exhausted'; readonly reason: string }
  | Unbought;

type OpenedPurchase =
  | ({ readonly kind: 'open'; readonly reservation: PageReservation | null } & OpenPurchase)
  | Unbought;

/** Holds no state. Call its methods inside transactions. */
export class PageBuyer {
  readonly #context: JobContext;
  readonly #check: PlannedCheck;
  readonly #moment: number;
  /** Attempts and purchases of a page: one more for each further try. */
  readonly #attemptsMax: number;
  readonly #purchasesMax: number;
  readonly #need: PageNeed;
  readonly #atOnce: PagesAtOnce | null;

  /** `expected`: as `PageNeed` has it. */
  constructor(
    context: JobContext,
    check: PlannedCheck,
    { moment, openedAt }: Pick<RunRow, 'moment' | 'openedAt'>,
    expected: number,
  ) {
    this.#context = context;
    this.#check = check;
    this.#moment = moment;
    const further = check.wasTried ? furtherTries(openedAt, context.clock.now()) : 0;
    this.#attemptsMax = retryLimits.attemptsMax + further;
    const { retryUnreadable, services } = context;
    const service = check.seller;
    // a simulated page shows the same again
    this.#purchasesMax =
      services.get(service)?.kind === 'live' ? 1 + (retryUnreadable?.get(service) ?? 1) + further : 1;
    const ofFirst = firstPageCredits(context, service);
    this.#need = { depth: check.depth, expected, creditsOf: (page) => (page === 1 ? ofFirst : 1) };
    this.#atOnce = soldAtOnce(context, service, check.depth);
  }

  /** The worst case of the pages that the check does not have yet: `known` of those down to its depth. */
  creditsAtMost(known: ReadonlySet<number>): number {
    const { depth, creditsOf } = this.#need;
    const missing = Array.from({ length: depth }, (_, index) => index + 1).filter((page) => !known.has(page));
    const single = sumOf(missing, creditsOf);
    const [first] = missing;
    const atMost = first === undefined ? single : Math.min(single, creditsAtMost(this.#atOnce, first, this.#need));
    return Math.max(1, atMost);
  }

  next(page: number): NextPurchase {
    const { purchaseAttempts } = this.#context.store;
    const offers = this.#offers(page);
    for (const [index, offer] of offers.entries()) {
      const wasTried = purchaseAttempts.wasTried(offer.key);
      const isOver = wasTried && purchaseAttempts.answeredAt(offer.key) !== null;
      if (!isOver || index === offers.length - 1) return { page, ...offer, number: index + 1, wasTried, isOver };
    }
    throw new Error('a page can be bought at least once');
  }

  /** The purchases of a page, one after the other: all pages at once where that is cheaper, then the page alone. */
  #offers(page: number): { readonly key: string; readonly through?: number }[] {
    const keyword = this.#context.store.names.boughtKeyword(this.#check.keyword);
    const market = boughtMarket(this.#check.market, this.#check.seller);
    const single = Array.from({ length: this.#purchasesMax }, (_, index) => ({
      key: pageKey(keyword, market, this.#moment, page, index + 1),
    }));
    const atOnce = this.#atOnce;
    if (atOnce === null || page > atOnce.through) return single;
    const { through } = atOnce;
    const key = rangeKey(keyword, market, this.#moment, through);
    const { purchaseAttempts } = this.#context.store;
    // a purchase that was tried is finished, even if history would now choose another
    const isChosen =
      purchaseAttempts.wasTried(key) ||
      (isCheaperAtOnce(atOnce, page, this.#need) && !single.some((one) => purchaseAttempts.wasTried(one.key)));
    return isChosen ? [{ key, through }, ...single] : single;
  }

  /** The credits of several pages at once; undefined: it is a single page. */
  priceAtOnce({ through }: NextPurchase): number | undefined {
    return through === undefined ? undefined : this.#atOnce?.credits;
  }

  /** The most that a purchase costs. */
  #creditsOf(purchase: NextPurchase): number {
    return this.priceAtOnce(purchase) ?? this.#need.creditsOf(purchase.page);
  }

  /**
   * How many attempts of this purchase and those before it were charged, or may have been. Where the provider keeps
   * keys, repeating a key costs nothing more: attempts that ended with our own process do not count, up to a limit.
   */
  chargedAttempts(purchase: NextPurchase): number {
    if (isFirst(purchase)) return 0;
    const { store, clock } = this.#context;
    const { page } = purchase;
    const keys = this.#keysUpTo(purchase);
    const charged = store.purchaseAttempts.chargedAttempts(...keys);
    if (charged === 0 || !keepsKeys(this.#context, { service: this.#check.seller, page })) return charged;
    const now = clock.now();
    return charged - store.purchaseAttempts.interruptedAttempts(keys, now - keysKeptMs, now, interruptionsMax);
  }

  /** Whether as many attempts may have been charged as may be. */
  isExhausted(purchase: NextPurchase): boolean {
    return this.chargedAttempts(purchase) >= this.#attemptsMax;
  }

  /** Milliseconds until the purchase may be made; 0 where it may be made now. */
  pauseMs({ page, number }: NextPurchase): number {
    const before = this.#offers(page)[number - 2];
    // what all pages at once lack is another page
    if (before === undefined || before.through !== undefined) return 0;
    const answeredAt = this.#context.store.purchaseAttempts.answeredAt(before.key);
    return answeredAt === null ? 0 : Math.max(0, answeredAt + repurchasePauseMs - this.#context.clock.now());
  }

  /** The newest answer that was received and not used, and the pages in it; null where there is none. */
  unread(purchase: NextPurchase): UnreadAnswer | null {
    if (isFirst(purchase)) return null;
    const { page, number } = purchase;
    for (const { key, ...pages } of this.#offers(page).slice(0, number).reverse()) {
      const unread = this.#context.store.pages.unreadBody(key);
      if (unread !== null) return { ...unread, asked: { page, ...pages } };
    }
    return null;
  }

  /** Whether a purchase of the page may have been charged, and nothing proves it. */
  mayHavePaid(page: number): boolean {
    const { purchaseAttempts } = this.#context.store;
    return this.#keysUpTo(this.next(page)).some(
      (key) => purchaseAttempts.chargedAttempts(key) > 0 && !purchaseAttempts.isPaid(key),
    );
  }

  /**
   * Reserves what the purchase needs: `creditsAtMost` the first time, its own credits where an attempt goes beyond
   * that.
   */
  prepare(purchase: NextPurchase, reservation: PageReservation | null, creditsAtMost: number): PreparedPurchase {
    const at = this.#context.clock.now();
    if (this.isExhausted(purchase)) {
      const reason = `${this.#attemptsMax} attempts without an answer may have been charged`;
      return { kind: 'exhausted', reason };
    }
    if (purchase.wasTried && this.#isBoughtElsewhere(purchase.key, at)) return { kind: 'elsewhere', reservation };
    const reserved = this.#reserve(purchase, reservation, creditsAtMost, at);
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
      ? this.#reserve(purchase, before, before.creditsAtMost, at)
      : { reservation: before, short: null };
    if (short !== null || reservation === null) return { kind: 'short', reason: short ?? '', reservation };
    const intent = {
      reservationId: reservation.id,
      service: this.#check.seller,
      requestKey: purchase.key,
      searchId: this.#check.searchId,
      moment: this.#moment,
      page: purchase.through === undefined ? purchase.page : 1,
      price: this.#creditsOf(purchase),
      isSimulated: isSimulated(this.#context, this.#check.seller, 'serp_credit'),
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
  ref({ page, through, key }: NextPurchase, purchaseId: number): PurchaseRef {
    const { id: checkId, runId, seller } = this.#check;
    return {
      runId,
      checkId,
      service: seller,
      purchaseId,
      requestKey: key,
      page: through === undefined ? page : 1,
    };
  }

  release(reservation: PageReservation | null): void {
    if (reservation === null || reservation.left === 0) return;
    this.#context.store.ledger.release(reservation.id, this.#context.clock.now());
  }

  request({ page, through }: AskedPages): PageJob['request'] {
    const { country, language, device, location } = this.#check.market;
    const where = location === undefined ? {} : { location };
    const pages = through === undefined ? { page } : { page, through };
    return { keyword: this.#check.keyword, country, language, mobile: device === 'mobile', ...pages, ...where };
  }

  #keysUpTo({ page, number }: NextPurchase): string[] {
    return this.#offers(page)
      .slice(0, number)
      .map(({ key }) => key);
  }

  #isBoughtElsewhere(requestKey: string, at: number): boolean {
    const other = this.#context.store.purchaseAttempts.otherBuyer(requestKey, this.#check.runId, this.#check.searchId);
    return other !== null && isAlive(other.owner, other.heartbeatAt, at);
  }

  /** Makes sure that the credits of a page are reserved and unused in the windows of this moment. */
  #reserve(purchase: NextPurchase, before: PageReservation | null, creditsAtMost: number, at: number): Reserved {
    const credits = this.#creditsOf(purchase);
    const { store, timezone } = this.#context;
    const keys = windowKeysAt(at, timezone);
    if (before !== null && isInWindows(before, keys)) {
      const short = store.ledger.ensure(before.id, credits, at);
      return { reservation: { ...before, left: null, creditsAtMost }, short: short && shortBudget(short, credits) };
    }
    this.release(before);
    const reserved = store.ledger.reserve({
      runId: this.#check.runId,
      checkId: this.#check.doubles ?? this.#check.id,
      currency: 'serp_credit',
      amount: creditsAtMost,
      at,
      keys,
    });
    if (!reserved.ok) return { reservation: null, short: shortBudget(reserved.short, creditsAtMost) };
    return { reservation: { id: reserved.id, left: null, keys, creditsAtMost }, short: null };
  }
}

function isInWindows({ keys }: PageReservation, { day, month }: WindowKeys): boolean {
  return keys.day === day && keys.month === month;
}
