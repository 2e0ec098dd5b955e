// Failed logins: limits them, and counts them for the audit trail in the background.

import { ServiceError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/ports.ts';
import { minuteMs } from '../../model/time/clock.ts';
import type { AccountStore, FailureRetention, LoginFailureReason, LoginFailures } from '../account-store.ts';
import { isMade } from './passwords.ts';
import { type RatePolicy, type RateState, TokenBuckets } from './rate-limit.ts';

const several = '*';

export interface FailedLogin {
  readonly username: string | undefined;
  /** Of the user, where there is one. */
  readonly account: string | undefined;
  readonly address: string;
  readonly reason: LoginFailureReason;
}

/** Limit of failed logins per name and subscriber network, and per network. */
export interface LoginLimits {
  readonly perUsername: RatePolicy;
  readonly perAddress: RatePolicy;
}

const loginLimitsDefault: LoginLimits = {
  perUsername: { count: 10, windowMs: 60_000 },
  perAddress: { count: 30, windowMs: 60_000 },
};

/**
 * The audit trail has one row per user, address, reason and minute; beyond the limits of a minute, users and then
 * addresses are counted together. Refusals never wait for it, and a flood writes few rows.
 */
export class FailedLogins {
  readonly #byName: TokenBuckets;
  readonly #byAddress: TokenBuckets;
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

  constructor(store: AccountStore, clock: Clock, logins = loginLimitsDefault) {
    this.#store = store;
    this.#clock = clock;
    this.#byName = new TokenBuckets(clock, 'logins', logins.perUsername);
    this.#byAddress = new TokenBuckets(clock, 'logins', logins.perAddress);
  }

  /** Takes a token of the subscriber and of the name. Throws ServiceError RATE_LIMIT_EXCEEDED where none is left. */
  pay(subscriber: string, name: string, what: 'logins' | 'attempts'): void {
    const refused = (buckets: TokenBuckets, key: string) =>
      new ServiceError('RATE_LIMIT_EXCEEDED', `Too many failed ${what}.`, { retryAfterMs: buckets.state(key).resetMs });
    if (!this.#byAddress.take(subscriber)) throw refused(this.#byAddress, subscriber);
    if (this.#byName.take(name)) return;
    this.#byAddress.giveBack(subscriber);
    throw refused(this.#byName, name);
  }

  /** Returns the tokens of a success. */
  giveBack(subscriber: string, name: string): void {
    this.#byAddress.giveBack(subscriber);
    this.#byName.giveBack(name);
  }

  state(subscriber: string): RateState {
    return this.#byAddress.state(subscriber);
  }

  note(failure: FailedLogin): void {
    const lastAt = this.#clock.now();
    const minute = lastAt - (lastAt % minuteMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#rows.clear();
      this.#rowsOfAddress.clear();
    }
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

  #rowOf({ username: claimed, account, address: from, reason }: FailedLogin) {
    const username = shown(claimed ?? '', account !== undefined);
    const address = from.slice(0, limits.failureAddressCharsMax);
    const row = JSON.stringify([username, address, reason]);
    if (!this.#rows.has(row)) {
      const known = this.#rowsOfAddress.get(address) ?? 0;
      const isFull = this.#rows.size >= limits.failureRowsPerMinuteMax;
      if (isFull || known >= limits.failureRowsPerAddressMax)
        return { username: several, account: undefined, address: isFull ? several : address, reason };
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
