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
  // of the read API; the name of the reader is among the facts
  | 'reader-add'
  | 'reader-revoke';

/** Why a login was refused: more than its caller learns. */
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

/** Kept by the store in the same step as the change that it is about, and only where that was made. */
export interface AdminAction {
  readonly action: AdminActionName;
  readonly account: string | undefined;
  readonly username: string | undefined;
  /** Who did it, such as `ops@web-1`; absent: the host's program did not say. */
  readonly by: string | undefined;
  /** What was set: amounts, rules, moments. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** Failed logins of one claimed user from one address, for one reason, in one minute. */
export interface LoginFailures {
  /** Start of the minute, UTC milliseconds. */
  readonly minute: number;
  readonly lastAt: number;
  /** As claimed and cut; `*`: several; empty: none was given. */
  readonly username: string;
  /** Of the user, where there is one. */
  readonly account: string | undefined;
  /** `*`: several. */
  readonly address: string;
  readonly reason: LoginFailureReason;
  readonly count: number;
}

/** Which rows about failed logins stay; those about admin actions stay for good. */
export interface FailureRetention {
  /** Minutes before this moment go. */
  readonly since: number;
  /** Beyond this many rows the oldest go. */
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
