// Tables around the reports: notes, and alerts on their way.
import { check, index, integer, primaryKey, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';
import { projects } from './names.ts';
import { runs } from './runs.ts';

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
  },
  (t) => [index('notes_date').on(t.localDate)],
);

/** A report or alert that could not be written after its run. It is retried; see db/history/runs/report-failures.ts. */
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
