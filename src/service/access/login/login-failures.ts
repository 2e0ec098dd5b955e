// Counts failed logins for the audit trail in the background: refusals never wait for it, a flood writes few rows.

import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/ports.ts';
import { minuteMs } from '../../model/time/clock.ts';
import type { FailureRetention, LoginFailureReason, LoginFailures } from '../account-log.ts';
import type { AccountStore } from '../account-store.ts';
import { isMade } from './passwords.ts';

const several = '*';

export interface FailedLogin {
  readonly username: string | undefined;
  /** Of the user, where there is one. */
  readonly account: string | undefined;
  readonly address: string;
  readonly reason: LoginFailureReason;
}

/**
 * One row per user, address, reason and minute; beyond the limits of a minute, users and then addresses are counted
 * together.
 */
export class LoginFailureLog {
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #stopped = new AbortController();
  #pending = new Map<string, LoginFailures>();
  /** Rows of this minute, and how many of them each address has. */
  #minute = 0;
  readonly #rows = new Set<string>();
  readonly #rowsOfAddress = new Map<string, number>();
  #writing: Promise<void> | undefined;
  #droppedAt = 0;

  constructor(store: AccountStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  note(failure: FailedLogin): void {
    const lastAt = this.#clock.now();
    const minute = lastAt - (lastAt % minuteMs);
    if (minute !== this.#minute) this.#begin(minute);
    const row = this.#rowOf(failure);
    const key = JSON.stringify([minute, row.username, row.address, row.reason]);
    const count = (this.#pending.get(key)?.count ?? 0) + 1;
    // The store has not been writable for minutes.
    if (count === 1 && this.#pending.size >= 2 * limits.failureRowsPerMinuteMax) return;
    this.#pending.set(key, { ...row, minute, lastAt, count });
    this.#writing ??= this.#writeSoon();
  }

  /** Writes pending rows, and ends. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#writing;
  }

  #begin(minute: number): void {
    this.#minute = minute;
    this.#rows.clear();
    this.#rowsOfAddress.clear();
  }

  #rowOf({
    username: claimed,
    account,
    address: from,
    reason,
  }: FailedLogin): Omit<LoginFailures, 'minute' | 'lastAt' | 'count'> {
    const username = shown(claimed ?? '', account !== undefined);
    const address = from.slice(0, limits.failureAddressCharsMax);
    const row = JSON.stringify([username, address, reason]);
    if (!this.#rows.has(row)) {
      if (this.#rows.size >= limits.failureRowsPerMinuteMax) {
        return { username: several, account: undefined, address: several, reason };
      }
      const known = this.#rowsOfAddress.get(address) ?? 0;
      if (known >= limits.failureRowsPerAddressMax) return { username: several, account: undefined, address, reason };
      this.#rowsOfAddress.set(address, known + 1);
      this.#rows.add(row);
    }
    return { username, account, address, reason };
  }

  async #writeSoon(): Promise<void> {
    let isWritten: boolean;
    do {
      await this.#clock.sleep(limits.failureWriteDelayMs, this.#stopped.signal).catch(() => undefined);
      isWritten = await this.#write();
    } while (this.#pending.size > 0 && (isWritten || !this.#stopped.signal.aborted));
    this.#writing = undefined;
  }

  /** False if the store cannot be written now: the counts wait for the next attempt. */
  async #write(): Promise<boolean> {
    const rows = [...this.#pending];
    this.#pending = new Map();
    while (rows.length > 0) {
      const block = rows.splice(0, limits.failureRowsPerWriteMax);
      const keep = this.#retention();
      try {
        await this.#store.addLoginFailures(
          block.map(([, row]) => row),
          keep,
        );
      } catch {
        for (const [key, { count, ...row }] of [...block, ...rows]) {
          this.#pending.set(key, { ...row, count: count + (this.#pending.get(key)?.count ?? 0) });
        }
        return false;
      }
    }
    return true;
  }

  /** Once a minute: finding the oldest of all rows takes longer than writing a block. */
  #retention(): FailureRetention | undefined {
    const now = this.#clock.now();
    if (now - this.#droppedAt < minuteMs) return undefined;
    this.#droppedAt = now;
    return { since: now - limits.failuresKeptMs, rowsMax: limits.failureRowsMax };
  }
}

/** A claimed name, truncated, without control characters; a password sent as a name is not kept. */
function shown(username: string, isUser: boolean): string {
  if (!isUser && isMade(username)) return '(password)';
  return username.slice(0, limits.failureUsernameCharsMax).replace(/[^\x20-\x7e]/g, '?');
}
