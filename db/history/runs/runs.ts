// Runs and their claimed slots: which process owns a run, and how it ended.

import type { Connection } from '../../connection/client.ts';
import { columnsOf } from '../../connection/statement.ts';

import { type RunKind, type RunOrigin, type SlotClaim, Slots } from './slots.ts';

export type { ClaimedSlot, SlotClaim } from './slots.ts';

import { RunFence } from '../../ledger/run-fence.ts';
import type { TableRow } from '../../schema/rows.ts';

export type RunState = 'open' | 'complete' | 'partial' | 'halted';

export interface RunRow {
  readonly id: number;
  readonly kind: RunKind;
  readonly origin: RunOrigin | 'confirm';
  /** Of second looks, whose origin is `confirm`: the run whose changes they are at. */
  readonly confirms: number | null;
  readonly moment: number;
  readonly openedAt: number;
  readonly closedAt: number | null;
  readonly planned: boolean;
  /** A burst of changes was looked for, and its checks are planned. */
  readonly replanned: boolean;
  readonly state: RunState;
  readonly reason: string | null;
  readonly remark: string | null;
  readonly owner: string | null;
  readonly heartbeatAt: number | null;
  /** Raised with each new owner. */
  readonly epoch: number;
  readonly reportedAt: number | null;
  /** When an operator discarded it; null if none did. */
  readonly discardedAt: number | null;
  readonly discardReason: string | null;
}

/** A slot that another run has taken since its own run was discarded. */
export interface TakenSlot {
  readonly project: string;
  readonly slot: string;
  readonly runId: number;
}

/** Runs, with the slots that they claim. */
export class Runs extends Slots {
  /** Runs that this process works on now: other parts of the process must not take them over. */
  readonly activeRuns = new Set<number>();
  readonly #db: Connection;
  readonly #fence: RunFence;

  constructor(db: Connection, fence: RunFence = new RunFence(db)) {
    super(db);
    this.#db = db;
    this.#fence = fence;
  }

  /**
   * Throws StoreError RUN_TAKEN_OVER if another process owns the run now. Call in each transaction that writes for it.
   */
  assertHeld(id: number): void {
    this.#fence.check(id);
  }

  /**
   * Opens a run and claims its slots, in one transaction. Leaves slots that another run holds. Returns null, and opens
   * no run, if no slot is left.
   */
  open(
    run: { kind: RunKind; origin?: RunOrigin; confirms?: number; moment: number; owner: string; at: number },
    slots: readonly SlotClaim[],
  ): { id: number; claimed: SlotClaim[] } | null {
    const { origin = 'schedule', confirms = null } = run;
    const slotKind = confirms !== null ? 'confirm' : origin === 'schedule' ? run.kind : origin;
    return this.#db.transaction(() => {
      const free = slots.filter((slot) => this.slot(slot.project, slotKind, slot.slot)?.state !== 'claimed');
      if (free.length === 0 && run.kind !== 'adhoc') return null;
      const { lastInsertRowid } = this.#db.insert('runs', {
        kind: run.kind,
        origin,
        confirms,
        moment: run.moment,
        openedAt: run.at,
        state: 'open',
        owner: run.owner,
        heartbeatAt: run.at,
        ownerEpoch: 1,
      });
      const id = Number(lastInsertRowid);
      this.#fence.hold(id, 1);
      for (const slot of free) {
        const projectId = this.#db.names.projectId(slot.project);
        this.removeMissed(projectId, slotKind, slot.slot);
        this.#db.insert('slots', {
          projectId,
          kind: slotKind,
          slot: slot.slot,
          at: slot.at,
          timezone: slot.timezone,
          localDate: slot.localDate,
          state: 'claimed',
          runId: id,
        });
      }
      return { id, claimed: free };
    });
  }

  run(id: number): RunRow | null {
    const row = this.#db.sql<TableRow<'runs'>>(`SELECT ${runColumns} FROM runs r WHERE id = ?`).get(id);
    return row === undefined ? null : toRun(row);
  }

  openRuns(): RunRow[] {
    return this.#db
      .sql<TableRow<'runs'>>(`SELECT ${runColumns} FROM runs r WHERE state = 'open' ORDER BY id`)
      .all()
      .map(toRun);
  }

  /** The newest runs. Leaves out imports: a file of a year would be three hundred of them. */
  lastRuns(limit: number): RunRow[] {
    return this.#db
      .sql<TableRow<'runs'>>(
        `SELECT ${runColumns} FROM runs r WHERE kind <> 'adhoc' AND origin <> 'import' ORDER BY id DESC LIMIT ?`,
      )
      .all(limit)
      .map(toRun);
  }

  /** Whether any run was halted at or after a moment. */
  wasHaltedSince(at: number): boolean {
    return this.#db.sql("SELECT 1 FROM runs WHERE state = 'halted' AND closed_at >= ? LIMIT 1").get(at) !== undefined;
  }

  /**
   * The last moment that the newest run recorded, by the clock of that time; with `before`, the newest run before that
   * one. Null: no run.
   */
  lastMoment(before = Number.MAX_SAFE_INTEGER): number | null {
    const row = this.#db
      .sql<{ at: number }>(
        `SELECT max(opened_at, coalesce(heartbeat_at, 0), coalesce(closed_at, 0)) AS at FROM runs
         WHERE id < ? AND origin <> 'import' ORDER BY id DESC LIMIT 1`,
      )
      .get(before);
    return row === undefined ? null : row.at;
  }

  /** The newest closed run of a project. */
  lastClosedRun(project: string, kind: RunKind): RunRow | null {
    const row = this.#db
      .sql<TableRow<'runs'>>(
        `SELECT ${runColumns} FROM slots s JOIN projects p ON p.id = s.project_id JOIN runs r ON r.id = s.run_id
         WHERE p.name = ? AND s.kind = ? AND r.state <> 'open' ORDER BY s.at DESC LIMIT 1`,
      )
      .get(project, kind);
    return row === undefined ? null : toRun(row);
  }

  /** Takes over a run that is open or has no reports yet; false if another process was faster. */
  takeOver({ id, epoch }: Pick<RunRow, 'id' | 'epoch'>, owner: string, at: number): boolean {
    const { changes } = this.#db
      .sql(
        `UPDATE runs SET owner = ?, heartbeat_at = ?, owner_epoch = owner_epoch + 1, remark = iif(state = 'open', NULL, remark)
         WHERE id = ? AND owner_epoch = ? AND (state = 'open' OR reported_at IS NULL)`,
      )
      .run(owner, at, id, epoch);
    if (changes === 1) this.#fence.hold(id, epoch + 1);
    return changes === 1;
  }

  /** A heartbeat of an open run, or of the writing of its reports. Throws StoreError RUN_TAKEN_OVER. */
  heartbeat(id: number, at: number): void {
    this.#fence.check(id);
    this.#db.sql('UPDATE runs SET heartbeat_at = ? WHERE id = ?').run(at, id);
  }

  /** What an open run waits for; its remark until it is closed, taken over or abandoned. */
  noteWaits(id: number, text: string | null): void {
    this.#fence.check(id);
    this.#db.sql("UPDATE runs SET remark = ? WHERE id = ? AND state = 'open'").run(text, id);
  }

  /** Closed runs of ranks without reports: their owner is writing them, or died before. */
  unreportedRuns(): RunRow[] {
    return this.#db
      .sql<TableRow<'runs'>>(
        `SELECT ${runColumns} FROM runs r WHERE kind = 'ranks' AND state <> 'open' AND reported_at IS NULL ORDER BY id`,
      )
      .all()
      .map(toRun);
  }

  markReported(id: number, at: number): void {
    this.#fence.check(id);
    this.#db.sql('UPDATE runs SET reported_at = ?, owner = NULL WHERE id = ?').run(at, id);
  }

  /** Reopens a closed run, for a command that names its slot: its deferred checks are still to be done. */
  reopen(id: number, owner: string, at: number): void {
    const row = this.#db
      .sql<TableRow<'runs', 'ownerEpoch'>>(
        `UPDATE runs SET state = 'open', closed_at = NULL, reason = NULL, remark = NULL, reported_at = NULL, owner = ?, heartbeat_at = ?,
                owner_epoch = owner_epoch + 1
         WHERE id = ? AND state IN ('partial', 'halted') RETURNING owner_epoch AS ownerEpoch`,
      )
      .get(owner, at, id);
    if (row === undefined) return;
    this.#fence.hold(id, row.ownerEpoch);
    this.#db.sql('UPDATE slots SET suspect_reason = NULL WHERE run_id = ?').run(id);
  }

  /** Leaves an open run to the next process; does nothing if that process has it already. */
  abandon(id: number): void {
    this.#db
      .sql('UPDATE runs SET owner = NULL, remark = NULL WHERE id = ? AND owner_epoch = ?')
      .run(id, this.#fence.epochOf(id));
  }

  markPlanned(id: number): void {
    this.#fence.check(id);
    this.#db.sql('UPDATE runs SET planned = 1 WHERE id = ?').run(id);
  }

  markReplanned(id: number): void {
    this.#fence.check(id);
    this.#db.sql('UPDATE runs SET planned = 2 WHERE id = ?').run(id);
  }

  /** Ends a run. A run of ranks keeps its owner until its reports are written. */
  close(
    id: number,
    end: {
      state: Exclude<RunState, 'open'>;
      reason: string | null;
      remark?: string | null;
      at: number;
    },
  ): void {
    this.#fence.check(id);
    this.#db
      .sql(
        "UPDATE runs SET state = ?, reason = ?, remark = ?, closed_at = ?, owner = iif(kind = 'ranks', owner, NULL) WHERE id = ? AND state = 'open'",
      )
      .run(end.state, end.reason, end.remark ?? null, end.at, id);
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
      .sql<{ project: string; slot: string; runId: number }>(
        `SELECT p.name AS project, s.slot, o.run_id AS runId FROM slots s JOIN projects p ON p.id = s.project_id
         JOIN slots o ON o.project_id = s.project_id AND o.kind = ? AND o.slot = s.slot AND o.state = 'claimed'
         WHERE s.kind = 'discarded-' || ? ORDER BY p.name`,
      )
      .all(kind, String(runId))
      .map((row) => ({
        project: row.project,
        slot: row.slot,
        runId: row.runId,
      }));
  }

  /**
   * Restores a discarded run and its slots, and deletes missed slots recorded meanwhile. Call inside a transaction,
   * after `takenSlots`.
   */
  restore(runId: number, kind: string): void {
    const slots = this.#db
      .sql<TableRow<'slots', 'projectId' | 'slot'>>(
        "SELECT project_id AS projectId, slot FROM slots WHERE kind = 'discarded-' || ?",
      )
      .all(String(runId));
    for (const { projectId, slot } of slots) this.removeMissed(projectId, kind, slot);
    this.#db.sql("UPDATE slots SET kind = ? WHERE kind = 'discarded-' || ?").run(kind, String(runId));
    this.#db.sql('UPDATE runs SET discarded_at = NULL, discard_reason = NULL WHERE id = ?').run(runId);
  }
}

const columns = [
  ...['id', 'kind', 'origin', 'confirms', 'moment', 'openedAt', 'closedAt', 'planned', 'state', 'reason', 'remark'],
  ...['owner', 'heartbeatAt', 'ownerEpoch', 'reportedAt', 'discardedAt', 'discardReason'],
];
/** The columns of a run `r`. */
export const runColumns = columnsOf('r', columns);

/** A row of `runColumns`. */
export function toRun({ planned, origin, ownerEpoch, ...row }: TableRow<'runs'>): RunRow {
  return {
    ...row,
    origin: row.confirms === null ? origin : 'confirm',
    planned: planned >= 1,
    replanned: planned === 2,
    epoch: ownerEpoch,
  };
}
