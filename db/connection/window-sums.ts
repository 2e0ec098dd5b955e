// Sums a transaction's movements in budget windows: one statement per window at its end.

import type { TableRow } from '../schema/rows.ts';
import type { Prepare } from './statement.ts';

/** One row of `budget_windows`, by its key. */
interface WindowName {
  readonly currency: string;
  readonly scope: string;
  readonly key: string;
}

/** Credits that came to a window, or left it. */
interface WindowMove {
  readonly reserved: number;
  readonly spent: number;
  /** The cap that the window has from now on; undefined: it stays as it is. */
  readonly cap?: number | null;
  /** How much further the cap is exceeded; negative: how much less. */
  readonly overdrawn?: number;
}

/** A window as a transaction has it. */
interface WindowStanding {
  readonly reserved: number;
  readonly spent: number;
}

interface Pending extends WindowName {
  reserved: number;
  spent: number;
  overdrawn: number;
  cap: number | null | undefined;
}

interface UndoEntry {
  readonly pending: Pending;
  readonly reserved: number;
  readonly spent: number;
  readonly overdrawn: number;
  readonly capBefore: number | null | undefined;
}

/** The CHECK of the table judges what a transaction comes to, before it is durable. */
export class WindowSums {
  readonly #sql: Prepare;
  readonly #isInTransaction: () => boolean;
  readonly #pending = new Map<string, Pending>();
  readonly #undoLog: UndoEntry[] = [];

  constructor(sql: Prepare, isInTransaction: () => boolean) {
    this.#sql = sql;
    this.#isInTransaction = isInTransaction;
  }

  add(name: WindowName, { reserved, spent, cap, overdrawn = 0 }: WindowMove): void {
    const pending = this.#of(name);
    this.#undoLog.push({ pending, reserved, spent, overdrawn, capBefore: pending.cap });
    pending.reserved += reserved;
    pending.spent += spent;
    pending.overdrawn += overdrawn;
    if (cap !== undefined) pending.cap = cap;
    if (!this.#isInTransaction()) this.write();
  }

  /** Adds to `reserved` whether the cap leaves room or not, and writes down how far it is exceeded. */
  exceed(name: WindowName, amount: number): void {
    const row = this.#sql<TableRow<'budget_windows', 'cap' | 'overdrawn'>>(
      'SELECT cap, overdrawn FROM budget_windows WHERE currency = ? AND scope = ? AND key = ?',
    ).get(name.currency, name.scope, name.key);
    const pending = this.#pending.get(windowId(name));
    const cap = pending?.cap === undefined ? (row?.cap ?? null) : pending.cap;
    const { reserved, spent } = this.standing(name);
    const allowed = cap === null ? null : cap + (row?.overdrawn ?? 0) + (pending?.overdrawn ?? 0);
    const overdrawn = allowed === null ? 0 : Math.max(0, reserved + spent + amount - allowed);
    this.add(name, { reserved: amount, spent: 0, overdrawn });
  }

  /** Takes an amount off `spent`, and off what exceeded the cap: the CHECK allows no more than it has to. */
  giveBack(name: WindowName, amount: number): void {
    const row = this.#sql<TableRow<'budget_windows', 'overdrawn'>>(
      'SELECT overdrawn FROM budget_windows WHERE currency = ? AND scope = ? AND key = ?',
    ).get(name.currency, name.scope, name.key);
    const overdrawn = (row?.overdrawn ?? 0) + (this.#pending.get(windowId(name))?.overdrawn ?? 0);
    this.add(name, { reserved: 0, spent: -amount, overdrawn: -Math.min(amount, overdrawn) });
  }

  /** The window as the transaction has it at this moment. */
  standing(name: WindowName): WindowStanding {
    const row = this.#sql<TableRow<'budget_windows', 'reserved' | 'spent'>>(
      'SELECT reserved, spent FROM budget_windows WHERE currency = ? AND scope = ? AND key = ?',
    ).get(name.currency, name.scope, name.key);
    const pending = this.#pending.get(windowId(name));
    return {
      reserved: (row?.reserved ?? 0) + (pending?.reserved ?? 0),
      spent: (row?.spent ?? 0) + (pending?.spent ?? 0),
    };
  }

  /** A state to return to after a rollback. */
  mark(): number {
    return this.#undoLog.length;
  }

  forgetSince(mark: number): void {
    for (const { pending, reserved, spent, overdrawn, capBefore } of this.#undoLog.splice(mark).reverse()) {
      pending.reserved -= reserved;
      pending.spent -= spent;
      pending.overdrawn -= overdrawn;
      pending.cap = capBefore;
    }
  }

  /** The last thing that a transaction does. */
  write(): void {
    const moved = [...this.#pending.values()];
    const isMoved = this.#undoLog.length > 0;
    this.#undoLog.length = 0;
    this.#pending.clear();
    if (isMoved) for (const pending of moved) this.#writeOne(pending);
  }

  #of(name: WindowName): Pending {
    const id = windowId(name);
    let pending = this.#pending.get(id);
    if (pending === undefined) {
      const { currency, scope, key } = name;
      pending = { currency, scope, key, reserved: 0, spent: 0, overdrawn: 0, cap: undefined };
      this.#pending.set(id, pending);
    }
    return pending;
  }

  #writeOne({ currency, scope, key, reserved, spent, overdrawn, cap }: Pending): void {
    // in one statement, so that the CHECK finds the window explained
    if (cap === undefined) {
      if (reserved === 0 && spent === 0 && overdrawn === 0) return;
      this.#sql(
        'UPDATE budget_windows SET reserved = reserved + ?, spent = spent + ?, overdrawn = overdrawn + ? WHERE currency = ? AND scope = ? AND key = ?',
      ).run(reserved, spent, overdrawn, currency, scope, key);
      return;
    }
    const { changes } = this.#sql(
      'UPDATE budget_windows SET reserved = reserved + ?, spent = spent + ?, overdrawn = overdrawn + ?, cap = ? WHERE currency = ? AND scope = ? AND key = ?',
    ).run(reserved, spent, overdrawn, cap, currency, scope, key);
    if (changes > 0) return;
    this.#sql('INSERT INTO budget_windows (currency, scope, key, cap, reserved, spent) VALUES (?, ?, ?, ?, ?, ?)').run(
      currency,
      scope,
      key,
      cap,
      reserved,
      spent,
    );
  }
}

function windowId({ currency, scope, key }: WindowName): string {
  return `${currency} ${scope} ${key}`;
}
