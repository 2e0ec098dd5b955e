// The purchases of one page of a check. A useless page is bought again, each time under a new key.
import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import type { Pages } from '../../db/history/checks/pages.ts';
import type { JobContext } from '../context.ts';
import { pageKey } from './money.ts';
import { keepsKeys, keysKeptMs } from './settlement.ts';

/** Attempts that ended with our own process and are not counted. A page that kills the process each time must end. */
const interruptionsMax = 10;
/** The shortest time between an answer that was of no use and the next purchase of the page. */
const repurchasePauseMs = 5000;

/**
 * The purchase of a page that may be made now: the first one without an answer, so that a restart buys nothing twice.
 */
export interface NextPurchase {
  readonly page: number;
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

/** Reads the database: call inside a transaction. */
export class PagePurchases {
  readonly #context: JobContext;
  readonly #check: PlannedCheck;
  readonly #moment: number;
  readonly #purchasesMax: number;

  constructor(context: JobContext, check: PlannedCheck, moment: number) {
    this.#context = context;
    this.#check = check;
    this.#moment = moment;
    const { retryUnreadable, services } = context;
    const { service } = check.market;
    // a simulated page shows the same again
    this.#purchasesMax = services.get(service)?.kind === 'live' ? 1 + (retryUnreadable?.get(service) ?? 1) : 1;
  }

  next(page: number): NextPurchase {
    const { purchaseAttempts } = this.#context.store;
    let number = 1;
    let key = this.#keyOf(page, number);
    let wasTried = purchaseAttempts.wasTried(key);
    let isOver = wasTried && purchaseAttempts.answeredAt(key) !== null;
    while (isOver && number < this.#purchasesMax) {
      number += 1;
      key = this.#keyOf(page, number);
      wasTried = purchaseAttempts.wasTried(key);
      isOver = wasTried && purchaseAttempts.answeredAt(key) !== null;
    }
    return { page, number, key, wasTried, isOver };
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
    if (charged === 0 || !keepsKeys(this.#context, { service: this.#check.market.service, page })) return charged;
    const now = clock.now();
    return charged - store.purchaseAttempts.interruptedAttempts(keys, now - keysKeptMs, now, interruptionsMax);
  }

  /** Milliseconds until the purchase may be made; 0 where it may be made now. */
  pauseMs({ page, number }: NextPurchase): number {
    if (number === 1) return 0;
    const answeredAt = this.#context.store.purchaseAttempts.answeredAt(this.#keyOf(page, number - 1));
    return answeredAt === null ? 0 : Math.max(0, answeredAt + repurchasePauseMs - this.#context.clock.now());
  }

  /** The newest answer that was received and not used; null where there is none. */
  unread(purchase: NextPurchase): ReturnType<Pages['unreadBody']> {
    if (isFirst(purchase)) return null;
    for (const key of this.#keysUpTo(purchase).reverse()) {
      const unread = this.#context.store.pages.unreadBody(key);
      if (unread !== null) return unread;
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

  #keysUpTo({ page, number }: NextPurchase): string[] {
    return Array.from({ length: number }, (_, index) => this.#keyOf(page, index + 1));
  }

  #keyOf(page: number, number: number): string {
    return pageKey(this.#check.keyword, this.#check.market, this.#moment, page, number);
  }
}

/** Whether nothing was ever sent for the page. */
function isFirst({ number, wasTried }: NextPurchase): boolean {
  return number === 1 && !wasTried;
}
