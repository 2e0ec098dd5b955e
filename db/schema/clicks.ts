// Tables of what others count for a site: clicks of a search engine, and citations in AI answers. Never ranks.
import type { SearchType } from '../../src/service/terms.ts';
import { check, index, integer, primaryKey, real, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';
import { purchases } from './money.ts';
import { keywords, projects, urls } from './names.ts';

/** One day of a project, with its totals. A day whose numbers still change is replaced; a final one is kept. */
export const clickDays = sqliteTable(
  'click_days',
  {
    id: integer().primaryKey(),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    property: text().notNull(),
    /** In the time zone of the engine's reports. */
    localDate: text('local_date').notNull(),
    state: text().$type<'fresh' | 'final'>().notNull(),
    /** Totals, hidden queries included. */
    clicks: integer().notNull(),
    impressions: integer().notNull(),
    fetchedAt: integer('fetched_at').notNull(),
    /** `by_page`: before schema 44. Its totals count a results page for each page of the site; queries have none. */
    aggregation: text().$type<'by_page' | 'by_property'>().notNull().default('by_page'),
    /** 1: `click_query_totals` and `click_page_totals` hold the day as well. 0: before schema 48. */
    totals: integer().notNull().default(0),
  },
  (t) => [
    uniqueIndex('click_days_identity').on(t.projectId, t.property, t.localDate),
    check('click_days_state', sql`${t.state} IN ('fresh', 'final')`),
    check('click_days_numbers', sql`${t.clicks} >= 0 AND ${t.impressions} >= 0`),
  ],
);

const queryColumns = () => ({
  dayId: integer('day_id')
    .notNull()
    .references(() => clickDays.id),
  keywordId: integer('keyword_id')
    .notNull()
    .references(() => keywords.id),
  /** ISO 3166-1 alpha-3, lower case, as the engine reports it; `zzz`: unknown. */
  country: text().notNull(),
  device: text().notNull(),
  clicks: integer().notNull(),
  impressions: integer().notNull(),
  /** Average over the impressions, from 1: not a rank. */
  averagePosition: real('average_position').notNull(),
});

/** Clicks of a query, from a country and a device, on one day. A results page counts once, at its best position. */
export const clickQueries = sqliteTable(
  'click_queries',
  {
    ...queryColumns(),
  },
  (t) => [
    primaryKey({ columns: [t.dayId, t.keywordId, t.country, t.device] }),
    index('click_queries_keyword').on(t.keywordId, t.dayId),
    check('click_queries_numbers', sql`${t.clicks} >= 0 AND ${t.impressions} >= 0 AND ${t.averagePosition} >= 0`),
  ],
);

/** The same by page. A results page counts for each of its pages: sums over pages are no totals. */
export const clickRows = sqliteTable(
  'click_rows',
  {
    ...queryColumns(),
    urlId: integer('url_id')
      .notNull()
      .references(() => urls.id),
  },
  (t) => [
    primaryKey({ columns: [t.dayId, t.keywordId, t.urlId, t.country, t.device] }),
    index('click_rows_keyword').on(t.keywordId, t.dayId),
    check('click_rows_numbers', sql`${t.clicks} >= 0 AND ${t.impressions} >= 0 AND ${t.averagePosition} >= 0`),
  ],
);

const totalColumns = () => ({
  dayId: integer('day_id')
    .notNull()
    .references(() => clickDays.id),
  clicks: integer().notNull(),
  impressions: integer().notNull(),
  /** Average over the impressions, from 1: not a rank. */
  averagePosition: real('average_position').notNull(),
});

/** Queries of a day, asked for by query alone: the engine leaves fewer out than by query, country and device. */
export const clickQueryTotals = sqliteTable(
  'click_query_totals',
  {
    ...totalColumns(),
    keywordId: integer('keyword_id')
      .notNull()
      .references(() => keywords.id),
  },
  (t) => [
    primaryKey({ columns: [t.dayId, t.keywordId] }),
    check('click_query_totals_numbers', sql`${t.clicks} >= 0 AND ${t.impressions} >= 0 AND ${t.averagePosition} >= 0`),
  ],
);

/** Pages of a day, asked for by page alone, with the clicks of hidden queries. */
export const clickPageTotals = sqliteTable(
  'click_page_totals',
  {
    ...totalColumns(),
    urlId: integer('url_id')
      .notNull()
      .references(() => urls.id),
  },
  (t) => [
    primaryKey({ columns: [t.dayId, t.urlId] }),
    check('click_page_totals_numbers', sql`${t.clicks} >= 0 AND ${t.impressions} >= 0 AND ${t.averagePosition} >= 0`),
  ],
);

/** Totals of a final day by search type. A type without impressions has a row of zeros; web has its position here. */
export const clickTypeTotals = sqliteTable(
  'click_type_totals',
  {
    dayId: integer('day_id')
      .notNull()
      .references(() => clickDays.id),
    type: text().$type<SearchType>().notNull(),
    clicks: integer().notNull(),
    impressions: integer().notNull(),
    /** Average over the impressions, from 1: not a rank. Null: there are none, or the type has no positions. */
    averagePosition: real('average_position'),
  },
  (t) => [
    primaryKey({ columns: [t.dayId, t.type] }),
    check('click_type_totals_type', sql`${t.type} IN ('web', 'image', 'video', 'news', 'discover', 'googleNews')`),
    check('click_type_totals_numbers', sql`${t.clicks} >= 0 AND ${t.impressions} >= 0`),
  ],
);

/** Totals of web by hour, fresh ones: those of the newest fetch alone. They are in no sum of days. */
export const clickHours = sqliteTable(
  'click_hours',
  {
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    /** In the time zone of the engine's reports: `2026-11-27T13`. */
    localHour: text('local_hour').notNull(),
    state: text().$type<'fresh' | 'final'>().notNull(),
    clicks: integer().notNull(),
    impressions: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.localHour] }),
    check('click_hours_state', sql`${t.state} IN ('fresh', 'final')`),
    check('click_hours_numbers', sql`${t.clicks} >= 0 AND ${t.impressions} >= 0`),
  ],
);

/** An export of a performance report: sums of a period, without its days. */
export const clickExports = sqliteTable(
  'click_exports',
  {
    id: integer().primaryKey(),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    fromDate: text('from_date').notNull(),
    toDate: text('to_date').notNull(),
    importedAt: integer('imported_at').notNull(),
  },
  (t) => [
    uniqueIndex('click_exports_identity').on(t.projectId, t.fromDate, t.toDate),
    check('click_exports_period', sql`${t.fromDate} <= ${t.toDate}`),
  ],
);

/** A query of an export: of all pages, countries and devices. */
export const clickExportRows = sqliteTable(
  'click_export_rows',
  {
    exportId: integer('export_id')
      .notNull()
      .references(() => clickExports.id),
    keywordId: integer('keyword_id')
      .notNull()
      .references(() => keywords.id),
    clicks: integer().notNull(),
    impressions: integer().notNull(),
    /** Average over the impressions, from 1: not a rank. */
    averagePosition: real('average_position').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.exportId, t.keywordId] }),
    check('click_export_rows_numbers', sql`${t.clicks} >= 0 AND ${t.impressions} >= 0 AND ${t.averagePosition} >= 0`),
  ],
);

/** An export of the webmaster tools of another search engine: never mixed with clicks of Search Console. */
export const engineExports = sqliteTable(
  'engine_exports',
  {
    id: integer().primaryKey(),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    /** `clicks`: of queries. `citations`: of pages, or of queries with which answers were grounded, in AI answers. */
    report: text({ enum: ['clicks', 'citations'] }).notNull(),
    fromDate: text('from_date').notNull(),
    toDate: text('to_date').notNull(),
    importedAt: integer('imported_at').notNull(),
  },
  (t) => [
    uniqueIndex('engine_exports_identity').on(t.projectId, t.report, t.fromDate, t.toDate),
    check('engine_exports_report', sql`${t.report} IN ('clicks', 'citations')`),
    check('engine_exports_period', sql`${t.fromDate} <= ${t.toDate}`),
  ],
);

/** A query or a page of such an export. */
export const engineExportRows = sqliteTable(
  'engine_export_rows',
  {
    exportId: integer('export_id')
      .notNull()
      .references(() => engineExports.id),
    kind: text({ enum: ['query', 'page'] }).notNull(),
    name: text().notNull(),
    /** Clicks, or citations. */
    count: integer().notNull(),
    /** Null, both, of citations. */
    impressions: integer(),
    averagePosition: real('average_position'),
  },
  (t) => [
    primaryKey({ columns: [t.exportId, t.kind, t.name] }),
    check('engine_export_rows_kind', sql`${t.kind} IN ('query', 'page')`),
    check('engine_export_rows_numbers', sql`${t.count} >= 0 AND (${t.impressions} IS NULL OR ${t.impressions} >= 0)`),
  ],
);

/** One sample: the answer to a prompt, bought once for each number in a period. Shared by projects. */
export const answers = sqliteTable(
  'answers',
  {
    id: integer().primaryKey(),
    /** The prompt, interned like a keyword. */
    keywordId: integer('keyword_id')
      .notNull()
      .references(() => keywords.id),
    service: text().notNull(),
    engine: text().notNull(),
    country: text().notNull(),
    language: text().notNull(),
    /** First local date of the day, week or month. */
    period: text().notNull(),
    /** From 1. */
    sample: integer().notNull(),
    observedAt: integer('observed_at').notNull(),
    /** `service/source`. */
    source: text().notNull(),
    purchaseId: integer('purchase_id')
      .notNull()
      .references(() => purchases.id),
    /** As the source names it; null where it does not. */
    model: text(),
    text: text().notNull(),
  },
  (t) => [
    uniqueIndex('answers_identity').on(t.keywordId, t.engine, t.service, t.country, t.language, t.period, t.sample),
    check('answers_sample', sql`${t.sample} >= 1`),
    check('answers_text', sql`${t.text} <> ''`),
  ],
);

/** The pages that an answer cites, in its order: each once. */
export const answerCitations = sqliteTable(
  'answer_citations',
  {
    answerId: integer('answer_id')
      .notNull()
      .references(() => answers.id),
    /** From 1. */
    position: integer().notNull(),
    urlId: integer('url_id')
      .notNull()
      .references(() => urls.id),
    title: text(),
  },
  (t) => [
    primaryKey({ columns: [t.answerId, t.position] }),
    check('answer_citations_position', sql`${t.position} >= 1`),
  ],
);
