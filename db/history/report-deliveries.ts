// The queue of scheduled reports: each period once per recipient, stored before it is sent.
import type { DeliverySchedule } from '../../src/tracker/changes/client-reports.ts';
import type { Connection } from '../connection/client.ts';
import type { Names } from '../connection/names.ts';

/** Who gets which report of which days. */
export interface NewReportDelivery {
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
  readonly state: 'pending' | 'sent' | 'failed' | 'skipped';
  /** Attempts that were begun. */
  readonly attempts: number;
  /** Null once it is sent, skipped or given up. */
  readonly nextTryAt: number | null;
  readonly sentAt: number | null;
  /** Why the last attempt failed, or why it was skipped. */
  readonly error: string | null;
}

export class ReportDeliveries {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  /**
   * Queues deliveries in one transaction, each once. The first one of a recipient and schedule is skipped for `reason`,
   * so that a new schedule begins with its next period. Returns the number that wait now.
   */
  add(deliveries: Iterable<NewReportDelivery>, at: number, reason: string): number {
    return this.#db.transaction(() => {
      let added = 0;
      for (const { project, ...delivery } of deliveries) {
        const { builder, tables } = this.#db.drizzle;
        const projectId = this.#names.projectId(project);
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

  /**
   * Leases deliveries that are due at `at` until `until`: no other process gets them meanwhile. After it they are due
   * again, in case this process dies. Counts one attempt each.
   */
  take(at: number, until: number, limit: number): ReportDelivery[] {
    return this.#db.transaction(() => {
      const { builder, tables, operators } = this.#db.drizzle;
      const { and, asc, eq, inArray, lte, sql } = operators;
      const { reportDeliveries: table } = tables;
      const due = this.#select()
        .where(and(eq(table.state, 'pending'), lte(table.nextTryAt, at)))
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

  markSent(id: number, at: number): void {
    this.#settle(id, { state: 'sent', sentAt: at, nextTryAt: null, error: null });
  }

  /** `nextTryAt` null: given up. */
  markFailed(id: number, error: string, nextTryAt: number | null): void {
    this.#settle(id, { state: nextTryAt === null ? 'failed' : 'pending', error, nextTryAt });
  }

  /** It was too early: the attempt does not count. */
  postpone(id: number, reason: string, nextTryAt: number): void {
    const { builder, tables, operators } = this.#db.drizzle;
    const { reportDeliveries: table } = tables;
    builder
      .update(table)
      .set({ error: reason, nextTryAt, attempts: operators.sql`${table.attempts} - 1` })
      .where(operators.eq(table.id, id))
      .run();
  }

  markSkipped(id: number, reason: string): void {
    this.#settle(id, { state: 'skipped', error: reason, nextTryAt: null });
  }

  /** Makes deliveries that were given up due again at `at`. Returns how many. */
  retryFailed(at: number): number {
    const { builder, tables, operators } = this.#db.drizzle;
    const { reportDeliveries: table } = tables;
    return builder
      .update(table)
      .set({ state: 'pending', nextTryAt: at })
      .where(operators.eq(table.state, 'failed'))
      .run().changes;
  }

  /** The newest, at most `limit`; of these states, or all. */
  list(limit: number, states?: readonly ReportDelivery['state'][]): ReportDelivery[] {
    const { tables, operators } = this.#db.drizzle;
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
      this.#db.sql<{ total: number }>(sql).get(state)?.total ?? 0;
    return { pending: count('pending'), failed: count('failed') };
  }

  #isKnown(projectId: number, { channel, recipient, schedule }: Omit<NewReportDelivery, 'project'>): boolean {
    const { builder, tables, operators } = this.#db.drizzle;
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

  #settle(id: number, values: Partial<Omit<ReportDelivery, 'id' | 'project'>>): void {
    const { builder, tables, operators } = this.#db.drizzle;
    const { reportDeliveries: table } = tables;
    builder
      .update(table)
      .set(values)
      .where(operators.and(operators.eq(table.id, id), operators.eq(table.state, 'pending')))
      .run();
  }

  #select() {
    const { builder, tables, operators } = this.#db.drizzle;
    const { reportDeliveries: table, projects } = tables;
    const { projectId, ...columns } = operators.getTableColumns(table);
    return builder
      .select({ ...columns, project: projects.name })
      .from(table)
      .innerJoin(projects, operators.eq(projects.id, projectId));
  }
}
