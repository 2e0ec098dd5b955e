// The port of the account store: balances, API users, charges, statements and idempotency records.

import type { OperationName, Price } from '../model/ports.ts';
import type { AccountLogEntry, AccountLogRange, AdminAction, FailureRetention, LoginFailures } from './account-log.ts';
import type { DashboardStore } from './dashboard-store.ts';
import type { StatementEntry, UsageDay } from './statement.ts';

/** Who pays. The whitelist holds canonical rules (addresses.ts); empty, it allows every address. */
export interface Account {
  readonly name: string;
  readonly serpCredits: number;
  readonly microUsd: number;
  readonly whitelist: readonly string[];
  readonly createdAt: number;
}

/** What may be spent at most; a currency that is absent has no limit. */
export interface SpendingCap {
  readonly serpCredits?: number;
  readonly microUsd?: number;
}

/** Who calls. The username is unique in the whole store. */
export interface ApiUser {
  readonly username: string;
  readonly account: string;
  /** Hash with its parameters (passwords.ts). */
  readonly passwordHash: string;
  readonly createdAt: number;
  /** From this moment on the credentials have expired. */
  readonly expiresAt: number | undefined;
  /** Revoked for good. */
  readonly revokedAt: number | undefined;
  /** What the user may spend in a UTC day; absent: as much as the account has. */
  readonly dailyCap?: SpendingCap;
  /** 1 at first, one more with every change: what was verified for another version counts no longer. */
  readonly version: number;
}

/** Under which passwords made by us are hashed (login-keys.ts). */
export interface LoginKey {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly createdAt: number;
}

/** All that judging a caller takes, read in one step. Its balance is judged by the charge. */
export interface Login {
  readonly user: ApiUser;
  /** Of the user's account. */
  readonly whitelist: readonly string[];
}

/** An amount of one kind or both, each an integer; in a balance never negative. */
export type Balance = Price;

export interface NewCharge {
  readonly account: string;
  /** Absent for a trusted caller in the host's process. */
  readonly username: string | undefined;
  readonly requestId: string;
  readonly operation: OperationName;
  /** What is taken now: the most that the request can cost. */
  readonly price: Price;
  /**
   * The process that will settle it (owner.ts). Undefined where the work is done already: the charge is closed from the
   * start.
   */
  readonly owner: string | undefined;
  readonly at: number;
  /** Completes this record in the same step, where the charge is made. */
  readonly complete?: IdempotencyCompletion;
}

export type ChargeResult =
  | { readonly status: 'charged'; readonly chargeId: number; readonly balance: Balance }
  | { readonly status: 'insufficient'; readonly balance: Balance }
  /** The user's cap of the day allows no more. */
  | { readonly status: 'capped' }
  | { readonly status: 'unknown-account' };

export interface ChargeSettlement {
  readonly chargeId: number;
  /** What the request has cost in the end: at most what the charge still holds, in each kind. */
  readonly used: Price;
  readonly at: number;
  /** Completes this record in the same step, so that a charge and its outcome are kept together or not at all. */
  readonly complete?: IdempotencyCompletion;
}

export interface BalanceChange {
  readonly account: string;
  /** Added to the balance; negative amounts take back. */
  readonly change: Price;
  readonly note: string | undefined;
  readonly at: number;
}

export interface StatementRange {
  /** Entries after this id only. Default: from the first. */
  readonly afterId?: number;
  /** At most so many, oldest first. Default: all. */
  readonly limit?: number;
}

/** Whose key it is: two callers never meet on one. `username` is empty for a trusted caller in the host's process. */
export interface IdempotencyScope {
  readonly account: string;
  readonly username: string;
  readonly key: string;
}

export interface NewIdempotency extends IdempotencyScope {
  /** Of operation and request: another one under the same key is another purchase. */
  readonly bodyHash: string;
  /** The process that does the work. */
  readonly owner: string;
  readonly at: number;
  readonly expiresAt: number;
}

export interface IdempotencyCompletion extends IdempotencyScope {
  readonly owner: string;
  /** What the core needs to repeat the same answer; compressed by the core, opaque here. */
  readonly outcome: Uint8Array;
}

export interface IdempotencyRecord {
  readonly bodyHash: string;
  readonly owner: string;
  /** Absent while the work is in flight. */
  readonly outcome: Uint8Array | undefined;
  /** When the work began, UTC milliseconds. */
  readonly at: number;
}

export type IdempotencyStart =
  | { readonly status: 'begun' }
  | { readonly status: 'known'; readonly record: IdempotencyRecord };

/** A process with unfinished work, and since when the oldest of it is open. */
export interface OpenOwner {
  readonly owner: string;
  readonly since: number;
}

/**
 * Balances, API users and what explains them. Two implementations pass one contract suite
 * (test/contract/account-store.ts): the one in memory (memory-accounts.ts), and the host's over SQLite.
 *
 * The store keeps and counts. Each method is one atomic step, durable when its promise resolves: two callers, in one
 * process or in several on one database, never see half of it. It has no clock: moments are arguments, in UTC
 * milliseconds.
 *
 * The core decides. It generates and hashes passwords (accounts.ts), judges logins (authentication.ts), prices
 * requests and settles charges (credits.ts), and compares idempotent bodies (idempotency.ts). The store never sees a
 * password and reads no outcome.
 *
 * Money is integers: SERP credits and micro-USD. `balance = sum of the amounts of all statement entries` always
 * holds, and no balance is ever below zero. Names are opaque texts compared byte for byte; `__proto__` is a legal one.
 */
export interface AccountStore {
  /** What the account dashboard needs; absent: these accounts have none. */
  readonly dashboard?: DashboardStore;
  /** Appends a `top-up` entry where the account begins with anything. False where the name is taken. */
  createAccount(account: Account, action?: AdminAction): Promise<boolean>;
  findAccount(name: string): Promise<Account | undefined>;
  /** By name, in the order of UTF-16 code units or of UTF-8 bytes. */
  listAccounts(): Promise<Account[]>;
  /** Replaces the rules. False where there is no such account. */
  setWhitelist(account: string, rules: readonly string[], action?: AdminAction): Promise<boolean>;
  /**
   * Appends a `top-up`, or a `withdrawal` where an amount is negative. Refused as `insufficient` where the balance
   * would fall below zero.
   */
  changeBalance(
    change: BalanceChange,
    action?: AdminAction,
  ): Promise<Exclude<ChargeResult, { status: 'charged' | 'capped' }> | BalanceChanged>;

  /** The user is kept as given. */
  createUser(user: ApiUser, action?: AdminAction): Promise<'created' | 'username-taken' | 'unknown-account'>;
  /** As it is now: never from a cache older than the last change in any process. */
  findLogin(username: string): Promise<Login | undefined>;
  /** Sets or, with undefined, lifts the cap of a day. False where there is no such user. */
  capUser(username: string, cap: SpendingCap | undefined, action?: AdminAction): Promise<boolean>;
  /** Every login key, newest first. Where there is none, `first` is kept in the same step. */
  loginKeys(first: LoginKey): Promise<LoginKey[]>;
  /**
   * Stores the same password hashed otherwise; the user's version stays. False where the user has another hash than
   * `from`.
   */
  replaceHash(username: string, from: string, to: string): Promise<boolean>;
  /** Of one account, or of all; by username. */
  listUsers(account?: string): Promise<ApiUser[]>;
  /** Sets or, with undefined, lifts the expiry. False where there is no such user. */
  expireUser(username: string, expiresAt: number | undefined, action?: AdminAction): Promise<boolean>;
  /** False where there is no such user; a second revocation keeps the first moment and is true. */
  revokeUser(username: string, at: number, action?: AdminAction): Promise<boolean>;

  /**
   * Takes the price, or nothing at all: never a part, never below zero, also under concurrent calls. Appends a `charge`
   * entry. A price of nothing is charged as well.
   */
  charge(charge: NewCharge): Promise<ChargeResult>;
  /**
   * Closes the charge and gives back what it holds beyond `used`: a `refund` entry where nothing was used, else a
   * `settle` entry, and none where nothing comes back. A closed charge may be settled again for less (an answer that
   * could not be delivered); equal changes nothing. Returns the balance after it. Rejects where there is no such
   * charge, or `used` is more than it holds.
   */
  settle(settlement: ChargeSettlement): Promise<Balance>;
  /** Owners of open charges or of idempotency records in flight. */
  listOpenOwners(): Promise<OpenOwner[]>;
  /**
   * What a dead process left: refunds in full each open charge of this owner made before `madeBefore`, with `note` on
   * its entry, and forgets the owner's records in flight from before then. Returns how many charges were refunded.
   */
  abandon(work: {
    readonly owner: string;
    readonly madeBefore: number;
    readonly note: string;
    readonly at: number;
  }): Promise<number>;
  /** Whether it could be read and written now, tried without waiting; absent: always. */
  isReady?(): Promise<boolean>;
  /**
   * Adds to the counts of the same minute, username, address and reason, or starts them. With `keep`, then deletes old
   * counts.
   */
  addLoginFailures(failures: readonly LoginFailures[], keep?: FailureRetention): Promise<void>;
  /** Admin actions, each kept in the step of its change, and failed logins: newest first. */
  accountLog(range: AccountLogRange): Promise<AccountLogEntry[]>;
  statement(account: string, range?: StatementRange): Promise<StatementEntry[]>;
  /** Of the charges made since a moment, the start of a UTC day: newest day first, then by username. */
  usage(account: string, since: number): Promise<UsageDay[]>;

  /**
   * Begins the work under a key, or returns the record of it. Of two callers at once exactly one begins. A record at or
   * past its `expiresAt` counts as absent; each call deletes some of those, so that they never pile up.
   */
  beginIdempotent(start: NewIdempotency): Promise<IdempotencyStart>;
  findIdempotent(scope: IdempotencyScope, at: number): Promise<IdempotencyRecord | undefined>;
  /**
   * Forgets work in flight that failed, so that the next try begins anew. Changes nothing where the record is not this
   * owner's in flight.
   */
  forgetIdempotent(scope: IdempotencyScope & { readonly owner: string }): Promise<void>;
}

export interface BalanceChanged {
  readonly status: 'changed';
  readonly balance: Balance;
}
