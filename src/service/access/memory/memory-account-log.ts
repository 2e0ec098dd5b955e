// The audit trail of accounts, in memory.
import type { AccountLogEntry, AccountLogRange, AdminAction, FailureRetention, LoginFailures } from '../account-log.ts';

/** Older entries about admin actions are pushed out beyond this many: memory is no archive. */
const actionsMax = 10_000;

export class MemoryAccountLog {
  readonly #actions: AccountLogEntry[] = [];
  readonly #failures = new Map<string, AccountLogEntry>();
  #lastId = 0;

  append({ action: event, at, ...rest }: AdminAction): void {
    const none = { address: undefined, reason: undefined, count: 1 };
    this.#actions.push({ id: ++this.#lastId, at, lastAt: at, event, ...none, ...rest });
    if (this.#actions.length > actionsMax) this.#actions.shift();
  }

  addFailures(failures: readonly LoginFailures[], keep?: FailureRetention): void {
    for (const { minute: at, lastAt, username, account, address, reason, count } of failures) {
      const key = JSON.stringify([at, username, address, reason]);
      const known = this.#failures.get(key);
      this.#failures.set(key, {
        id: known?.id ?? ++this.#lastId,
        at,
        lastAt: Math.max(lastAt, known?.lastAt ?? lastAt),
        event: 'login-failed',
        account: known?.account ?? account,
        username,
        address,
        reason,
        count: count + (known?.count ?? 0),
        by: undefined,
        facts: {},
      });
    }
    if (keep === undefined) return;
    for (const [key, { at }] of this.#failures) {
      if (at < keep.since || this.#failures.size > keep.rowsMax) this.#failures.delete(key);
    }
  }

  /** Newest first. */
  list({ account, only, limit }: AccountLogRange): AccountLogEntry[] {
    const actions = only === 'failures' ? [] : this.#actions;
    const failures = only === 'actions' ? [] : this.#failures.values();
    return [...actions, ...failures]
      .filter((entry) => account === undefined || entry.account === account)
      .sort((a, b) => b.lastAt - a.lastAt || b.id - a.id)
      .slice(0, limit);
  }
}
