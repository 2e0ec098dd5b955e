// The money of one check: reserves its worst case, opens a purchase for each page, gives back what is left. What a page proves is left to others.
import type { PlannedCheck } from '../db/checks.ts';
import type { OpenPurchase, Settlement, WindowKeys } from '../db/ledger.ts';
import { isSimulated, type JobContext } from './context.ts';
import { shortBudget, windowKeysAt } from './money.ts';
import { isAlive } from './ownership.ts';
import { PageLooks } from './page-looks.ts';
import type { PageJob } from './queue.ts';
import { retryLimits } from './retry.ts';
import type { ServiceStop } from './service-lines.ts';
import { type PurchaseRef, settlePurchase } from './settlement.ts';

/**
 * What became of the wish to buy a page. `ready`: its credit is reserved. `short`: the budget has no room; nothing was changed. `exhausted`: it
 * may have been charged as often as it may be. `elsewhere`: another living process is buying the very page.
 */
export type PurchaseStep =
  | { readonly kind: 'ready' }
  | { readonly kind: 'short'; readonly reason: string }
  | { readonly kind: 'exhausted'; readonly reason: string }
  | { readonly kind: 'elsewhere' };

export type OpenedPage =
  | ({ readonly kind: 'open' } & OpenPurchase)
  | { readonly kind: 'short'; readonly reason: string }
  | { readonly kind: 'elsewhere' };

/** Its methods belong inside transactions. */
export class PageBuyer {
  readonly #context: JobContext;
  readonly #check: PlannedCheck;
  readonly #moment: number;
  readonly looks: PageLooks;
  #reservationId: number | null = null;
  /** What is left of the reservation, where that is known. */
  #left: number | null = null;
  /** The windows that it is reserved in, and how much is still to be bought at most. */
  #keys: WindowKeys | null = null;
  #pagesAtMost = 1;
  #overpriced: ServiceStop | null = null;

  constructor(context: JobContext, check: PlannedCheck, moment: number) {
    this.#context = context;
    this.#check = check;
    this.#moment = moment;
    this.looks = new PageLooks(context, check, moment);
  }

  /** The way back to this moment. */
  mark(): () => void {
    const before = [this.#reservationId, this.#left, this.#keys, this.#pagesAtMost] as const;
    const overpriced = this.#overpriced;
    return () => {
      [this.#reservationId, this.#left, this.#keys, this.#pagesAtMost] = before;
      this.#overpriced = overpriced;
      this.looks.forget();
    };
  }

  /** Why nothing more may be bought from the service: the price that it stated exceeds the budget. */
  get overpriced(): ServiceStop | null {
    return this.#overpriced;
  }

  /** Makes ready to buy the page. The first time it reserves `pagesAtMost`; a try beyond that takes one more from the budget. */
  prepare(page: number, pagesAtMost: number): PurchaseStep {
    const at = this.#context.clock.now();
    const requestKey = this.key(page);
    if (this.looks.chargedTries(page) >= retryLimits.attemptsMax) {
      return { kind: 'exhausted', reason: `${retryLimits.attemptsMax} tries may have been charged without an answer` };
    }
    if (this.looks.wasTried(page) && this.#isBoughtElsewhere(requestKey, at)) return { kind: 'elsewhere' };
    const short = this.#reserve(pagesAtMost, at);
    return short === null ? { kind: 'ready' } : { kind: 'short', reason: short };
  }

  /**
   * Opens the purchase, its request about to leave. It counts in the windows of this moment: where they have turned since it was reserved, the reservation
   * moves to them first. `elsewhere` where another process was quicker.
   */
  open(page: number): OpenedPage {
    const { store, clock } = this.#context;
    const at = clock.now();
    const requestKey = this.key(page);
    if (this.#reservationId === null) throw new Error('a purchase needs a reservation');
    const turned = this.#isTurned(windowKeysAt(at, this.#context.timezone));
    const short = turned ? this.#reserve(this.#pagesAtMost, at) : null;
    if (short !== null || this.#reservationId === null) return { kind: 'short', reason: short ?? '' };
    const intent = {
      reservationId: this.#reservationId,
      service: this.#check.market.service,
      requestKey,
      searchId: this.#check.searchId,
      moment: this.#moment,
      page,
      price: 1,
      isSimulated: isSimulated(this.#context, this.#check.market.service, 'serp_credit'),
      at,
    };
    const first = this.looks.wasTried(page) ? null : store.ledger.openFirst(intent);
    this.looks.opened();
    if (first !== null) return { kind: 'open', ...first };
    if (store.tries.isPaid(requestKey) || this.#isBoughtElsewhere(requestKey, at)) return { kind: 'elsewhere' };
    return { kind: 'open', ...store.ledger.open(intent) };
  }

  settle(page: number, purchaseId: number, settlement: Settlement): void {
    const { left, stop } = settlePurchase(this.#context, this.ref(page, purchaseId), settlement);
    this.#left = left;
    this.#overpriced ??= stop;
    this.looks.forget();
  }

  /** A purchase of this check, as the log names it. */
  ref(page: number, purchaseId: number): PurchaseRef {
    const { id: checkId, runId, market } = this.#check;
    return { runId, checkId, service: market.service, purchaseId, requestKey: this.key(page), page };
  }

  release(): void {
    if (this.#reservationId === null) return;
    if (this.#left !== 0) {
      this.#context.store.ledger.release(this.#reservationId, this.#context.clock.now());
    }
    this.#reservationId = null;
    this.#left = null;
  }

  /** The key of the look at the page that may be bought now. */
  key(page: number): string {
    return this.looks.key(page);
  }

  request(page: number): PageJob['request'] {
    const { country, language, device } = this.#check.market;
    return { keyword: this.#check.keyword, country, language, mobile: device === 'mobile', page };
  }

  /** The page as the queue is given it; `at`: the moment to show. */
  job(page: number, at: number): PageJob {
    const { market, sequence: order } = this.#check;
    return { service: market.service, request: this.request(page), at, requestKey: this.key(page), order };
  }

  #isBoughtElsewhere(requestKey: string, at: number): boolean {
    const other = this.#context.store.tries.otherBuyer(requestKey, this.#check.runId);
    return other !== null && isAlive(other.owner, other.heartbeatAt, at);
  }

  /** Whether it is reserved in windows that are past. */
  #isTurned({ day, month }: WindowKeys): boolean {
    return this.#reservationId !== null && (this.#keys?.day !== day || this.#keys.month !== month);
  }

  /** Makes sure that a credit is reserved and unused in the windows of this moment; null, or why the budget has none. */
  #reserve(pagesAtMost: number, at: number): string | null {
    const { store, timezone } = this.#context;
    const keys = windowKeysAt(at, timezone);
    this.#pagesAtMost = pagesAtMost;
    if (this.#isTurned(keys)) this.release();
    if (this.#reservationId !== null) {
      this.#left = null;
      const short = store.ledger.ensure(this.#reservationId, 1, at);
      return short === null ? null : shortBudget(short, 1);
    }
    const reserved = store.ledger.reserve({
      runId: this.#check.runId,
      checkId: this.#check.id,
      currency: 'serp_credit',
      amount: pagesAtMost,
      at,
      keys,
    });
    if (!reserved.ok) return shortBudget(reserved.short, pagesAtMost);
    this.#reservationId = reserved.id;
    this.#keys = keys;
    return null;
  }
}
