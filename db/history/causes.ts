// What explains each change of a run, as JSON: computed once at the end of the run, and read ever after.
import type { Connection } from '../connection/client.ts';
import type { TableRow } from '../schema/rows.ts';

/** Of a target in a search of a run. */
type Cause = TableRow<'causes', 'runId' | 'searchId' | 'targetId' | 'explanation'>;

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
}
