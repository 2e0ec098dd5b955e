// Slots: the due moments of projects, each claimed by one run or missed. Runs themselves are in runs.ts.
import type { SlotStretch } from '../../../src/tracker/schedule/schedule.ts';
import type { Connection } from '../../connection/client.ts';
import { insertInto } from '../../connection/insert.ts';
import type { Names } from '../../connection/names.ts';
import type { TableRow } from '../../schema/rows.ts';
import { MissedSlotStore, type MissedSlots } from './missed-slots.ts';
import type { RunKind, RunOrigin } from './run-kind.ts';

/** What a slot is of. Backfills and imports have slots of their own, so that no schedule takes them for its own. */
export type SlotKind = RunKind | Exclude<RunOrigin, 'schedule'> | 'confirm';

export interface SlotClaim {
  readonly project: string;
  /** Local date-time in `timezone`. */
  readonly slot: string;
  readonly at: number;
  readonly timezone: string;
  readonly localDate: string;
}

export interface ClaimedSlot extends SlotClaim {
  readonly runId: number | null;
  readonly state: 'claimed' | 'missed';
  /** Why the project's ranks of this slot are suspect; null: they are not. */
  readonly suspectReason: string | null;
}

type SlotRow = TableRow<'slots'> & { project: string };

const lastSlotLeadMs = 15 * 3_600_000;

export const insertClaimedSlot = insertInto('slots', [
  'project_id',
  'kind',
  'slot',
  'at',
  'timezone',
  'local_date',
  'state',
  'run_id',
]);

export class Slots {
  readonly #db: Connection;
  readonly #names: Names;
  readonly #missed: MissedSlotStore;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
    this.#missed = new MissedSlotStore(db);
  }

  /**
   * The first moment from `moment` on that no run of these projects has. Runs that are not ordered by their slot must
   * not share a moment.
   */
  freeMoment(kind: RunKind, moment: number, slots: readonly SlotClaim[]): number {
    if (slots.every(({ at }) => at === moment) && !this.#isVoid(moment)) return moment;
    const names = JSON.stringify(slots.map(({ project }) => project));
    const taken = this.#db.sql(
      `SELECT 1 FROM runs r JOIN slots s ON s.run_id = r.id JOIN projects p ON p.id = s.project_id
       WHERE r.kind = ? AND r.moment = ? AND p.name IN (SELECT value FROM json_each(?)) LIMIT 1`,
    );
    let free = moment;
    while (taken.get(kind, free, names) !== undefined || this.#isVoid(free)) free += 1;
    return free;
  }

  /**
   * Whether a run at this moment was discarded, or had a clock that was ahead. Pages are bought once per search and
   * moment, and the pages of such a run are not reused.
   */
  #isVoid(moment: number): boolean {
    const row = this.#db
      .sql(
        `SELECT 1 FROM runs WHERE moment = @moment AND discarded_at IS NOT NULL
         UNION ALL
         SELECT 1 FROM projects p CROSS JOIN slots s ON s.project_id = p.id AND s.kind > 'ahead-' AND s.kind < 'ahead.'
           JOIN runs r ON r.id = s.run_id WHERE r.moment = @moment
         LIMIT 1`,
      )
      .get({ moment });
    return row !== undefined;
  }

  /**
   * Records slots without a run, with the reason. Returns those that are new: the whole stretch, or the pieces between
   * recorded ones. Replaces rows that were recorded while the clock was ahead. Call inside a transaction.
   */
  recordMissed(kind: RunKind, project: string, stretch: SlotStretch, reason: string, at: number): SlotStretch[] {
    return this.#missed.record(this.#names.projectId(project), kind, stretch, { reason, at });
  }

  /** Removes a slot from the missed ones: a run has it. Call inside a transaction. */
  protected removeMissed(projectId: number, kind: SlotKind, slot: string): void {
    this.#missed.remove(projectId, kind, slot);
  }

  slot(project: string, kind: SlotKind, slot: string): ClaimedSlot | null {
    const row = this.#db
      .sql<SlotRow>(
        'SELECT s.*, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id WHERE p.name = ? AND s.kind = ? AND s.slot = ?',
      )
      .get(project, kind, slot);
    return row === undefined ? null : toSlot(row);
  }

  /**
   * Whether a slot has run, or is recorded as missed, at `now`. Rows recorded while the clock was ahead count from
   * their time on.
   */
  isSettled(project: string, kind: SlotKind, slot: string, now: number): boolean {
    const row = this.#db
      .sql(
        `SELECT 1 FROM slots s JOIN projects p ON p.id = s.project_id
         WHERE p.name = @project AND s.kind = @kind AND s.slot = @slot AND (s.state = 'claimed' OR coalesce(s.recorded_at, 0) <= @now)
         UNION ALL
         SELECT 1 FROM slots s JOIN projects p ON p.id = s.project_id
         WHERE p.name = @project AND s.kind = @kind AND s.slot > @slot AND s.first_slot <= @slot AND s.recorded_at <= @now
         LIMIT 1`,
      )
      .get({ project, kind, slot, now });
    return row !== undefined;
  }

  /** The newest recorded slot, claimed or missed, also of a future recorded by a wrong clock; null: none. */
  newestSlotKey(project: string, kind: SlotKind): string | null {
    const row = this.#db
      .sql<{ slot: string | null }>(
        'SELECT max(s.slot) AS slot FROM slots s JOIN projects p ON p.id = s.project_id WHERE p.name = ? AND s.kind = ?',
      )
      .get(project, kind);
    return row?.slot ?? null;
  }

  /** Whether a run was opened later than that. */
  hasRunsAfter(at: number): boolean {
    return this.#db.sql('SELECT 1 FROM runs WHERE opened_at > ? LIMIT 1').get(at) !== undefined;
  }

  /**
   * Frees future slots whose runs were opened after `openedAfter`, that is, while the clock was ahead. If no earlier
   * run was opened before `now`, the clock is behind instead, and runs keep their slots. Rows stay with their runs.
   * Returns the number of freed slots.
   */
  freeAhead(now: number, openedAfter: number): number {
    return this.#db
      .sql(
        `UPDATE slots SET kind = 'ahead-' || run_id WHERE state = 'claimed' AND kind IN ('ranks', 'volumes') AND at > @now
           AND run_id IN (SELECT id FROM runs WHERE opened_at > @openedAfter AND state <> 'open')
           AND EXISTS (SELECT 1 FROM runs e WHERE e.opened_at <= @now AND e.id < slots.run_id)`,
      )
      .run({ now, openedAfter }).changes;
  }

  /**
   * The project's newest slot by instant, claimed or missed. With `until`: the newest that is not later, if there is
   * one, leaving out slots recorded as missed after `until`.
   */
  lastSlot(project: string, kind: RunKind, until?: number): ClaimedSlot | null {
    // clocks are at most 14 hours ahead of UTC, and local time differs from instants by hours: a few rows are enough
    const bound = until === undefined ? '~' : new Date(until + lastSlotLeadMs).toISOString().slice(0, 16);
    const row = this.#db
      .sql<SlotRow>(
        `SELECT * FROM (
           SELECT s.*, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id
           WHERE p.name = @project AND s.kind = @kind AND s.slot < @bound AND (s.state = 'claimed' OR coalesce(s.recorded_at, 0) <= @until)
           ORDER BY s.slot DESC LIMIT 100
         ) ORDER BY at <= @until DESC, at DESC LIMIT 1`,
      )
      .get({ project, kind, bound, until: until ?? Number.MAX_SAFE_INTEGER });
    return row === undefined ? null : toSlot(row);
  }

  /** The newest stretches of slots that passed without a run, and why. */
  missedSlots(limit: number): MissedSlots[] {
    return this.#missed.newest(limit);
  }

  /** Stretches of missed slots that were recorded at or after a moment. */
  missedSlotsSince(at: number, limit: number): MissedSlots[] {
    return this.#missed.recordedSince(at, limit);
  }

  slotsOf(runId: number): ClaimedSlot[] {
    return this.#db
      .sql<SlotRow>(
        'SELECT s.*, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id WHERE s.run_id = ? ORDER BY p.name',
      )
      .all(runId)
      .map(toSlot);
  }
}

function toSlot(row: SlotRow): ClaimedSlot {
  return {
    project: row.project,
    slot: row.slot,
    at: row.at,
    timezone: row.timezone,
    localDate: row.local_date,
    runId: row.run_id,
    state: row.state as 'claimed' | 'missed',
    suspectReason: row.suspect_reason,
  };
}
