// Reports and alerts that could not be written after their run. Call inside a transaction.
import type { Connection } from '../../connection/client.ts';
import type { TableRow } from '../../schema/rows.ts';

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
      .sql<TableRow<'report_failures'>>('SELECT * FROM report_failures ORDER BY run_id DESC, part, project LIMIT ?')
      .all(limit)
      .map(toReportFailure);
  }

  /** Those whose time to be tried again has come, the newest runs first. */
  due(at: number, limit: number): ReportFailure[] {
    return this.#db
      .sql<TableRow<'report_failures'>>(
        'SELECT * FROM report_failures WHERE next_try_at <= ? ORDER BY run_id DESC, part, project LIMIT ?',
      )
      .all(at, limit)
      .map(toReportFailure);
  }

  #isPart({ runId, part, project }: { readonly runId: number; readonly part: ReportPart; readonly project: string }) {
    const { tables, operators } = this.#db.drizzle;
    const { and, eq } = operators;
    const { reportFailures: table } = tables;
    return and(eq(table.runId, runId), eq(table.part, part), eq(table.project, project));
  }
}

function toReportFailure(row: TableRow<'report_failures'>): ReportFailure {
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
