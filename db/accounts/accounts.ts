// The service's account store: exact with many processes, durable when a promise resolves. Bench: `service`.
import type {
  Account,
  AccountLogEntry,
  AccountLogRange,
  AccountStore,
  AdminAction,
  ApiUser,
  Balance,
  BalanceChange,
  BalanceChanged,
  ChargeResult,
  ChargeSettlement,
  FailureRetention,
  IdempotencyCompletion,
  IdempotencyRecord,
  IdempotencyScope,
  IdempotencyStart,
  Login,
  LoginFailures,
  LoginKey,
  NewCharge,
  NewIdempotency,
  OpenOwner,
  SpendingCap,
  StatementEntry,
  StatementRange,
  UsageDay,
} from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import { isLocked } from '../connection/errors.ts';
import type { GroupCommit } from '../connection/group-commit.ts';
import type { TableRow } from '../schema/rows.ts';
import { AccountBalances, isCapped, readUsage, toSpendingCap } from './account-balances.ts';
import { AccountDirectory } from './account-directory.ts';
import { AccountDashboard } from './dashboard.ts';

const lockedAttemptsMax = 20;
const lockedPauseMs = 100;
/** How long a statement may hold up the event loop of a server. */
const briefBusyTimeoutMs = 50;

export class SqliteAccountStore implements AccountStore {
  readonly dashboard: AccountDashboard;
  readonly #db: Connection;
  readonly #group: GroupCommit;
  readonly #balances: AccountBalances;
  readonly #records: IdempotencyRecords;
  readonly #logins: Logins;
  readonly #directory: AccountDirectory;

  constructor(db: Connection, group: GroupCommit) {
    this.#db = db;
    this.#group = group;
    this.#balances = new AccountBalances(db);
    this.#records = new IdempotencyRecords(db);
    this.#logins = new Logins(db);
    this.#directory = new AccountDirectory(db);
    this.dashboard = new AccountDashboard(db, (work) => this.#run(work), this.#directory);
  }

  /** For a server: a transaction of another program holds the event loop up for a moment at most. */
  waitBriefly(): void {
    this.#db.pragma(`busy_timeout = ${briefBusyTimeoutMs}`);
  }

  /** Whether the database could be written now, tried without waiting. */
  async isReady(): Promise<boolean> {
    const before = this.#db.pragma('busy_timeout');
    this.#db.pragma('busy_timeout = 0');
    try {
      this.#db.transaction(() => undefined);
      return true;
    } catch {
      return false;
    } finally {
      this.#db.pragma(`busy_timeout = ${Number(before)}`);
    }
  }

  createAccount(account: Account, action?: AdminAction): Promise<boolean> {
    return this.#run(() => {
      const id = this.#directory.addAccount(account);
      if (id === null) return false;
      const { serpCredits, microUsd, createdAt } = account;
      this.#balances.begin(id, { serpCredits, microUsd }, createdAt);
      return this.#directory.logged(true, action);
    });
  }

  async findAccount(name: string): Promise<Account | undefined> {
    const row = this.#db
      .sql<Omit<TableRow<'accounts'>, 'id'>>(
        `SELECT name, serp_credits AS serpCredits, micro_usd AS microUsd, whitelist, created_at AS createdAt
         FROM accounts WHERE name = ?`,
      )
      .get(name);
    return row === undefined ? undefined : { ...row, whitelist: JSON.parse(row.whitelist) as string[] };
  }

  async listAccounts(): Promise<Account[]> {
    return this.#directory.accounts();
  }

  setWhitelist(account: string, rules: readonly string[], action?: AdminAction): Promise<boolean> {
    return this.#changeLogin(() => this.#directory.setWhitelist(account, rules), action);
  }

  changeBalance(
    change: BalanceChange,
    action?: AdminAction,
  ): Promise<Exclude<ChargeResult, { status: 'charged' | 'capped' }> | BalanceChanged> {
    return this.#run(() => {
      const result = this.#balances.change(change);
      this.#directory.logged(result.status === 'changed', action);
      return result;
    });
  }

  createUser(user: ApiUser, action?: AdminAction): Promise<'created' | 'username-taken' | 'unknown-account'> {
    return this.#run(() => {
      this.#logins.forget();
      const result = this.#directory.addUser(user);
      this.#directory.logged(result === 'created', action);
      return result;
    });
  }

  findLogin(username: string): Promise<Login | undefined> {
    return this.#logins.find(username);
  }

  async listUsers(account?: string): Promise<ApiUser[]> {
    return this.#directory.users(account);
  }

  expireUser(username: string, expiresAt: number | undefined, action?: AdminAction): Promise<boolean> {
    return this.#changeLogin(() => this.#directory.expireUser(username, expiresAt), action);
  }

  revokeUser(username: string, at: number, action?: AdminAction): Promise<boolean> {
    return this.#changeLogin(() => this.#directory.revokeUser(username, at), action);
  }

  capUser(username: string, cap: SpendingCap | undefined, action?: AdminAction): Promise<boolean> {
    return this.#changeLogin(() => this.#directory.capUser(username, cap), action);
  }

  async usage(account: string, since: number): Promise<UsageDay[]> {
    return readUsage(this.#db, account, since);
  }

  loginKeys(first: LoginKey): Promise<LoginKey[]> {
    return this.#run(() => readLoginKeys(this.#db, first));
  }

  replaceHash(username: string, from: string, to: string): Promise<boolean> {
    return this.#changeLogin(() => this.#logins.replaceHash(username, from, to));
  }

  charge(charge: NewCharge): Promise<ChargeResult> {
    return this.#run(() => (isCapped(this.#db, charge) ? { status: 'capped' } : this.#balances.charge(charge)));
  }

  settle({ chargeId, used, at, complete }: ChargeSettlement): Promise<Balance> {
    return this.#run(() => {
      const balance = this.#balances.settle(chargeId, used, at);
      if (complete !== undefined) this.#records.complete(complete);
      return balance;
    });
  }

  async listOpenOwners(): Promise<OpenOwner[]> {
    return this.#db
      .sql<OpenOwner>(
        `SELECT owner, min(at) AS since FROM (
           SELECT owner, at FROM account_charges WHERE owner IS NOT NULL
           UNION ALL SELECT owner, at FROM idempotency_records WHERE outcome IS NULL
         ) GROUP BY owner`,
      )
      .all();
  }

  abandon({ owner, madeBefore, note, at }: Parameters<AccountStore['abandon']>[0]): Promise<number> {
    return this.#run(() => {
      this.#records.abandon(owner, madeBefore);
      return this.#balances.abandon(owner, madeBefore, note, at);
    });
  }

  addLoginFailures(failures: readonly LoginFailures[], keep?: FailureRetention): Promise<void> {
    return this.#run(() => addLoginFailures(this.#db, failures, keep));
  }

  async accountLog(range: AccountLogRange): Promise<AccountLogEntry[]> {
    return this.#directory.log(range);
  }

  async statement(account: string, range: StatementRange = {}): Promise<StatementEntry[]> {
    return this.#directory.statement(account, range);
  }

  beginIdempotent(start: NewIdempotency): Promise<IdempotencyStart> {
    return this.#run(() => this.#records.begin(start));
  }

  async findIdempotent(scope: IdempotencyScope, at: number): Promise<IdempotencyRecord | undefined> {
    return this.#records.find(scope, at);
  }

  forgetIdempotent(scope: IdempotencyScope & { readonly owner: string }): Promise<void> {
    return this.#run(() => this.#records.forget(scope));
  }

  /** Whether `change`, which logins may depend on, changed a row. */
  #changeLogin(change: () => boolean, action?: AdminAction): Promise<boolean> {
    return this.#run(() => {
      this.#logins.forget();
      return this.#directory.logged(change(), action);
    });
  }

  /**
   * Waits for another program's transaction without blocking the event loop: the connection itself waits only a moment,
   * see `waitBriefly`.
   */
  async #run<T>(work: () => T): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#group.run(work);
      } catch (error) {
        if (!isLocked(error) || attempt >= lockedAttemptsMax) throw error;
        await new Promise((next) => setTimeout(next, lockedPauseMs));
      }
    }
  }
}

// Idempotency records, kept for a day. Call inside a transaction.

/** Expired records that a call deletes: more than the one that it adds, so that they never pile up. */
const expiredDeletedMax = 8;

class IdempotencyRecords {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  begin(start: NewIdempotency): IdempotencyStart {
    const { account, username, key, bodyHash, owner, at, expiresAt } = start;
    const known = this.find(start, at);
    if (known !== undefined) return { status: 'known', record: known };
    this.#deleteExpired(at);
    this.#db.insert(
      'idempotency_records',
      {
        account,
        username,
        key,
        bodyHash,
        owner,
        at,
        expiresAt,
      },
      `ON CONFLICT (account, username, key) DO UPDATE
   SET body_hash = excluded.body_hash, owner = excluded.owner, at = excluded.at, expires_at = excluded.expires_at, outcome = NULL`,
    );
    return { status: 'begun' };
  }

  find({ account, username, key }: IdempotencyScope, at: number): IdempotencyRecord | undefined {
    const row = this.#db
      .sql<TableRow<'idempotency_records', 'bodyHash' | 'owner' | 'at' | 'outcome'>>(
        `SELECT body_hash AS bodyHash, owner, at, outcome FROM idempotency_records
         WHERE account = ? AND username = ? AND key = ? AND expires_at > ?`,
      )
      .get(account, username, key, at);
    return row === undefined ? undefined : { ...row, outcome: row.outcome ?? undefined };
  }

  /** Changes nothing where the record is not this owner's in flight. */
  complete({ account, username, key, owner, outcome }: IdempotencyCompletion): void {
    this.#db
      .sql(
        `UPDATE idempotency_records SET outcome = ?
         WHERE account = ? AND username = ? AND key = ? AND owner = ? AND outcome IS NULL`,
      )
      .run(Buffer.from(outcome.buffer, outcome.byteOffset, outcome.byteLength), account, username, key, owner);
  }

  /** Changes nothing where the record is not this owner's in flight. */
  forget({ account, username, key, owner }: IdempotencyScope & { readonly owner: string }): void {
    this.#db
      .sql(
        'DELETE FROM idempotency_records WHERE account = ? AND username = ? AND key = ? AND owner = ? AND outcome IS NULL',
      )
      .run(account, username, key, owner);
  }

  /** Forgets what this owner has left in flight from before a moment. */
  abandon(owner: string, begunBefore: number): void {
    this.#db
      .sql('DELETE FROM idempotency_records WHERE owner = ? AND at < ? AND outcome IS NULL')
      .run(owner, begunBefore);
  }

  #deleteExpired(at: number): void {
    this.#db
      .sql(
        'DELETE FROM idempotency_records WHERE id IN (SELECT id FROM idempotency_records WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)',
      )
      .run(at, expiredDeletedMax);
  }
}

// API users at login, the keys that hash their passwords, and failed logins.

/** Beyond this many, all are read anew. */
const rememberedMax = 10_000;

interface Question {
  readonly username: string;
  readonly resolve: (login: Login | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls of one turn of the event loop are answered together after the last one, so that no earlier change is missed.
 * The cache is valid only while no other connection has committed (`data_version`), and this one has changed no login.
 */
export class Logins {
  readonly #db: Connection;
  readonly #known = new Map<string, Login>();
  #version: unknown;
  #waiting: Question[] = [];

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Undefined where there is no such user. */
  find(username: string): Promise<Login | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ username, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#answer());
    });
  }

  /** To be called inside the transaction of every change to a user or an account's whitelist. */
  forget(): void {
    this.#known.clear();
  }

  /** Stores a new hash of the same password, as it is verified; false if the stored hash is no longer `from`. */
  replaceHash(username: string, from: string, to: string): boolean {
    const { changes } = this.#db
      .sql('UPDATE api_users SET password_hash = ? WHERE username = ? AND password_hash = ?')
      .run(to, username, from);
    return changes > 0;
  }

  #answer(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      this.#forgetStale();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (const { username, resolve, reject } of waiting) {
      try {
        resolve(this.#known.get(username) ?? this.#read(username));
      } catch (error) {
        reject(error);
      }
    }
  }

  #forgetStale(): void {
    const version = this.#db.sql<{ data_version: number }>('PRAGMA data_version').get()?.data_version;
    if (version === this.#version && this.#known.size < rememberedMax) return;
    this.#known.clear();
    this.#version = version;
  }

  /** Unknown names are not remembered: anybody can make them up. */
  #read(username: string): Login | undefined {
    const row = this.#db
      .sql<Omit<TableRow<'api_users'>, 'id' | 'accountId'> & { account: string; whitelist: string }>(
        `SELECT u.username, a.name AS account, u.password_hash AS passwordHash, u.created_at AS createdAt,
           u.expires_at AS expiresAt, u.revoked_at AS revokedAt, u.version,
           u.daily_serp_credits AS dailySerpCredits, u.daily_micro_usd AS dailyMicroUsd, a.whitelist
         FROM api_users u JOIN accounts a ON a.id = u.account_id WHERE u.username = ?`,
      )
      .get(username);
    if (row === undefined) return undefined;
    const { expiresAt, revokedAt, dailySerpCredits, dailyMicroUsd, whitelist, ...facts } = row;
    const dailyCap = toSpendingCap({ dailySerpCredits, dailyMicroUsd });
    const user = { ...facts, expiresAt: expiresAt ?? undefined, revokedAt: revokedAt ?? undefined, dailyCap };
    const login = { user, whitelist: JSON.parse(whitelist) as string[] };
    this.#known.set(username, login);
    return login;
  }
}

/** Every key, newest first; where there is none, `first` is kept. Call inside a transaction. */
function readLoginKeys(db: Connection, first: LoginKey): LoginKey[] {
  db.sql(
    'INSERT INTO login_keys (key_id, secret, created_at) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM login_keys)',
  ).run(first.id, Buffer.from(first.secret), first.createdAt);
  return db
    .sql<LoginKey>('SELECT key_id AS id, secret, created_at AS createdAt FROM login_keys ORDER BY login_keys.id DESC')
    .all();
}

/** Call inside a transaction. */
function addLoginFailures(db: Connection, failures: readonly LoginFailures[], keep?: FailureRetention): void {
  for (const { minute, lastAt, username, account, address, reason, count } of failures) {
    db.insert(
      'account_log',
      {
        at: minute,
        lastAt,
        event: 'login-failed',
        minute,
        account,
        username,
        address,
        reason,
        count,
        facts: '{}',
      },
      `ON CONFLICT (minute, username, address, reason)
   DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`,
    );
  }
  if (keep === undefined) return;
  db.sql('DELETE FROM account_log WHERE minute < ?').run(keep.since);
  db.sql(
    // in the order of an index that holds all it reads: at 100,000 rows the table would take ten times as long
    `DELETE FROM account_log WHERE id IN
         (SELECT id FROM account_log WHERE minute IS NOT NULL
          ORDER BY minute DESC, username DESC, address DESC, reason DESC LIMIT -1 OFFSET ?)`,
  ).run(keep.rowsMax);
}
