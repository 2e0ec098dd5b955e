// Facts of a run for one project: checks, sums, costs, and the runs that a report is of. Bench: `reports`.

import type { CheckStatus } from '../../../src/tracker/observation.ts';
import type { CheckCost } from '../../../src/tracker/paging.ts';
import type { NamedMarket } from '../../../src/tracker/project.ts';
import type { RunCounts } from '../../../src/tracker/trust/suspect.ts';
import type { Connection } from '../../connection/client.ts';
import { columnsOf } from '../../connection/statement.ts';
import { shortRemedy } from '../../history/checks/checks.ts';
import { type RunRow, type SlotClaim, toRun } from '../../history/runs/runs.ts';
import { readSales, type SourceSales } from '../../ledger/purchases.ts';
import { getTableColumns } from '../../schema/drizzle.ts';
import type { TableRow } from '../../schema/rows.ts';
import { runs } from '../../schema/runs.ts';

/** A check that did not end well. */
interface UnresolvedCheck
  extends NamedMarket,
    TableRow<'checks', 'reason' | 'remedy' | 'depth' | 'pagesRead' | 'checkedAt' | 'finishedAt' | 'source' | 'runId'> {
  readonly keyword: string;
  readonly status: CheckStatus;
  /** Spent and unknown cost of the whole check, for all projects that share it. */
  readonly credits: number;
}

/** The project, and the slot of its last run of ranks before `@until`. */
const oursSince = `WITH ours AS MATERIALIZED (SELECT id FROM projects WHERE name = @project),
  since AS MATERIALIZED (
    SELECT coalesce(max(b.at), 0) AS at FROM ours JOIN slots b ON b.project_id = ours.id
    WHERE b.kind = 'ranks' AND b.state = 'claimed' AND b.at < @until)`;

export class RunFacts {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * The most complete check of each search that did not end well, by status, keyword and market. Runs are given oldest
   * first.
   */
  *problems(project: string, runIds: readonly number[]): Generator<UnresolvedCheck> {
    const rows = this.#db
      .sql<UnresolvedCheck>(
        `WITH credits AS MATERIALIZED (
           SELECT v.check_id, sum(v.spent + v.unknown) AS amount FROM json_each(@runIds) j JOIN reservations v ON v.run_id = j.value
           WHERE v.currency = 'serp_credit' GROUP BY v.check_id)
         SELECT k.text AS keyword, m.country, m.language, m.device, nullif(m.location, '') AS location, c.state AS status, c.reason, c.remedy, c.depth, c.pages_read AS pagesRead, c.checked_at AS checkedAt, c.finished_at AS finishedAt, c.source,
                c.run_id AS runId, coalesce(v.amount, 0) AS credits
         FROM json_each(@runIds) r CROSS JOIN checks c ON c.run_id = r.value AND c.state IN ('incomplete', 'failed', 'deferred', 'unknown_paid')
         CROSS JOIN projects p ON p.name = @project
         CROSS JOIN check_projects cp ON cp.project_id = p.id AND cp.check_id = c.id
         JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id
         LEFT JOIN credits v ON v.check_id = c.id
         WHERE c.id = (
           SELECT o.id FROM json_each(@runIds) j CROSS JOIN checks o ON o.run_id = j.value AND o.search_id = c.search_id
           WHERE o.state NOT IN ('planned', 'running')
           ORDER BY CASE o.state WHEN 'ok' THEN 0 WHEN 'incomplete' THEN 1 ELSE 2 END, j.key DESC LIMIT 1)
         ORDER BY CASE c.state WHEN 'failed' THEN 0 WHEN 'unknown_paid' THEN 1 WHEN 'incomplete' THEN 2 ELSE 3 END,
                  k.text, m.country, m.language, m.device, m.location`,
      )
      .iterate({ project, runIds: JSON.stringify(runIds) });
    for (const row of rows) yield withoutNull(row);
  }

  /** All ended checks of a run, for all projects, grouped where they are alike. */
  checkCosts(runId: number): CheckCost[] {
    return this.#db
      .sql<Omit<CheckCost, 'projects'> & { readonly projects: string }>(
        `WITH money AS MATERIALIZED (
           SELECT check_id, sum(spent) AS spent, sum(unknown) AS unknown FROM reservations
           WHERE run_id = @runId AND currency = 'serp_credit' AND check_id IS NOT NULL GROUP BY check_id),
         paid AS MATERIALIZED (
           SELECT v.check_id, count(*) AS pages FROM reservations v JOIN purchases p ON p.reservation_id = v.id
           WHERE v.run_id = @runId AND p.state = 'paid' AND p.error_code IS NULL AND p.charged > 0 GROUP BY v.check_id),
         sharing AS MATERIALIZED (
           SELECT c.id AS check_id, count(*) AS count, json_group_array(p.name ORDER BY p.id) AS projects
           FROM checks c JOIN check_projects cp ON cp.check_id = c.id JOIN projects p ON p.id = cp.project_id
           WHERE c.run_id = @runId GROUP BY c.id)
         SELECT count(*) AS count, m.country, m.language, m.device, nullif(m.location, '') AS location, c.state AS status, c.depth, c.pages_read AS pagesRead, coalesce(v.spent, 0) AS spent,
                coalesce(v.unknown, 0) AS unknown, coalesce(a.pages, 0) AS pagesPaid, h.projects, c.id % h.count AS remainderOffset
         FROM checks c JOIN searches s ON s.id = c.search_id JOIN markets m ON m.id = s.market_id
         JOIN sharing h ON h.check_id = c.id
         LEFT JOIN money v ON v.check_id = c.id LEFT JOIN paid a ON a.check_id = c.id
         WHERE c.run_id = @runId AND c.state NOT IN ('planned', 'running')
         GROUP BY m.country, m.language, m.device, m.location, c.state, c.depth, c.pages_read, 9, 10, 11, 12, 13`,
      )
      .all({ runId })
      .map(({ projects, ...row }) => ({ ...withoutNull(row), projects: JSON.parse(projects) as string[] })); // of the query
  }

  /** What each source sold in a run, of services that tell it. */
  soldBy(runId: number): SourceSales[] {
    return readSales(this.#db, runId);
  }

  /** Discarded runs of a project whose slot lies between the last rank run before `until` and `until`, oldest first. */
  discardedRuns(project: string, until: number): { readonly runId: number; readonly reason: string | null }[] {
    return this.#db
      .sql<TableRow<'runs', 'id'> & { reason: string | null }>(
        `${oursSince}
         SELECT r.id, r.discard_reason AS reason FROM ours CROSS JOIN since JOIN slots s ON s.project_id = ours.id AND s.at > since.at AND s.at <= @until
         JOIN runs r ON r.id = s.run_id AND r.discarded_at IS NOT NULL ORDER BY s.at, r.id`,
      )
      .all({ project, until })
      .map((row) => ({ runId: row.id, reason: row.reason }));
  }

  /**
   * Runs of a project that reserved dollars, with a slot between the last rank run before `until` and `until`, oldest
   * first.
   */
  dollarRuns(project: string, until: number): number[] {
    return this.#db
      .sql<TableRow<'runs', 'id'>>(
        `${oursSince}
         SELECT DISTINCT r.id FROM ours CROSS JOIN since JOIN slots s ON s.project_id = ours.id AND s.kind IN ('volumes', 'backfill', 'ranks') AND s.at > since.at AND s.at <= @until
         JOIN runs r ON r.id = s.run_id
         WHERE r.state <> 'open' AND EXISTS (SELECT 1 FROM reservations v WHERE v.run_id = r.id AND v.currency = 'micro_usd')
         ORDER BY s.at, r.id`,
      )
      .all({ project, until })
      .map(({ id }) => id);
  }
}

/** SQLite knows no undefined: a row of the country as a whole has null. */
function withoutNull<Row extends NamedMarket>(row: Row): Row {
  return { ...row, location: row.location ?? undefined };
}

/** How the searches of some runs that a project wanted stand: by the most complete check, of several the newest. */
export interface CheckOutcome {
  readonly checks: number;
  readonly complete: number;
  readonly incomplete: number;
  readonly failed: number;
  readonly deferred: number;
  /** Of the deferred ones: those that the budget had no room for. */
  readonly short: number;
  /** Of a check that is not complete; null: there is none. */
  readonly reason: string | null;
  /** Pages of the shallowest check that read nothing; 0: each has read some. */
  readonly leastDepth: number;
}

/** The most complete check of each search that a project wanted of these runs. */
const bestChecks = `WITH wanted AS (
    SELECT c.id, c.search_id, c.state, c.reason, c.remedy, c.depth,
      row_number() OVER (PARTITION BY c.search_id ORDER BY CASE c.state WHEN 'ok' THEN 0 WHEN 'incomplete' THEN 1 ELSE 2 END, c.id DESC) AS nth
    FROM json_each(@runIds) j CROSS JOIN checks c ON c.run_id = j.value
    JOIN check_projects cp ON cp.check_id = c.id AND cp.project_id = (SELECT id FROM projects WHERE name = @project)),
  best AS (SELECT * FROM wanted WHERE nth = 1)`;

export class RunCountStore {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** How the searches that a project wanted of these runs stand now. */
  outcome(runIds: readonly number[], project: string): CheckOutcome {
    const row = this.#db
      .sql<CheckOutcome>(
        `${bestChecks}
         SELECT count(*) AS checks, coalesce(sum(state = 'ok'), 0) AS complete, coalesce(sum(state = 'incomplete'), 0) AS incomplete,
                coalesce(sum(state IN ('failed', 'unknown_paid')), 0) AS failed, coalesce(sum(state = 'deferred'), 0) AS deferred, coalesce(sum(state = 'deferred' AND remedy = @shortRemedy), 0) AS short,
                max(iif(state = 'ok', NULL, reason)) AS reason, coalesce(min(iif(state IN ('ok', 'incomplete'), NULL, depth)), 0) AS leastDepth
         FROM best`,
      )
      .get({ runIds: JSON.stringify(runIds), project, shortRemedy });
    const none = {
      checks: 0,
      complete: 0,
      incomplete: 0,
      failed: 0,
      deferred: 0,
      short: 0,
      reason: null,
      leastDepth: 0,
    };
    return row ?? none;
  }

  /** `suspectReason`: null where the counts are not suspect. Call inside the transaction that closes the run. */
  keep(runId: number, project: string, counts: RunCounts, suspectReason: string | null): void {
    const { checks, failedChecks, rankedBefore, lost } = counts;
    this.#db
      .sql(
        `UPDATE slots SET checks_ended = ?, checks_failed = ?, ranked_before = ?, ranks_lost = ?, suspect_reason = ?
         WHERE run_id = ? AND project_id = (SELECT id FROM projects WHERE name = ?)`,
      )
      .run(checks, failedChecks, rankedBefore, lost, suspectReason, runId, project);
  }

  /** The sums over the last `limit` scheduled runs of a project before this one. */
  past(runId: number, project: string, limit: number): RunCounts {
    return this.#db.one<RunCounts>(
      `SELECT coalesce(sum(checks_ended), 0) AS checks, coalesce(sum(checks_failed), 0) AS failedChecks,
              coalesce(sum(ranked_before), 0) AS rankedBefore, coalesce(sum(ranks_lost), 0) AS lost FROM (
         SELECT s.* FROM slots s JOIN runs r ON r.id = s.run_id
         WHERE s.project_id = (SELECT id FROM projects WHERE name = @project) AND s.kind = 'ranks' AND s.run_id <> @runId
           AND s.checks_ended IS NOT NULL AND r.origin = 'schedule'
         ORDER BY s.at DESC LIMIT @limit)`,
      { runId, project, limit },
    );
  }
}

/** Of a run `r`. */
const runColumns = columnsOf('r', Object.keys(getTableColumns(runs)));

export class ReportRuns {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * The project's newest closed rank run at `until`, and the backfills after it, oldest first: together they describe
   * its latest slot. A future slot counts from the time of its run. Only backfills if no run precedes them; empty if
   * there are none.
   */
  latestWithBackfills(project: string, until: number): RunRow[] {
    return this.#db
      .sql<TableRow<'runs'>>(
        `WITH closed AS (
           SELECT s.kind AS slot_kind, min(s.at, r.moment) AS at, r.* FROM slots s JOIN projects p ON p.id = s.project_id JOIN runs r ON r.id = s.run_id
           WHERE p.name = ? AND s.kind IN ('ranks', 'backfill') AND r.moment <= ? AND r.kind = 'ranks' AND r.state <> 'open')
         SELECT ${runColumns} FROM closed r WHERE slot_kind = 'backfill' AND at >= coalesce((SELECT max(at) FROM closed WHERE slot_kind = 'ranks'), 0)
            OR (slot_kind, at) = ('ranks', (SELECT max(at) FROM closed WHERE slot_kind = 'ranks'))
         ORDER BY at, slot_kind = 'backfill', id`,
      )
      .all(project, until)
      .map(toRun);
  }

  /**
   * The run with the newest report at `now`: a backfill, if one followed the latest slot. Later runs exist if the clock
   * was ahead.
   */
  latestReported(project: string, now: number): RunRow | null {
    return this.latestWithBackfills(project, now).at(-1) ?? null;
  }

  /**
   * Whether no earlier run of the project with filed reports, discarded ones included, has a slot in the same local
   * minute.
   */
  isFirstInMinute(runId: number, slot: SlotClaim): boolean {
    // the slot of a run that was not due goes on with its seconds: `~` comes after every digit
    const minute = slot.slot.slice(0, '2026-01-15T06:00'.length);
    const row = this.#db
      .sql<{ first: number | null }>(
        `SELECT min(s.run_id) AS first FROM slots s JOIN projects p ON p.id = s.project_id
         WHERE p.name = @project AND (s.kind IN ('ranks', 'backfill') OR s.run_id IN (SELECT id FROM runs WHERE discarded_at IS NOT NULL))
           AND s.slot >= @minute AND s.slot < @minute || ':~'`,
      )
      .get({ project: slot.project, minute });
    return row?.first === null || row?.first === runId;
  }
}
