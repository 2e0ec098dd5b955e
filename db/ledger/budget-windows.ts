// Budget windows: one row per currency and window, capped by the database. Call inside a transaction.
import type { Connection } from '../connection/client.ts';
import type { TableRow } from '../schema/rows.ts';

export type Currency = 'serp_credit' | 'micro_usd';
type WindowScope = 'run' | 'day' | 'month';

/** A window and its remaining amount; `cap` null: no cap. */
export interface BudgetWindowRow {
  readonly currency: Currency;
  readonly scope: WindowScope;
  readonly key: string;
  readonly cap: number | null;
  readonly reserved: number;
  readonly spent: number;
}

export type Caps = Readonly<
  Record<Currency, { readonly perRun?: number; readonly perDay?: number; readonly perMonth?: number }>
>;

/** The windows that a moment falls into, in the configured time zone. */
export interface WindowKeys {
  /** `2026-11-20` */
  readonly day: string;
  /** `2026-11` */
  readonly month: string;
}

/** The windows that an amount lies in. */
export interface WindowRoom {
  readonly runId: number;
  readonly currency: Currency;
  readonly keys: WindowKeys;
}

export class BudgetWindows {
  readonly #db: Connection;
  readonly #caps: Caps;

  constructor(db: Connection, caps: Caps) {
    this.#db = db;
    this.#caps = caps;
  }

  /** Adds to `reserved` of every window, or returns the first window that has no room and changes none. */
  take(currency: Currency, runId: number, keys: WindowKeys, amount: number): BudgetWindowRow | null {
    const names = this.#names(currency, String(runId), keys);
    for (const { scope, key, cap } of names) {
      if (cap === null) continue;
      const window = this.#window(currency, scope, key, cap);
      if (window.reserved + window.spent + amount > cap) return window;
    }
    for (const { scope, key, cap } of names) {
      this.#db.windowSums.add({ currency, scope, key }, { reserved: amount, spent: 0, cap });
    }
    return null;
  }

  /**
   * Adds to `reserved` of every window even if it is full, because a provider has charged more than was reserved.
   * Returns by how much the fullest window is exceeded; 0: none is.
   */
  exceed({ currency, runId, keys }: WindowRoom, amount: number): number {
    let exceeded = 0;
    for (const { scope, key, cap } of this.#names(currency, String(runId), keys)) {
      const { reserved, spent } = this.#window(currency, scope, key, cap);
      if (cap !== null) exceeded = Math.max(exceeded, reserved + spent + amount - cap);
      this.#db.windowSums.exceed({ currency, scope, key }, amount);
    }
    return exceeded;
  }

  /** Adds to `reserved` and `spent` of every window; an amount that is spent or released comes off `reserved`. */
  move(room: WindowRoom, reserved: number, spent: number): void {
    const { currency, keys } = room;
    const move = { reserved, spent };
    this.#db.windowSums.add({ currency, scope: 'run', key: String(room.runId) }, move);
    this.#db.windowSums.add({ currency, scope: 'day', key: keys.day }, move);
    this.#db.windowSums.add({ currency, scope: 'month', key: keys.month }, move);
  }

  /** Takes an amount that was not charged off `spent` of every window. */
  giveBack({ currency, runId, keys }: WindowRoom, amount: number): void {
    this.#db.windowSums.giveBack({ currency, scope: 'run', key: String(runId) }, amount);
    this.#db.windowSums.giveBack({ currency, scope: 'day', key: keys.day }, amount);
    this.#db.windowSums.giveBack({ currency, scope: 'month', key: keys.month }, amount);
  }

  /** The windows that a run at this moment would draw on, whether used yet or not. */
  list(runKey: string, keys: WindowKeys): BudgetWindowRow[] {
    return (['serp_credit', 'micro_usd'] as const).flatMap((currency) =>
      this.#names(currency, runKey, keys).map(({ scope, key, cap }) => this.#window(currency, scope, key, cap)),
    );
  }

  /**
   * Whether a cap of this run or moment is higher now than when the window was last drawn on; a window that never was
   * counts as raised.
   */
  wasRaised(runKey: string, keys: WindowKeys): boolean {
    return this.#names('serp_credit', runKey, keys).some(({ scope, key, cap }) => {
      const row = this.#db
        .sql<TableRow<'budget_windows', 'cap'>>(
          "SELECT cap FROM budget_windows WHERE currency = 'serp_credit' AND scope = ? AND key = ?",
        )
        .get(scope, key);
      if (row === undefined) return cap !== null;
      return row.cap !== null && (cap === null || cap > row.cap);
    });
  }

  /** What a run has spent so far, unknown outcomes included: one row, however large the run. */
  spentBy(runId: number, currency: Currency): number {
    return this.#window(currency, 'run', String(runId), null).spent;
  }

  /** A window under today's cap. A cap lowered below the amount spent leaves no room, and breaks nothing. */
  #window(currency: Currency, scope: WindowScope, key: string, cap: number | null): BudgetWindowRow {
    return { currency, scope, key, cap, ...this.#db.windowSums.standing({ currency, scope, key }) };
  }

  #names(
    currency: Currency,
    runKey: string,
    keys: WindowKeys,
  ): { scope: WindowScope; key: string; cap: number | null }[] {
    const { perRun = null, perDay = null, perMonth = null } = this.#caps[currency];
    return [
      { scope: 'run', key: runKey, cap: perRun },
      { scope: 'day', key: keys.day, cap: perDay },
      { scope: 'month', key: keys.month, cap: perMonth },
    ];
  }
}
