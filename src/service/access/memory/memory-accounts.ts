// The account store in memory: for tests, demos and hosts without a database. Its content ends with the process.

import type { Price } from '../../model/ports.ts';
import type { AccountLogEntry, AccountLogRange, AdminAction, FailureRetention, LoginFailures } from '../account-log.ts';
import type {
  Account,
  AccountStore,
  ApiUser,
  Balance,
  BalanceChange,
  ChargeResult,
  ChargeSettlement,
  IdempotencyRecord,
  IdempotencyScope,
  IdempotencyStart,
  Login,
  LoginKey,
  NewCharge,
  NewIdempotency,
  OpenOwner,
  SpendingCap,
  StatementRange,
} from '../account-store.ts';
import type { EntryKind, StatementEntry, UsageDay } from '../statement.ts';
import { MemoryAccountLog } from './memory-account-log.ts';
import { isNegative, isNothing, nothing, sum, toBalance } from './memory-amounts.ts';
import { MemoryDashboard } from './memory-dashboard.ts';
import { MemoryIdempotency } from './memory-idempotency.ts';
import { MemoryLogins } from './memory-logins.ts';
import { isCapped, sumUsage } from './memory-usage.ts';

/** Limit of remembered charges, without open ones: a closed one may still be settled for less. */
const closedChargesMax = 1000;

interface OpenCharge extends NewCharge {
  readonly chargeId: number;
  held: Price;
  isOpen: boolean;
}

/** Each method runs in one turn of the event loop, which makes it atomic here. */
export class MemoryAccountStore implements AccountStore {
  readonly #accounts = new Map<string, Account>();
  readonly #logins = new MemoryLogins();
  readonly #charges = new Map<number, OpenCharge>();
  readonly #entries: StatementEntry[] = [];
  readonly #records = new MemoryIdempotency();
  readonly #log = new MemoryAccountLog();
  readonly dashboard = new MemoryDashboard({
    hasAccount: (name) => this.#accounts.has(name),
    append: (action) => this.#log.append(action),
    entries: this.#entries,
  });
  #lastChargeId = 0;

  async createAccount(account: Account, action?: AdminAction): Promise<boolean> {
    if (this.#accounts.has(account.name)) return false;
    const { name, createdAt: at } = account;
    this.#accounts.set(name, { ...account, ...nothing, whitelist: [...account.whitelist] });
    if (account.serpCredits !== 0 || account.microUsd !== 0) this.#move(name, 'top-up', account, { at });
    return this.#logged(true, action);
  }

  async findAccount(name: string): Promise<Account | undefined> {
    return this.#accounts.get(name);
  }

  async listAccounts(): Promise<Account[]> {
    return [...this.#accounts.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async setWhitelist(name: string, rules: readonly string[], action?: AdminAction): Promise<boolean> {
    const account = this.#accounts.get(name);
    if (account === undefined) return false;
    this.#accounts.set(name, { ...account, whitelist: [...rules] });
    return this.#logged(true, action);
  }

  async changeBalance({ account: name, change, note, at }: BalanceChange, action?: AdminAction) {
    const account = this.#accounts.get(name);
    if (account === undefined) return { status: 'unknown-account' } as const;
    const after = sum(account, change);
    if (isNegative(after)) return { status: 'insufficient', balance: toBalance(account) } as const;
    this.#logged(true, action);
    const kind = isNegative(change) ? 'withdrawal' : 'top-up';
    return { status: 'changed', balance: this.#move(name, kind, change, { at, note }) } as const;
  }

  async createUser(user: ApiUser, action?: AdminAction): Promise<'created' | 'username-taken' | 'unknown-account'> {
    if (!this.#accounts.has(user.account)) return 'unknown-account';
    if (this.#logins.find(user.username) !== undefined) return 'username-taken';
    this.#logins.add(user);
    this.#logged(true, action);
    return 'created';
  }

  async findLogin(username: string): Promise<Login | undefined> {
    const user = this.#logins.find(username);
    const account = user === undefined ? undefined : this.#accounts.get(user.account);
    return user === undefined || account === undefined ? undefined : { user, whitelist: account.whitelist };
  }

  async listUsers(account?: string): Promise<ApiUser[]> {
    return this.#logins.list(account);
  }

  async expireUser(username: string, expiresAt: number | undefined, action?: AdminAction): Promise<boolean> {
    return this.#logged(this.#logins.change(username, { expiresAt }), action);
  }

  async revokeUser(username: string, at: number, action?: AdminAction): Promise<boolean> {
    const isRevoked = this.#logins.find(username)?.revokedAt !== undefined;
    return this.#logged(isRevoked || this.#logins.change(username, { revokedAt: at }), action);
  }

  async usage(account: string, since: number): Promise<UsageDay[]> {
    return sumUsage(this.#entries, account, since);
  }

  async capUser(username: string, cap: SpendingCap | undefined, action?: AdminAction): Promise<boolean> {
    return this.#logged(this.#logins.cap(username, cap), action);
  }

  async loginKeys(first: LoginKey): Promise<LoginKey[]> {
    return this.#logins.keys(first);
  }

  async replaceHash(username: string, from: string, to: string): Promise<boolean> {
    return this.#logins.replaceHash(username, from, to);
  }

  async charge(charge: NewCharge): Promise<ChargeResult> {
    const account = this.#accounts.get(charge.account);
    if (account === undefined) return { status: 'unknown-account' };
    const cap = charge.username === undefined ? undefined : this.#logins.find(charge.username)?.dailyCap;
    if (cap !== undefined && isCapped(this.#entries, cap, charge)) return { status: 'capped' };
    const taken = sum(nothing, charge.price, -1);
    if (isNegative(sum(account, taken))) return { status: 'insufficient', balance: toBalance(account) };
    const chargeId = ++this.#lastChargeId;
    const open = { ...charge, chargeId, held: charge.price, isOpen: charge.owner !== undefined };
    this.#charges.set(chargeId, open);
    this.#forgetOldest();
    const balance = this.#move(charge.account, 'charge', taken, { at: charge.at, open });
    if (charge.complete !== undefined) this.#records.complete(charge.complete);
    return { status: 'charged', chargeId, balance };
  }

  async settle({ chargeId, used, at, complete }: ChargeSettlement): Promise<Balance> {
    const charge = this.#charges.get(chargeId);
    if (charge === undefined) throw new Error(`There is no charge ${chargeId}.`);
    if (isNegative(sum(charge.held, used, -1))) throw new Error(`The charge ${chargeId} holds less than was used.`);
    const balance = this.#giveBack(charge, used, at, undefined);
    if (complete !== undefined) this.#records.complete(complete);
    return balance;
  }

  async listOpenOwners(): Promise<OpenOwner[]> {
    const since = new Map<string, number>();
    const note = ({ owner, at }: { owner: string | undefined; at: number }) => {
      if (owner !== undefined) since.set(owner, Math.min(at, since.get(owner) ?? Number.POSITIVE_INFINITY));
    };
    for (const charge of this.#charges.values()) if (charge.isOpen) note(charge);
    for (const record of this.#records.inFlight()) note(record);
    return [...since].map(([owner, at]) => ({ owner, since: at }));
  }

  async abandon(work: { owner: string; madeBefore: number; note: string; at: number }): Promise<number> {
    const isLeft = ({ owner, at }: { owner: string | undefined; at: number }) =>
      owner === work.owner && at < work.madeBefore;
    const left = [...this.#charges.values()].filter((charge) => charge.isOpen && isLeft(charge));
    for (const charge of left) this.#giveBack(charge, nothing, work.at, work.note);
    this.#records.forgetInFlight(isLeft);
    return left.length;
  }

  async addLoginFailures(failures: readonly LoginFailures[], keep?: FailureRetention): Promise<void> {
    this.#log.addFailures(failures, keep);
  }

  async accountLog(range: AccountLogRange): Promise<AccountLogEntry[]> {
    return this.#log.list(range);
  }

  async statement(account: string, range: StatementRange = {}): Promise<StatementEntry[]> {
    const { afterId = 0, limit } = range;
    return this.#entries.filter((entry) => entry.account === account && entry.id > afterId).slice(0, limit);
  }

  async beginIdempotent(start: NewIdempotency): Promise<IdempotencyStart> {
    return this.#records.begin(start);
  }

  async findIdempotent(scope: IdempotencyScope, at: number): Promise<IdempotencyRecord | undefined> {
    return this.#records.find(scope, at);
  }

  async forgetIdempotent({ owner, ...scope }: IdempotencyScope & { owner: string }): Promise<void> {
    this.#records.forget(scope, owner);
  }

  #logged(isDone: boolean, action: AdminAction | undefined): boolean {
    if (isDone && action !== undefined) this.#log.append(action);
    return isDone;
  }

  #forgetOldest(): void {
    for (const [id, { isOpen }] of this.#charges) {
      if (isOpen || this.#charges.size <= closedChargesMax) return;
      this.#charges.delete(id);
    }
  }

  #giveBack(charge: OpenCharge, used: Price, at: number, note: string | undefined): Balance {
    const rest = sum(charge.held, used, -1);
    charge.held = used;
    charge.isOpen = false;
    if (isNothing(rest)) return toBalance(this.#accounts.get(charge.account) ?? nothing);
    return this.#move(charge.account, isNothing(used) ? 'refund' : 'settle', rest, { at, note, open: charge });
  }

  /** Changes the balance and records the reason: the only place that does either. */
  #move(
    name: string,
    kind: EntryKind,
    change: Price,
    facts: { readonly at: number; readonly note?: string | undefined; readonly open?: OpenCharge },
  ): Balance {
    const account = this.#accounts.get(name);
    if (account === undefined) throw new Error(`There is no account ${name}.`);
    const balance = sum(account, change);
    this.#accounts.set(name, { ...account, ...balance });
    const { at, note, open } = facts;
    this.#entries.push({
      id: this.#entries.length + 1,
      account: name,
      kind,
      serpCredits: change.serpCredits,
      microUsd: change.microUsd,
      balance,
      at,
      chargeId: open?.chargeId,
      requestId: open?.requestId,
      operation: open?.operation,
      username: open?.username,
      note,
    });
    return balance;
  }
}
