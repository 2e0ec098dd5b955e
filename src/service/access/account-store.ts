// The one port of accounts: balances, API users, charges, statements, idempotency records, dashboard, audit trail.
import type { OperationName, Price } from '../model/ports.ts';

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

/** Keys that hash our generated passwords (passwords.ts). */
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
  /** The process that will settle it (credits.ts). */
  readonly owner: string;
  readonly at: number;
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

/** A link that sets the password of an account. An account has at most one. */
export interface Invitation {
  readonly account: string;
  readonly tokenHash: string;
  readonly createdAt: number;
  /** Refused from this moment on. */
  readonly expiresAt: number;
}

/** The person who signs in to the dashboard of an account. */
export interface Holder {
  readonly account: string;
  /** Hash with its parameters (passwords.ts). */
  readonly passwordHash: string;
  /** Shared with the holder's authenticator app, in base32; absent: the password is enough. */
  readonly totpSecret: string | undefined;
  /** Codes that were tried with the right password since the last sign-in. */
  readonly codesTried: number;
  /** 1 at first, one more with every change. */
  readonly version: number;
  readonly createdAt: number;
  readonly changedAt: number;
}

/** A browser that has signed in. */
export interface HolderSession {
  readonly tokenHash: string;
  readonly account: string;
  readonly createdAt: number;
  /** Ended from this moment on. */
  readonly expiresAt: number;
}

/** Changes the given properties; `totpSecret: null` removes the second factor. */
export interface HolderChange {
  readonly account: string;
  /** The version on which the change is based. */
  readonly version: number;
  readonly passwordHash?: string;
  readonly totpSecret?: string | null;
  readonly at: number;
}

/** The usage of one user and operation on one UTC day. */
export interface OperationUsage extends UsageDay {
  readonly operation: OperationName;
}

/**
 * As in account-store.ts, each method is one atomic step, and moments are arguments in UTC milliseconds. The store gets
 * hashes of passwords and tokens only. Its contract is test/contract/dashboard-store.ts.
 */
export interface DashboardStore {
  /** Replaces the account's invitation. False where there is no such account. */
  invite(invitation: Invitation, action?: AdminAction): Promise<boolean>;
  /** Expired ones too, until they are replaced. */
  findInvitation(tokenHash: string): Promise<Invitation | undefined>;
  /**
   * Uses up the invitation: its account's holder gets this password, no second factor and no session. False, without
   * changes, if there is no such invitation or it has expired at `at`.
   */
  acceptInvitation(
    acceptance: { readonly tokenHash: string; readonly passwordHash: string; readonly at: number },
    action?: AdminAction,
  ): Promise<boolean>;
  /** Removes the account's invitation, holder and sessions. False where there is no such account. */
  withdrawAccess(account: string, action?: AdminAction): Promise<boolean>;

  findHolder(account: string): Promise<Holder | undefined>;
  /** Ends every session of the holder. False, without changes, if the holder has another version. */
  changeHolder(change: HolderChange, action?: AdminAction): Promise<boolean>;
  /** Counts a code before it is checked, until a session is opened: how many were tried. 0 where there is no holder. */
  countCode(account: string, action?: (codesTried: number) => AdminAction | undefined): Promise<number>;
  /** Uses up the code of a time step: true once for each step, and never for an earlier one. */
  takeTotpStep(account: string, step: number): Promise<boolean>;

  /** False if the holder has another version. The call may also delete expired sessions of any account. */
  openSession(session: HolderSession, version: number, action?: AdminAction): Promise<boolean>;
  /** Undefined if it has ended at `at`. */
  findSession(tokenHash: string, at: number): Promise<HolderSession | undefined>;
  extendSession(tokenHash: string, expiresAt: number): Promise<void>;
  endSession(tokenHash: string, action?: AdminAction): Promise<void>;

  /** Like `usage`, and by operation: newest day first, then by user, then by operation. */
  usageByOperation(account: string, since: number): Promise<OperationUsage[]>;
  /** Newest first; of one kind, or of all. Entries of a kind may be missing where 10,000 others came after them. */
  newestEntries(account: string, limit: number, kind?: EntryKind): Promise<StatementEntry[]>;
}

/**
 * Why a balance changed: bought or taken back by the operator; taken before work; unused part given back; given back in
 * full.
 */
export type EntryKind = 'top-up' | 'withdrawal' | 'charge' | 'settle' | 'refund';

/** One line of an account's statement. Append-only; `id` grows. */
export interface StatementEntry {
  readonly id: number;
  readonly account: string;
  readonly kind: EntryKind;
  /** What was added to the balance: negative for a charge and a withdrawal. */
  readonly serpCredits: number;
  readonly microUsd: number;
  /** The balance after it. */
  readonly balance: Price;
  readonly at: number;
  /** The charge that a `charge`, `settle` or `refund` belongs to, with the facts of its request. */
  readonly chargeId: number | undefined;
  readonly requestId: string | undefined;
  readonly operation: OperationName | undefined;
  readonly username: string | undefined;
  /** The operator's own words on a top-up or withdrawal; why a charge was given back at a start. */
  readonly note: string | undefined;
}

/** What one user of an account has used on one UTC day. */
export interface UsageDay {
  /** `2026-01-15`. */
  readonly date: string;
  /** Absent for a trusted caller in the host's process. */
  readonly username: string | undefined;
  /** Charges that were not given back in full. */
  readonly requests: number;
  readonly serpCredits: number;
  readonly microUsd: number;
}

export type AdminActionName =
  | 'account-create'
  | 'account-credit'
  | 'account-whitelist'
  | 'api-user-add'
  | 'api-user-expire'
  | 'api-user-cap'
  | 'api-user-revoke'
  | 'dashboard-invite'
  | 'dashboard-withdraw'
  | 'dashboard-accept'
  | 'dashboard-sign-in'
  | 'dashboard-sign-out'
  | 'dashboard-password'
  | 'dashboard-totp-on'
  | 'dashboard-totp-off'
  // after too many wrong codes with the right password
  | 'dashboard-codes-refused'
  // of the read API; the facts contain the name of the reader
  | 'reader-add'
  | 'reader-revoke'
  // of an editor, through `view --edit`; recorded before a file is written and before a check is bought
  | 'note-add'
  | 'note-remove'
  | 'keywords-edit'
  | 'keywords-undo'
  | 'check-now'
  // sums of the database that were computed again; the facts contain why, and which differed
  | 'sums-accept'
  | 'loss-accept';

/** Why a login was refused: more detail than its caller gets. */
export type LoginFailureReason =
  | 'no-credentials'
  | 'unknown-user'
  | 'wrong-password'
  | 'revoked'
  | 'expired'
  | 'address-refused'
  | 'too-many-failures'
  | 'dashboard-wrong-password'
  | 'dashboard-wrong-code'
  | 'dashboard-too-many-failures';

/** The store keeps it in the same step as its change, and only if the change was made. */
export interface AdminAction {
  readonly action: AdminActionName;
  readonly account: string | undefined;
  readonly username: string | undefined;
  /** The actor, such as `ops@web-1`; absent if the host did not name one. */
  readonly by: string | undefined;
  /** The new values: amounts, rules, moments. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** Failed logins of one claimed user from one address, for one reason, in one minute. */
export interface LoginFailures {
  /** Start of the minute, UTC milliseconds. */
  readonly minute: number;
  readonly lastAt: number;
  /** As claimed, truncated; `*`: several; empty: none was given. */
  readonly username: string;
  /** Of the user, where there is one. */
  readonly account: string | undefined;
  /** `*`: several. */
  readonly address: string;
  readonly reason: LoginFailureReason;
  readonly count: number;
}

/** Retention of rows about failed logins; rows about admin actions are permanent. */
export interface FailureRetention {
  /** Rows of minutes before this moment are deleted. */
  readonly since: number;
  /** Beyond this number, the oldest rows are deleted. */
  readonly rowsMax: number;
}

export interface AccountLogEntry {
  readonly id: number;
  /** Of failed logins: the start of their minute. */
  readonly at: number;
  readonly lastAt: number;
  readonly event: AdminActionName | 'login-failed';
  readonly account: string | undefined;
  readonly username: string | undefined;
  readonly address: string | undefined;
  readonly reason: LoginFailureReason | undefined;
  readonly count: number;
  readonly by: string | undefined;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface AccountLogRange {
  /** Default: all, and failed logins of users that do not exist. */
  readonly account?: string;
  /** Default: both admin actions and failed logins. */
  readonly only?: 'actions' | 'failures';
  readonly limit: number;
}
