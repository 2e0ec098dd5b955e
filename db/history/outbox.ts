// The outbox: alerts and scheduled reports, each once per receiver, stored before they are sent, and tried again.

import type { Trouble } from '../../src/tracker/changes/alerts.ts';
import type { NamedMarket } from '../../src/tracker/project.ts';
import type { Connection } from '../connection/client.ts';
import { marketValues } from '../connection/names.ts';
import {
  and,
  asc,
  between,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  min,
  ne,
  notExists,
  sql,
} from '../schema/drizzle.ts';
import { projects } from '../schema/names.ts';
import type { TableRow } from '../schema/rows.ts';
import { alertDeliveries, reportDeliveries, reportFailures, runs, slots } from '../schema/runs.ts';
import { rankingStands, searchesAmong } from './checks/conditions.ts';

type OfProject<Row extends { projectId: number }> = Readonly<Omit<Row, 'projectId'>> & { readonly project: string };

export type Delivery = OfProject<TableRow<'alert_deliveries'>>;

/** `rule`: which rule of the config found it. `channel`: its name in the config. */
export type NewDelivery = Pick<Delivery, 'runId' | 'project' | 'rule' | 'subject' | 'channel' | 'payload'>;

interface CreatedAlerts {
  /** Null: all. */
  readonly project: string | null;
  readonly from: number;
  readonly until: number;
}

export type ReportDelivery = OfProject<TableRow<'report_deliveries'>>;

/** Who gets which report of which days. */
type NewReportDelivery = Omit<ReportDelivery, 'id' | 'state' | 'attempts' | 'nextTryAt' | 'sentAt' | 'error'>;

/** What waits for a receiver: leased for an attempt, then sent, tried again later, or given up. */
abstract class Outbox<Item extends { readonly id: number; readonly attempts: number }> {
  protected readonly db: Connection;

  constructor(db: Connection) {
    this.db = db;
  }

  protected abstract readonly table: typeof alertDeliveries | typeof reportDeliveries;

  /** Those whose attempt is due at `at`, oldest first. */
  protected abstract due(at: number, limit: number): Item[];

  /**
   * Leases what is due at `at`, oldest first, until `until`. No other process gets it during the lease; after it the
   * items are due again, in case this process dies. Counts one attempt each.
   */
  take(at: number, until: number, limit: number): Item[] {
    return this.db.transaction(() => {
      const { table } = this;
      const due = this.due(at, limit);
      const ids = due.map(({ id }) => id);
      this.db.drizzle
        .update(table)
        .set({ attempts: sql`${table.attempts} + 1`, nextTryAt: until })
        .where(inArray(table.id, ids))
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
    return this.db.drizzle
      .update(this.table)
      .set({ state: 'pending', nextTryAt: at })
      .where(eq(this.table.state, 'failed'))
      .run().changes;
  }

  protected settle(
    ids: readonly number[],
    values: { state: Delivery['state'] | 'skipped'; error: string | null; nextTryAt: number | null; sentAt?: number },
  ): void {
    const isWaiting = and(inArray(this.table.id, [...ids]), isPending(this.table));
    this.db.drizzle.update(this.table).set(values).where(isWaiting).run();
  }
}

/** As a text, not a value: partial indexes hold what is pending. */
function isPending({ state }: typeof alertDeliveries | typeof reportDeliveries) {
  return sql`${state} = 'pending'`;
}

const troubleRules = ['run-failed', 'nothing-checked', 'run-suspect'];

/** Each change once per channel. */
export class AlertDeliveries extends Outbox<Delivery> {
  protected readonly table = alertDeliveries;

  /**
   * Queues alerts in one transaction; skips those already queued for the channel by this run. Returns the number of new
   * ones.
   */
  add(deliveries: Iterable<NewDelivery>, at: number): number {
    return this.db.transaction(() => {
      let added = 0;
      for (const { runId, project, rule, subject, channel, payload } of deliveries) {
        added += this.db.drizzle
          .insert(alertDeliveries)
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
          .onConflictDoNothing({
            target: [
              alertDeliveries.runId,
              alertDeliveries.projectId,
              alertDeliveries.rule,
              alertDeliveries.subject,
              alertDeliveries.channel,
            ],
          })
          .run().changes;
      }
      return added;
    });
  }

  /** These receivers of the channel have the alerts; the next attempt leaves them out. */
  keepReached(ids: readonly number[], reached: readonly string[]): void {
    this.db.drizzle
      .update(alertDeliveries)
      .set({ payload: sql`json_set(${alertDeliveries.payload}, '$.reached', json(${JSON.stringify(reached)}))` })
      .where(inArray(alertDeliveries.id, [...ids]))
      .run();
  }

  /** The beginnings and ends of troubles in runs that were opened at `since` or later, in order. */
  troubles(since: number): (Pick<Delivery, 'project' | 'rule' | 'channel'> & { readonly trouble: Trouble })[] {
    const trouble = sql<string | null>`${alertDeliveries.payload} -> '$.trouble'`;
    const { rule, channel, runId } = alertDeliveries;
    const first = this.db.drizzle
      .select({ id: min(runs.id) })
      .from(runs)
      .where(gte(runs.openedAt, since));
    return this.db.drizzle
      .select({ project: projects.name, rule, channel, trouble: sql<string>`${trouble}` })
      .from(alertDeliveries)
      .innerJoin(projects, eq(projects.id, alertDeliveries.projectId))
      .innerJoin(runs, eq(runs.id, runId))
      .where(
        and(
          gte(runId, first),
          isNull(runs.discardedAt),
          // both are in the index of deliveries: no others are read
          sql`(${rule} IN ${troubleRules} OR ${rule} LIKE 'budget-share %')`,
          isNotNull(trouble),
        ),
      )
      .orderBy(sql`+${alertDeliveries.id}`)
      .all()
      .map((row) => ({ ...row, trouble: JSON.parse(row.trouble) as Trouble }));
  }

  /** Alerts that are waiting for an attempt, or given up; the newest first. */
  unsent(limit: number): Delivery[] {
    return this.#select()
      .where(and(ne(alertDeliveries.state, 'sent'), this.#runStands()))
      .orderBy(desc(alertDeliveries.id))
      .limit(limit)
      .all();
  }

  /** The alerts of a project, or of all, created within these moments (UTC milliseconds, inclusive), newest first. */
  createdWithin({ project, from, until }: CreatedAlerts) {
    const { id, createdAt, projectId, runId, rule, subject } = alertDeliveries;
    return this.db.drizzle
      .select({ id, at: createdAt, project: projects.name, runId, rule, subject })
      .from(alertDeliveries)
      .innerJoin(projects, eq(projects.id, projectId))
      .where(and(between(createdAt, from, until), project === null ? undefined : eq(projects.name, project)))
      .orderBy(desc(id))
      .all();
  }

  /** Those with these ids, newest first. */
  withIds(ids: readonly number[]): Delivery[] {
    return this.#select()
      .where(sql`${alertDeliveries.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
      .orderBy(desc(alertDeliveries.id))
      .all();
  }

  /** The alerts of a run, in order. */
  ofRun(runId: number): Delivery[] {
    return this.#select().where(eq(alertDeliveries.runId, runId)).orderBy(asc(alertDeliveries.id)).all();
  }

  countByState(): Readonly<Record<Delivery['state'], number>> {
    const counts = { pending: 0, sent: 0, failed: 0 };
    const { state } = alertDeliveries;
    const rows = this.db.drizzle.select({ state, total: count() }).from(alertDeliveries);
    for (const row of rows.where(this.#runStands()).groupBy(state).all()) counts[row.state] = row.total;
    return counts;
  }

  /** When the next attempt is due; null where no alert waits. */
  nextTryAt(): number | null {
    const next = this.db.drizzle.select({ at: min(alertDeliveries.nextTryAt) }).from(alertDeliveries);
    return next.where(and(isPending(alertDeliveries), this.#runStands())).get()?.at ?? null;
  }

  protected due(at: number, limit: number): Delivery[] {
    return this.#select()
      .where(and(isPending(alertDeliveries), lte(alertDeliveries.nextTryAt, at), this.#runStands()))
      .orderBy(asc(alertDeliveries.id))
      .limit(limit)
      .all();
  }

  #select() {
    const { projectId, ...columns } = getTableColumns(alertDeliveries);
    return this.db.drizzle
      .select({ ...columns, project: projects.name })
      .from(alertDeliveries)
      .innerJoin(projects, eq(projects.id, projectId));
  }

  #runStands() {
    const isDiscarded = and(eq(runs.id, alertDeliveries.runId), isNotNull(runs.discardedAt));
    return notExists(this.db.drizzle.select({ id: runs.id }).from(runs).where(isDiscarded));
  }
}

/** Scheduled reports: each period once per recipient. */
export class ReportDeliveries extends Outbox<ReportDelivery> {
  protected readonly table = reportDeliveries;

  /**
   * Queues deliveries in one transaction, each once. The first one of a recipient and schedule is skipped for `reason`,
   * so that a new schedule begins with its next period. Returns the number that wait now.
   */
  add(deliveries: Iterable<NewReportDelivery>, at: number, reason: string): number {
    return this.db.transaction(() => {
      let added = 0;
      for (const { project, ...delivery } of deliveries) {
        const projectId = this.db.names.projectId(project);
        const isFirst = !this.#isKnown(projectId, delivery);
        const state = isFirst ? ('skipped' as const) : ('pending' as const);
        const { changes } = this.db.drizzle
          .insert(reportDeliveries)
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
    this.db.drizzle
      .update(reportDeliveries)
      .set({ error: reason, nextTryAt, attempts: sql`${reportDeliveries.attempts} - 1` })
      .where(eq(reportDeliveries.id, id))
      .run();
  }

  markSkipped(id: number, reason: string): void {
    this.settle([id], { state: 'skipped', error: reason, nextTryAt: null });
  }

  /** The newest, at most `limit`; of these states, or all. */
  list(limit: number, states?: readonly ReportDelivery['state'][]): ReportDelivery[] {
    return this.#select()
      .where(states === undefined ? undefined : inArray(reportDeliveries.state, [...states]))
      .orderBy(desc(reportDeliveries.id))
      .limit(limit)
      .all();
  }

  /** Those that wait, and those that were given up. */
  countUnsent(): { readonly pending: number; readonly failed: number } {
    const { state } = reportDeliveries;
    const rows = this.db.drizzle.select({ state, total: count() }).from(reportDeliveries).groupBy(state).all();
    const unsent = (wanted: ReportDelivery['state']) => rows.find((row) => row.state === wanted)?.total ?? 0;
    return { pending: unsent('pending'), failed: unsent('failed') };
  }

  protected due(at: number, limit: number): ReportDelivery[] {
    return this.#select()
      .where(and(isPending(reportDeliveries), lte(reportDeliveries.nextTryAt, at)))
      .orderBy(asc(reportDeliveries.id))
      .limit(limit)
      .all();
  }

  #isKnown(projectId: number, { channel, recipient, schedule }: Omit<NewReportDelivery, 'project'>): boolean {
    const known = this.db.drizzle
      .select({ id: reportDeliveries.id })
      .from(reportDeliveries)
      .where(
        and(
          eq(reportDeliveries.projectId, projectId),
          eq(reportDeliveries.channel, channel),
          eq(reportDeliveries.recipient, recipient),
          eq(reportDeliveries.schedule, schedule),
        ),
      )
      .limit(1)
      .get();
    return known !== undefined;
  }

  #select() {
    const { projectId, ...columns } = getTableColumns(reportDeliveries);
    return this.db.drizzle
      .select({ ...columns, project: projects.name })
      .from(reportDeliveries)
      .innerJoin(projects, eq(projects.id, projectId));
  }
}

/** Searches of one market and a target in them. */
interface OwnedFeaturesQuery {
  /** As `targetKey` makes it. */
  readonly target: string;
  readonly market: NamedMarket & { readonly service: string };
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
    const rows = this.#db.drizzle
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

/** `project` is null where the part is of all projects; `at`: of the last try. */
export type ReportFailure = Readonly<Omit<TableRow<'report_failures'>, 'project'>> & {
  readonly project: string | null;
};

type FailedPart = Pick<ReportFailure, 'runId' | 'part' | 'project'>;

export class ReportFailures {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** `backoffMs` gives the wait after an attempt. */
  record(
    { runId, part, project, reason, at }: FailedPart & Pick<ReportFailure, 'reason' | 'at'>,
    backoffMs: (attempt: number) => number,
  ): void {
    const known = this.#select().where(isPart({ runId, part, project })).get();
    const attempts = (known?.attempts ?? 0) + 1;
    const facts = { reason, attempts, at, nextTryAt: at + backoffMs(attempts) };
    this.#db.drizzle
      .insert(reportFailures)
      .values({ runId, part, project: project ?? '', ...facts })
      .onConflictDoUpdate({ target: [reportFailures.runId, reportFailures.part, reportFailures.project], set: facts })
      .run();
  }

  /** It was written, or is wanted no more. */
  clear(part: FailedPart): void {
    this.#db.drizzle.delete(reportFailures).where(isPart(part)).run();
  }

  /** Newest runs first. */
  all(limit: number): ReportFailure[] {
    return this.due(Number.MAX_SAFE_INTEGER, limit);
  }

  /** Those whose time to be tried again has come, the newest runs first. */
  due(at: number, limit: number): ReportFailure[] {
    const { runId, part, project, nextTryAt } = reportFailures;
    return this.#select().where(lte(nextTryAt, at)).orderBy(desc(runId), asc(part), asc(project)).limit(limit).all();
  }

  #select() {
    const project = sql<string | null>`nullif(${reportFailures.project}, '')`.as('named');
    return this.#db.drizzle.select({ ...getTableColumns(reportFailures), project }).from(reportFailures);
  }
}

function isPart({ runId, part, project }: FailedPart) {
  const isNamed = eq(reportFailures.project, project ?? '');
  return and(eq(reportFailures.runId, runId), eq(reportFailures.part, part), isNamed);
}
