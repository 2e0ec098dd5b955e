// The money of one check: reserves its worst case, opens a purchase for each page, gives back what is left. What a page proves is left to others.
import type { PlannedCheck } from '../db/checks.ts';
import type { JobContext } from './context.ts';
import { pageKey, shortBudget, windowKeysAt } from './money.ts';
import { isAlive } from './ownership.ts';
import type { PageJob } from './queue.ts';
import { retryLimits } from './retry.ts';

/**
 * What became of the wish to buy a page. `short`: the budget has no room; nothing was changed. `exhausted`: it may have been charged as often
 * as it may be. `elsewhere`: another living process is buying the very page.
 */
export type PurchaseStep =
  | { readonly kind: 'opened'; readonly purchaseId: number; readonly requestKey: string }
  | { readonly kind: 'short'; readonly reason: string }
  | { readonly kind: 'exhausted'; readonly reason: string }
  | { readonly kind: 'elsewhere' };

/** Its methods belong inside transactions. */
export class PageBuyer {
  readonly #context: JobContext;
  readonly #check: PlannedCheck;
  readonly #moment: number;
  #reservationId: number | null = null;

  constructor(context: JobContext, check: PlannedCheck, moment: number) {
    this.#context = context;
    this.#check = check;
    this.#moment = moment;
  }

  /** Opens a purchase of the page. The first one reserves `pagesAtMost`; a try beyond that takes one more from the budget. */
  open(page: number, pagesAtMost: number): PurchaseStep {
    const { store, clock } = this.#context;
    const at = clock.now();
    const requestKey = this.key(page);
    if (store.ledger.chargedTries(requestKey) >= retryLimits.attemptsMax) {
      return { kind: 'exhausted', reason: `${retryLimits.attemptsMax} tries may have been charged without an answer` };
    }
    const other = store.ledger.otherBuyer(requestKey, this.#check.runId);
    if (other !== null && isAlive(other.owner, other.heartbeatAt, at)) return { kind: 'elsewhere' };
    const reserved = this.#reserve(pagesAtMost, at);
    if (typeof reserved === 'string') return { kind: 'short', reason: reserved };
    const purchaseId = store.ledger.open({
      reservationId: reserved,
      service: this.#check.market.service,
      requestKey,
      searchId: this.#check.searchId,
      moment: this.#moment,
      page,
      price: 1,
      at,
    });
    return { kind: 'opened', purchaseId, requestKey };
  }

  release(): void {
    if (this.#reservationId === null) return;
    this.#context.store.ledger.release(this.#reservationId, this.#context.clock.now());
    this.#reservationId = null;
  }

  key(page: number): string {
    return pageKey(this.#check.keyword, this.#check.market, this.#moment, page);
  }

  request(page: number): PageJob['request'] {
    const { country, language, device } = this.#check.market;
    return { keyword: this.#check.keyword, country, language, mobile: device === 'mobile', page };
  }

  /** The reservation with at least one credit unused, or why the budget has none. */
  #reserve(pagesAtMost: number, at: number): number | string {
    const { store, timezone } = this.#context;
    if (this.#reservationId === null) {
      const reserved = store.ledger.reserve({
        runId: this.#check.runId,
        checkId: this.#check.id,
        currency: 'serp_credit',
        amount: pagesAtMost,
        at,
        keys: windowKeysAt(at, timezone),
      });
      if (!reserved.ok) return shortBudget(reserved.short, pagesAtMost);
      this.#reservationId = reserved.id;
    }
    const short = store.ledger.ensure(this.#reservationId, 1, at);
    return short === null ? this.#reservationId : shortBudget(short, 1);
  }
}
