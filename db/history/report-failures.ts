// Reports and alerts of runs that have ended and could not be written: kept until they are. Call inside a transaction.
import type { Connection } from '../connection/client.ts';
import type { TableRow } from '../schema/rows.ts';

/** `report`: the folder of one project; `index` and `agency`: the files of all projects; `alerts`: what one project's channels are to be sent. */
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
    const key = [runId, part, project ?? ''] as const;
    const known = this.#db
      .sql<TableRow<'report_failures', 'attempts'>>(
        'SELECT attempts FROM report_failures WHERE run_id = ? AND part = ? AND project = ?',
      )
      .get(...key);
    const attempts = (known?.attempts ?? 0) + 1;
    const nextTryAt = at + backoffMs(attempts);
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
      .sql<TableRow<'report_failures'>>('SELECT * FROM report_failures ORDER BY run_id DESC, part, project LIMIT ?')
      .all(limit)
      .map(failureOf);
  }

  /** Those whose time to be tried again has come, the newest runs first. */
  due(at: number, limit: number): ReportFailure[] {
    return this.#db
      .sql<TableRow<'report_failures'>>(
        'SELECT * FROM report_failures WHERE next_try_at <= ? ORDER BY run_id DESC, part, project LIMIT ?',
      )
      .all(at, limit)
      .map(failureOf);
  }
}

function failureOf(row: TableRow<'report_failures'>): ReportFailure {
  return {
    runId: row.run_id,
    part: row.part,
    project: row.project === '' ? null : row.project,
    reason: row.reason,
    attempts: row.attempts,
    at: row.at,
    nextTryAt: row.next_try_at,
  };
}
