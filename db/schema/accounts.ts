// Tables of the service: accounts, users, charges, statements, keys of requests; readers, and what sources remember.
import type { AccountLogEntry, StatementEntry } from '../../src/service/index.ts';
import { blob, check, index, integer, primaryKey, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';

/** Who pays. The CHECK keeps a balance at or above zero in every case, and below the limit of exact sums. */
export const accounts = sqliteTable(
  'accounts',
  {
    id: integer().primaryKey(),
    name: text().notNull().unique(),
    serpCredits: integer('serp_credits').notNull().default(0),
    microUsd: integer('micro_usd').notNull().default(0),
    /** JSON array of canonical rules; empty: every address. */
    whitelist: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    check('accounts_serp_credits', sql`${t.serpCredits} BETWEEN 0 AND 9007199254740991`),
    check('accounts_micro_usd', sql`${t.microUsd} BETWEEN 0 AND 9007199254740991`),
  ],
);

/** Who calls. */
export const apiUsers = sqliteTable(
  'api_users',
  {
    id: integer().primaryKey(),
    username: text().notNull().unique(),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    passwordHash: text('password_hash').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at'),
    revokedAt: integer('revoked_at'),
    version: integer().notNull(),
    /** What the user may spend in a UTC day; null: no limit. */
    dailySerpCredits: integer('daily_serp_credits'),
    dailyMicroUsd: integer('daily_micro_usd'),
  },
  (t) => [index('api_users_account').on(t.accountId)],
);

/** Under which passwords made by the service are hashed; the newest hashes, all of them verify. */
export const loginKeys = sqliteTable('login_keys', {
  id: integer().primaryKey(),
  keyId: text('key_id').notNull().unique(),
  secret: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
});

/** The audit trail: what operators changed, append-only, and failed logins counted by minute; see the triggers. */
export const accountLog = sqliteTable(
  'account_log',
  {
    id: integer().primaryKey(),
    at: integer().notNull(),
    lastAt: integer('last_at').notNull(),
    event: text().$type<AccountLogEntry['event']>().notNull(),
    /** Start of the minute of failed logins; null for an admin action. */
    minute: integer(),
    /** Names are texts here, because a claimed one may be no user. */
    account: text(),
    username: text(),
    address: text(),
    reason: text().$type<NonNullable<AccountLogEntry['reason']>>(),
    count: integer().notNull().default(1),
    operator: text(),
    /** JSON object. */
    facts: text().notNull(),
  },
  (t) => [
    uniqueIndex('account_log_failures').on(t.minute, t.username, t.address, t.reason),
    index('account_log_last').on(t.lastAt),
    check('account_log_kind', sql`(${t.event} = 'login-failed') = (${t.minute} IS NOT NULL)`),
    check(
      'account_log_failure_known',
      sql`${t.minute} IS NULL OR (${t.username} IS NOT NULL AND ${t.address} IS NOT NULL AND ${t.reason} IS NOT NULL)`,
    ),
  ],
);

/** The credits that a request took before it ran, and those it still holds. Triggers protect the facts. */
export const accountCharges = sqliteTable(
  'account_charges',
  {
    id: integer().primaryKey(),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Null: a trusted caller in the host's process. */
    username: text(),
    requestId: text('request_id').notNull(),
    operation: text().$type<NonNullable<StatementEntry['operation']>>().notNull(),
    serpCredits: integer('serp_credits').notNull(),
    microUsd: integer('micro_usd').notNull(),
    heldSerpCredits: integer('held_serp_credits').notNull(),
    heldMicroUsd: integer('held_micro_usd').notNull(),
    at: integer().notNull(),
    /** The process that will settle it; null once it is closed. */
    owner: text(),
  },
  (t) => [
    index('account_charges_day').on(t.accountId, t.at),
    index('account_charges_open').on(t.owner, t.at).where(sql`owner IS NOT NULL`),
    check('account_charges_operation', sql`${t.operation} IN ('serp', 'keyword-data')`),
    check(
      'account_charges_held',
      sql`${t.heldSerpCredits} BETWEEN 0 AND ${t.serpCredits} AND ${t.heldMicroUsd} BETWEEN 0 AND ${t.microUsd}`,
    ),
  ],
);

/** An account's statement. Append-only: triggers refuse updates and deletes. Its balance is the sum of its entries. */
export const accountEntries = sqliteTable(
  'account_entries',
  {
    id: integer().primaryKey(),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    kind: text().$type<StatementEntry['kind']>().notNull(),
    /** What was added: negative for a charge and a withdrawal. */
    serpCredits: integer('serp_credits').notNull(),
    microUsd: integer('micro_usd').notNull(),
    /** The balance after it. */
    balanceSerpCredits: integer('balance_serp_credits').notNull(),
    balanceMicroUsd: integer('balance_micro_usd').notNull(),
    at: integer().notNull(),
    chargeId: integer('charge_id').references(() => accountCharges.id),
    note: text(),
  },
  (t) => [
    index('account_entries_account').on(t.accountId),
    check('account_entries_kind', sql`${t.kind} IN ('top-up', 'withdrawal', 'charge', 'settle', 'refund')`),
    check(
      'account_entries_charge_known',
      sql`(${t.kind} IN ('charge', 'settle', 'refund')) = (${t.chargeId} IS NOT NULL)`,
    ),
    check('account_entries_balance', sql`${t.balanceSerpCredits} >= 0 AND ${t.balanceMicroUsd} >= 0`),
  ],
);

/**
 * Answers by idempotency key, kept for a day. Names are texts, because a key may arrive before its account is known.
 */
export const idempotencyRecords = sqliteTable(
  'idempotency_records',
  {
    id: integer().primaryKey(),
    account: text().notNull(),
    /** Empty: a trusted caller in the host's process. */
    username: text().notNull(),
    key: text().notNull(),
    bodyHash: text('body_hash').notNull(),
    /** The process that does the work. */
    owner: text().notNull(),
    at: integer().notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** As the service packed it; null while the work is in flight. */
    outcome: blob({ mode: 'buffer' }),
  },
  (t) => [
    uniqueIndex('idempotency_identity').on(t.account, t.username, t.key),
    index('idempotency_expiry').on(t.expiresAt),
    index('idempotency_in_flight').on(t.owner, t.at).where(sql`outcome IS NULL`),
  ],
);

/** A link that lets its reader set the password of an account's dashboard; an account has at most one. */
export const accountInvitations = sqliteTable('account_invitations', {
  id: integer().primaryKey(),
  accountId: integer('account_id')
    .notNull()
    .unique()
    .references(() => accounts.id),
  tokenHash: text('token_hash').notNull().unique(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
});

/** Who signs in to the dashboard of an account. */
export const accountHolders = sqliteTable('account_holders', {
  id: integer().primaryKey(),
  accountId: integer('account_id')
    .notNull()
    .unique()
    .references(() => accounts.id),
  passwordHash: text('password_hash').notNull(),
  /** Base32; null: no second factor. */
  totpSecret: text('totp_secret'),
  /** The newest time step whose code was used. */
  totpStep: integer('totp_step').notNull().default(0),
  /** Codes that were tried with the right password since the last sign-in. */
  codesTried: integer('codes_tried').notNull().default(0),
  version: integer().notNull(),
  createdAt: integer('created_at').notNull(),
  changedAt: integer('changed_at').notNull(),
});

/** Browsers that have signed in to a dashboard. */
export const accountSessions = sqliteTable(
  'account_sessions',
  {
    id: integer().primaryKey(),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('account_sessions_account').on(t.accountId), index('account_sessions_expiry').on(t.expiresAt)],
);

/** Who may read history from another machine. A revoked reader stays, and its name is free again. */
export const readers = sqliteTable(
  'readers',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    /** SHA-256 of the token: a token of 256 random bits needs no slow hash. Of a limited reader after `limited:`. */
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
    /** An editor may also write, where `view --edit` serves. */
    role: text({ enum: ['reader', 'editor'] })
      .notNull()
      .default('reader'),
    /** Of a reader who sees this project alone; null: all. */
    project: text(),
    /** Of the project only keywords with this tag, or the rows of this saved view; null: all. */
    tag: text(),
    view: text(),
    /** The token is refused from then on; null: it does not end. */
    endsAt: integer('ends_at'),
    /** When the token was last used, up to an hour before the newest time; null: never. */
    lastUsedAt: integer('last_used_at'),
  },
  (t) => [uniqueIndex('readers_name').on(t.name).where(sql`revoked_at IS NULL`)],
);

/**
 * What a source keeps across restarts, such as the provider's id of a paid request; see `db/accounts/source-memory.ts`.
 */
export const sourceMemory = sqliteTable(
  'source_memory',
  {
    service: text().notNull(),
    key: text().notNull(),
    value: text().notNull(),
    /** From when on it is forgotten, UTC milliseconds. */
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.service, t.key] })],
);
