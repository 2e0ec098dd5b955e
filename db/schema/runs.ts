// Tables of runs, their slots and their checks.

import type { CheckStatus } from '../../src/tracker/observation.ts';
import type { PagingStrategy } from '../../src/tracker/project.ts';
import { check, index, integer, primaryKey, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';
import { projects, searches } from './names.ts';

export const runs = sqliteTable(
  'runs',
  {
    id: integer().primaryKey(),
    kind: text({ enum: ['ranks', 'volumes', 'adhoc'] }).notNull(),
    /**
     * Why it was opened: `schedule` (due, or requested), `backfill` (missing data), `import` (data of another tool).
     */
    origin: text({ enum: ['schedule', 'backfill', 'import'] })
      .notNull()
      .default('schedule'),
    /** Of second looks: the run whose changes they are at. Readers see the origin `confirm`. */
    confirms: integer(),
    /**
     * UTC milliseconds that order history: the instant of the slot; for a late or future slot, when the run was opened.
     * Pages are bought once per search and moment.
     */
    moment: integer().notNull(),
    openedAt: integer('opened_at').notNull(),
    closedAt: integer('closed_at'),
    /**
     * 1 once every check of the run is in `checks`; a run that died before that is planned again. 2 once its first
     * checks were judged, and those of a burst of changes added.
     */
    planned: integer().notNull().default(0),
    state: text({ enum: ['open', 'complete', 'partial', 'halted'] }).notNull(),
    reason: text(),
    /** A problem that did not stop the run but needs attention, such as a skipped source; null: none. */
    remark: text(),
    /** Name of the process that works on it (src/service/model/process-liveness.ts), and its last heartbeat. */
    owner: text(),
    heartbeatAt: integer('heartbeat_at'),
    /** Raised each time that a process takes the run: one that holds an older epoch may not write for it any more. */
    ownerEpoch: integer('owner_epoch').notNull().default(0),
    /** When the run's reports were written; a run that died before writes them at the next start. */
    reportedAt: integer('reported_at'),
    /** When an operator discarded the run; null if it was not. */
    discardedAt: integer('discarded_at'),
    discardReason: text('discard_reason'),
  },
  (t) => [
    index('runs_state').on(t.state),
    index('runs_discarded').on(t.moment).where(sql`discarded_at IS NOT NULL`),
    check('runs_kind', sql`${t.kind} IN ('ranks', 'volumes', 'adhoc')`),
    check('runs_state_name', sql`${t.state} IN ('open', 'complete', 'partial', 'halted')`),
    check('runs_closed', sql`(${t.state} = 'open') = (${t.closedAt} IS NULL)`),
  ],
);

/**
 * The kind of a slot. Runs that were discarded, or opened while the clock was ahead, free their slots: these get
 * another kind.
 */
type SlotKind =
  | 'ranks'
  | 'volumes'
  | 'adhoc'
  | 'backfill'
  | 'import'
  | 'confirm'
  | `ahead-${number}`
  | `discarded-${number}`;

/**
 * A claimed slot of a project, or a stretch of missed ones. Unique by local date-time: two schedulers or a clock change
 * cannot claim a slot twice.
 */
export const slots = sqliteTable(
  'slots',
  {
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    kind: text().$type<SlotKind>().notNull(),
    /** Local date-time in the project's time zone: `2026-11-20T06:00`. */
    slot: text().notNull(),
    at: integer().notNull(),
    timezone: text().notNull(),
    /** Of the slot, or where its run was late the day on which it was seen. */
    localDate: text('local_date').notNull(),
    state: text({ enum: ['claimed', 'missed'] }).notNull(),
    runId: integer('run_id').references(() => runs.id),
    reason: text(),
    /** Counts of what the run saw of the project, for statistics; null until the run is closed, and in older runs. */
    checksEnded: integer('checks_ended'),
    checksFailed: integer('checks_failed'),
    rankedBefore: integer('ranked_before'),
    ranksLost: integer('ranks_lost'),
    /** Why what the run saw of the project, at the project's service, is suspect; null if it is not. */
    suspectReason: text('suspect_reason'),
    /** When a missed slot was recorded; null where it was run, or an earlier version recorded it. */
    recordedAt: integer('recorded_at'),
    /** Of missed slots: the slots of `schedule` from this one to `slot`, and their number; null for a single slot. */
    firstSlot: text('first_slot'),
    firstAt: integer('first_at'),
    slotCount: integer('slot_count'),
    /** Cron expression that they follow. */
    schedule: text(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.kind, t.slot] }),
    index('slots_run').on(t.runId),
    index('slots_latest').on(t.projectId, t.kind, t.at),
    index('slots_suspect').on(t.projectId, t.runId).where(sql`suspect_reason IS NOT NULL`),
    index('slots_stretches').on(t.projectId, t.kind, t.slot).where(sql`first_slot IS NOT NULL`),
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
    state: text().$type<'planned' | 'running' | CheckStatus>().notNull(),
    /** Order of work: priority first, then how overdue; lower goes first. */
    sequence: integer().notNull(),
    depth: integer().notNull(),
    paging: text().$type<PagingStrategy>().notNull(),
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
    index('checks_seen').on(t.runId, t.checkedAt).where(sql`checked_at IS NOT NULL`),
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
