// Slots: the due moments of projects, each claimed by one run or missed. Runs themselves are in runs.ts.
import type { SlotStretch } from '../../src/tracker/slot-stretch.ts';
import type { Connection } from '../connection/client.ts';
import { insertInto } from '../connection/insert.ts';
import type { Names } from '../connection/names.ts';
import type { TableRow } from '../schema/rows.ts';
import { MissedSlotStore, type MissedSlots } from './missed-slots.ts';
import type { RunKind, RunOrigin } from './run-kind.ts';

/** What a slot is of. Backfills and imports have slots of their own, so that no schedule takes them for its own. */
export type SlotKind = RunKind | Exclude<RunOrigin, 'schedule'>;

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

  /** The first moment from `moment` on that no run of these projects has: what is not ordered by its slot must not fall together with another run. */
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
   * Whether this moment belongs to a run that was discarded, or whose clock ran ahead. Pages are bought once per search and moment, and the pages of
   * such a run are not used again.
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
   * Slots that went by without a run leave a row that says why. Returns those that had none: whole, or in pieces around what had one. What a clock that
   * ran ahead recorded gives way. Call inside a transaction.
   */
  recordMissed(kind: RunKind, project: string, stretch: SlotStretch, reason: string, at: number): SlotStretch[] {
    return this.#missed.record(this.#names.projectId(project), kind, stretch, { reason, at });
  }

  /** Takes a slot out of what was recorded as missed: a run has it. Call inside a transaction. */
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

  /** Whether a slot was run, or recorded as missed, at `now`: what a clock that ran ahead has recorded counts from that time on only. */
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

  /** Whether a run was opened later than that. */
  hasRunsAfter(at: number): boolean {
    return this.#db.sql('SELECT 1 FROM runs WHERE opened_at > ? LIMIT 1').get(at) !== undefined;
  }

  /**
   * Frees slots that lie ahead and were claimed by runs that were opened after `openedAfter`: by a clock that ran ahead. A run keeps its slots where no
   * earlier run was opened before `now`: then the clock is behind. The rows stay with their runs. Returns their number.
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
   * The newest slot of a project, claimed or missed, by its instant; with `until` the newest that does not lie after it, if there is one, without what
   * was recorded as missed later than that.
   */
  lastSlot(project: string, kind: RunKind, until?: number): ClaimedSlot | null {
    // no clock is more than 14 hours ahead of UTC; local times and instants go different ways by hours at most, so that a few rows are enough
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

  /** The newest stretches of slots that went by without a run, and why. */
  missedSlots(limit: number): MissedSlots[] {
    return this.#missed.newest(limit);
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
  };
}
