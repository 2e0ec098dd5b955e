// What each run saw of a project, in sums: written when the run closes, and read for the project's history.
import type { RunCounts } from '../../../src/tracker/trust/suspect.ts';
import type { Connection } from '../../connection/client.ts';

/** How the checks of a run that a project wanted stand. */
export interface CheckOutcome {
  readonly checks: number;
  readonly complete: number;
  /** Complete or incomplete. */
  readonly read: number;
  readonly deferred: number;
  /** Of a check that is not complete; null: there is none. */
  readonly reason: string | null;
}

export class RunCountStore {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** How the checks of a run that a project wanted have ended, deferred ones left out. */
  checksOf(runId: number, project: string): Pick<RunCounts, 'checks' | 'failedChecks'> {
    const row = this.#db
      .sql<{ ended: number; failed: number }>(
        `SELECT count(*) AS ended, coalesce(sum(c.state IN ('failed', 'unknown_paid')), 0) AS failed
         FROM checks c JOIN check_projects cp ON cp.check_id = c.id JOIN projects p ON p.id = cp.project_id
         WHERE c.run_id = ? AND p.name = ? AND c.state IN ('ok', 'incomplete', 'failed', 'unknown_paid')`,
      )
      .get(runId, project);
    return { checks: row?.ended ?? 0, failedChecks: row?.failed ?? 0 };
  }

  /** The checks of a run that a project wanted: all, those that read results, those that wait, and why one did not. */
  outcome(runId: number, project: string): CheckOutcome {
    const row = this.#db
      .sql<{ checks: number; complete: number; read: number; deferred: number; reason: string | null }>(
        `SELECT count(*) AS checks, coalesce(sum(c.state = 'ok'), 0) AS complete, coalesce(sum(c.state IN ('ok', 'incomplete')), 0) AS read,
                coalesce(sum(c.state = 'deferred'), 0) AS deferred, max(iif(c.state = 'ok', NULL, c.reason)) AS reason
         FROM checks c JOIN check_projects cp ON cp.check_id = c.id JOIN projects p ON p.id = cp.project_id
         WHERE c.run_id = ? AND p.name = ?`,
      )
      .get(runId, project);
    return row ?? { checks: 0, complete: 0, read: 0, deferred: 0, reason: null };
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
    const row = this.#db
      .sql<{ checks: number; failed: number; ranked_before: number; lost: number }>(
        `SELECT coalesce(sum(checks_ended), 0) AS checks, coalesce(sum(checks_failed), 0) AS failed,
                coalesce(sum(ranked_before), 0) AS ranked_before, coalesce(sum(ranks_lost), 0) AS lost FROM (
           SELECT s.* FROM slots s JOIN runs r ON r.id = s.run_id
           WHERE s.project_id = (SELECT id FROM projects WHERE name = @project) AND s.kind = 'ranks' AND s.run_id <> @runId
             AND s.checks_ended IS NOT NULL AND r.origin = 'schedule'
           ORDER BY s.at DESC LIMIT @limit)`,
      )
      .get({ runId, project, limit });
    return {
      checks: row?.checks ?? 0,
      failedChecks: row?.failed ?? 0,
      rankedBefore: row?.ranked_before ?? 0,
      lost: row?.lost ?? 0,
    };
  }
}
