// The port of the account dashboard: invitations, holders, sessions, and what the dashboard reads of an account.
import type { OperationName } from '../model/ports.ts';
import type { AdminAction } from './account-log.ts';
import type { EntryKind, StatementEntry, UsageDay } from './statement.ts';

/** A link that sets the password of an account. An account has at most one. */
export interface Invitation {
  readonly account: string;
  readonly tokenHash: string;
  readonly createdAt: number;
  /** Refused from this moment on. */
  readonly expiresAt: number;
}

/** The person who signs in to the dashboard of an account. */
export interface Holder {
  readonly account: string;
  /** Hash with its parameters (passwords.ts). */
  readonly passwordHash: string;
  /** Shared with the holder's authenticator app, in base32; absent: the password is enough. */
  readonly totpSecret: string | undefined;
  /** Codes that were tried with the right password since the last sign-in. */
  readonly codesTried: number;
  /** 1 at first, one more with every change. */
  readonly version: number;
  readonly createdAt: number;
  readonly changedAt: number;
}

/** A browser that has signed in. */
export interface HolderSession {
  readonly tokenHash: string;
  readonly account: string;
  readonly createdAt: number;
  /** Ended from this moment on. */
  readonly expiresAt: number;
}

/** Changes the given properties; `totpSecret: null` removes the second factor. */
export interface HolderChange {
  readonly account: string;
  /** The version on which the change is based. */
  readonly version: number;
  readonly passwordHash?: string;
  readonly totpSecret?: string | null;
  readonly at: number;
}

/** The usage of one user and operation on one UTC day. */
export interface OperationUsage extends UsageDay {
  readonly operation: OperationName;
}

/**
 * As in account-store.ts, each method is one atomic step, and moments are arguments in UTC milliseconds. The store gets
 * hashes of passwords and tokens only. Its contract is test/contract/dashboard-store.ts.
 */
export interface DashboardStore {
  /** Replaces the account's invitation. False where there is no such account. */
  invite(invitation: Invitation, action?: AdminAction): Promise<boolean>;
  /** Expired ones too, until they are replaced. */
  findInvitation(tokenHash: string): Promise<Invitation | undefined>;
  /**
   * Uses up the invitation: its account's holder gets this password, no second factor and no session. False, without
   * changes, if there is no such invitation or it has expired at `at`.
   */
  acceptInvitation(
    acceptance: { readonly tokenHash: string; readonly passwordHash: string; readonly at: number },
    action?: AdminAction,
  ): Promise<boolean>;
  /** Removes the account's invitation, holder and sessions. False where there is no such account. */
  withdrawAccess(account: string, action?: AdminAction): Promise<boolean>;

  findHolder(account: string): Promise<Holder | undefined>;
  /** Ends every session of the holder. False, without changes, if the holder has another version. */
  changeHolder(change: HolderChange, action?: AdminAction): Promise<boolean>;
  /** Counts a code before it is checked, until a session is opened: how many were tried. 0 where there is no holder. */
  countCode(account: string, action?: (codesTried: number) => AdminAction | undefined): Promise<number>;
  /** Uses up the code of a time step: true once for each step, and never for an earlier one. */
  takeTotpStep(account: string, step: number): Promise<boolean>;

  /** False if the holder has another version. The call may also delete expired sessions of any account. */
  openSession(session: HolderSession, version: number, action?: AdminAction): Promise<boolean>;
  /** Undefined if it has ended at `at`. */
  findSession(tokenHash: string, at: number): Promise<HolderSession | undefined>;
  extendSession(tokenHash: string, expiresAt: number): Promise<void>;
  endSession(tokenHash: string, action?: AdminAction): Promise<void>;

  /** Like `usage`, and by operation: newest day first, then by user, then by operation. */
  usageByOperation(account: string, since: number): Promise<OperationUsage[]>;
  /** Newest first; of one kind, or of all. Entries of a kind may be missing where 10,000 others came after them. */
  newestEntries(account: string, limit: number, kind?: EntryKind): Promise<StatementEntry[]>;
}
