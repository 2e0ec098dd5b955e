// Accounts and API users as operators list and change them. Cold path: query builder.
import type {
  Account,
  AccountLogEntry,
  AccountLogRange,
  AdminAction,
  ApiUser,
  EntryKind,
  SpendingCap,
  StatementEntry,
  StatementRange,
} from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import { accountCharges, accountEntries, accountLog, accounts, apiUsers } from '../schema/accounts.ts';
import { and, asc, desc, eq, getTableColumns, gt, inArray, isNotNull, isNull, sql } from '../schema/drizzle.ts';
import type { TableRow } from '../schema/rows.ts';
import { toSpendingCap } from './account-balances.ts';

/** Every row, for LIMIT. */
const unlimited = -1;
/** How many entries back those of one kind are searched: no index holds the kind. */
const entriesReadMax = 10_000;

export class AccountDirectory {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Without its first credits. Returns the account's id; null where the name is taken. */
  addAccount({ name, whitelist, createdAt }: Account): number | null {
    const { changes, lastInsertRowid } = this.#db.drizzle
      .insert(accounts)
      .values({ name, whitelist: JSON.stringify(whitelist), createdAt })
      .onConflictDoNothing({ target: accounts.name })
      .run();
    return changes === 0 ? null : Number(lastInsertRowid);
  }

  /** By name. */
  accounts(): Account[] {
    return this.#db.drizzle
      .select()
      .from(accounts)
      .orderBy(asc(accounts.name))
      .all()
      .map(({ id: _, whitelist, ...account }) => ({ ...account, whitelist: JSON.parse(whitelist) as string[] }));
  }

  accountId(name: string): number | undefined {
    return this.#db.drizzle.select({ id: accounts.id }).from(accounts).where(eq(accounts.name, name)).get()?.id;
  }

  /** False: no account has this name. */
  setWhitelist(account: string, rules: readonly string[]): boolean {
    const named = eq(accounts.name, account);
    return (
      this.#db.drizzle
        .update(accounts)
        .set({ whitelist: JSON.stringify(rules) })
        .where(named)
        .run().changes > 0
    );
  }

  addUser({ account: name, dailyCap, ...user }: ApiUser): 'created' | 'username-taken' | 'unknown-account' {
    const accountId = this.accountId(name);
    if (accountId === undefined) return 'unknown-account';
    const { changes } = this.#db.drizzle
      .insert(apiUsers)
      .values({ ...user, ...capColumns(dailyCap), accountId })
      .onConflictDoNothing({ target: apiUsers.username })
      .run();
    return changes === 1 ? 'created' : 'username-taken';
  }

  /** Of one account, or of all; by username. */
  users(account?: string): ApiUser[] {
    return this.#db.drizzle
      .select({ ...getTableColumns(apiUsers), account: accounts.name })
      .from(apiUsers)
      .innerJoin(accounts, eq(accounts.id, apiUsers.accountId))
      .where(account === undefined ? undefined : eq(accounts.name, account))
      .orderBy(asc(apiUsers.username))
      .all()
      .map(({ id: _, accountId: __, expiresAt, revokedAt, dailySerpCredits, dailyMicroUsd, ...user }) => {
        const dailyCap = toSpendingCap({ dailySerpCredits, dailyMicroUsd });
        return { ...user, expiresAt: expiresAt ?? undefined, revokedAt: revokedAt ?? undefined, dailyCap };
      });
  }

  expireUser(username: string, expiresAt: number | undefined): boolean {
    return this.#updateUser(username, { expiresAt: expiresAt ?? null });
  }

  capUser(username: string, cap: SpendingCap | undefined): boolean {
    return this.#updateUser(username, capColumns(cap));
  }

  /** A second revocation keeps the first moment, and the version. */
  revokeUser(username: string, at: number): boolean {
    return (
      this.#db.drizzle
        .update(apiUsers)
        .set({
          version: sql`${apiUsers.version} + (${apiUsers.revokedAt} IS NULL)`,
          revokedAt: sql`coalesce(${apiUsers.revokedAt}, ${at})`,
        })
        .where(eq(apiUsers.username, username))
        .run().changes > 0
    );
  }

  /** The balance's changes, oldest first. */
  statement(account: string, { afterId = 0, limit = unlimited }: StatementRange): StatementEntry[] {
    return this.#entries()
      .where(and(eq(accounts.name, account), gt(accountEntries.id, afterId)))
      .orderBy(asc(accountEntries.id))
      .limit(limit)
      .all()
      .map(toEntry);
  }

  /** Newest first; of one kind, or of all. */
  newestEntries(account: string, limit: number, kind: EntryKind | undefined): StatementEntry[] {
    const { id, accountId } = accountEntries;
    const newest = this.#db.drizzle
      .select({ id })
      .from(accountEntries)
      .where(eq(accountId, this.accountId(account) ?? 0))
      .orderBy(desc(id))
      .limit(kind === undefined ? limit : entriesReadMax);
    return this.#entries()
      .where(and(inArray(id, newest), kind && eq(accountEntries.kind, kind)))
      .orderBy(desc(id))
      .limit(limit)
      .all()
      .map(toEntry);
  }

  #entries() {
    const { requestId, operation, username } = accountCharges;
    return this.#db.drizzle
      .select({ ...getTableColumns(accountEntries), account: accounts.name, requestId, operation, username })
      .from(accountEntries)
      .innerJoin(accounts, eq(accounts.id, accountEntries.accountId))
      .leftJoin(accountCharges, eq(accountCharges.id, accountEntries.chargeId));
  }

  appendAction({ action, account, username, by, facts, at }: AdminAction): void {
    this.#db.drizzle
      .insert(accountLog)
      .values({ at, lastAt: at, event: action, account, username, operator: by, facts: JSON.stringify(facts) })
      .run();
  }

  /** The newest `check-now` of exactly these keywords of a project; null: there is none. */
  newestCheck(project: string, keywords: readonly string[]): { readonly id: number; readonly at: number } | null {
    const { id, at, event, facts } = accountLog;
    const isAbout = sql`json_extract(${facts}, '$.project') = ${project} AND json_extract(${facts}, '$.keywords') = ${JSON.stringify(keywords)}`;
    const [found] = this.#db.drizzle
      .select({ id, at })
      .from(accountLog)
      .where(and(eq(event, 'check-now'), isAbout))
      .orderBy(desc(id))
      .limit(1)
      .all();
    return found ?? null;
  }

  /** Appends the action where it is done. Call inside its transaction. */
  logged(isDone: boolean, action: AdminAction | undefined): boolean {
    if (isDone && action !== undefined) this.appendAction(action);
    return isDone;
  }

  /** The audit trail, newest first. */
  log({ account, only, limit }: AccountLogRange): AccountLogEntry[] {
    const { minute } = accountLog;
    const ofAccount = account === undefined ? undefined : eq(accountLog.account, account);
    const ofKind = only && (only === 'failures' ? isNotNull(minute) : isNull(minute));
    return this.#db.drizzle
      .select()
      .from(accountLog)
      .where(and(ofAccount, ofKind))
      .orderBy(desc(accountLog.lastAt), desc(accountLog.id))
      .limit(limit)
      .all()
      .map((row) => ({
        id: row.id,
        at: row.at,
        lastAt: row.lastAt,
        event: row.event,
        account: row.account ?? undefined,
        username: row.username ?? undefined,
        address: row.address ?? undefined,
        reason: row.reason ?? undefined,
        count: row.count,
        by: row.operator ?? undefined,
        facts: JSON.parse(row.facts) as AccountLogEntry['facts'],
      }));
  }

  /** With its version, so that logins of the version before count no longer. */
  #updateUser(username: string, columns: { readonly [Column in ChangeableColumn]?: number | null }): boolean {
    return (
      this.#db.drizzle
        .update(apiUsers)
        .set({ ...columns, version: sql`${apiUsers.version} + 1` })
        .where(eq(apiUsers.username, username))
        .run().changes > 0
    );
  }
}

/** Of an entry that no charge made, the facts of the charge are null. */
type EntryRow = TableRow<'account_entries'> & { readonly account: string } & {
  readonly [Column in 'requestId' | 'operation' | 'username']: TableRow<'account_charges'>[Column] | null;
};

function toEntry(row: EntryRow): StatementEntry {
  return {
    id: row.id,
    account: row.account,
    kind: row.kind,
    serpCredits: row.serpCredits,
    microUsd: row.microUsd,
    balance: { serpCredits: row.balanceSerpCredits, microUsd: row.balanceMicroUsd },
    at: row.at,
    chargeId: row.chargeId ?? undefined,
    requestId: row.requestId ?? undefined,
    operation: row.operation ?? undefined,
    username: row.username ?? undefined,
    note: row.note ?? undefined,
  };
}

type ChangeableColumn = 'expiresAt' | 'dailySerpCredits' | 'dailyMicroUsd';

function capColumns(cap: SpendingCap | undefined) {
  return { dailySerpCredits: cap?.serpCredits ?? null, dailyMicroUsd: cap?.microUsd ?? null };
}
