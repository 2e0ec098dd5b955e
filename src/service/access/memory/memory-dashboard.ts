// What the dashboard keeps, in memory.
import type { AdminAction } from '../account-log.ts';
import type {
  DashboardStore,
  Holder,
  HolderChange,
  HolderSession,
  Invitation,
  OperationUsage,
} from '../dashboard-store.ts';
import type { EntryKind, StatementEntry } from '../statement.ts';
import { sumOperationUsage } from './memory-usage.ts';

/** The account store that it belongs to. */
interface Surroundings {
  hasAccount(name: string): boolean;
  append(action: AdminAction): void;
  readonly entries: readonly StatementEntry[];
}

interface KeptHolder extends Holder {
  readonly totpStep: number;
}

export class MemoryDashboard implements DashboardStore {
  readonly #around: Surroundings;
  readonly #invitations = new Map<string, Invitation>();
  readonly #holders = new Map<string, KeptHolder>();
  readonly #sessions = new Map<string, HolderSession>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  async invite(invitation: Invitation, action?: AdminAction): Promise<boolean> {
    if (!this.#around.hasAccount(invitation.account)) return false;
    this.#invitations.set(invitation.account, invitation);
    return this.#logged(action);
  }

  async findInvitation(tokenHash: string): Promise<Invitation | undefined> {
    return this.#invitation(tokenHash);
  }

  async acceptInvitation(
    { tokenHash, passwordHash, at }: { tokenHash: string; passwordHash: string; at: number },
    action?: AdminAction,
  ): Promise<boolean> {
    const invitation = this.#invitation(tokenHash);
    if (invitation === undefined || invitation.expiresAt <= at) return false;
    const { account } = invitation;
    const known = this.#holders.get(account);
    this.#invitations.delete(account);
    this.#holders.set(account, {
      account,
      passwordHash,
      totpSecret: undefined,
      totpStep: 0,
      codesTried: 0,
      version: (known?.version ?? 0) + 1,
      createdAt: known?.createdAt ?? at,
      changedAt: at,
    });
    this.#endSessionsOf(account);
    return this.#logged(action);
  }

  async withdrawAccess(account: string, action?: AdminAction): Promise<boolean> {
    if (!this.#around.hasAccount(account)) return false;
    this.#invitations.delete(account);
    this.#holders.delete(account);
    this.#endSessionsOf(account);
    return this.#logged(action);
  }

  async findHolder(account: string): Promise<Holder | undefined> {
    const kept = this.#holders.get(account);
    if (kept === undefined) return undefined;
    const { totpStep: _, ...holder } = kept;
    return holder;
  }

  async changeHolder(
    { account, version, passwordHash, totpSecret, at }: HolderChange,
    action?: AdminAction,
  ): Promise<boolean> {
    const holder = this.#holders.get(account);
    if (holder?.version !== version) return false;
    this.#holders.set(account, {
      ...holder,
      ...(passwordHash !== undefined && { passwordHash }),
      ...(totpSecret !== undefined && { totpSecret: totpSecret ?? undefined }),
      version: version + 1,
      changedAt: at,
    });
    this.#endSessionsOf(account);
    return this.#logged(action);
  }

  async countCode(account: string, action?: (codesTried: number) => AdminAction | undefined): Promise<number> {
    const holder = this.#holders.get(account);
    if (holder === undefined) return 0;
    const codesTried = holder.codesTried + 1;
    this.#holders.set(account, { ...holder, codesTried });
    this.#logged(action?.(codesTried));
    return codesTried;
  }

  async takeTotpStep(account: string, step: number): Promise<boolean> {
    const holder = this.#holders.get(account);
    if (holder === undefined || holder.totpStep >= step) return false;
    this.#holders.set(account, { ...holder, totpStep: step });
    return true;
  }

  async openSession(session: HolderSession, version: number, action?: AdminAction): Promise<boolean> {
    for (const [hash, { expiresAt }] of this.#sessions) {
      if (expiresAt <= session.createdAt) this.#sessions.delete(hash);
    }
    const holder = this.#holders.get(session.account);
    if (holder?.version !== version) return false;
    this.#holders.set(session.account, { ...holder, codesTried: 0 });
    this.#sessions.set(session.tokenHash, session);
    return this.#logged(action);
  }

  async findSession(tokenHash: string, at: number): Promise<HolderSession | undefined> {
    const session = this.#sessions.get(tokenHash);
    return session === undefined || session.expiresAt <= at ? undefined : session;
  }

  async extendSession(tokenHash: string, expiresAt: number): Promise<void> {
    const session = this.#sessions.get(tokenHash);
    if (session !== undefined) this.#sessions.set(tokenHash, { ...session, expiresAt });
  }

  async endSession(tokenHash: string, action?: AdminAction): Promise<void> {
    if (this.#sessions.delete(tokenHash)) this.#logged(action);
  }

  async usageByOperation(account: string, since: number): Promise<OperationUsage[]> {
    return sumOperationUsage(this.#around.entries, account, since);
  }

  async newestEntries(account: string, limit: number, kind?: EntryKind): Promise<StatementEntry[]> {
    const own = this.#around.entries.filter(
      (entry) => entry.account === account && (kind ?? entry.kind) === entry.kind,
    );
    return own.toReversed().slice(0, limit);
  }

  #invitation(tokenHash: string): Invitation | undefined {
    return this.#invitations.values().find((invitation) => invitation.tokenHash === tokenHash);
  }

  #endSessionsOf(account: string): void {
    for (const [hash, session] of this.#sessions) if (session.account === account) this.#sessions.delete(hash);
  }

  #logged(action: AdminAction | undefined): boolean {
    if (action !== undefined) this.#around.append(action);
    return true;
  }
}
