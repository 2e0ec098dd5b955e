// Accounts in the memory of this process: for tests, demos and hosts that keep none. What it holds is gone with the process.
import type {
  Account,
  AccountStore,
  ApiUser,
  Balance,
  BalanceChange,
  ChargeResult,
  EntryKind,
  IdempotencyCompletion,
  IdempotencyRecord,
  IdempotencyScope,
  IdempotencyStart,
  Login,
  LoginKey,
  NewCharge,
  NewIdempotency,
  OpenOwner,
  Settlement,
  SpendingCap,
  StatementEntry,
  StatementRange,
  UsageDay,
} from './account-store.ts';
import { balanceOf, isNegative, isNothing, nothing, sum } from './memory-amounts.ts';
import { MemoryLogins } from './memory-logins.ts';
import { isCapped, usageOf } from './memory-usage.ts';
import type { Price } from './ports.ts';

/** Outcomes kept beyond this many bytes push out the oldest: memory is no archive. */
const outcomeBytesMax = 16 * 1024 * 1024;
/** Expired records deleted at a call. */
const expiredDeletedMax = 8;
/** Charges remembered, open ones aside: a closed one may still be settled for less. */
const closedChargesMax = 1000;

interface OpenCharge extends NewCharge {
  readonly chargeId: number;
  held: Price;
  isOpen: boolean;
}

interface KeptRecord extends IdempotencyRecord {
  readonly scope: IdempotencyScope;
  readonly expiresAt: number;
}

/** Each method runs in one turn of the event loop: that is what makes it atomic here. */
export class MemoryAccountStore implements AccountStore {
  readonly #accounts = new Map<string, Account>();
  readonly #logins = new MemoryLogins();
  readonly #charges = new Map<number, OpenCharge>();
  readonly #entries: StatementEntry[] = [];
  readonly #records = new Map<string, KeptRecord>();
  #outcomeBytes = 0;
  #lastChargeId = 0;

  async createAccount(account: Account): Promise<boolean> {
    if (this.#accounts.has(account.name)) return false;
    const { name, createdAt: at } = account;
    this.#accounts.set(name, { ...account, ...nothing, whitelist: [...account.whitelist] });
    if (account.serpCredits !== 0 || account.microUsd !== 0) this.#move(name, 'top-up', account, { at });
    return true;
  }

  async findAccount(name: string): Promise<Account | undefined> {
    return this.#accounts.get(name);
  }

  async listAccounts(): Promise<Account[]> {
    return [...this.#accounts.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async setWhitelist(name: string, rules: readonly string[]): Promise<boolean> {
    const account = this.#accounts.get(name);
    if (account === undefined) return false;
    this.#accounts.set(name, { ...account, whitelist: [...rules] });
    return true;
  }

  async changeBalance({ account: name, change, note, at }: BalanceChange) {
    const account = this.#accounts.get(name);
    if (account === undefined) return { status: 'unknown-account' } as const;
    const after = sum(account, change);
    if (isNegative(after)) return { status: 'insufficient', balance: balanceOf(account) } as const;
    const kind = isNegative(change) ? 'withdrawal' : 'top-up';
    return { status: 'changed', balance: this.#move(name, kind, change, { at, note }) } as const;
  }

  async createUser(user: ApiUser): Promise<'created' | 'username-taken' | 'unknown-account'> {
    if (!this.#accounts.has(user.account)) return 'unknown-account';
    if (this.#logins.find(user.username) !== undefined) return 'username-taken';
    this.#logins.add(user);
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

  async expireUser(username: string, expiresAt: number | undefined): Promise<boolean> {
    return this.#logins.change(username, { expiresAt });
  }

  async revokeUser(username: string, at: number): Promise<boolean> {
    if (this.#logins.find(username)?.revokedAt !== undefined) return true;
    return this.#logins.change(username, { revokedAt: at });
  }

  async usage(account: string, since: number): Promise<UsageDay[]> {
    return usageOf(this.#entries, account, since);
  }

  async capUser(username: string, cap: SpendingCap | undefined): Promise<boolean> {
    return this.#logins.cap(username, cap);
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
    if (isNegative(sum(account, taken))) return { status: 'insufficient', balance: balanceOf(account) };
    const chargeId = ++this.#lastChargeId;
    const open = { ...charge, chargeId, held: charge.price, isOpen: charge.owner !== undefined };
    this.#charges.set(chargeId, open);
    this.#forgetOldest();
    const balance = this.#move(charge.account, 'charge', taken, { at: charge.at, open });
    if (charge.complete !== undefined) this.#complete(charge.complete);
    return { status: 'charged', chargeId, balance };
  }

  async settle({ chargeId, used, at, complete }: Settlement): Promise<Balance> {
    const charge = this.#charges.get(chargeId);
    if (charge === undefined) throw new Error(`There is no charge ${chargeId}.`);
    if (isNegative(sum(charge.held, used, -1))) throw new Error(`The charge ${chargeId} holds less than was used.`);
    const balance = this.#giveBack(charge, used, at, undefined);
    if (complete !== undefined) this.#complete(complete);
    return balance;
  }

  async listOpenOwners(): Promise<OpenOwner[]> {
    const since = new Map<string, number>();
    const note = ({ owner, at }: { owner: string | undefined; at: number }) => {
      if (owner !== undefined) since.set(owner, Math.min(at, since.get(owner) ?? Number.POSITIVE_INFINITY));
    };
    for (const charge of this.#charges.values()) if (charge.isOpen) note(charge);
    for (const record of this.#records.values()) if (record.outcome === undefined) note(record);
    return [...since].map(([owner, at]) => ({ owner, since: at }));
  }

  async abandon(work: { owner: string; madeBefore: number; note: string; at: number }): Promise<number> {
    const isLeft = ({ owner, at }: { owner: string | undefined; at: number }) =>
      owner === work.owner && at < work.madeBefore;
    const left = [...this.#charges.values()].filter((charge) => charge.isOpen && isLeft(charge));
    for (const charge of left) this.#giveBack(charge, nothing, work.at, work.note);
    for (const [key, record] of this.#records) {
      if (record.outcome === undefined && isLeft(record)) this.#records.delete(key);
    }
    return left.length;
  }

  async statement(account: string, range: StatementRange = {}): Promise<StatementEntry[]> {
    const { afterId = 0, limit } = range;
    return this.#entries.filter((entry) => entry.account === account && entry.id > afterId).slice(0, limit);
  }

  async beginIdempotent(start: NewIdempotency): Promise<IdempotencyStart> {
    this.#deleteExpired(start.at);
    const known = this.#find(start, start.at);
    if (known !== undefined) return { status: 'known', record: known };
    const { account, username, key, bodyHash, owner, at, expiresAt } = start;
    this.#keep({ scope: { account, username, key }, bodyHash, owner, at, expiresAt, outcome: undefined });
    return { status: 'begun' };
  }

  async findIdempotent(scope: IdempotencyScope, at: number): Promise<IdempotencyRecord | undefined> {
    return this.#find(scope, at);
  }

  async forgetIdempotent({ owner, ...scope }: IdempotencyScope & { owner: string }): Promise<void> {
    if (this.#inFlight(scope, owner) !== undefined) this.#records.delete(recordKey(scope));
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
    if (isNothing(rest)) return balanceOf(this.#accounts.get(charge.account) ?? nothing);
    return this.#move(charge.account, isNothing(used) ? 'refund' : 'settle', rest, { at, note, open: charge });
  }

  /** Changes the balance and writes down why: the only place that does either. */
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

  #find(scope: IdempotencyScope, at: number): KeptRecord | undefined {
    const record = this.#records.get(recordKey(scope));
    return record === undefined || record.expiresAt <= at ? undefined : record;
  }

  #inFlight(scope: IdempotencyScope, owner: string): KeptRecord | undefined {
    const record = this.#records.get(recordKey(scope));
    return record?.owner === owner && record.outcome === undefined ? record : undefined;
  }

  #complete({ outcome, owner, ...scope }: IdempotencyCompletion): void {
    const record = this.#inFlight(scope, owner);
    if (record !== undefined) this.#keep({ ...record, outcome });
  }

  /** The newest last: the map's order is the order in which records are pushed out. */
  #keep(record: KeptRecord): void {
    this.#drop(recordKey(record.scope));
    this.#records.set(recordKey(record.scope), record);
    this.#outcomeBytes += record.outcome?.length ?? 0;
    for (const [key, oldest] of this.#records) {
      if (this.#outcomeBytes <= outcomeBytesMax) break;
      if (oldest.outcome !== undefined) this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#outcomeBytes -= this.#records.get(key)?.outcome?.length ?? 0;
    this.#records.delete(key);
  }

  #deleteExpired(at: number): void {
    let looked = 0;
    for (const [key, record] of this.#records) {
      if (record.expiresAt <= at) this.#drop(key);
      if (++looked === expiredDeletedMax) return;
    }
  }
}

function recordKey({ account, username, key }: IdempotencyScope): string {
  return JSON.stringify([account, username, key]);
}
