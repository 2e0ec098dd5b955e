// The port of the account store: balances, API users, charges, statements and idempotency records.

import type { OperationName, Price } from '../model/ports.ts';
import type { AccountLogEntry, AccountLogRange, AdminAction, FailureRetention, LoginFailures } from './account-log.ts';
import type { DashboardStore } from './dashboard-store.ts';
import type { StatementEntry, UsageDay } from './statement.ts';

/** Pays for requests. The whitelist has canonical rules (addresses.ts); an empty one allows every address. */
export interface Account {
  readonly name: string;
  readonly serpCredits: number;
  readonly microUsd: number;
  readonly whitelist: readonly string[];
  readonly createdAt: number;
}

/** A spending limit; an absent currency has no limit. */
export interface SpendingCap {
  readonly serpCredits?: number;
  readonly microUsd?: number;
}

/** Calls the service. The username is unique in the whole store. */
export interface ApiUser {
  readonly username: string;
  readonly account: string;
  /** Hash with its parameters (passwords.ts). */
  readonly passwordHash: string;
  readonly createdAt: number;
  /** The credentials have expired from this moment on. */
  readonly expiresAt: number | undefined;
  /** Revoked for good. */
  readonly revokedAt: number | undefined;
  /** Spending limit per UTC day; absent: only the account's balance limits it. */
  readonly dailyCap?: SpendingCap;
  /** Starts at 1 and increases with every change: verification results of older versions are invalid. */
  readonly version: number;
}

/** Keys that hash our generated passwords (login-keys.ts). */
export interface LoginKey {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly createdAt: number;
}

/** Everything needed to judge a caller, read in one step. The charge checks the balance. */
export interface Login {
  readonly user: ApiUser;
  /** Of the user's account. */
  readonly whitelist: readonly string[];
}

/** An amount in one or both currencies, each an integer; never negative in a balance. */
export type Balance = Price;

export interface NewCharge {
  readonly account: string;
  /** Absent for a trusted caller in the host's process. */
  readonly username: string | undefined;
  readonly requestId: string;
  readonly operation: OperationName;
  /** The amount charged now: the most that the request can cost. */
  readonly price: Price;
  /**
   * The process that will settle it (owner.ts). Undefined if the work is already done: the charge is closed from the
   * start.
   */
  readonly owner: string | undefined;
  readonly at: number;
  /** Completes this record in the same step, if the charge is made. */
  readonly complete?: IdempotencyCompletion;
}

export type ChargeResult =
  | { readonly status: 'charged'; readonly chargeId: number; readonly balance: Balance }
  | { readonly status: 'insufficient'; readonly balance: Balance }
  /** The user's daily limit does not allow more. */
  | { readonly status: 'capped' }
  | { readonly status: 'unknown-account' };

export interface ChargeSettlement {
  readonly chargeId: number;
  /** The final cost of the request: at most what the charge still holds, in each currency. */
  readonly used: Price;
  readonly at: number;
  /** Completes this record in the same step, so that a charge and its outcome are stored together or not at all. */
  readonly complete?: IdempotencyCompletion;
}

export interface BalanceChange {
  readonly account: string;
  /** Added to the balance; negative amounts deduct. */
  readonly change: Price;
  readonly note: string | undefined;
  readonly at: number;
}

export interface StatementRange {
  /** Only entries after this id. Default: from the first. */
  readonly afterId?: number;
  /** Limit, oldest first. Default: all. */
  readonly limit?: number;
}

/**
 * The owner of the key: keys of different callers never collide. `username` is empty for a trusted caller in the host's
 * process.
 */
export interface IdempotencyScope {
  readonly account: string;
  readonly username: string;
  readonly key: string;
}

export interface NewIdempotency extends IdempotencyScope {
  /** Hash of operation and request: another request under the same key is another purchase. */
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

/** A process with unfinished work, and the start of its oldest work. */
export interface OpenOwner {
  readonly owner: string;
  readonly since: number;
}

/**
 * Balances, API users and their explanation, which the host stores. The store keeps and counts; its contract is
 * test/contract/account-store.ts. Each method is one atomic step, durable when its promise resolves: two callers, in
 * one process or in several on one database, never see half of it. It has no clock: moments are arguments, in UTC
 * milliseconds. The core decides. It generates and hashes passwords (accounts.ts), judges logins
 * (authentication.ts), prices requests and settles charges (credits.ts), and compares idempotent bodies
 * (idempotency.ts). The store never sees a password and reads no outcome. Money is integers: SERP credits and micro-
 * USD. `balance = sum of the amounts of all statement entries` always holds, and no balance is ever below zero.
 * Names are opaque texts compared byte for byte; `__proto__` is a legal one.
 */
export interface AccountStore {
  /** What the account dashboard needs; absent: these accounts have none. */
  readonly dashboard?: DashboardStore;
  /** Appends a `top-up` entry if the account begins with credits. False if the name is taken. */
  createAccount(account: Account, action?: AdminAction): Promise<boolean>;
  findAccount(name: string): Promise<Account | undefined>;
  /** By name, in the order of UTF-16 code units or of UTF-8 bytes. */
  listAccounts(): Promise<Account[]>;
  /** Replaces the rules. False if there is no such account. */
  setWhitelist(account: string, rules: readonly string[], action?: AdminAction): Promise<boolean>;
  /**
   * Appends a `top-up`, or a `withdrawal` if an amount is negative. Refused as `insufficient` if the balance would fall
   * below zero.
   */
  changeBalance(
    change: BalanceChange,
    action?: AdminAction,
  ): Promise<Exclude<ChargeResult, { status: 'charged' | 'capped' }> | BalanceChanged>;

  /** Stores the user unchanged. */
  createUser(user: ApiUser, action?: AdminAction): Promise<'created' | 'username-taken' | 'unknown-account'>;
  /** The current user: never from a cache older than the last change in any process. */
  findLogin(username: string): Promise<Login | undefined>;
  /** Sets the daily limit, or removes it with undefined. False if there is no such user. */
  capUser(username: string, cap: SpendingCap | undefined, action?: AdminAction): Promise<boolean>;
  /** Every login key, newest first. If there is none, stores `first` in the same step. */
  loginKeys(first: LoginKey): Promise<LoginKey[]>;
  /** Stores another hash of the same password; the user's version stays. False if the user's hash is not `from`. */
  replaceHash(username: string, from: string, to: string): Promise<boolean>;
  /** Of one account, or of all; by username. */
  listUsers(account?: string): Promise<ApiUser[]>;
  /** Sets the expiry, or removes it with undefined. False if there is no such user. */
  expireUser(username: string, expiresAt: number | undefined, action?: AdminAction): Promise<boolean>;
  /** False if there is no such user; a second revocation keeps the first moment and is true. */
  revokeUser(username: string, at: number, action?: AdminAction): Promise<boolean>;

  /**
   * Deducts the price, or nothing at all: never a part, never below zero, also under concurrent calls. Appends a
   * `charge` entry. A price of zero is charged as well.
   */
  charge(charge: NewCharge): Promise<ChargeResult>;
  /**
   * Closes the charge and returns the unused part: appends a `refund` entry if nothing was used, else a `settle` entry,
   * and none if nothing is returned. A closed charge may be settled again for less (an answer that could not be
   * delivered); an equal amount changes nothing. Returns the new balance. Rejects if there is no such charge, or `used`
   * is more than it holds.
   */
  settle(settlement: ChargeSettlement): Promise<Balance>;
  /** Owners of open charges or of idempotency records in flight. */
  listOpenOwners(): Promise<OpenOwner[]>;
  /**
   * Cleans up after a dead process: refunds in full each open charge of this owner made before `madeBefore`, with
   * `note` on its entry, and deletes the owner's records in flight from before then. Returns the number of refunded
   * charges.
   */
  abandon(work: {
    readonly owner: string;
    readonly madeBefore: number;
    readonly note: string;
    readonly at: number;
  }): Promise<number>;
  /** Whether the store can be read and written now, tried without waiting; absent: always. */
  isReady?(): Promise<boolean>;
  /**
   * Adds to the counts of the same minute, username, address and reason, or starts them. With `keep`, then deletes old
   * counts.
   */
  addLoginFailures(failures: readonly LoginFailures[], keep?: FailureRetention): Promise<void>;
  /** Admin actions, each kept in the step of its change, and failed logins: newest first. */
  accountLog(range: AccountLogRange): Promise<AccountLogEntry[]>;
  statement(account: string, range?: StatementRange): Promise<StatementEntry[]>;
  /** Charges since a moment, the start of a UTC day: newest day first, then by username. */
  usage(account: string, since: number): Promise<UsageDay[]>;

  /**
   * Begins the work under a key, or returns its record. Of two simultaneous callers, exactly one begins. A record at or
   * past its `expiresAt` counts as absent; each call deletes some of them, so that they never pile up.
   */
  beginIdempotent(start: NewIdempotency): Promise<IdempotencyStart>;
  findIdempotent(scope: IdempotencyScope, at: number): Promise<IdempotencyRecord | undefined>;
  /**
   * Deletes failed work in flight, so that the next attempt begins anew. Changes nothing unless the record is this
   * owner's, in flight.
   */
  forgetIdempotent(scope: IdempotencyScope & { readonly owner: string }): Promise<void>;
}

export interface BalanceChanged {
  readonly status: 'changed';
  readonly balance: Balance;
}
