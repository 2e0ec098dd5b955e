// Tables of money: what the budget allows, what was set aside, bought and written into the ledger.
import { blob, check, index, integer, primaryKey, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';
import { searches } from './names.ts';
import { checks, runs } from './runs.ts';

/** What a window of the budget still allows. The CHECK is the budget: nothing in the program can overdraw it. */
export const budgetWindows = sqliteTable(
  'budget_windows',
  {
    currency: text({ enum: ['serp_credit', 'micro_usd'] }).notNull(),
    scope: text({ enum: ['run', 'day', 'month'] }).notNull(),
    /** The run's id, the local date, or the local month. */
    key: text().notNull(),
    /** Null: no cap of ours. */
    cap: integer(),
    reserved: integer().notNull().default(0),
    spent: integer().notNull().default(0),
    /** How far a price that a provider stated has exceeded the cap; nothing else can. */
    overdrawn: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.currency, t.scope, t.key] }),
    check('windows_currency', sql`${t.currency} IN ('serp_credit', 'micro_usd')`),
    check('windows_scope', sql`${t.scope} IN ('run', 'day', 'month')`),
    check('windows_amounts', sql`${t.reserved} >= 0 AND ${t.spent} >= 0 AND ${t.overdrawn} >= 0`),
    check('windows_cap', sql`${t.cap} IS NULL OR ${t.reserved} + ${t.spent} <= ${t.cap} + ${t.overdrawn}`),
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
    currency: text({ enum: ['serp_credit', 'micro_usd'] }).notNull(),
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

/**
 * The intent to buy, durable before the request leaves; then what became of it. Triggers refuse a second paid attempt
 * of a key: a unique index would hold each key once more.
 */
export const purchases = sqliteTable(
  'purchases',
  {
    id: integer().primaryKey(),
    reservationId: integer('reservation_id')
      .notNull()
      .references(() => reservations.id),
    service: text().notNull(),
    /** The same for every attempt of a purchase; sent as Idempotency-Key. */
    requestKey: text('request_key').notNull(),
    attempt: integer().notNull(),
    /** For a page: its search, moment and number. For keyword data: the keyword's search is null. */
    searchId: integer('search_id').references(() => searches.id),
    moment: integer().notNull(),
    page: integer(),
    /** The most that it may cost: as agreed, or as its provider has stated where that is more (`price_disputes`). */
    price: integer().notNull(),
    /** Bought from a source that only simulates: it costs nothing, even if the outcome is unknown. */
    simulated: integer().notNull().default(0),
    charged: integer().notNull().default(0),
    state: text({ enum: ['open', 'paid', 'free', 'unknown'] }).notNull(),
    openedAt: integer('opened_at').notNull(),
    settledAt: integer('settled_at'),
    errorCode: text('error_code'),
    message: text(),
    /** The later outcome of an `unknown` purchase: `charged` or `free`. Its state stays `unknown`. */
    reconciled: text({ enum: ['charged', 'free'] }),
    reconciledAt: integer('reconciled_at'),
  },
  (t) => [
    uniqueIndex('purchases_attempt').on(t.requestKey, t.attempt),
    index('purchases_reservation').on(t.reservationId),
    index('purchases_open').on(t.id).where(sql`state = 'open'`),
    index('purchases_unknown').on(t.id).where(sql`state = 'unknown'`),
    // unusable or doubted answers: few, and looked up by page
    index('purchases_of_no_use').on(t.searchId, t.page).where(sql`error_code IS NOT NULL`),
    check('purchases_state_name', sql`${t.state} IN ('open', 'paid', 'free', 'unknown')`),
    check('purchases_charged', sql`${t.charged} >= 0 AND ${t.charged} <= ${t.price}`),
  ],
);

/**
 * The source that answered a purchase behind a service, and its number of requests; see db/ledger/purchase-sources.ts.
 */
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

/** A provider stated a higher price than was agreed; see db/ledger/price-disputes.ts. */
export const priceDisputes = sqliteTable(
  'price_disputes',
  {
    purchaseId: integer('purchase_id')
      .primaryKey()
      .references(() => purchases.id),
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    agreed: integer().notNull(),
    stated: integer().notNull(),
    /** By how much that exceeded the fullest window of the budget; 0 where every window had room. */
    exceeded: integer().notNull(),
    at: integer().notNull(),
  },
  (t) => [
    index('price_disputes_run').on(t.runId),
    check('price_disputes_amounts', sql`${t.agreed} >= 0 AND ${t.stated} > ${t.agreed} AND ${t.exceeded} >= 0`),
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
    kind: text({ enum: ['reserve', 'spend', 'unknown', 'release', 'confirm', 'refund'] }).notNull(),
    currency: text({ enum: ['serp_credit', 'micro_usd'] }).notNull(),
    amount: integer().notNull(),
    hash: blob({ mode: 'buffer' }).notNull(),
  },
  (t) => [
    index('ledger_reservation').on(t.reservationId),
    check('ledger_kind', sql`${t.kind} IN ('reserve', 'spend', 'unknown', 'release', 'confirm', 'refund')`),
    check('ledger_amount', sql`${t.amount} > 0`),
  ],
);
