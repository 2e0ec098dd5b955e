// Which runs make a report, and where it is filed: a run of a slot, and the backfills that filled it in. Reads only.
import type { Connection } from '../connection/client.ts';
import { type RunRow, type SlotClaim, toRun } from '../history/runs.ts';
import type { TableRow } from '../schema/rows.ts';

export class ReportRuns {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * The project's newest closed run of ranks at `until`, and the backfills that followed it, oldest first: together they are what is known of its
   * latest slot. A slot that lies ahead counts as of the time of its run. Backfills alone where no run was before them; empty where there was nothing at all.
   */
  latestWithBackfills(project: string, until: number): RunRow[] {
    return this.#db
      .sql<TableRow<'runs'>>(
        `WITH closed AS (
           SELECT s.kind AS slot_kind, min(s.at, r.moment) AS at, r.* FROM slots s JOIN projects p ON p.id = s.project_id JOIN runs r ON r.id = s.run_id
           WHERE p.name = ? AND s.kind IN ('ranks', 'backfill') AND r.moment <= ? AND r.kind = 'ranks' AND r.state <> 'open')
         SELECT * FROM closed WHERE slot_kind = 'backfill' AND at >= coalesce((SELECT max(at) FROM closed WHERE slot_kind = 'ranks'), 0)
            OR (slot_kind, at) = ('ranks', (SELECT max(at) FROM closed WHERE slot_kind = 'ranks'))
         ORDER BY at, slot_kind = 'backfill', id`,
      )
      .all(project, until)
      .map(toRun);
  }

  /** The run whose report is the newest at `now`: a backfill's, where one followed the latest slot. A clock that ran ahead may have left later ones. */
  latestReported(project: string, now: number): RunRow | null {
    return this.latestWithBackfills(project, now).at(-1) ?? null;
  }

  /** Whether no earlier run of the project whose reports are filed, discarded ones included, has a slot in the same local minute. */
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
