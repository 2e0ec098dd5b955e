// Reports and alerts of runs that have ended and could not be written: kept until they are. Call inside a transaction.
import type { Connection, Row } from './client.ts';

/** `report`: the folder of one project; `index` and `agency`: the files of all projects; `alerts`: what one project's channels are to be sent. */
export type ReportPart = 'report' | 'index' | 'agency' | 'alerts';

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

/** From one try to the next: doubled after each, to an hour at most. */
const backoffFirstMs = 60_000;
const backoffMaxMs = 3_600_000;

export class ReportFailures {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  record({
    runId,
    part,
    project,
    reason,
    at,
  }: Pick<ReportFailure, 'runId' | 'part' | 'project' | 'reason' | 'at'>): void {
    const key = [runId, part, project ?? ''] as const;
    const known = this.#db
      .sql('SELECT attempts FROM report_failures WHERE run_id = ? AND part = ? AND project = ?')
      .get(...key);
    const attempts = Number(known?.['attempts'] ?? 0) + 1;
    const nextTryAt = at + Math.min(backoffMaxMs, backoffFirstMs * 2 ** Math.min(attempts - 1, 10));
    this.#db
      .sql(
        `INSERT INTO report_failures (run_id, part, project, reason, attempts, at, next_try_at) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, part, project) DO UPDATE
         SET reason = excluded.reason, attempts = excluded.attempts, at = excluded.at, next_try_at = excluded.next_try_at`,
      )
      .run(...key, reason, attempts, at, nextTryAt);
  }

  /** It was written, or is wanted no more. */
  clear({ runId, part, project }: Pick<ReportFailure, 'runId' | 'part' | 'project'>): void {
    this.#db
      .sql('DELETE FROM report_failures WHERE run_id = ? AND part = ? AND project = ?')
      .run(runId, part, project ?? '');
  }

  /** The newest runs first. */
  all(limit: number): ReportFailure[] {
    return this.#db
      .sql('SELECT * FROM report_failures ORDER BY run_id DESC, part, project LIMIT ?')
      .all(limit)
      .map(failureOf);
  }

  /** Those whose time to be tried again has come, the newest runs first. */
  due(at: number, limit: number): ReportFailure[] {
    return this.#db
      .sql('SELECT * FROM report_failures WHERE next_try_at <= ? ORDER BY run_id DESC, part, project LIMIT ?')
      .all(at, limit)
      .map(failureOf);
  }
}

function failureOf(row: Row): ReportFailure {
  return {
    runId: Number(row['run_id']),
    part: row['part'] as ReportPart,
    project: row['project'] === '' ? null : String(row['project']),
    reason: String(row['reason']),
    attempts: Number(row['attempts']),
    at: Number(row['at']),
    nextTryAt: Number(row['next_try_at']),
  };
}
