// The audit trail of accounts: operator changes and failed logins, without passwords or hashes.

export type AdminActionName =
  | 'account-create'
  | 'account-credit'
  | 'account-whitelist'
  | 'api-user-add'
  | 'api-user-expire'
  | 'api-user-cap'
  | 'api-user-revoke'
  | 'dashboard-invite'
  | 'dashboard-withdraw'
  | 'dashboard-accept'
  | 'dashboard-sign-in'
  | 'dashboard-sign-out'
  | 'dashboard-password'
  | 'dashboard-totp-on'
  | 'dashboard-totp-off'
  // after too many wrong codes with the right password
  | 'dashboard-codes-refused'
  // of the read API; the facts contain the name of the reader
  | 'reader-add'
  | 'reader-revoke'
  // sums of the database that were computed again; the facts contain why, and which differed
  | 'sums-accept';

/** Why a login was refused: more detail than its caller gets. */
export type LoginFailureReason =
  | 'no-credentials'
  | 'unknown-user'
  | 'wrong-password'
  | 'revoked'
  | 'expired'
  | 'address-refused'
  | 'too-many-failures'
  | 'dashboard-wrong-password'
  | 'dashboard-wrong-code'
  | 'dashboard-too-many-failures';

/** The store keeps it in the same step as its change, and only if the change was made. */
export interface AdminAction {
  readonly action: AdminActionName;
  readonly account: string | undefined;
  readonly username: string | undefined;
  /** The actor, such as `ops@web-1`; absent if the host did not name one. */
  readonly by: string | undefined;
  /** The new values: amounts, rules, moments. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** Failed logins of one claimed user from one address, for one reason, in one minute. */
export interface LoginFailures {
  /** Start of the minute, UTC milliseconds. */
  readonly minute: number;
  readonly lastAt: number;
  /** As claimed, truncated; `*`: several; empty: none was given. */
  readonly username: string;
  /** Of the user, where there is one. */
  readonly account: string | undefined;
  /** `*`: several. */
  readonly address: string;
  readonly reason: LoginFailureReason;
  readonly count: number;
}

/** Retention of rows about failed logins; rows about admin actions are permanent. */
export interface FailureRetention {
  /** Rows of minutes before this moment are deleted. */
  readonly since: number;
  /** Beyond this number, the oldest rows are deleted. */
  readonly rowsMax: number;
}

export interface AccountLogEntry {
  readonly id: number;
  /** Of failed logins: the start of their minute. */
  readonly at: number;
  readonly lastAt: number;
  readonly event: AdminActionName | 'login-failed';
  readonly account: string | undefined;
  readonly username: string | undefined;
  readonly address: string | undefined;
  readonly reason: LoginFailureReason | undefined;
  readonly count: number;
  readonly by: string | undefined;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface AccountLogRange {
  /** Default: all, and failed logins of users that do not exist. */
  readonly account?: string;
  /** Default: both admin actions and failed logins. */
  readonly only?: 'actions' | 'failures';
  readonly limit: number;
}
