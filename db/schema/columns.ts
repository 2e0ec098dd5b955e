// Copies of history in columns, for reading many rows at once.
import { blob, check, integer, primaryKey, sql, sqliteTable, text } from './drizzle.ts';
import { projects, targets } from './names.ts';
import { runs } from './runs.ts';

// Unlike other tables with such keys, these have a rowid: a seek in a table without one reads whole rows.

/**
 * Ranks of a run and target in columns, for reading many at once: a copy of `rankings` and `checks`. See
 * db/history/columns/run-columns.ts.
 */
export const runColumns = sqliteTable(
  'run_columns',
  {
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    targetId: integer('target_id')
      .notNull()
      .references(() => targets.id),
    rows: integer().notNull(),
    /** Of the run, when the columns were made: another number makes them stale. */
    completeChecks: integer('complete_checks').notNull(),
    /** zstd. */
    ranks: blob({ mode: 'buffer' }).notNull(),
    /** zstd. */
    details: blob({ mode: 'buffer' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.targetId] }), check('run_columns_rows', sql`${t.rows} >= 1`)],
);

/**
 * Complete checks of a project in a run in columns, with what AI overviews link to: a copy of `checks` and `pages`. See
 * db/history/columns/check-column-store.ts.
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
