// Runs that an operator discarded: their rows and money stay, but reports, baselines, dueness and alerts leave them out.
import type { Connection } from './client.ts';

/** SQL: whether a row of `rankings` belongs to a run that was not discarded. One lookup in an index that holds discarded runs only. */
export const rankingStands = (ranking: string): string => `NOT EXISTS (
  SELECT 1 FROM runs dr JOIN checks dc ON dc.run_id = dr.id
  WHERE dr.discarded_at IS NOT NULL AND dr.moment = ${ranking}.moment AND dc.id = ${ranking}.check_id)`;

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

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * Marks a closed run as discarded and frees its slots: their kind becomes `discarded-<run>`. Slots that a clock ran ahead to are free already. Failed
   * reports of the run are forgotten. Call inside a transaction.
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

  /** Slots of a discarded run that another run has by now. */
  takenSlots(runId: number, kind: string): TakenSlot[] {
    return this.#db
      .sql(
        `SELECT p.name AS project, s.slot, o.run_id FROM slots s JOIN projects p ON p.id = s.project_id
         JOIN slots o ON o.project_id = s.project_id AND o.kind = ? AND o.slot = s.slot AND o.state = 'claimed'
         WHERE s.kind = 'discarded-' || ? ORDER BY p.name`,
      )
      .all(kind, String(runId))
      .map((row) => ({
        project: String(row['project']),
        slot: String(row['slot']),
        runId: Number(row['run_id']),
      }));
  }

  /** Makes a discarded run stand again with its slots; what was recorded as missed meanwhile gives way. Call inside a transaction, after `takenSlots`. */
  restore(runId: number, kind: string): void {
    this.#db
      .sql(
        `DELETE FROM slots WHERE state = 'missed' AND kind = @kind AND (project_id, slot) IN (
           SELECT project_id, slot FROM slots WHERE kind = 'discarded-' || @runId)`,
      )
      .run({ kind, runId: String(runId) });
    this.#db.sql("UPDATE slots SET kind = ? WHERE kind = 'discarded-' || ?").run(kind, String(runId));
    this.#db.sql('UPDATE runs SET discarded_at = NULL, discard_reason = NULL WHERE id = ?').run(runId);
  }
}
