// The service's account store over SQLite: exact with many processes, durable when a promise resolves.
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
import { AccountBalances, isCapped, readUsage } from './account-balances.ts';
import { AccountDirectory } from './account-directory.ts';
import { AccountDashboard } from './dashboard.ts';
import { IdempotencyRecords } from './idempotency.ts';
import { addLoginFailures, Logins, readLoginKeys } from './logins.ts';

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
      return this.#logged(true, action);
    });
  }

  /** Prepared SQL: a run that embeds the service reads its account as it starts. */
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
      this.#logged(result.status === 'changed', action);
      return result;
    });
  }

  createUser(user: ApiUser, action?: AdminAction): Promise<'created' | 'username-taken' | 'unknown-account'> {
    return this.#run(() => {
      this.#logins.forget();
      const result = this.#directory.addUser(user);
      this.#logged(result === 'created', action);
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

  /** Prepared SQL: `serve` calls it as it starts. */
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

  /** Appends the action where it is done. Call inside its transaction. */
  #logged(isDone: boolean, action: AdminAction | undefined): boolean {
    if (isDone && action !== undefined) this.#directory.appendAction(action);
    return isDone;
  }

  /** Whether `change`, which logins may depend on, changed a row. */
  #changeLogin(change: () => boolean, action?: AdminAction): Promise<boolean> {
    return this.#run(() => {
      this.#logins.forget();
      return this.#logged(change(), action);
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
