// The tables, as drizzle knows them: the source of the migrations and of row types. STRICT, WITHOUT ROWID and triggers stand in the migrations.
// Imported at run time by nothing but tools: loading drizzle costs more than most commands take.
import { sql } from 'drizzle-orm';
import { blob, check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

// --- names, each interned once -------------------------------------------------------------------------------------------

export const projects = sqliteTable('projects', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
});

export const keywords = sqliteTable('keywords', {
  id: integer().primaryKey(),
  text: text().notNull().unique(),
});

export const markets = sqliteTable(
  'markets',
  {
    id: integer().primaryKey(),
    service: text().notNull(),
    country: text().notNull(),
    language: text().notNull(),
    device: text().notNull(),
  },
  (t) => [
    uniqueIndex('markets_identity').on(t.service, t.country, t.language, t.device),
    check('markets_device', sql`${t.device} IN ('desktop', 'mobile')`),
  ],
);

/** keyword x market: what is bought, and shared by projects and targets. */
export const searches = sqliteTable(
  'searches',
  {
    id: integer().primaryKey(),
    keywordId: integer('keyword_id')
      .notNull()
      .references(() => keywords.id),
    marketId: integer('market_id')
      .notNull()
      .references(() => markets.id),
  },
  (t) => [uniqueIndex('searches_identity').on(t.keywordId, t.marketId)],
);

export const targets = sqliteTable('targets', {
  id: integer().primaryKey(),
  /** `match` and normalised value: what makes two targets the same. */
  identity: text().notNull().unique(),
  match: text().notNull(),
  value: text().notNull(),
});

export const hosts = sqliteTable('hosts', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
});

/** A URL is `scheme://host` + `rest`; the host stands once for all its URLs. */
export const urls = sqliteTable(
  'urls',
  {
    id: integer().primaryKey(),
    hostId: integer('host_id')
      .notNull()
      .references(() => hosts.id),
    scheme: text().notNull(),
    rest: text().notNull(),
  },
  (t) => [uniqueIndex('urls_identity').on(t.hostId, t.rest, t.scheme)],
);

export const featureTypes = sqliteTable('feature_types', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
});

// --- runs ------------------------------------------------------------------------------------------------------------------

export const runs = sqliteTable(
  'runs',
  {
    id: integer().primaryKey(),
    kind: text().notNull(),
    /** Why it was opened: `schedule` (due, named or asked for), `backfill` (what was missing), `import` (what another tool recorded). */
    origin: text().notNull().default('schedule'),
    /** The slot's instant, UTC milliseconds; pages are bought once per search and moment. */
    moment: integer().notNull(),
    openedAt: integer('opened_at').notNull(),
    closedAt: integer('closed_at'),
    /** 1 once every check of the run stands in `checks`; a run that died before is planned again. */
    planned: integer().notNull().default(0),
    state: text().notNull(),
    reason: text(),
    /** Why the numbers deserve a second look; null where they do not. */
    suspectReason: text('suspect_reason'),
    /** What somebody should see to although the run has done without: a source that was passed over; null where there is nothing. */
    remark: text(),
    /** `host:boot:pid` of the process that works on it, and when it was last seen. */
    owner: text(),
    heartbeatAt: integer('heartbeat_at'),
    /** When the run's reports were written; a run that died before writes them at the next start. */
    reportedAt: integer('reported_at'),
  },
  (t) => [
    index('runs_state').on(t.state),
    check('runs_kind', sql`${t.kind} IN ('ranks', 'volumes', 'adhoc')`),
    check('runs_state_name', sql`${t.state} IN ('open', 'complete', 'partial', 'halted')`),
    check('runs_closed', sql`(${t.state} = 'open') = (${t.closedAt} IS NULL)`),
  ],
);

/** A claimed due moment of a project. Unique by local date-time, so that neither two schedulers nor a clock change double it. */
export const slots = sqliteTable(
  'slots',
  {
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    kind: text().notNull(),
    /** Local date-time in the project's time zone: `2026-11-20T06:00`. */
    slot: text().notNull(),
    at: integer().notNull(),
    timezone: text().notNull(),
    localDate: text('local_date').notNull(),
    state: text().notNull(),
    runId: integer('run_id').references(() => runs.id),
    reason: text(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.kind, t.slot] }),
    index('slots_run').on(t.runId),
    index('slots_latest').on(t.projectId, t.kind, t.at),
    check('slots_state_name', sql`${t.state} IN ('claimed', 'missed')`),
    check('slots_claimed', sql`(${t.state} = 'claimed') = (${t.runId} IS NOT NULL)`),
  ],
);

/** One search in one run. */
export const checks = sqliteTable(
  'checks',
  {
    id: integer().primaryKey(),
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    searchId: integer('search_id')
      .notNull()
      .references(() => searches.id),
    state: text().notNull(),
    /** Order of work: priority first, then how overdue; lower goes first. */
    sequence: integer().notNull(),
    depth: integer().notNull(),
    paging: text().notNull(),
    deep: integer().notNull(),
    freshForMs: integer('fresh_for_ms').notNull(),
    pagesRead: integer('pages_read').notNull().default(0),
    pagesReused: integer('pages_reused').notNull().default(0),
    /** UTC milliseconds of the oldest page that was read; null until something was. */
    checkedAt: integer('checked_at'),
    finishedAt: integer('finished_at'),
    /** `service/source`, as pages were labelled when they were bought. */
    source: text(),
    /** Feature names joined by `|`. */
    features: text(),
    reason: text(),
    remedy: text(),
  },
  (t) => [
    uniqueIndex('checks_identity').on(t.runId, t.searchId),
    index('checks_search').on(t.searchId, t.id),
    index('checks_state').on(t.runId, t.state),
    index('checks_next').on(t.runId, t.sequence).where(sql`state IN ('planned', 'running')`),
    check(
      'checks_state_name',
      sql`${t.state} IN ('planned', 'running', 'ok', 'incomplete', 'failed', 'deferred', 'unknown_paid')`,
    ),
    check('checks_depth', sql`${t.depth} >= 1`),
    check(
      'checks_read',
      sql`${t.state} NOT IN ('ok', 'incomplete') OR (${t.pagesRead} >= 1 AND ${t.checkedAt} IS NOT NULL)`,
    ),
  ],
);

/** Which projects wanted a check. */
export const checkProjects = sqliteTable(
  'check_projects',
  {
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    checkId: integer('check_id')
      .notNull()
      .references(() => checks.id),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.checkId] }), index('check_projects_check').on(t.checkId)],
);

// --- money -----------------------------------------------------------------------------------------------------------------

/** What a window of the budget still allows. The CHECK is the budget: nothing in the program can overdraw it. */
export const budgetWindows = sqliteTable(
  'budget_windows',
  {
    currency: text().notNull(),
    scope: text().notNull(),
    /** The run's id, the local date, or the local month. */
    key: text().notNull(),
    /** Null: no cap of ours. */
    cap: integer(),
    reserved: integer().notNull().default(0),
    spent: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.currency, t.scope, t.key] }),
    check('windows_currency', sql`${t.currency} IN ('serp_credit', 'micro_usd')`),
    check('windows_scope', sql`${t.scope} IN ('run', 'day', 'month')`),
    check('windows_amounts', sql`${t.reserved} >= 0 AND ${t.spent} >= 0`),
    check('windows_cap', sql`${t.cap} IS NULL OR ${t.reserved} + ${t.spent} <= ${t.cap}`),
  ],
);

/** An amount set aside before a request may leave: of one check, or of one keyword data request. */
export const reservations = sqliteTable(
  'reservations',
  {
    id: integer().primaryKey(),
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    checkId: integer('check_id').references(() => checks.id),
    currency: text().notNull(),
    dayKey: text('day_key').notNull(),
    monthKey: text('month_key').notNull(),
    reserved: integer().notNull(),
    spent: integer().notNull().default(0),
    unknown: integer().notNull().default(0),
    released: integer().notNull().default(0),
  },
  (t) => [
    index('reservations_run').on(t.runId),
    index('reservations_open').on(t.runId).where(sql`reserved > spent + unknown + released`),
    check('reservations_amounts', sql`${t.spent} >= 0 AND ${t.unknown} >= 0 AND ${t.released} >= 0`),
    check('reservations_sum', sql`${t.spent} + ${t.unknown} + ${t.released} <= ${t.reserved}`),
  ],
);

/** The intent to buy, durable before the request leaves; then what became of it. */
export const purchases = sqliteTable(
  'purchases',
  {
    id: integer().primaryKey(),
    reservationId: integer('reservation_id')
      .notNull()
      .references(() => reservations.id),
    service: text().notNull(),
    /** The same on every try of the same purchase; sent as Idempotency-Key. */
    requestKey: text('request_key').notNull(),
    attempt: integer().notNull(),
    /** For a page: its search, moment and number. For keyword data: the keyword's search is null. */
    searchId: integer('search_id').references(() => searches.id),
    moment: integer().notNull(),
    page: integer(),
    price: integer().notNull(),
    charged: integer().notNull().default(0),
    state: text().notNull(),
    openedAt: integer('opened_at').notNull(),
    settledAt: integer('settled_at'),
    errorCode: text('error_code'),
    message: text(),
    /** What became known later of an `unknown` purchase: `charged` or `free`. Its state stays what was seen when it was made. */
    reconciled: text(),
    reconciledAt: integer('reconciled_at'),
  },
  (t) => [
    uniqueIndex('purchases_attempt').on(t.requestKey, t.attempt),
    index('purchases_reservation').on(t.reservationId),
    index('purchases_open').on(t.id).where(sql`state = 'open'`),
    index('purchases_unknown').on(t.id).where(sql`state = 'unknown'`),
    uniqueIndex('purchases_paid_once').on(t.requestKey).where(sql`state = 'paid'`),
    check('purchases_state_name', sql`${t.state} IN ('open', 'paid', 'free', 'unknown')`),
    check('purchases_charged', sql`${t.charged} >= 0 AND ${t.charged} <= ${t.price}`),
  ],
);

/** Which source behind a service answered a purchase, and the requests that it took there; see db/purchase-sources.ts. */
export const purchaseSources = sqliteTable(
  'purchase_sources',
  {
    purchaseId: integer('purchase_id')
      .primaryKey()
      .references(() => purchases.id),
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    /** Null where the service has one source. */
    part: text(),
    /** Null, all three, where the source counts no requests. */
    requestsCharged: integer('requests_charged'),
    requestsFree: integer('requests_free'),
    requestsUnknown: integer('requests_unknown'),
  },
  (t) => [
    index('purchase_sources_run').on(t.runId),
    check(
      'purchase_sources_requests',
      sql`(${t.requestsCharged} IS NULL) = (${t.requestsFree} IS NULL) AND (${t.requestsFree} IS NULL) = (${t.requestsUnknown} IS NULL)`,
    ),
  ],
);

/** Append-only: triggers refuse updates and deletes, and each row's hash covers the row before it. */
export const ledger = sqliteTable(
  'ledger',
  {
    id: integer().primaryKey(),
    at: integer().notNull(),
    reservationId: integer('reservation_id')
      .notNull()
      .references(() => reservations.id),
    purchaseId: integer('purchase_id').references(() => purchases.id),
    kind: text().notNull(),
    currency: text().notNull(),
    amount: integer().notNull(),
    hash: blob({ mode: 'buffer' }).notNull(),
  },
  (t) => [
    index('ledger_reservation').on(t.reservationId),
    check('ledger_kind', sql`${t.kind} IN ('reserve', 'spend', 'unknown', 'release', 'confirm', 'refund')`),
    check('ledger_amount', sql`${t.amount} > 0`),
  ],
);

// --- pages and history -----------------------------------------------------------------------------------------------------

/** One page that was read: archived compactly, for good. */
export const pages = sqliteTable(
  'pages',
  {
    id: integer().primaryKey(),
    searchId: integer('search_id')
      .notNull()
      .references(() => searches.id),
    moment: integer().notNull(),
    page: integer().notNull(),
    purchaseId: integer('purchase_id')
      .notNull()
      .references(() => purchases.id),
    observedAt: integer('observed_at').notNull(),
    source: text().notNull(),
    /** The engine said that nothing follows. */
    last: integer().notNull(),
    /** Organic URLs in order and features with their links; see db/serp-archive.ts. */
    archive: blob({ mode: 'buffer' }).notNull(),
  },
  (t) => [uniqueIndex('pages_identity').on(t.searchId, t.moment, t.page), check('pages_number', sql`${t.page} >= 1`)],
);

/** What was received, as it was received; kept until pruned, and for good only in backups. */
export const bodies = sqliteTable('bodies', {
  purchaseId: integer('purchase_id')
    .primaryKey()
    .references(() => purchases.id),
  contentType: text('content_type').notNull(),
  readable: integer().notNull(),
  /** zstd. */
  body: blob({ mode: 'buffer' }).notNull(),
});

/** The pages a check was read from: bought for it, or fresh enough. */
export const checkPages = sqliteTable(
  'check_pages',
  {
    checkId: integer('check_id')
      .notNull()
      .references(() => checks.id),
    page: integer().notNull(),
    pageId: integer('page_id')
      .notNull()
      .references(() => pages.id),
  },
  (t) => [primaryKey({ columns: [t.checkId, t.page] })],
);

/** A target's place in one check: history. Append-only; only what the pages read can prove. */
export const rankings = sqliteTable(
  'rankings',
  {
    targetId: integer('target_id')
      .notNull()
      .references(() => targets.id),
    searchId: integer('search_id')
      .notNull()
      .references(() => searches.id),
    /** The run's moment: history is ordered by slot, not by when a row was written. */
    moment: integer().notNull(),
    checkId: integer('check_id')
      .notNull()
      .references(() => checks.id),
    /** Ranked where there is a rank; seen (no exact rank) where there is only a URL; not found where there is neither. */
    rank: integer(),
    absoluteRank: integer('absolute_rank'),
    page: integer(),
    urlId: integer('url_id').references(() => urls.id),
    /** Pages that a not_found proves, pages asked otherwise. */
    depth: integer().notNull(),
    /** Feature names that show the target, joined by `|`; null: none. */
    ownedFeatures: text('owned_features'),
  },
  (t) => [
    primaryKey({ columns: [t.targetId, t.searchId, t.moment, t.checkId] }),
    check('rankings_rank', sql`${t.rank} IS NULL OR (${t.rank} >= 1 AND ${t.urlId} IS NOT NULL)`),
    check('rankings_place', sql`(${t.urlId} IS NULL) = (${t.page} IS NULL) AND (${t.page} IS NULL OR ${t.page} >= 1)`),
    check(
      'rankings_absolute',
      sql`${t.absoluteRank} IS NULL OR (${t.rank} IS NOT NULL AND ${t.absoluteRank} >= ${t.rank})`,
    ),
    check('rankings_depth', sql`${t.depth} >= 1`),
  ],
);

/** Keyword metrics by month. A row with nulls says that the service knew nothing: it is not asked again that month. */
export const volumes = sqliteTable(
  'volumes',
  {
    keywordId: integer('keyword_id')
      .notNull()
      .references(() => keywords.id),
    service: text().notNull(),
    country: text().notNull(),
    language: text().notNull(),
    /** Local month of the observation: `2026-11`. */
    month: text().notNull(),
    observedAt: integer('observed_at').notNull(),
    source: text().notNull(),
    purchaseId: integer('purchase_id').references(() => purchases.id),
    searchVolume: integer('search_volume'),
    cpcMicroUsd: integer('cpc_micro_usd'),
    competition: integer(),
    competitionLevel: text('competition_level'),
    intent: text(),
    /** JSON array; null: none known. */
    relatedKeywords: text('related_keywords'),
  },
  (t) => [
    primaryKey({ columns: [t.keywordId, t.service, t.country, t.language, t.month] }),
    check('volumes_volume', sql`${t.searchVolume} IS NULL OR ${t.searchVolume} >= 0`),
  ],
);

/**
 * What stands in the tables of history, summed up: rows, and the sum of their hashes modulo 2^48. Every row that is recorded adds itself in its own
 * transaction; `rankledger verify` adds up again what it reads. See db/digests.ts.
 */
export const historyDigests = sqliteTable(
  'history_digests',
  {
    subject: text().notNull(),
    /** The moment of rankings and pages, the run of checks, the month of volumes. */
    key: integer().notNull(),
    rows: integer().notNull(),
    digest: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.subject, t.key] }),
    check('history_digests_subject', sql`${t.subject} IN ('rankings', 'pages', 'checks', 'volumes')`),
    check('history_digests_sum', sql`${t.rows} >= 1 AND ${t.digest} BETWEEN 0 AND 281474976710655`),
  ],
);

// --- accounts of the service -----------------------------------------------------------------------------------------------

/** Who pays. The CHECK is what keeps a balance from falling below zero, whatever the program does; above, sums stay exact. */
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
  },
  (t) => [index('api_users_account').on(t.accountId)],
);

/** What a request took from its account before work, and what it still holds of it. The facts never change, see the triggers. */
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
    operation: text().notNull(),
    serpCredits: integer('serp_credits').notNull(),
    microUsd: integer('micro_usd').notNull(),
    heldSerpCredits: integer('held_serp_credits').notNull(),
    heldMicroUsd: integer('held_micro_usd').notNull(),
    at: integer().notNull(),
    /** The process that will settle it; null once it is closed. */
    owner: text(),
  },
  (t) => [
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
    kind: text().notNull(),
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

/** One key, one purchase: for a day, what was answered under it. Names are texts here, because a key may come before its account is known. */
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

// --- around the reports ----------------------------------------------------------------------------------------------------

/** What happened that a reader of charts should know: a release, an update of a search engine. Those of the config are not stored. */
export const notes = sqliteTable(
  'notes',
  {
    id: integer().primaryKey(),
    /** `2026-11-20`. */
    localDate: text('local_date').notNull(),
    /** Null: for all projects. */
    projectId: integer('project_id').references(() => projects.id),
    text: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('notes_date').on(t.localDate)],
);

/** A change that is told once to a channel: written before it is sent. */
export const alertDeliveries = sqliteTable(
  'alert_deliveries',
  {
    id: integer().primaryKey(),
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    rule: text().notNull(),
    /** What it is about: a keyword in a market and a target, or the run. */
    subject: text().notNull(),
    channel: text().notNull(),
    state: text().notNull(),
    attempts: integer().notNull().default(0),
    /** JSON: the alert, without any secret. */
    payload: text().notNull(),
    createdAt: integer('created_at').notNull(),
    nextTryAt: integer('next_try_at'),
    sentAt: integer('sent_at'),
    error: text(),
  },
  (t) => [
    uniqueIndex('alert_deliveries_once').on(t.runId, t.projectId, t.rule, t.subject, t.channel),
    index('alert_deliveries_waiting').on(t.nextTryAt).where(sql`state = 'pending'`),
    check('alert_deliveries_state', sql`${t.state} IN ('pending', 'sent', 'failed')`),
  ],
);

// --- sources -----------------------------------------------------------------------------------------------------------------

/** What a source must not forget over a restart: the number under which a provider works on a page that is paid. `db/source-memory.ts` */
export const sourceMemory = sqliteTable(
  'source_memory',
  {
    service: text().notNull(),
    key: text().notNull(),
    value: text().notNull(),
    /** Until when it is kept. */
    at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.service, t.key] })],
);
