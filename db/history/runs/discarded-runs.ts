// Discarded runs: rows and cost stay; reports, baselines, due slots and alerts ignore them.
import type { Connection } from '../../connection/client.ts';
import type { TableRow } from '../../schema/rows.ts';
import { MissedSlotStore } from './missed-slots.ts';

/** SQL: whether a row of `rankings` belongs to a run that was not discarded. */
export const rankingStands = (ranking: string): string => isOfOtherRun(ranking, 'dr.discarded_at IS NOT NULL');

/**
 * SQL: whether a project may compare with a row of `rankings`: its run was not discarded, and is not suspect for the
 * project. Binds `@project`, its id in the config.
 */
export const rankingIsBaseline = (ranking: string): string =>
  isOfOtherRun(ranking, `(dr.discarded_at IS NOT NULL OR ${isSuspectRun('dr.id')})`);

/** SQL: whether the run of this id is suspect for the project `@project`. */
export const isSuspectRun = (runId: string): string =>
  `${runId} IN (SELECT ds.run_id FROM slots ds JOIN projects dp ON dp.id = ds.project_id WHERE dp.name = @project AND ds.suspect_reason IS NOT NULL)`;

/**
 * SQL: whether no run `dr` of this condition made the row of `rankings`. Whether there are such runs, and their few
 * moments, are read once per statement: looking each row up would take as long as the rest of a report (3.4 of 5.5 s
 * for 100,000 keywords of 30 days).
 */
const isOfOtherRun = (ranking: string, condition: string): string => `(
  NOT EXISTS (SELECT 1 FROM runs dr WHERE ${condition})
  OR ${ranking}.moment NOT IN (SELECT dr.moment FROM runs dr WHERE ${condition}) OR NOT EXISTS (
    SELECT 1 FROM runs dr JOIN checks dc ON dc.run_id = dr.id
    WHERE ${condition} AND dr.moment = ${ranking}.moment AND dc.id = ${ranking}.check_id))`;

/** SQL: whether the run of this id was not discarded. */
export const runStands = (runId: string): string =>
  `NOT EXISTS (SELECT 1 FROM runs dr WHERE dr.id = ${runId} AND dr.discarded_at IS NOT NULL)`;

/** A slot that another run has taken since its own run was discarded. */
export interface TakenSlot {
  readonly project: string;
  readonly slot: string;
  readonly runId: number;
}

/** Numbers are bound as reals: the run is given as text where it is part of a slot's kind. */
export class DiscardedRuns {
  readonly #db: Connection;
  readonly #missed: MissedSlotStore;

  constructor(db: Connection) {
    this.#db = db;
    this.#missed = new MissedSlotStore(db);
  }

  /**
   * Marks a closed run as discarded and frees its slots by changing their kind to `discarded-<run>`. Slots claimed
   * while the clock was ahead are free already. Deletes pending report failures of the run. Call inside a transaction.
   */
  discard(runId: number, reason: string | null, at: number): void {
    this.#db
      .sql(
        "UPDATE runs SET discarded_at = ?, discard_reason = ?, reported_at = coalesce(reported_at, ?), owner = NULL WHERE id = ? AND state <> 'open'",
      )
      .run(at, reason, at, runId);
    this.#db
      .sql("UPDATE slots SET kind = 'discarded-' || run_id WHERE run_id = ? AND kind NOT LIKE 'ahead-%'")
      .run(runId);
    this.#db.sql('DELETE FROM report_failures WHERE run_id = ?').run(runId);
  }

  /** Slots of a discarded run that another run holds now. */
  takenSlots(runId: number, kind: string): TakenSlot[] {
    return this.#db
      .sql<{ project: string; slot: string; run_id: number }>(
        `SELECT p.name AS project, s.slot, o.run_id FROM slots s JOIN projects p ON p.id = s.project_id
         JOIN slots o ON o.project_id = s.project_id AND o.kind = ? AND o.slot = s.slot AND o.state = 'claimed'
         WHERE s.kind = 'discarded-' || ? ORDER BY p.name`,
      )
      .all(kind, String(runId))
      .map((row) => ({
        project: row.project,
        slot: row.slot,
        runId: row.run_id,
      }));
  }

  /**
   * Restores a discarded run and its slots, and deletes missed slots recorded meanwhile. Call inside a transaction,
   * after `takenSlots`.
   */
  restore(runId: number, kind: string): void {
    const slots = this.#db
      .sql<TableRow<'slots', 'project_id' | 'slot'>>(
        "SELECT project_id, slot FROM slots WHERE kind = 'discarded-' || ?",
      )
      .all(String(runId));
    for (const { project_id: projectId, slot } of slots) this.#missed.remove(projectId, kind, slot);
    this.#db.sql("UPDATE slots SET kind = ? WHERE kind = 'discarded-' || ?").run(kind, String(runId));
    this.#db.sql('UPDATE runs SET discarded_at = NULL, discard_reason = NULL WHERE id = ?').run(runId);
  }
}
