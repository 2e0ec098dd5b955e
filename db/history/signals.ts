// What each run adds to the signal: shares of keywords that moved, and what its adaptive plan saved and missed.

import type { PlanOutcome } from '../../src/tracker/signal/plan-outcome.ts';
import type { MovedShare } from '../../src/tracker/signal/update-detector.ts';
import type { Connection } from '../connection/client.ts';
import { and, eq, isNull, lt, max } from '../schema/drizzle.ts';
import { planOutcomes } from '../schema/history.ts';
import { projects } from '../schema/names.ts';
import { checkProjects, checks, runs, slots } from '../schema/runs.ts';

type ShareScope = 'project' | 'market' | 'tag';

/** The share of one run. */
export interface RunShare extends MovedShare {
  readonly runId: number;
  readonly scope: ShareScope;
  /** `US, en, desktop`, or the tag; empty for the project. */
  readonly name: string;
}

/** Runs of a project that the update detector sees. */
const runsMax = 400;

export class MovedShares {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Keeps the shares of a run; those it has stay as they are. Call inside a transaction. */
  keep(project: string, shares: readonly Omit<RunShare, 'date'>[]): void {
    const projectId = this.#db.names.projectId(project);
    for (const { runId, scope, name, compared, outside } of shares)
      this.#db.insert('moved_shares', { runId, projectId, scope, name, compared, outside }, 'ON CONFLICT DO NOTHING');
  }

  /** The shares of the newest runs of a project, oldest first; suspect and discarded runs are left out. */
  of(project: string): RunShare[] {
    return this.#db
      .sql<RunShare>(
        `SELECT m.run_id AS runId, s.local_date AS date, m.scope, m.name, m.compared, m.outside
         FROM moved_shares m JOIN projects p ON p.id = m.project_id JOIN runs r ON r.id = m.run_id
         JOIN slots s ON s.run_id = r.id AND s.project_id = p.id
         WHERE p.name = @project AND s.suspect_reason IS NULL AND r.discarded_at IS NULL AND m.run_id IN (
           SELECT run_id FROM moved_shares WHERE project_id = p.id AND scope = 'project' ORDER BY run_id DESC LIMIT @runsMax)
         ORDER BY r.moment, r.id, m.scope, m.name`,
      )
      .all({ project, runsMax });
  }
}

/** The outcomes of several runs, summed up. */
interface PlanOutcomes extends PlanOutcome {
  readonly runs: number;
  /** Spent on the project's checks in these runs, unknown purchases included. Projects share a check in equal parts. */
  readonly creditsSpent: number;
}

export class PlanOutcomeStore {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Stores the outcome of a run; a resumed run replaces it. Call inside a transaction. */
  keep(runId: number, project: string, outcome: PlanOutcome): void {
    const { searches, waiting, creditsSaved, changes, missed, rateError } = outcome;
    const set = { searches, waiting, creditsSaved, changes, missed, rateError };
    this.#db.drizzle
      .insert(planOutcomes)
      .values({ runId, projectId: this.#db.names.projectId(project), ...set })
      .onConflictDoUpdate({ target: [planOutcomes.runId, planOutcomes.projectId], set })
      .run();
  }

  /** Null: the run has none, because the project had no adaptive cadence. */
  of(runId: number, project: string): PlanOutcome | null {
    const { searches, waiting, creditsSaved, changes, missed, rateError } = planOutcomes;
    const row = this.#db.drizzle
      .select({ searches, waiting, creditsSaved, changes, missed, rateError })
      .from(planOutcomes)
      .innerJoin(projects, eq(projects.id, planOutcomes.projectId))
      .where(and(eq(planOutcomes.runId, runId), eq(projects.name, project)))
      .get();
    return row ?? null;
  }

  /**
   * Sums over the runs of a project since `since` (UTC milliseconds of slots); discarded runs are left out. A planned
   * check that was deferred waited, too.
   */
  since(project: string, since: number): PlanOutcomes {
    const row = this.#db
      .sql<PlanOutcomes>(
        `SELECT coalesce(sum(o.searches), 0) AS searches,
                coalesce(sum(o.waiting + (SELECT count(*) FROM checks c JOIN check_projects cp ON cp.check_id = c.id
                  WHERE c.run_id = o.run_id AND cp.project_id = o.project_id AND c.state = 'deferred')), 0) AS waiting,
                coalesce(sum(o.credits_saved), 0) AS creditsSaved, coalesce(sum(o.changes), 0.0) AS changes,
                coalesce(sum(o.missed), 0.0) AS missed, coalesce(sum(o.rate_error), 0.0) AS rateError, count(*) AS runs,
                coalesce(sum((SELECT sum(1.0 * (v.spent + v.unknown) / (
                    SELECT count(*) FROM check_projects other WHERE other.check_id = v.check_id)) FROM reservations v
                  JOIN check_projects cp ON cp.check_id = v.check_id AND cp.project_id = o.project_id
                  WHERE v.run_id = o.run_id AND v.currency = 'serp_credit')), 0) AS creditsSpent
         FROM plan_outcomes o JOIN projects p ON p.id = o.project_id JOIN runs r ON r.id = o.run_id
         WHERE p.name = ? AND r.moment >= ? AND r.discarded_at IS NULL`,
      )
      .get(project, since);
    if (row === undefined) throw new Error('an aggregate has one row');
    return { ...row, creditsSpent: Math.round(row.creditsSpent) };
  }

  /** Pages that the checks of a project in a run could read, by search. */
  depths(runId: number, project: string): Map<number, number> {
    const { searchId, depth } = checks;
    const rows = this.#db.drizzle
      .select({ searchId, depth })
      .from(checks)
      .innerJoin(checkProjects, eq(checkProjects.checkId, checks.id))
      .innerJoin(projects, eq(projects.id, checkProjects.projectId))
      .where(and(eq(checks.runId, runId), eq(projects.name, project)))
      .all();
    return new Map(rows.map((row) => [row.searchId, row.depth]));
  }

  /** UTC milliseconds of the project's newest run of ranks before a moment; null: there is none. */
  runBefore(project: string, moment: number): number | null {
    const row = this.#db.drizzle
      .select({ at: max(runs.moment) })
      .from(slots)
      .innerJoin(projects, eq(projects.id, slots.projectId))
      .innerJoin(runs, eq(runs.id, slots.runId))
      .where(
        and(eq(projects.name, project), eq(slots.kind, 'ranks'), lt(runs.moment, moment), isNull(runs.discardedAt)),
      )
      .get();
    return row?.at ?? null;
  }
}
