// The outbox: alerts and scheduled reports, each once per receiver, stored before they are sent, and tried again.

import type { DeliverySchedule } from '../../src/tracker/changes/client-reports.ts';
import type { Connection, QueryBuilder } from '../connection/client.ts';
import { marketValues } from '../connection/names.ts';
import type { TableRow } from '../schema/rows.ts';
import { rankingStands, runStands, searchesAmong } from './checks/conditions.ts';

/** `failed`: given up. */
type DeliveryState = 'pending' | 'sent' | 'failed' | 'skipped';

export interface NewDelivery {
  readonly runId: number;
  readonly project: string;
  /** Which rule of the config found it. */
  readonly rule: string;
  /** What it is about: a keyword in a market and a target, or the run. */
  readonly subject: string;
  /** Name of the channel in the config. */
  readonly channel: string;
  /** JSON: the alert, without any secret. */
  readonly payload: string;
}

export interface Delivery extends NewDelivery {
  readonly id: number;
  readonly state: Exclude<DeliveryState, 'skipped'>;
  /** Attempts that were begun. */
  readonly attempts: number;
  /** UTC milliseconds, as all times here; null once it is sent or given up. */
  readonly nextTryAt: number | null;
  readonly createdAt: number;
  readonly sentAt: number | null;
  /** Why the last attempt failed. */
  readonly error: string | null;
}

interface CreatedAlerts {
  /** Null: all. */
  readonly project: string | null;
  readonly from: number;
  readonly until: number;
  readonly limit: number;
}

/** Who gets which report of which days. */
interface NewReportDelivery {
  readonly project: string;
  readonly channel: string;
  /** A mail address; empty where the channel has one receiver. */
  readonly recipient: string;
  readonly schedule: DeliverySchedule;
  /** Local dates, both inclusive. */
  readonly fromDate: string;
  readonly toDate: string;
  readonly attach: 'pdf' | 'html' | 'none';
  /** UTC milliseconds, as all times here. */
  readonly dueAt: number;
}

export interface ReportDelivery extends NewReportDelivery {
  readonly id: number;
  readonly state: DeliveryState;
  /** Attempts that were begun. */
  readonly attempts: number;
  /** Null once it is sent, skipped or given up. */
  readonly nextTryAt: number | null;
  readonly sentAt: number | null;
  /** Why the last attempt failed, or why it was skipped. */
  readonly error: string | null;
}

type Tables = QueryBuilder['tables'];

/** What waits for a receiver: leased for an attempt, then sent, tried again later, or given up. */
abstract class Outbox<Item extends { readonly id: number; readonly attempts: number }> {
  protected readonly db: Connection;

  constructor(db: Connection) {
    this.db = db;
  }

  protected abstract get table(): Tables['alertDeliveries'] | Tables['reportDeliveries'];

  /** Those whose attempt is due at `at`, oldest first. */
  protected abstract due(at: number, limit: number): Item[];

  /**
   * Leases what is due at `at`, oldest first, until `until`. No other process gets it during the lease; after it the
   * items are due again, in case this process dies. Counts one attempt each.
   */
  take(at: number, until: number, limit: number): Item[] {
    return this.db.transaction(() => {
      const { builder, operators } = this.db.drizzle;
      const { table } = this;
      const due = this.due(at, limit);
      const ids = due.map(({ id }) => id);
      builder
        .update(table)
        .set({ attempts: operators.sql`${table.attempts} + 1`, nextTryAt: until })
        .where(operators.inArray(table.id, ids))
        .run();
      return due.map((item) => ({ ...item, attempts: item.attempts + 1, nextTryAt: until }));
    });
  }

  /** One message may have carried several. */
  markSent(ids: readonly number[], at: number): void {
    this.settle(ids, { state: 'sent', sentAt: at, nextTryAt: null, error: null });
  }

  /** The attempt failed; `nextTryAt` null: given up. */
  markFailed(ids: readonly number[], error: string, nextTryAt: number | null): void {
    this.settle(ids, { state: nextTryAt === null ? 'failed' : 'pending', error, nextTryAt });
  }

  /** Makes what was given up due again at `at`. Returns how many. */
  retryFailed(at: number): number {
    const { builder, operators } = this.db.drizzle;
    return builder
      .update(this.table)
      .set({ state: 'pending', nextTryAt: at })
      .where(operators.eq(this.table.state, 'failed'))
      .run().changes;
  }

  protected settle(
    ids: readonly number[],
    values: { state: DeliveryState; error: string | null; nextTryAt: number | null; sentAt?: number },
  ): void {
    const { builder, operators } = this.db.drizzle;
    const { and, eq, inArray } = operators;
    const isPending = and(inArray(this.table.id, [...ids]), eq(this.table.state, 'pending'));
    builder.update(this.table).set(values).where(isPending).run();
  }
}

/** Each change once per channel. */
export class AlertDeliveries extends Outbox<Delivery> {
  /**
   * Queues alerts in one transaction; skips those already queued for the channel by this run. Returns the number of new
   * ones.
   */
  add(deliveries: Iterable<NewDelivery>, at: number): number {
    return this.db.transaction(() => {
      let added = 0;
      for (const { runId, project, rule, subject, channel, payload } of deliveries) {
        const { builder } = this.db.drizzle;
        const { table } = this;
        added += builder
          .insert(table)
          .values({
            runId,
            projectId: this.db.names.projectId(project),
            rule,
            subject,
            channel,
            state: 'pending',
            payload,
            createdAt: at,
            nextTryAt: at,
          })
          .onConflictDoNothing({ target: [table.runId, table.projectId, table.rule, table.subject, table.channel] })
          .run().changes;
      }
      return added;
    });
  }

  /** Whether a channel already received an alert about a budget window, in any run and project. */
  wasSent(rule: string, subject: string, channel: string): boolean {
    const { builder, tables, operators } = this.db.drizzle;
    const { and, eq } = operators;
    const { alertDeliveries: table } = tables;
    const sent = builder
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.rule, rule), eq(table.subject, subject), eq(table.channel, channel)))
      .limit(1)
      .get();
    return sent !== undefined;
  }

  /** Alerts that are waiting for an attempt, or given up; the newest first. */
  unsent(limit: number): Delivery[] {
    const { tables, operators } = this.db.drizzle;
    const { and, desc, ne } = operators;
    return this.#select()
      .where(and(ne(tables.alertDeliveries.state, 'sent'), this.#runStands()))
      .orderBy(desc(tables.alertDeliveries.id))
      .limit(limit)
      .all();
  }

  /** The newest alerts of a project, or of all, created within these moments (UTC milliseconds, inclusive). */
  created({ project, from, until, limit }: CreatedAlerts): Delivery[] {
    const { tables, operators } = this.db.drizzle;
    const { and, between, desc, eq } = operators;
    const { alertDeliveries: table, projects } = tables;
    return this.#select()
      .where(and(between(table.createdAt, from, until), project === null ? undefined : eq(projects.name, project)))
      .orderBy(desc(table.id))
      .limit(limit)
      .all();
  }

  /** The alerts of a run, in order. */
  ofRun(runId: number): Delivery[] {
    const { tables, operators } = this.db.drizzle;
    return this.#select()
      .where(operators.eq(tables.alertDeliveries.runId, runId))
      .orderBy(operators.asc(tables.alertDeliveries.id))
      .all();
  }

  /** As prepared SQL, like `nextTryAt`: `status` and each tick of the scheduler call it. */
  countByState(): Readonly<Record<Delivery['state'], number>> {
    const counts = { pending: 0, sent: 0, failed: 0 };
    for (const row of this.db
      .sql<TableRow<'alert_deliveries', 'state'> & { n: number }>(
        `SELECT state, count(*) AS n FROM alert_deliveries d WHERE ${runStands('d.run_id')} GROUP BY state`,
      )
      .all()) {
      counts[row.state] = row.n;
    }
    return counts;
  }

  /** When the next attempt is due; null where no alert waits. */
  nextTryAt(): number | null {
    const row = this.db
      .sql<{ at: number | null }>(
        `SELECT min(next_try_at) AS at FROM alert_deliveries d WHERE state = 'pending' AND ${runStands('d.run_id')}`,
      )
      .get();
    return row?.at ?? null;
  }

  protected get table() {
    return this.db.drizzle.tables.alertDeliveries;
  }

  protected due(at: number, limit: number): Delivery[] {
    const { and, asc, eq, lte } = this.db.drizzle.operators;
    return this.#select()
      .where(and(eq(this.table.state, 'pending'), lte(this.table.nextTryAt, at), this.#runStands()))
      .orderBy(asc(this.table.id))
      .limit(limit)
      .all();
  }

  #select() {
    const { builder, tables, operators } = this.db.drizzle;
    const { projectId, ...columns } = operators.getTableColumns(tables.alertDeliveries);
    return builder
      .select({ ...columns, project: tables.projects.name })
      .from(tables.alertDeliveries)
      .innerJoin(tables.projects, operators.eq(tables.projects.id, projectId));
  }

  #runStands() {
    const { builder, tables, operators } = this.db.drizzle;
    const { and, eq, isNotNull, notExists } = operators;
    const { alertDeliveries, runs } = tables;
    const isDiscarded = and(eq(runs.id, alertDeliveries.runId), isNotNull(runs.discardedAt));
    return notExists(builder.select({ id: runs.id }).from(runs).where(isDiscarded));
  }
}

/** Scheduled reports: each period once per recipient. */
export class ReportDeliveries extends Outbox<ReportDelivery> {
  /**
   * Queues deliveries in one transaction, each once. The first one of a recipient and schedule is skipped for `reason`,
   * so that a new schedule begins with its next period. Returns the number that wait now.
   */
  add(deliveries: Iterable<NewReportDelivery>, at: number, reason: string): number {
    return this.db.transaction(() => {
      let added = 0;
      for (const { project, ...delivery } of deliveries) {
        const { builder, tables } = this.db.drizzle;
        const projectId = this.db.names.projectId(project);
        const isFirst = !this.#isKnown(projectId, delivery);
        const state = isFirst ? ('skipped' as const) : ('pending' as const);
        const { changes } = builder
          .insert(tables.reportDeliveries)
          .values({
            ...delivery,
            projectId,
            state,
            nextTryAt: isFirst ? null : at,
            error: isFirst ? reason : null,
          })
          .onConflictDoNothing()
          .run();
        if (!isFirst) added += changes;
      }
      return added;
    });
  }

  /** It was too early: the attempt does not count. */
  postpone(id: number, reason: string, nextTryAt: number): void {
    const { builder, operators } = this.db.drizzle;
    builder
      .update(this.table)
      .set({ error: reason, nextTryAt, attempts: operators.sql`${this.table.attempts} - 1` })
      .where(operators.eq(this.table.id, id))
      .run();
  }

  markSkipped(id: number, reason: string): void {
    this.settle([id], { state: 'skipped', error: reason, nextTryAt: null });
  }

  /** The newest, at most `limit`; of these states, or all. */
  list(limit: number, states?: readonly ReportDelivery['state'][]): ReportDelivery[] {
    const { tables, operators } = this.db.drizzle;
    const { reportDeliveries: table } = tables;
    return this.#select()
      .where(states === undefined ? undefined : operators.inArray(table.state, [...states]))
      .orderBy(operators.desc(table.id))
      .limit(limit)
      .all();
  }

  /** Those that wait, and those that were given up. `status` reads them: its start does not wait for drizzle. */
  countUnsent(): { readonly pending: number; readonly failed: number } {
    const sql = 'SELECT count(*) AS total FROM report_deliveries WHERE state = ?';
    const count = (state: ReportDelivery['state']): number =>
      this.db.sql<{ total: number }>(sql).get(state)?.total ?? 0;
    return { pending: count('pending'), failed: count('failed') };
  }

  protected get table() {
    return this.db.drizzle.tables.reportDeliveries;
  }

  protected due(at: number, limit: number): ReportDelivery[] {
    const { and, asc, eq, lte } = this.db.drizzle.operators;
    return this.#select()
      .where(and(eq(this.table.state, 'pending'), lte(this.table.nextTryAt, at)))
      .orderBy(asc(this.table.id))
      .limit(limit)
      .all();
  }

  #isKnown(projectId: number, { channel, recipient, schedule }: Omit<NewReportDelivery, 'project'>): boolean {
    const { builder, tables, operators } = this.db.drizzle;
    const { and, eq } = operators;
    const { reportDeliveries: table } = tables;
    const known = builder
      .select({ id: table.id })
      .from(table)
      .where(
        and(
          eq(table.projectId, projectId),
          eq(table.channel, channel),
          eq(table.recipient, recipient),
          eq(table.schedule, schedule),
        ),
      )
      .limit(1)
      .get();
    return known !== undefined;
  }

  #select() {
    const { builder, tables, operators } = this.db.drizzle;
    const { projectId, ...columns } = operators.getTableColumns(tables.reportDeliveries);
    return builder
      .select({ ...columns, project: tables.projects.name })
      .from(tables.reportDeliveries)
      .innerJoin(tables.projects, operators.eq(tables.projects.id, projectId));
  }
}

/** Searches of one market and a target in them. */
interface OwnedFeaturesQuery {
  /** As `targetKey` makes it. */
  readonly target: string;
  readonly market: {
    readonly service: string;
    readonly country: string;
    readonly language: string;
    readonly device: string;
    readonly location?: string | undefined;
  };
  readonly keywords: readonly string[];
  /** Checks of runs before this moment, and of these runs. */
  readonly before: number;
  readonly runIds: readonly number[];
  /** Checks a search. */
  readonly limit: number;
}

/** The features that showed a target in one complete check. */
interface OwnedFeaturesRow {
  /** Index in `keywords`. */
  readonly at: number;
  readonly runId: number;
  readonly source: string;
  readonly features: readonly string[];
  /** Pages that were read. */
  readonly pages: number;
  readonly checkId: number;
}

/** The search for a run that was not suspect ends after this many. */
const suspectRunsMax = 1000;

export class AlertHistory {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * The moment of the first suspect run in the series of them that ends just before `moment`; null if the previous run
   * was not suspect. Alerts of suspect runs were held back, and their rankings are no baseline.
   */
  suspectSince(project: string, moment: number): number | null {
    const { builder, tables, operators } = this.#db.drizzle;
    const { and, desc, eq, inArray, lt, ne } = operators;
    const { projects, runs, slots } = tables;
    const rows = builder
      .select({ moment: runs.moment, suspectReason: slots.suspectReason })
      .from(slots)
      .innerJoin(projects, eq(projects.id, slots.projectId))
      .innerJoin(runs, eq(runs.id, slots.runId))
      .where(
        and(
          eq(projects.name, project),
          inArray(slots.kind, ['ranks', 'backfill']),
          eq(runs.kind, 'ranks'),
          ne(runs.state, 'open'),
          lt(runs.moment, moment),
        ),
      )
      .orderBy(desc(runs.moment), desc(runs.id))
      .limit(suspectRunsMax)
      .all();
    let since: number | null = null;
    for (const row of rows) {
      if (row.suspectReason === null) break;
      since = row.moment;
    }
    return since;
  }

  /**
   * The newest complete checks of each search with the target's features, newest first. Prepared SQL: a run with
   * feature rules calls this per keyword and target. Each search is a lookup; joined to a list of moments, SQLite would
   * read all rows of the target for each.
   */
  ownedFeatures({ target, market, keywords, before, runIds, limit }: OwnedFeaturesQuery): OwnedFeaturesRow[] {
    return this.#db
      .sql<{ at: number; checks: string }>(
        `SELECT w.key AS at, (
           SELECT json_group_array(json_array(run_id, source, owned_features, pages_read, check_id)) FROM (
             SELECT c.run_id, c.source, r.owned_features, c.pages_read, r.check_id
             FROM rankings r JOIN checks c ON c.id = r.check_id
             WHERE r.target_id = t.id AND r.search_id = s.id AND c.state = 'ok' AND ${rankingStands('r')}
               AND (r.moment < @before OR c.run_id IN (SELECT value FROM json_each(@runIds)))
             ORDER BY r.moment DESC, r.check_id DESC LIMIT @limit)) AS checks
         ${searchesAmong('JOIN')}`,
      )
      .all({
        target,
        ...marketValues(market),
        keywords: JSON.stringify(keywords),
        before,
        runIds: JSON.stringify(runIds),
        limit,
      })
      .flatMap((row) => {
        const checks = JSON.parse(row.checks) as [number, string, string | null, number, number][];
        return checks.map(([runId, source, features, pages, checkId]) => ({
          at: row.at,
          runId,
          source,
          features: features === null ? [] : features.split('|'),
          pages,
          checkId,
        }));
      });
  }
}

/**
 * `report`: the folder of one project; `index` and `agency`: files about all projects; `alerts`: one project's alerts.
 */
type ReportPart = 'report' | 'index' | 'agency' | 'alerts';

export interface ReportFailure {
  readonly runId: number;
  readonly part: ReportPart;
  /** Null where the part is of all projects. */
  readonly project: string | null;
  readonly reason: string;
  /** Tries so far. */
  readonly attempts: number;
  /** Of the last try, UTC milliseconds. */
  readonly at: number;
  readonly nextTryAt: number;
}

const selectFailures = `SELECT run_id AS runId, part, nullif(project, '') AS project, reason, attempts, at, next_try_at AS nextTryAt
  FROM report_failures f`;

export class ReportFailures {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** `backoffMs` gives the wait after an attempt. */
  record(
    { runId, part, project, reason, at }: Pick<ReportFailure, 'runId' | 'part' | 'project' | 'reason' | 'at'>,
    backoffMs: (attempt: number) => number,
  ): void {
    const { builder, tables } = this.#db.drizzle;
    const { reportFailures: table } = tables;
    const key = { runId, part, project: project ?? '' };
    const known = builder.select({ attempts: table.attempts }).from(table).where(this.#isPart(key)).get();
    const attempts = (known?.attempts ?? 0) + 1;
    const facts = { reason, attempts, at, nextTryAt: at + backoffMs(attempts) };
    builder
      .insert(table)
      .values({ ...key, ...facts })
      .onConflictDoUpdate({ target: [table.runId, table.part, table.project], set: facts })
      .run();
  }

  /** It was written, or is wanted no more. */
  clear({ runId, part, project }: Pick<ReportFailure, 'runId' | 'part' | 'project'>): void {
    const { builder, tables } = this.#db.drizzle;
    builder
      .delete(tables.reportFailures)
      .where(this.#isPart({ runId, part, project: project ?? '' }))
      .run();
  }

  /**
   * Newest runs first. Prepared SQL, like `due`: `status` and each scheduler tick call them, and must not load drizzle.
   */
  all(limit: number): ReportFailure[] {
    return this.#db
      .sql<ReportFailure>(`${selectFailures} ORDER BY f.run_id DESC, f.part, f.project LIMIT ?`)
      .all(limit);
  }

  /** Those whose time to be tried again has come, the newest runs first. */
  due(at: number, limit: number): ReportFailure[] {
    return this.#db
      .sql<ReportFailure>(`${selectFailures} WHERE next_try_at <= ? ORDER BY f.run_id DESC, f.part, f.project LIMIT ?`)
      .all(at, limit);
  }

  #isPart({ runId, part, project }: { readonly runId: number; readonly part: ReportPart; readonly project: string }) {
    const { tables, operators } = this.#db.drizzle;
    const { and, eq } = operators;
    const { reportFailures: table } = tables;
    return and(eq(table.runId, runId), eq(table.part, part), eq(table.project, project));
  }
}
