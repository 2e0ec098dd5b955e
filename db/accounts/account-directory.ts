// Accounts and API users as operators list and change them. Cold path: query builder.
import type {
  Account,
  AccountLogEntry,
  AccountLogRange,
  AdminAction,
  ApiUser,
  SpendingCap,
  StatementEntry,
  StatementRange,
} from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import type * as schema from '../schema/index.ts';
import { toSpendingCap } from './account-balances.ts';

type Schema = typeof schema;

/** Every row, for LIMIT. */
const unlimited = -1;

export class AccountDirectory {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Without its first credits. Returns the account's id; null where the name is taken. */
  addAccount({ name, whitelist, createdAt }: Account): number | null {
    const { builder, tables } = this.#db.drizzle;
    const { changes, lastInsertRowid } = builder
      .insert(tables.accounts)
      .values({ name, whitelist: JSON.stringify(whitelist), createdAt })
      .onConflictDoNothing({ target: tables.accounts.name })
      .run();
    return changes === 0 ? null : Number(lastInsertRowid);
  }

  /** By name. */
  accounts(): Account[] {
    const { builder, tables, operators } = this.#db.drizzle;
    return builder
      .select()
      .from(tables.accounts)
      .orderBy(operators.asc(tables.accounts.name))
      .all()
      .map(({ id: _, whitelist, ...account }) => ({ ...account, whitelist: JSON.parse(whitelist) as string[] }));
  }

  /** False: no account has this name. */
  setWhitelist(account: string, rules: readonly string[]): boolean {
    const { builder, tables, operators } = this.#db.drizzle;
    const named = operators.eq(tables.accounts.name, account);
    return (
      builder
        .update(tables.accounts)
        .set({ whitelist: JSON.stringify(rules) })
        .where(named)
        .run().changes > 0
    );
  }

  addUser({ account: name, dailyCap, ...user }: ApiUser): 'created' | 'username-taken' | 'unknown-account' {
    const { builder, tables, operators } = this.#db.drizzle;
    const { accounts, apiUsers } = tables;
    const account = builder.select({ id: accounts.id }).from(accounts).where(operators.eq(accounts.name, name)).get();
    if (account === undefined) return 'unknown-account';
    const { changes } = builder
      .insert(apiUsers)
      .values({ ...user, ...capColumns(dailyCap), accountId: account.id })
      .onConflictDoNothing({ target: apiUsers.username })
      .run();
    return changes === 1 ? 'created' : 'username-taken';
  }

  /** Of one account, or of all; by username. */
  users(account?: string): ApiUser[] {
    const { builder, tables, operators } = this.#db.drizzle;
    const { accounts, apiUsers } = tables;
    const { asc, eq, getTableColumns } = operators;
    return builder
      .select({ ...getTableColumns(apiUsers), account: accounts.name })
      .from(apiUsers)
      .innerJoin(accounts, eq(accounts.id, apiUsers.accountId))
      .where(account === undefined ? undefined : eq(accounts.name, account))
      .orderBy(asc(apiUsers.username))
      .all()
      .map(({ id: _, accountId: __, expiresAt, revokedAt, dailySerpCredits, dailyMicroUsd, ...user }) => {
        const dailyCap = toSpendingCap({ dailySerpCredits, dailyMicroUsd });
        return {
          ...user,
          expiresAt: expiresAt ?? undefined,
          revokedAt: revokedAt ?? undefined,
          ...(dailyCap !== undefined && { dailyCap }),
        };
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
    const { builder, tables, operators } = this.#db.drizzle;
    const { apiUsers } = tables;
    const { eq, sql } = operators;
    return (
      builder
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
    const { builder, tables, operators } = this.#db.drizzle;
    const { accountCharges: charges, accountEntries: entries, accounts } = tables;
    const { and, asc, eq, getTableColumns, gt } = operators;
    return builder
      .select({
        ...getTableColumns(entries),
        account: accounts.name,
        requestId: charges.requestId,
        operation: charges.operation,
        username: charges.username,
      })
      .from(accounts)
      .innerJoin(entries, eq(entries.accountId, accounts.id))
      .leftJoin(charges, eq(charges.id, entries.chargeId))
      .where(and(eq(accounts.name, account), gt(entries.id, afterId)))
      .orderBy(asc(entries.id))
      .limit(limit)
      .all()
      .map(toEntry);
  }

  appendAction({ action, account, username, by, facts, at }: AdminAction): void {
    const { builder, tables } = this.#db.drizzle;
    builder
      .insert(tables.accountLog)
      .values({ at, lastAt: at, event: action, account, username, operator: by, facts: JSON.stringify(facts) })
      .run();
  }

  /** The audit trail, newest first. */
  log({ account, only, limit }: AccountLogRange): AccountLogEntry[] {
    const { builder, tables, operators } = this.#db.drizzle;
    const { accountLog } = tables;
    const { and, desc, eq, isNotNull, isNull } = operators;
    const { minute } = accountLog;
    const ofAccount = account === undefined ? undefined : eq(accountLog.account, account);
    const ofKind = only && (only === 'failures' ? isNotNull(minute) : isNull(minute));
    return builder
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
    const { builder, tables, operators } = this.#db.drizzle;
    const { apiUsers } = tables;
    const { eq, sql } = operators;
    return (
      builder
        .update(apiUsers)
        .set({ ...columns, version: sql`${apiUsers.version} + 1` })
        .where(eq(apiUsers.username, username))
        .run().changes > 0
    );
  }
}

/** An entry as drizzle reads it, with its account's name and the facts of its charge. */
type EntryRow = Schema['accountEntries']['$inferSelect'] & { readonly account: string } & {
  readonly [Column in 'requestId' | 'operation' | 'username']: Schema['accountCharges']['$inferSelect'][Column] | null;
};

export function toEntry(row: EntryRow): StatementEntry {
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
