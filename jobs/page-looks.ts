// The looks at the pages of a check: a page whose answer is of no use may be bought once more, each look under a key of its own. How many were bought is read from the database.
import type { PlannedCheck } from '../db/checks.ts';
import type { Pages } from '../db/pages.ts';
import type { JobContext } from './context.ts';
import { pageKey } from './money.ts';
import { keepsKeys, keysKeptMs } from './settlement.ts';

/** Deaths of our own process over one page that are not held against it. A page that kills the process each time must end. */
const interruptionsMax = 10;
/** How long after an answer that was of no use the page is looked at again, at the earliest. */
const lookPauseMs = 5000;

/** The look at a page that may be bought now. */
interface PageLook {
  readonly page: number;
  /** From 1. */
  readonly look: number;
  readonly key: string;
  /** Nothing is left to buy: this look and all before it were answered. */
  readonly isOver: boolean;
}

/** Its methods belong inside transactions. */
export class PageLooks {
  readonly #context: JobContext;
  readonly #check: PlannedCheck;
  readonly #moment: number;
  readonly #looksMax: number;
  /** A page's look is asked for several times, and costs a hash. */
  #last: PageLook | null = null;
  /** The key that was last found never to have been tried. */
  #untried: string | null = null;

  constructor(context: JobContext, check: PlannedCheck, moment: number) {
    this.#context = context;
    this.#check = check;
    this.#moment = moment;
    const { retryUnreadable, services } = context;
    const { service } = check.market;
    // what is simulated shows the same again
    this.#looksMax = services.get(service)?.kind === 'live' ? 1 + (retryUnreadable?.get(service) ?? 1) : 1;
  }

  /** The key of the look that may be bought now. */
  key(page: number): string {
    return this.#lookAt(page).key;
  }

  /** Whether the look was ever tried to be bought. Where it was not, that is asked once: opening its purchase finds out if another process was quicker. */
  wasTried(page: number): boolean {
    return this.#wasTried(this.key(page));
  }

  #wasTried(key: string): boolean {
    if (this.#untried === key) return false;
    if (this.#context.store.tries.wasTried(key)) return true;
    this.#untried = key;
    return false;
  }

  /** After a purchase of a look was opened. */
  opened(): void {
    this.#untried = null;
  }

  /** After a purchase was settled, or a transaction rolled back: another look may be the one to buy. */
  forget(): void {
    this.#last = null;
    this.#untried = null;
  }

  /**
   * How many tries of all looks at the page were charged, or may have been; 0 where none was tried. Where the provider keeps keys, asking again under the
   * key costs nothing more: tries that ended with our own process do not count, up to a limit.
   */
  chargedTries(page: number): number {
    const { look } = this.#lookAt(page);
    if (look === 1 && !this.wasTried(page)) return 0;
    const { store, clock } = this.#context;
    const keys = this.#keysUpTo(page, look);
    const charged = store.tries.chargedTries(...keys);
    if (charged === 0 || !keepsKeys(this.#context, { service: this.#check.market.service, page })) return charged;
    return charged - store.tries.interruptedTries(keys, clock.now() - keysKeptMs, interruptionsMax);
  }

  /** Whether the page may be bought once more although an answer was received that could not be read or is not believed. */
  mayLookAgain(page: number): boolean {
    const { look, isOver } = this.#lookAt(page);
    return look > 1 && !isOver;
  }

  /** How long the next look at the page has to wait; 0 where it may be bought now. */
  pauseMs(page: number): number {
    const { look } = this.#lookAt(page);
    if (look === 1) return 0;
    const answeredAt = this.#context.store.tries.answeredAt(this.#keyOf(page, look - 1));
    return answeredAt === null ? 0 : Math.max(0, answeredAt + lookPauseMs - this.#context.clock.now());
  }

  /** The newest answer for the page that was received and not used; null where there is none. */
  unread(page: number): ReturnType<Pages['unreadBody']> {
    const { look } = this.#lookAt(page);
    if (look === 1 && !this.wasTried(page)) return null;
    for (const key of this.#keysUpTo(page, look).reverse()) {
      const unread = this.#context.store.pages.unreadBody(key);
      if (unread !== null) return unread;
    }
    return null;
  }

  /** Whether a look at the page may have been charged that is not known to be. */
  mayHavePaid(page: number): boolean {
    const { tries } = this.#context.store;
    const keys = this.#keysUpTo(page, this.#lookAt(page).look);
    return keys.some((key) => tries.chargedTries(key) > 0 && !tries.isPaid(key));
  }

  /** The first look that was not answered: a restart buys none twice. */
  #lookAt(page: number): PageLook {
    if (this.#last?.page === page) return this.#last;
    const { tries } = this.#context.store;
    let look = 1;
    let key = this.#keyOf(page, look);
    let isOver = this.#wasTried(key) && tries.answeredAt(key) !== null;
    while (isOver && look < this.#looksMax) {
      look += 1;
      key = this.#keyOf(page, look);
      isOver = tries.answeredAt(key) !== null;
    }
    this.#last = { page, look, key, isOver };
    return this.#last;
  }

  #keysUpTo(page: number, look: number): string[] {
    return Array.from({ length: look }, (_, index) => this.#keyOf(page, index + 1));
  }

  #keyOf(page: number, look: number): string {
    return pageKey(this.#check.keyword, this.#check.market, this.#moment, page, look);
  }
}
