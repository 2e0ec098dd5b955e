// Tables of money: what the budget allows, what was set aside, bought and written into the ledger.
import { blob, check, index, integer, primaryKey, sql, sqliteTable, text } from './drizzle.ts';
import { currencies, entryKinds, nameSql, purchaseStates, requestKeySql } from './money-codes.ts';
import { projects, searches } from './names.ts';
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
    /** Index in `currencies`. */
    currencyCode: integer('currency_code').notNull(),
    currency: text({ enum: currencies })
      .notNull()
      .generatedAlwaysAs(sql.raw(nameSql('currency_code', currencies))),
    dayKey: text('day_key').notNull(),
    monthKey: text('month_key').notNull().generatedAlwaysAs(sql`substr(day_key, 1, 7)`),
    reserved: integer().notNull(),
    spent: integer().notNull().default(0),
    unknown: integer().notNull().default(0),
    released: integer().notNull().default(0),
  },
  (t) => [
    index('reservations_run').on(t.runId),
    index('reservations_open').on(t.runId).where(sql`reserved > spent + unknown + released`),
    check('reservations_currency', sql`${t.currencyCode} IN (0, 1)`),
    check('reservations_amounts', sql`${t.spent} >= 0 AND ${t.unknown} >= 0 AND ${t.released} >= 0`),
    check('reservations_sum', sql`${t.spent} + ${t.unknown} + ${t.released} <= ${t.reserved}`),
  ],
);

/**
 * Which projects a reservation without a check is for, such as one of keyword data, and how many of its keywords each
 * wants: they share its cost in that proportion. A check has its own (`check_projects`).
 */
export const reservationProjects = sqliteTable(
  'reservation_projects',
  {
    reservationId: integer('reservation_id')
      .notNull()
      .references(() => reservations.id),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    keywords: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.reservationId, t.projectId] }),
    check('reservation_projects_keywords', sql`${t.keywords} >= 1`),
  ],
);

/**
 * The intent to buy, durable before the request leaves; then what became of it. Triggers refuse a second paid attempt
 * of a key, and a second attempt of one number: unique indexes would hold each key once more.
 */
export const purchases = sqliteTable(
  'purchases',
  {
    id: integer().primaryKey(),
    reservationId: integer('reservation_id')
      .notNull()
      .references(() => reservations.id),
    service: text().notNull(),
    /** The same for every attempt of a purchase; sent as Idempotency-Key. See db/schema/money-codes.ts. */
    key: blob({ mode: 'buffer' }).notNull(),
    requestKey: text('request_key').notNull().generatedAlwaysAs(sql.raw(requestKeySql)),
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
    /** Index in `purchaseStates`. */
    stateCode: integer('state_code').notNull(),
    state: text({ enum: purchaseStates })
      .notNull()
      .generatedAlwaysAs(sql.raw(nameSql('state_code', purchaseStates))),
    openedAt: integer('opened_at').notNull(),
    /**
     * Milliseconds that the purchase was open; null where an older version did not record it. While it is open, a
     * number of two bytes: its row does not grow when it is settled, so that pages of the file stay full.
     */
    openMs: integer('open_ms'),
    settledAt: integer('settled_at').generatedAlwaysAs(sql`iif(state_code = 0, NULL, opened_at + open_ms)`),
    errorCode: text('error_code'),
    message: text(),
    /** The later outcome of an `unknown` purchase: `charged` or `free`. Its state stays `unknown`. */
    reconciled: text({ enum: ['charged', 'free'] }),
    reconciledAt: integer('reconciled_at'),
  },
  (t) => [
    index('purchases_key').on(sql`substr("key", 1, 6)`),
    index('purchases_reservation').on(t.reservationId),
    index('purchases_open').on(t.id).where(sql`state_code = 0`),
    index('purchases_unknown').on(t.id).where(sql`state_code = 3`),
    // unusable or doubted answers: few, and looked up by page
    index('purchases_of_no_use').on(t.searchId, t.page).where(sql`error_code IS NOT NULL`),
    check('purchases_state_code', sql`${t.stateCode} BETWEEN 0 AND 3`),
    check('purchases_charged', sql`${t.charged} >= 0 AND ${t.charged} <= ${t.price}`),
  ],
);

/**
 * The source that answered a purchase behind a service, and its number of requests; see db/ledger/purchases.ts.
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

/** A provider stated a higher price than was agreed; see db/ledger/reconciliations.ts. */
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

/**
 * Append-only: triggers refuse updates and deletes. The last entry of a transaction has a hash, which covers all its
 * entries and the hash before; see db/connection/hash-chain.ts. The currency is that of the reservation.
 */
export const ledger = sqliteTable(
  'ledger',
  {
    id: integer().primaryKey(),
    at: integer().notNull(),
    reservationId: integer('reservation_id')
      .notNull()
      .references(() => reservations.id),
    purchaseId: integer('purchase_id').references(() => purchases.id),
    /** Index in `entryKinds`. */
    kindCode: integer('kind_code').notNull(),
    kind: text({ enum: entryKinds })
      .notNull()
      .generatedAlwaysAs(sql.raw(nameSql('kind_code', entryKinds))),
    amount: integer().notNull(),
    hash: blob({ mode: 'buffer' }),
  },
  (t) => [
    index('ledger_reservation').on(t.reservationId),
    check('ledger_kind', sql`${t.kindCode} BETWEEN 0 AND 5`),
    check('ledger_amount', sql`${t.amount} > 0`),
  ],
);
