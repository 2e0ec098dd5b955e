// What explains each change of a run, as JSON: computed once at the end of the run, and read ever after.
import type { Connection } from '../connection/client.ts';
import type { TableRow } from '../schema/rows.ts';

/** Of a target in a search of a run. */
export type Cause = TableRow<'causes', 'runId' | 'searchId' | 'targetId' | 'explanation'>;

/** With the moment of its run, UTC milliseconds. */
export type CauseAt = Cause & TableRow<'runs', 'moment'>;

const ofProject = 'c.project_id = (SELECT id FROM projects WHERE name = @project)';

export class Causes {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Stores the causes of runs; a repeated one replaces the former. Call inside a transaction. */
  keep(project: string, causes: readonly Cause[]): void {
    const projectId = this.#db.names.projectId(project);
    for (const { runId, searchId, targetId, explanation } of causes) {
      const row = { runId, projectId, searchId, targetId, explanation };
      this.#db.insert('causes', row, 'ON CONFLICT DO UPDATE SET explanation = excluded.explanation');
    }
  }

  /** Of a run, also where it was discarded. */
  ofRun(project: string, runId: number): Omit<Cause, 'runId'>[] {
    return this.#db
      .sql<Omit<Cause, 'runId'>>(
        `SELECT c.search_id AS searchId, c.target_id AS targetId, c.explanation FROM causes c
         WHERE c.run_id = @runId AND ${ofProject} ORDER BY c.search_id, c.target_id`,
      )
      .all({ project, runId });
  }

  /** Null: the run has none for this target in this search. */
  of(project: string, searchId: number, targetId: number, runId: number): string | null {
    const row = this.#db
      .sql<TableRow<'causes', 'explanation'>>(
        `SELECT c.explanation FROM causes c
         WHERE c.run_id = @runId AND ${ofProject} AND c.search_id = @searchId AND c.target_id = @targetId`,
      )
      .get({ project, searchId, targetId, runId });
    return row?.explanation ?? null;
  }

  /**
   * Of runs from one moment to another, both inclusive, oldest first; discarded runs are left out. `searchId`: only of
   * this search, which reads no others.
   */
  between(project: string, fromMoment: number, untilMoment: number, searchId: number | null = null): CauseAt[] {
    const ofSearch = searchId === null ? '' : 'AND c.search_id = @searchId';
    return this.#db
      .sql<CauseAt>(
        `SELECT c.run_id AS runId, r.moment, c.search_id AS searchId, c.target_id AS targetId, c.explanation
         FROM runs r CROSS JOIN causes c ON c.run_id = r.id
         WHERE r.moment BETWEEN @fromMoment AND @untilMoment AND r.discarded_at IS NULL AND ${ofProject} ${ofSearch}
         ORDER BY r.moment, r.id, c.search_id, c.target_id`,
      )
      .all({ project, fromMoment, untilMoment, ...(searchId !== null && { searchId }) });
  }
}
