// The alert queue: each change once per channel, stored before it is sent.
import type { Connection } from '../connection/client.ts';
import type { Names } from '../connection/names.ts';
import type { TableRow } from '../schema/rows.ts';
import { runStands } from './runs/discarded-runs.ts';

/** `failed`: given up. */
export type DeliveryState = 'pending' | 'sent' | 'failed';

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
  readonly state: DeliveryState;
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

export class AlertDeliveries {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  /**
   * Queues alerts in one transaction; skips those already queued for the channel by this run. Returns the number of new
   * ones.
   */
  add(deliveries: Iterable<NewDelivery>, at: number): number {
    return this.#db.transaction(() => {
      let added = 0;
      for (const { runId, project, rule, subject, channel, payload } of deliveries) {
        const { builder, tables } = this.#db.drizzle;
        const { alertDeliveries: table } = tables;
        added += builder
          .insert(table)
          .values({
            runId,
            projectId: this.#names.projectId(project),
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

  /**
   * Leases alerts that are due at `at`, oldest first, until `until`. No other process gets them during the lease; after
   * it they are due again, in case this process dies. Counts one attempt each.
   */
  take(at: number, until: number, limit: number): Delivery[] {
    return this.#db.transaction(() => {
      const { builder, tables, operators } = this.#db.drizzle;
      const { and, asc, eq, inArray, lte, sql } = operators;
      const { alertDeliveries: table } = tables;
      const due = this.#select()
        .where(and(eq(table.state, 'pending'), lte(table.nextTryAt, at), this.#runStands()))
        .orderBy(asc(table.id))
        .limit(limit)
        .all();
      const ids = due.map(({ id }) => id);
      builder
        .update(table)
        .set({ attempts: sql`${table.attempts} + 1`, nextTryAt: until })
        .where(inArray(table.id, ids))
        .run();
      return due.map((delivery) => ({ ...delivery, attempts: delivery.attempts + 1, nextTryAt: until }));
    });
  }

  /** One message may have carried several alerts. */
  markSent(ids: readonly number[], at: number): void {
    const { builder, tables } = this.#db.drizzle;
    builder
      .update(tables.alertDeliveries)
      .set({ state: 'sent', sentAt: at, nextTryAt: null, error: null })
      .where(this.#pendingAmong(ids))
      .run();
  }

  /** The attempt failed; `nextTryAt` null: given up. */
  markFailed(ids: readonly number[], error: string, nextTryAt: number | null): void {
    const { builder, tables } = this.#db.drizzle;
    builder
      .update(tables.alertDeliveries)
      .set({ state: nextTryAt === null ? 'failed' : 'pending', error, nextTryAt })
      .where(this.#pendingAmong(ids))
      .run();
  }

  /** Makes alerts that were given up due again at `at`. Returns how many. */
  retryFailed(at: number): number {
    const { builder, tables, operators } = this.#db.drizzle;
    return builder
      .update(tables.alertDeliveries)
      .set({ state: 'pending', nextTryAt: at })
      .where(operators.eq(tables.alertDeliveries.state, 'failed'))
      .run().changes;
  }

  /** Alerts that are waiting for an attempt, or given up; the newest first. */
  unsent(limit: number): Delivery[] {
    const { tables, operators } = this.#db.drizzle;
    const { and, desc, ne } = operators;
    return this.#select()
      .where(and(ne(tables.alertDeliveries.state, 'sent'), this.#runStands()))
      .orderBy(desc(tables.alertDeliveries.id))
      .limit(limit)
      .all();
  }

  /** The newest alerts of a project, or of all, created within these moments (UTC milliseconds, inclusive). */
  created({ project, from, until, limit }: CreatedAlerts): Delivery[] {
    const { tables, operators } = this.#db.drizzle;
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
    const { tables, operators } = this.#db.drizzle;
    return this.#select()
      .where(operators.eq(tables.alertDeliveries.runId, runId))
      .orderBy(operators.asc(tables.alertDeliveries.id))
      .all();
  }

  /** As prepared SQL, like `nextTryAt`: `status` and each tick of the scheduler call it. */
  countByState(): Readonly<Record<DeliveryState, number>> {
    const counts = { pending: 0, sent: 0, failed: 0 };
    for (const row of this.#db
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
    const row = this.#db
      .sql<{ at: number | null }>(
        `SELECT min(next_try_at) AS at FROM alert_deliveries d WHERE state = 'pending' AND ${runStands('d.run_id')}`,
      )
      .get();
    return row?.at ?? null;
  }

  #select() {
    const { builder, tables, operators } = this.#db.drizzle;
    const { alertDeliveries: table, projects } = tables;
    const { projectId, ...columns } = operators.getTableColumns(table);
    return builder
      .select({ ...columns, project: projects.name })
      .from(table)
      .innerJoin(projects, operators.eq(projects.id, projectId));
  }

  #runStands() {
    const { builder, tables, operators } = this.#db.drizzle;
    const { and, eq, isNotNull, notExists } = operators;
    const { alertDeliveries, runs } = tables;
    const isDiscarded = and(eq(runs.id, alertDeliveries.runId), isNotNull(runs.discardedAt));
    return notExists(builder.select({ id: runs.id }).from(runs).where(isDiscarded));
  }

  #pendingAmong(ids: readonly number[]) {
    const { tables, operators } = this.#db.drizzle;
    const { alertDeliveries: table } = tables;
    return operators.and(operators.inArray(table.id, [...ids]), operators.eq(table.state, 'pending'));
  }
}
