// Invitations, holders, sessions and reads of the account dashboard. The service checks passwords and tokens.
import type {
  AdminAction,
  DashboardStore,
  EntryKind,
  Holder,
  HolderChange,
  HolderSession,
  Invitation,
  OperationUsage,
  StatementEntry,
} from '../../src/service/index.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import type { Connection } from '../connection/client.ts';
import { type AccountDirectory, toEntry } from './account-directory.ts';

type Run = <Result>(work: () => Result) => Promise<Result>;

export class AccountDashboard implements DashboardStore {
  readonly #db: Connection;
  readonly #run: Run;
  readonly #directory: AccountDirectory;

  /** `run` runs the work in a transaction, and waits where another program holds the lock. */
  constructor(db: Connection, run: Run, directory: AccountDirectory) {
    this.#db = db;
    this.#run = run;
    this.#directory = directory;
  }

  invite({ account, tokenHash, createdAt, expiresAt }: Invitation, action?: AdminAction): Promise<boolean> {
    return this.#run(() => {
      const accountId = this.#accountId(account);
      if (accountId === undefined) return false;
      const { builder, tables } = this.#db.drizzle;
      const { accountInvitations } = tables;
      const set = { tokenHash, createdAt, expiresAt };
      builder
        .insert(accountInvitations)
        .values({ accountId, ...set })
        .onConflictDoUpdate({ target: accountInvitations.accountId, set })
        .run();
      return this.#logged(true, action);
    });
  }

  async findInvitation(tokenHash: string): Promise<Invitation | undefined> {
    const { builder, tables, operators } = this.#db.drizzle;
    const { accounts, accountInvitations } = tables;
    return builder
      .select({
        account: accounts.name,
        tokenHash: accountInvitations.tokenHash,
        createdAt: accountInvitations.createdAt,
        expiresAt: accountInvitations.expiresAt,
      })
      .from(accountInvitations)
      .innerJoin(accounts, operators.eq(accounts.id, accountInvitations.accountId))
      .where(operators.eq(accountInvitations.tokenHash, tokenHash))
      .get();
  }

  acceptInvitation(
    { tokenHash, passwordHash, at }: Parameters<DashboardStore['acceptInvitation']>[0],
    action?: AdminAction,
  ): Promise<boolean> {
    return this.#run(() => {
      const { builder, tables, operators } = this.#db.drizzle;
      const { and, eq, gt, sql } = operators;
      const { accountHolders, accountInvitations } = tables;
      const invitation = builder
        .delete(accountInvitations)
        .where(and(eq(accountInvitations.tokenHash, tokenHash), gt(accountInvitations.expiresAt, at)))
        .returning({ accountId: accountInvitations.accountId })
        .get();
      if (invitation === undefined) return false;
      const { accountId } = invitation;
      const set = { passwordHash, totpSecret: null, totpStep: 0, codesTried: 0, changedAt: at };
      builder
        .insert(accountHolders)
        .values({ accountId, ...set, version: 1, createdAt: at })
        .onConflictDoUpdate({
          target: accountHolders.accountId,
          set: { ...set, version: sql`${accountHolders.version} + 1` },
        })
        .run();
      this.#endSessionsOf(accountId);
      return this.#logged(true, action);
    });
  }

  withdrawAccess(account: string, action?: AdminAction): Promise<boolean> {
    return this.#run(() => {
      const accountId = this.#accountId(account);
      if (accountId === undefined) return false;
      const { builder, tables, operators } = this.#db.drizzle;
      for (const table of [tables.accountInvitations, tables.accountHolders, tables.accountSessions])
        builder.delete(table).where(operators.eq(table.accountId, accountId)).run();
      return this.#logged(true, action);
    });
  }

  async findHolder(account: string): Promise<Holder | undefined> {
    const { builder, tables, operators } = this.#db.drizzle;
    const { accounts, accountHolders } = tables;
    const row = builder
      .select({ holder: accountHolders })
      .from(accountHolders)
      .innerJoin(accounts, operators.eq(accounts.id, accountHolders.accountId))
      .where(operators.eq(accounts.name, account))
      .get();
    if (row === undefined) return undefined;
    const { passwordHash, totpSecret, codesTried, version, createdAt, changedAt } = row.holder;
    return { account, passwordHash, totpSecret: totpSecret ?? undefined, codesTried, version, createdAt, changedAt };
  }

  changeHolder(
    { account, version, passwordHash, totpSecret, at }: HolderChange,
    action?: AdminAction,
  ): Promise<boolean> {
    return this.#run(() => {
      const accountId = this.#accountId(account) ?? 0;
      const { builder, tables, operators } = this.#db.drizzle;
      const { accountHolders } = tables;
      const { changes } = builder
        .update(accountHolders)
        .set({
          version: version + 1,
          changedAt: at,
          ...(passwordHash !== undefined && { passwordHash }),
          ...(totpSecret !== undefined && { totpSecret }),
        })
        .where(
          operators.and(
            operators.eq(accountHolders.accountId, accountId),
            operators.eq(accountHolders.version, version),
          ),
        )
        .run();
      if (changes === 0) return false;
      this.#endSessionsOf(accountId);
      return this.#logged(true, action);
    });
  }

  countCode(account: string, action?: (codesTried: number) => AdminAction | undefined): Promise<number> {
    return this.#run(() => {
      const { builder, tables, operators } = this.#db.drizzle;
      const { accountHolders } = tables;
      const holder = builder
        .update(accountHolders)
        .set({ codesTried: operators.sql`${accountHolders.codesTried} + 1` })
        .where(operators.eq(accountHolders.accountId, this.#accountId(account) ?? 0))
        .returning({ codesTried: accountHolders.codesTried })
        .get();
      if (holder === undefined) return 0;
      this.#logged(true, action?.(holder.codesTried));
      return holder.codesTried;
    });
  }

  takeTotpStep(account: string, step: number): Promise<boolean> {
    return this.#run(() => {
      const { builder, tables, operators } = this.#db.drizzle;
      const { and, eq, lt } = operators;
      const { accountHolders } = tables;
      const ofAccount = eq(accountHolders.accountId, this.#accountId(account) ?? 0);
      const { changes } = builder
        .update(accountHolders)
        .set({ totpStep: step })
        .where(and(ofAccount, lt(accountHolders.totpStep, step)))
        .run();
      return changes > 0;
    });
  }

  openSession(session: HolderSession, version: number, action?: AdminAction): Promise<boolean> {
    const { account, tokenHash, createdAt, expiresAt } = session;
    return this.#run(() => {
      const { builder, tables, operators } = this.#db.drizzle;
      const { and, eq, lte } = operators;
      const { accountHolders, accountSessions } = tables;
      builder.delete(accountSessions).where(lte(accountSessions.expiresAt, createdAt)).run();
      const accountId = this.#accountId(account) ?? 0;
      const { changes } = builder
        .update(accountHolders)
        .set({ codesTried: 0 })
        .where(and(eq(accountHolders.accountId, accountId), eq(accountHolders.version, version)))
        .run();
      if (changes === 0) return false;
      builder.insert(accountSessions).values({ accountId, tokenHash, createdAt, expiresAt }).run();
      return this.#logged(true, action);
    });
  }

  async findSession(tokenHash: string, at: number): Promise<HolderSession | undefined> {
    const { builder, tables, operators } = this.#db.drizzle;
    const { accounts, accountSessions } = tables;
    const session = builder
      .select({
        tokenHash: accountSessions.tokenHash,
        account: accounts.name,
        createdAt: accountSessions.createdAt,
        expiresAt: accountSessions.expiresAt,
      })
      .from(accountSessions)
      .innerJoin(accounts, operators.eq(accounts.id, accountSessions.accountId))
      .where(operators.eq(accountSessions.tokenHash, tokenHash))
      .get();
    return session === undefined || session.expiresAt <= at ? undefined : session;
  }

  extendSession(tokenHash: string, expiresAt: number): Promise<void> {
    return this.#run(() => {
      const { builder, tables, operators } = this.#db.drizzle;
      const ofToken = operators.eq(tables.accountSessions.tokenHash, tokenHash);
      builder.update(tables.accountSessions).set({ expiresAt }).where(ofToken).run();
    });
  }

  endSession(tokenHash: string, action?: AdminAction): Promise<void> {
    return this.#run(() => {
      const { builder, tables, operators } = this.#db.drizzle;
      const ofToken = operators.eq(tables.accountSessions.tokenHash, tokenHash);
      const { changes } = builder.delete(tables.accountSessions).where(ofToken).run();
      this.#logged(changes > 0, action);
    });
  }

  async usageByOperation(account: string, since: number): Promise<OperationUsage[]> {
    return usageByOperation(this.#db, account, since);
  }

  async newestEntries(account: string, limit: number, kind?: EntryKind): Promise<StatementEntry[]> {
    return newestEntries(this.#db, account, limit, kind);
  }

  #accountId(name: string): number | undefined {
    const { builder, tables, operators } = this.#db.drizzle;
    const { accounts } = tables;
    return builder.select({ id: accounts.id }).from(accounts).where(operators.eq(accounts.name, name)).get()?.id;
  }

  #endSessionsOf(accountId: number): void {
    const { builder, tables, operators } = this.#db.drizzle;
    builder.delete(tables.accountSessions).where(operators.eq(tables.accountSessions.accountId, accountId)).run();
  }

  #logged(isDone: boolean, action: AdminAction | undefined): boolean {
    if (isDone && action !== undefined) this.#directory.appendAction(action);
    return isDone;
  }
}

/** How many entries back those of one kind are searched: no index holds the kind. */
const entriesReadMax = 10_000;

/** By day, newest first, then by user and operation. Charges that were given back in full count for nothing. */
function usageByOperation(db: Connection, account: string, since: number): OperationUsage[] {
  const { builder, tables, operators } = db.drizzle;
  const { and, asc, desc, eq, gt, gte, or, sql } = operators;
  const { accounts, accountCharges: charges } = tables;
  const day = sql<number>`${charges.at} / ${sql.raw(String(dayMs))}`;
  const user = sql<string>`coalesce(${charges.username}, '')`;
  return builder
    .select({
      day,
      username: charges.username,
      operation: charges.operation,
      requests: sql<number>`count(*)`,
      serpCredits: sql<number>`sum(${charges.heldSerpCredits})`,
      microUsd: sql<number>`sum(${charges.heldMicroUsd})`,
    })
    .from(charges)
    .innerJoin(accounts, eq(accounts.id, charges.accountId))
    .where(
      and(
        eq(accounts.name, account),
        gte(charges.at, since),
        or(gt(charges.heldSerpCredits, 0), gt(charges.heldMicroUsd, 0)),
      ),
    )
    .groupBy(day, charges.username, charges.operation)
    .orderBy(desc(day), asc(user), asc(charges.operation))
    .all()
    .map(({ day, username, ...rest }) => ({
      date: new Date(day * dayMs).toISOString().slice(0, 10),
      username: username ?? undefined,
      ...rest,
    }));
}

/** Newest first. */
function newestEntries(db: Connection, account: string, limit: number, kind: EntryKind | undefined): StatementEntry[] {
  const { builder, tables, operators } = db.drizzle;
  const { desc, eq, getTableColumns, inArray } = operators;
  const { accounts, accountCharges: charges, accountEntries: entries } = tables;
  const newest = builder
    .select({ id: entries.id, kind: entries.kind })
    .from(entries)
    .innerJoin(accounts, eq(accounts.id, entries.accountId))
    .where(eq(accounts.name, account))
    .orderBy(desc(entries.id))
    .limit(kind === undefined ? limit : entriesReadMax)
    .all()
    .filter((entry) => kind === undefined || entry.kind === kind)
    .slice(0, limit);
  const ids = newest.map(({ id }) => id);
  return builder
    .select({
      ...getTableColumns(entries),
      account: accounts.name,
      requestId: charges.requestId,
      operation: charges.operation,
      username: charges.username,
    })
    .from(entries)
    .innerJoin(accounts, eq(accounts.id, entries.accountId))
    .leftJoin(charges, eq(charges.id, entries.chargeId))
    .where(inArray(entries.id, ids))
    .orderBy(desc(entries.id))
    .all()
    .map(toEntry);
}
