// How many keywords moved outside their noise bands in each run: of a project, a market or a tag.
import type { MovedShare } from '../../src/tracker/signal/update-detector.ts';
import type { Connection } from '../connection/client.ts';
import { insertInto } from '../connection/insert.ts';
import type { Names } from '../connection/names.ts';
import type { TableRow } from '../schema/rows.ts';

export type ShareScope = 'project' | 'market' | 'tag';

/** The share of one run. */
export interface RunShare extends MovedShare {
  readonly runId: number;
  readonly scope: ShareScope;
  /** `US, en, desktop`, or the tag; empty for the project. */
  readonly name: string;
}

const insertShare = insertInto(
  'moved_shares',
  ['run_id', 'project_id', 'scope', 'name', 'compared', 'outside'],
  'ON CONFLICT DO NOTHING',
);

/** Runs of a project that the update detector sees. */
const runsMax = 400;

export class MovedShares {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  /** Keeps the shares of a run; those it has stay as they are. Call inside a transaction. */
  keep(project: string, shares: readonly Omit<RunShare, 'date'>[]): void {
    const projectId = this.#names.projectId(project);
    for (const { runId, scope, name, compared, outside } of shares)
      this.#db.insert(insertShare, { run_id: runId, project_id: projectId, scope, name, compared, outside });
  }

  /** The shares of the newest runs of a project, oldest first; suspect and discarded runs are left out. */
  of(project: string): RunShare[] {
    return this.#db
      .sql<
        TableRow<'moved_shares', 'run_id' | 'name' | 'compared' | 'outside'> & { scope: ShareScope; local_date: string }
      >(
        `SELECT m.run_id, m.scope, m.name, m.compared, m.outside, s.local_date
         FROM moved_shares m JOIN projects p ON p.id = m.project_id JOIN runs r ON r.id = m.run_id
         JOIN slots s ON s.run_id = r.id AND s.project_id = p.id
         WHERE p.name = @project AND s.suspect_reason IS NULL AND r.discarded_at IS NULL AND m.run_id IN (
           SELECT run_id FROM moved_shares WHERE project_id = p.id AND scope = 'project' ORDER BY run_id DESC LIMIT @runsMax)
         ORDER BY r.moment, r.id, m.scope, m.name`,
      )
      .all({ project, runsMax })
      .map((row) => ({
        runId: row.run_id,
        date: row.local_date,
        scope: row.scope,
        name: row.name,
        compared: row.compared,
        outside: row.outside,
      }));
  }
}
