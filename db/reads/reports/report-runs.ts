// The runs of a report (a slot's run and its backfills), and where it is filed. Reads only.
import type { Connection } from '../../connection/client.ts';
import { type RunRow, type SlotClaim, toRun } from '../../history/runs/runs.ts';
import type { TableRow } from '../../schema/rows.ts';

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
         SELECT * FROM closed WHERE slot_kind = 'backfill' AND at >= coalesce((SELECT max(at) FROM closed WHERE slot_kind = 'ranks'), 0)
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
