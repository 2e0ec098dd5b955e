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
import { accountCharges, accountHolders, accountInvitations, accountSessions, accounts } from '../schema/accounts.ts';
import { and, asc, count, desc, eq, gt, gte, lt, lte, or, sql } from '../schema/drizzle.ts';
import type { AccountDirectory } from './account-directory.ts';

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
      const accountId = this.#directory.accountId(account);
      if (accountId === undefined) return false;
      const set = { tokenHash, createdAt, expiresAt };
      this.#db.drizzle
        .insert(accountInvitations)
        .values({ accountId, ...set })
        .onConflictDoUpdate({ target: accountInvitations.accountId, set })
        .run();
      return this.#directory.logged(true, action);
    });
  }

  async findInvitation(tokenHash: string): Promise<Invitation | undefined> {
    return this.#db.drizzle
      .select({
        account: accounts.name,
        tokenHash: accountInvitations.tokenHash,
        createdAt: accountInvitations.createdAt,
        expiresAt: accountInvitations.expiresAt,
      })
      .from(accountInvitations)
      .innerJoin(accounts, eq(accounts.id, accountInvitations.accountId))
      .where(eq(accountInvitations.tokenHash, tokenHash))
      .get();
  }

  acceptInvitation(
    { tokenHash, passwordHash, at }: Parameters<DashboardStore['acceptInvitation']>[0],
    action?: AdminAction,
  ): Promise<boolean> {
    return this.#run(() => {
      const invitation = this.#db.drizzle
        .delete(accountInvitations)
        .where(and(eq(accountInvitations.tokenHash, tokenHash), gt(accountInvitations.expiresAt, at)))
        .returning({ accountId: accountInvitations.accountId })
        .get();
      if (invitation === undefined) return false;
      const { accountId } = invitation;
      const set = { passwordHash, totpSecret: null, totpStep: 0, codesTried: 0, changedAt: at };
      this.#db.drizzle
        .insert(accountHolders)
        .values({ accountId, ...set, version: 1, createdAt: at })
        .onConflictDoUpdate({
          target: accountHolders.accountId,
          set: { ...set, version: sql`${accountHolders.version} + 1` },
        })
        .run();
      this.#endSessionsOf(accountId);
      return this.#directory.logged(true, action);
    });
  }

  withdrawAccess(account: string, action?: AdminAction): Promise<boolean> {
    return this.#run(() => {
      const accountId = this.#directory.accountId(account);
      if (accountId === undefined) return false;
      for (const table of [accountInvitations, accountHolders, accountSessions])
        this.#db.drizzle.delete(table).where(eq(table.accountId, accountId)).run();
      return this.#directory.logged(true, action);
    });
  }

  async findHolder(account: string): Promise<Holder | undefined> {
    const row = this.#db.drizzle
      .select({ holder: accountHolders })
      .from(accountHolders)
      .innerJoin(accounts, eq(accounts.id, accountHolders.accountId))
      .where(eq(accounts.name, account))
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
      const accountId = this.#directory.accountId(account) ?? 0;
      const { changes } = this.#db.drizzle
        .update(accountHolders)
        .set({
          version: version + 1,
          changedAt: at,
          passwordHash,
          totpSecret,
        })
        .where(and(eq(accountHolders.accountId, accountId), eq(accountHolders.version, version)))
        .run();
      if (changes === 0) return false;
      this.#endSessionsOf(accountId);
      return this.#directory.logged(true, action);
    });
  }

  countCode(account: string, action?: (codesTried: number) => AdminAction | undefined): Promise<number> {
    return this.#run(() => {
      const holder = this.#db.drizzle
        .update(accountHolders)
        .set({ codesTried: sql`${accountHolders.codesTried} + 1` })
        .where(eq(accountHolders.accountId, this.#directory.accountId(account) ?? 0))
        .returning({ codesTried: accountHolders.codesTried })
        .get();
      if (holder === undefined) return 0;
      this.#directory.logged(true, action?.(holder.codesTried));
      return holder.codesTried;
    });
  }

  takeTotpStep(account: string, step: number): Promise<boolean> {
    return this.#run(() => {
      const ofAccount = eq(accountHolders.accountId, this.#directory.accountId(account) ?? 0);
      const { changes } = this.#db.drizzle
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
      this.#db.drizzle.delete(accountSessions).where(lte(accountSessions.expiresAt, createdAt)).run();
      const accountId = this.#directory.accountId(account) ?? 0;
      const { changes } = this.#db.drizzle
        .update(accountHolders)
        .set({ codesTried: 0 })
        .where(and(eq(accountHolders.accountId, accountId), eq(accountHolders.version, version)))
        .run();
      if (changes === 0) return false;
      this.#db.drizzle.insert(accountSessions).values({ accountId, tokenHash, createdAt, expiresAt }).run();
      return this.#directory.logged(true, action);
    });
  }

  async findSession(tokenHash: string, at: number): Promise<HolderSession | undefined> {
    const session = this.#db.drizzle
      .select({
        tokenHash: accountSessions.tokenHash,
        account: accounts.name,
        createdAt: accountSessions.createdAt,
        expiresAt: accountSessions.expiresAt,
      })
      .from(accountSessions)
      .innerJoin(accounts, eq(accounts.id, accountSessions.accountId))
      .where(eq(accountSessions.tokenHash, tokenHash))
      .get();
    return session === undefined || session.expiresAt <= at ? undefined : session;
  }

  extendSession(tokenHash: string, expiresAt: number): Promise<void> {
    return this.#run(() => {
      const ofToken = eq(accountSessions.tokenHash, tokenHash);
      this.#db.drizzle.update(accountSessions).set({ expiresAt }).where(ofToken).run();
    });
  }

  endSession(tokenHash: string, action?: AdminAction): Promise<void> {
    return this.#run(() => {
      const ofToken = eq(accountSessions.tokenHash, tokenHash);
      const { changes } = this.#db.drizzle.delete(accountSessions).where(ofToken).run();
      this.#directory.logged(changes > 0, action);
    });
  }

  /** By day, newest first, then by user and operation. Charges that were given back in full count for nothing. */
  async usageByOperation(account: string, since: number): Promise<OperationUsage[]> {
    const { at, username, operation, heldSerpCredits, heldMicroUsd, accountId } = accountCharges;
    const day = sql<number>`${at} / ${sql.raw(String(dayMs))}`;
    const isHeld = or(gt(heldSerpCredits, 0), gt(heldMicroUsd, 0));
    return this.#db.drizzle
      .select({
        day,
        username,
        operation,
        requests: count(),
        serpCredits: sql<number>`sum(${heldSerpCredits})`,
        microUsd: sql<number>`sum(${heldMicroUsd})`,
      })
      .from(accountCharges)
      .innerJoin(accounts, eq(accounts.id, accountId))
      .where(and(eq(accounts.name, account), gte(at, since), isHeld))
      .groupBy(day, username, operation)
      .orderBy(desc(day), sql`coalesce(${username}, '')`, asc(operation))
      .all()
      .map(({ day, username, ...rest }) => ({
        date: new Date(day * dayMs).toISOString().slice(0, 10),
        username: username ?? undefined,
        ...rest,
      }));
  }

  async newestEntries(account: string, limit: number, kind?: EntryKind): Promise<StatementEntry[]> {
    return this.#directory.newestEntries(account, limit, kind);
  }

  #endSessionsOf(accountId: number): void {
    this.#db.drizzle.delete(accountSessions).where(eq(accountSessions.accountId, accountId)).run();
  }
}
