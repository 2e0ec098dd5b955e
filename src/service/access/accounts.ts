// Account administration for operators: create, credit, list and restrict accounts, issue and revoke API users.

import { errorText } from '../model/errors.ts';
import type { Clock, Price } from '../model/ports.ts';
import type {
  Account,
  AccountLogEntry,
  AccountLogRange,
  AccountStore,
  AdminAction,
  AdminActionName,
  ApiUser,
  Balance,
  DashboardStore,
  SpendingCap,
  StatementEntry,
  StatementRange,
} from './account-store.ts';
import { canonicalRule } from './login/addresses.ts';
import {
  LoginKeys,
  newPassword,
  newToken,
  newUsername,
  PasswordHasher,
  type ScryptCost,
  tokenHash,
} from './login/passwords.ts';

/** A mistake of the operator: nothing was changed. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
  readonly code = 'ACCOUNT_ERROR';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** The password is returned here only: it is stored as a hash. */
export interface NewCredentials {
  readonly username: string;
  readonly password: string;
}

/** Optional properties of a new API user. */
interface NewUser {
  readonly username?: string;
  /** UTC milliseconds. Default: never. */
  readonly expiresAt?: number;
  /** Default: one of 192 random bits. */
  readonly password?: string;
  readonly dailyCap?: SpendingCap;
}

/** The token is returned here only: it is stored as a hash. */
interface NewInvitation {
  readonly token: string;
  readonly expiresAt: number;
}

/** An API user without its hash. */
export type ApiUserFacts = Omit<ApiUser, 'passwordHash'>;

export function userState({ expiresAt, revokedAt }: ApiUserFacts, now: number): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

const nameForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;
const rulesMax = 250;
/** Beyond it, sums would no longer be exact. */
const amountMax = 1_000_000_000_000_000;

/** Account administration over one store. Every method throws AccountError for an impossible change. */
export class Accounts {
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #hasher: PasswordHasher;
  readonly #keys: LoginKeys;
  readonly #by: string | undefined;

  /** `by` names the operator in the audit trail. */
  constructor(store: AccountStore, clock: Clock, cost?: ScryptCost, by?: string) {
    this.#by = by;
    this.#store = store;
    this.#clock = clock;
    this.#hasher = new PasswordHasher(cost);
    this.#keys = new LoginKeys(store, clock);
  }

  /** With its first credits: integers from 0. */
  async create(name: string, credits: Price): Promise<Account> {
    checkName('account', name);
    checkAmounts(credits);
    if (Math.min(credits.serpCredits, credits.microUsd) < 0) {
      throw new AccountError('An account cannot begin with a negative balance.', 'Give amounts of 0 or more.');
    }
    const account: Account = { name, ...credits, whitelist: [], createdAt: this.#clock.now() };
    if (await this.#store.createAccount(account, this.#action('account-create', { account: name }, { ...credits })))
      return account;
    throw new AccountError(`There is an account "${name}" already.`, 'Top it up instead, or choose another name.');
  }

  async find(name: string): Promise<Account> {
    return (await this.#store.findAccount(name)) ?? unknownAccount(name);
  }

  async list(): Promise<Account[]> {
    return await this.#store.listAccounts();
  }

  /** Tops up; negative amounts deduct, never below zero. Returns the new balance. */
  async credit(name: string, change: Price, note?: string): Promise<Balance> {
    checkAmounts(change);
    const action = this.#action('account-credit', { account: name }, { ...change, note });
    const result = await this.#store.changeBalance({ account: name, change, note, at: action.at }, action);
    if (result.status === 'changed') return result.balance;
    if (result.status === 'unknown-account') return unknownAccount(name);
    throw new AccountError(`The account "${name}" has a lower balance than that.`, 'Deduct at most its balance.');
  }

  /** Replaces the whitelist; an empty one allows every address. Returns the rules in canonical form. */
  async setWhitelist(name: string, rules: readonly string[]): Promise<string[]> {
    if (rules.length > rulesMax)
      throw new AccountError(`A whitelist has at most ${rulesMax} rules.`, 'Write networks.');
    const canonical = [...new Set(rules.map(checkedRule))];
    const action = this.#action('account-whitelist', { account: name }, { rules: canonical });
    if (await this.#store.setWhitelist(name, canonical, action)) return canonical;
    return unknownAccount(name);
  }

  async statement(name: string, range?: StatementRange): Promise<StatementEntry[]> {
    await this.find(name);
    return await this.#store.statement(name, range);
  }

  /**
   * Creates credentials of an account. Generates username and password unless given; a chosen password is hashed
   * slowly.
   */
  async addUser(account: string, facts: NewUser = {}): Promise<NewCredentials> {
    const { username = newUsername(), expiresAt, password: chosen, dailyCap } = facts;
    if (dailyCap !== undefined) checkCap(dailyCap);
    if (expiresAt !== undefined) checkMoment(expiresAt);
    checkName('API user', username);
    if (chosen !== undefined) checkPassword(chosen);
    await this.find(account);
    const password = chosen ?? newPassword();
    const passwordHash = chosen === undefined ? await this.#keys.hash(password) : await this.#hasher.hash(chosen);
    const createdAt = this.#clock.now();
    const user: ApiUser = {
      username,
      account,
      passwordHash,
      createdAt,
      expiresAt,
      revokedAt: undefined,
      version: 1,
      dailyCap,
    };
    const action = this.#action('api-user-add', { account, username }, { expiresAt, dailyCap });
    const result = await this.#store.createUser(user, action);
    if (result === 'created') return { username, password };
    if (result === 'unknown-account') return unknownAccount(account);
    throw new AccountError(
      `There is an API user "${username}" already.`,
      'Choose another name; names are never reused.',
    );
  }

  /** Of one account, or of all; by username. */
  async listUsers(account?: string): Promise<ApiUserFacts[]> {
    if (account !== undefined) await this.find(account);
    const users = await this.#store.listUsers(account);
    return users.map(({ passwordHash: _, ...facts }) => facts);
  }

  /** Sets when the credentials expire, UTC milliseconds; undefined removes the expiry. */
  async expireUser(username: string, expiresAt: number | undefined): Promise<void> {
    if (expiresAt !== undefined) checkMoment(expiresAt);
    const action = await this.#userAction('api-user-expire', username, { expiresAt: expiresAt ?? null });
    if (!(await this.#store.expireUser(username, expiresAt, action))) unknownUser(username);
  }

  /** Sets the spending limit per UTC day; undefined removes it. */
  async capUser(username: string, cap: SpendingCap | undefined): Promise<void> {
    if (cap !== undefined) checkCap(cap);
    const action = await this.#userAction('api-user-cap', username, { dailyCap: cap ?? null });
    if (!(await this.#store.capUser(username, cap, action))) unknownUser(username);
  }

  /** Permanent, and effective from the next request on. */
  async revokeUser(username: string): Promise<void> {
    const action = await this.#userAction('api-user-revoke', username, {});
    if (!(await this.#store.revokeUser(username, action.at, action))) unknownUser(username);
  }

  /** Creates a token that sets the dashboard's password of the account, once. Replaces an earlier invitation. */
  async invite(account: string, lifetimeMs: number): Promise<NewInvitation> {
    const createdAt = this.#clock.now();
    const [token, expiresAt] = [newToken(), createdAt + lifetimeMs];
    checkMoment(expiresAt);
    const action = this.#action('dashboard-invite', { account }, { expiresAt });
    const invitation = { account, tokenHash: tokenHash(token), createdAt, expiresAt };
    if (await this.#dashboard().invite(invitation, action)) return { token, expiresAt };
    return unknownAccount(account);
  }

  /** Ends the account's invitation, password and sessions of the dashboard. API users stay. */
  async withdrawAccess(account: string): Promise<void> {
    const action = this.#action('dashboard-withdraw', { account }, {});
    if (!(await this.#dashboard().withdrawAccess(account, action))) unknownAccount(account);
  }

  /** Admin actions and failed logins, newest first; of one account, or of all. */
  async log(range: AccountLogRange): Promise<AccountLogEntry[]> {
    if (range.account !== undefined) await this.find(range.account);
    return await this.#store.accountLog(range);
  }

  #dashboard(): DashboardStore {
    const { dashboard } = this.#store;
    if (dashboard !== undefined) return dashboard;
    throw new AccountError('The account store does not support the dashboard.', 'Use a store that has `dashboard`.');
  }

  async #userAction(action: AdminActionName, username: string, facts: AdminAction['facts']): Promise<AdminAction> {
    const account = (await this.#store.findLogin(username))?.user.account;
    return this.#action(action, { account, username }, facts);
  }

  #action(
    action: AdminActionName,
    { account, username }: { readonly account: string | undefined; readonly username?: string },
    facts: AdminAction['facts'],
  ): AdminAction {
    return { action, account, username, by: this.#by, facts, at: this.#clock.now() };
  }
}

function unknownAccount(name: string): never {
  throw new AccountError(`There is no account "${name}".`, 'Create it first, or correct the name.');
}

function unknownUser(username: string): never {
  throw new AccountError(`There is no API user "${username}".`, 'List the API users of the account.');
}

function checkName(what: string, name: string): void {
  if (nameForm.test(name)) return;
  throw new AccountError(
    `"${name}" cannot be the name of an ${what}.`,
    'Use 1 to 64 letters, digits, dots, dashes and underscores, not beginning with a dot or dash.',
  );
}

function checkCap({ serpCredits = 0, microUsd = 0 }: SpendingCap): void {
  checkAmounts({ serpCredits, microUsd });
  if (Math.min(serpCredits, microUsd) < 0)
    throw new AccountError('A cap cannot be below zero.', 'Give amounts of 0 or more.');
}

/** NaN, as of an unreadable date, would be stored as no expiry at all. */
/** In milliseconds, this is in 1973; as seconds, in the year 5138. */
const momentMin = 100_000_000_000;

function checkMoment(expiresAt: number): void {
  if (Number.isSafeInteger(expiresAt) && expiresAt >= momentMin) return;
  throw new AccountError('An expiry is a moment in UTC milliseconds.', 'Give a whole number, not seconds.');
}

function checkPassword(password: string): void {
  if (/^[\x21-\x7e]{12,128}$/.test(password)) return;
  throw new AccountError('The password cannot be used.', 'Use 12 to 128 printable ASCII characters without spaces.');
}

function checkAmounts({ serpCredits, microUsd }: Price): void {
  for (const amount of [serpCredits, microUsd]) {
    if (!Number.isSafeInteger(amount) || Math.abs(amount) > amountMax) {
      throw new AccountError('Credits are whole numbers, USD has at most six decimals.', 'Correct the amount.');
    }
  }
}

function checkedRule(text: string): string {
  try {
    return canonicalRule(text);
  } catch (error) {
    throw new AccountError(errorText(error), 'Correct the rule.');
  }
}
