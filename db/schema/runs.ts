// Tables of runs, their slots, checks and reports; notes, and alerts and reports on their way.
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
    index('runs_opened').on(t.openedAt),
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

/**
 * Checks that look at the search of another one in the same run from another source, to compare the two. No project
 * wants them: they rank nothing.
 */
export const doubleChecks = sqliteTable(
  'double_checks',
  {
    doubleId: integer('double_id')
      .primaryKey()
      .references(() => checks.id),
    checkId: integer('check_id')
      .notNull()
      .references(() => checks.id),
    /** Sought because its page had changed, as one in so many of its run had; 1: not sought. */
    standsFor: integer('stands_for').notNull().default(1),
  },
  (t) => [index('double_checks_check').on(t.checkId)],
);

/** Sources that were measured to agree: checks of `source` compare with those of `comparesWith`. Both are labels. */
export const bridges = sqliteTable('bridges', {
  source: text().primaryKey(),
  comparesWith: text('compares_with').notNull(),
  /** Searches that both were asked for. */
  searches: integer().notNull(),
  measuredAt: integer('measured_at').notNull(),
});

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

/** An event that explains a chart, such as a release or a search engine update. Notes of the config are not stored. */
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
    /** Only for this keyword, or keywords with this tag, of the project. */
    keyword: text(),
    tag: text(),
  },
  (t) => [index('notes_date').on(t.localDate)],
);

/** An update of the search engine that its operator has announced, from an imported status feed. */
export const engineUpdates = sqliteTable(
  'engine_updates',
  {
    id: integer().primaryKey(),
    /** Of the feed: a later import of it replaces the rest. */
    feedId: text('feed_id').notNull(),
    name: text().notNull(),
    beginAt: integer('begin_at').notNull(),
    /** Null: it goes on. */
    endAt: integer('end_at'),
    importedAt: integer('imported_at').notNull(),
  },
  (t) => [
    uniqueIndex('engine_updates_identity').on(t.feedId),
    check('engine_updates_name', sql`${t.name} <> ''`),
    check('engine_updates_period', sql`${t.endAt} IS NULL OR ${t.beginAt} <= ${t.endAt}`),
  ],
);

/** A report or alert that could not be written after its run. It is retried; see db/history/outbox.ts. */
export const reportFailures = sqliteTable(
  'report_failures',
  {
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    /** `report` of one project, `index` and `agency` of all, `alerts` of one project. */
    part: text({ enum: ['report', 'index', 'agency', 'alerts'] }).notNull(),
    /** Empty where the part is of all projects. */
    project: text().notNull(),
    reason: text().notNull(),
    attempts: integer().notNull(),
    at: integer().notNull(),
    nextTryAt: integer('next_try_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.part, t.project] }),
    check('report_failures_part', sql`${t.part} IN ('report', 'index', 'agency', 'alerts')`),
  ],
);

/** A change that a channel receives once. Stored before it is sent. */
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
    state: text({ enum: ['pending', 'sent', 'failed'] }).notNull(),
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

/** A scheduled report that a recipient receives once. Stored before it is sent. */
export const reportDeliveries = sqliteTable(
  'report_deliveries',
  {
    id: integer().primaryKey(),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id),
    channel: text().notNull(),
    /** A mail address; empty where the channel has one receiver. */
    recipient: text().notNull(),
    schedule: text({ enum: ['daily', 'weekly', 'monthly'] }).notNull(),
    /** Local dates that it covers, both inclusive. */
    fromDate: text('from_date').notNull(),
    toDate: text('to_date').notNull(),
    attach: text({ enum: ['pdf', 'html', 'none'] }).notNull(),
    /** `skipped`: nothing to send, or due before it was set up. */
    state: text({ enum: ['pending', 'sent', 'failed', 'skipped'] }).notNull(),
    attempts: integer().notNull().default(0),
    dueAt: integer('due_at').notNull(),
    nextTryAt: integer('next_try_at'),
    sentAt: integer('sent_at'),
    error: text(),
  },
  (t) => [
    uniqueIndex('report_deliveries_once').on(t.projectId, t.channel, t.recipient, t.schedule, t.fromDate, t.toDate),
    index('report_deliveries_waiting').on(t.nextTryAt).where(sql`state = 'pending'`),
    check('report_deliveries_state', sql`${t.state} IN ('pending', 'sent', 'failed', 'skipped')`),
  ],
);
