// Tables of what was read and what it proves: pages, rankings, volumes, the sums over them, and copies in columns.
import { blob, check, index, integer, primaryKey, real, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';
import { purchases } from './money.ts';
import { keywords, projects, searches, targets, urls } from './names.ts';
import { checks, runs } from './runs.ts';

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
    /** Organic URLs in order and features with their links; see db/connection/serp-archive.ts. */
    archive: blob({ mode: 'buffer' }).notNull(),
  },
  (t) => [uniqueIndex('pages_identity').on(t.searchId, t.moment, t.page), check('pages_number', sql`${t.page} >= 1`)],
);

/** What was received, as it was received; kept until pruned, and for good only in backups. */
export const bodies = sqliteTable('bodies', {
  purchaseId: integer('purchase_id')
    .primaryKey()
    .references(() => purchases.id),
  contentType: text('content_type', { enum: ['text/html', 'application/json'] }).notNull(),
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

/** A target's result in one check. Append-only; holds only what the pages prove. */
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
    /** Rank: ranked. Only a URL: seen without an exact rank. Neither: not found down to `depth` (placeKindSql). */
    rank: integer(),
    absoluteRank: integer('absolute_rank'),
    page: integer(),
    urlId: integer('url_id').references(() => urls.id),
    /**
     * Not found: the pages that prove it; otherwise the pages requested. Fewer than the check's depth: `not_followed`.
     */
    depth: integer().notNull(),
    /** Feature names that show the target, joined by `|`; null: none. */
    ownedFeatures: text('owned_features'),
  },
  (t) => [
    primaryKey({ columns: [t.targetId, t.searchId, t.moment, t.checkId] }),
    // all searches of a date, read in their order from the index alone: 33 bytes a ranking
    index('rankings_moment').on(
      t.targetId,
      t.moment,
      t.searchId,
      t.checkId,
      t.rank,
      t.urlId,
      t.page,
      t.depth,
      t.ownedFeatures,
    ),
    check('rankings_rank', sql`${t.rank} IS NULL OR (${t.rank} >= 1 AND ${t.urlId} IS NOT NULL)`),
    check('rankings_place', sql`(${t.urlId} IS NULL) = (${t.page} IS NULL) AND (${t.page} IS NULL OR ${t.page} >= 1)`),
    check(
      'rankings_absolute',
      sql`${t.absoluteRank} IS NULL OR (${t.rank} IS NOT NULL AND ${t.absoluteRank} >= ${t.rank})`,
    ),
    check('rankings_depth', sql`${t.depth} >= 1`),
  ],
);

/**
 * Checks whose changes are looked at a second time, later the same day. The first look keeps its ranking; what the
 * second shows is in `second_look_ranks`.
 */
export const secondLooks = sqliteTable(
  'second_looks',
  {
    /** The first look. */
    checkId: integer('check_id')
      .primaryKey()
      .references(() => checks.id),
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    /** Pages to read. */
    depth: integer().notNull(),
    /** UTC milliseconds: the second look is made from `notBefore` on, and not at `until` or later. */
    notBefore: integer('not_before').notNull(),
    until: integer().notNull(),
    state: text({ enum: ['waiting', 'claimed', 'lapsed'] }).notNull(),
    /** The check that is the second look; null: none was made. */
    lookId: integer('look_id').references(() => checks.id),
  },
  (t) => [
    index('second_looks_waiting').on(t.notBefore).where(sql`state = 'waiting'`),
    index('second_looks_look').on(t.lookId).where(sql`look_id IS NOT NULL`),
    check('second_looks_state', sql`${t.state} IN ('waiting', 'claimed', 'lapsed')`),
    check('second_looks_claimed', sql`(${t.state} = 'claimed') = (${t.lookId} IS NOT NULL)`),
    check('second_looks_depth', sql`${t.depth} >= 1`),
    check('second_looks_span', sql`${t.notBefore} < ${t.until}`),
  ],
);

/** A target's result in a complete second look. No rank: not found down to `depth`. */
export const secondLookRanks = sqliteTable(
  'second_look_ranks',
  {
    checkId: integer('check_id')
      .notNull()
      .references(() => checks.id),
    targetId: integer('target_id')
      .notNull()
      .references(() => targets.id),
    rank: integer(),
    depth: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.checkId, t.targetId] }),
    check('second_look_ranks_rank', sql`${t.rank} IS NULL OR ${t.rank} >= 1`),
    check('second_look_ranks_depth', sql`${t.depth} >= 1`),
  ],
);

/** Keywords that moved outside their noise bands in a run, of a project, a market or a tag: for the update detector. */
export const movedShares = sqliteTable(
  'moved_shares',
  {
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    scope: text({ enum: ['project', 'market', 'tag'] }).notNull(),
    /** The market or tag; empty for the project. */
    name: text().notNull(),
    /** Keywords with a comparable change. */
    compared: integer().notNull(),
    outside: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.runId, t.scope, t.name] }),
    check('moved_shares_scope', sql`${t.scope} IN ('project', 'market', 'tag')`),
    check('moved_shares_counts', sql`${t.outside} BETWEEN 0 AND ${t.compared}`),
  ],
);

/** What the adaptive plan of a run saved and may have missed, against daily checks to the depth of the project. */
export const planOutcomes = sqliteTable(
  'plan_outcomes',
  {
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    searches: integer().notNull(),
    /** Searches without a check in the run. */
    waiting: integer().notNull(),
    creditsSaved: integer('credits_saved').notNull(),
    /** Estimated changes since the run before. */
    changes: real().notNull(),
    /** Estimated changes that no check saw within a day, and the standard error that comes from rates. */
    missed: real().notNull(),
    rateError: real('rate_error').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.runId] }),
    check('plan_outcomes_searches', sql`${t.waiting} BETWEEN 0 AND ${t.searches}`),
    check('plan_outcomes_estimates', sql`${t.creditsSaved} >= 0 AND ${t.missed} >= 0 AND ${t.rateError} >= 0`),
  ],
);

/** What explains the change of a target in a search of a run. Can be computed again from what it explains. */
export const causes = sqliteTable(
  'causes',
  {
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    searchId: integer('search_id')
      .notNull()
      .references(() => searches.id),
    targetId: integer('target_id')
      .notNull()
      .references(() => targets.id),
    /** JSON. */
    explanation: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.projectId, t.searchId, t.targetId] }),
    check('causes_explanation', sql`json_valid(${t.explanation})`),
  ],
);

/** Texts of appearances, each stored once. */
export const appearanceTexts = sqliteTable(
  'appearance_texts',
  {
    id: integer().primaryKey(),
    /** The first half of its SHA-256. */
    digest: blob({ mode: 'buffer' }).notNull().unique(),
    text: text().notNull(),
  },
  (t) => [check('appearance_texts_digest', sql`length(${t.digest}) = 16`)],
);

/**
 * What an own result showed on a results page, where that differs from the row before: see db/history/appearances.ts. A
 * field that is null is unknown.
 */
export const appearances = sqliteTable(
  'appearances',
  {
    searchId: integer('search_id')
      .notNull()
      .references(() => searches.id),
    /** One for all spellings of a page. */
    urlId: integer('url_id')
      .notNull()
      .references(() => urls.id),
    /** Of the page. */
    moment: integer().notNull(),
    /** The first page that showed it so. */
    pageId: integer('page_id')
      .notNull()
      .references(() => pages.id),
    titleId: integer('title_id').references(() => appearanceTexts.id),
    /** An empty text: none. */
    snippetId: integer('snippet_id').references(() => appearanceTexts.id),
    /** A JSON array of texts; empty: none. */
    sitelinksId: integer('sitelinks_id').references(() => appearanceTexts.id),
    hasImage: integer('has_image'),
  },
  (t) => [
    primaryKey({ columns: [t.searchId, t.urlId, t.moment] }),
    check('appearances_image', sql`${t.hasImage} IN (0, 1)`),
  ],
);

/** Keyword metrics by month. A row of nulls: the service has no data, and is not queried again that month. */
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
 * Rows of each history table and the sum of their hashes modulo 2^48. Each new row adds itself in the same transaction;
 * `rankledger verify` sums the stored rows again. See db/connection/sums.ts.
 */
export const historyDigests = sqliteTable(
  'history_digests',
  {
    subject: text({ enum: ['rankings', 'pages', 'checks', 'volumes'] }).notNull(),
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

/** Sums over the rows of each table that has no other proof; see db/connection/sums.ts. */
export const rowSums = sqliteTable('row_sums', {
  name: text().primaryKey(),
  rows: integer().notNull(),
  digest: integer().notNull(),
});

// Unlike other tables with such keys, this has a rowid: a seek in a table without one reads whole rows.

/**
 * Complete checks of a project in a run in columns, with what AI overviews link to: a copy of `checks` and `pages`. See
 * db/history/columns/check-columns.ts.
 */
export const checkColumns = sqliteTable(
  'check_columns',
  {
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    rows: integer().notNull(),
    /** Of the run, when the columns were made: another number makes them stale. */
    completeChecks: integer('complete_checks').notNull(),
    /** The only one; null: there are others, or no rows. */
    source: text(),
    /** Rows that show an AI overview, and rows that used pages of an earlier check again. */
    shown: integer().notNull(),
    reused: integer().notNull(),
    /** Of `checked_at`; null: no rows. */
    firstAt: integer('first_at'),
    lastAt: integer('last_at'),
    /** zstd. */
    checks: blob({ mode: 'buffer' }).notNull(),
    /** zstd; null: no check shows an AI overview. */
    overviews: blob({ mode: 'buffer' }),
    /** zstd: the URLs that rank in each check. Null: written before schema 39. */
    organic: blob({ mode: 'buffer' }),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.projectId] }),
    check('check_columns_rows', sql`${t.shown} BETWEEN 0 AND ${t.rows} AND ${t.reused} BETWEEN 0 AND ${t.rows}`),
  ],
);
