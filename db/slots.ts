// Slots: the due moments of projects, each claimed by one run or missed. Runs themselves are in runs.ts.
import type { Connection, Row } from './client.ts';
import type { Names } from './names.ts';
import type { RunKind, RunOrigin } from './runs.ts';

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

/** A slot that went by without a run. */
export interface MissedSlot extends SlotClaim {
  readonly kind: RunKind;
  readonly reason: string;
}

const lastSlotLeadMs = 15 * 3_600_000;

export class Slots {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  /** The first moment from `moment` on that no run of these projects has: what is not ordered by its slot must not fall together with another run. */
  freeMoment(kind: RunKind, moment: number, slots: readonly SlotClaim[]): number {
    if (slots.every(({ at }) => at === moment) && !this.#isDiscarded(moment)) return moment;
    const names = JSON.stringify(slots.map(({ project }) => project));
    const taken = this.#db.sql(
      `SELECT 1 FROM runs r JOIN slots s ON s.run_id = r.id JOIN projects p ON p.id = s.project_id
       WHERE r.kind = ? AND r.moment = ? AND p.name IN (SELECT value FROM json_each(?)) LIMIT 1`,
    );
    let free = moment;
    while (taken.get(kind, free, names) !== undefined || this.#isDiscarded(free)) free += 1;
    return free;
  }

  /** Whether a discarded run has this moment: pages are bought once per search and moment, and its pages are not used again. */
  #isDiscarded(moment: number): boolean {
    return (
      this.#db.sql('SELECT 1 FROM runs WHERE moment = ? AND discarded_at IS NOT NULL LIMIT 1').get(moment) !== undefined
    );
  }

  /** A slot that went by without a run leaves a row that says why; false where it has one. What a clock that ran ahead recorded gives way. */
  recordMissed(kind: RunKind, slot: SlotClaim, reason: string, at: number): boolean {
    const { changes } = this.#db
      .sql(
        `INSERT INTO slots (project_id, kind, slot, at, timezone, local_date, state, reason, recorded_at) VALUES (?, ?, ?, ?, ?, ?, 'missed', ?, ?)
         ON CONFLICT (project_id, kind, slot) DO UPDATE SET reason = excluded.reason, recorded_at = excluded.recorded_at
         WHERE state = 'missed' AND recorded_at > excluded.recorded_at`,
      )
      .run(this.#names.projectId(slot.project), kind, slot.slot, slot.at, slot.timezone, slot.localDate, reason, at);
    return changes === 1;
  }

  slot(project: string, kind: SlotKind, slot: string): ClaimedSlot | null {
    const row = this.#db
      .sql(
        'SELECT s.*, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id WHERE p.name = ? AND s.kind = ? AND s.slot = ?',
      )
      .get(project, kind, slot);
    return row === undefined ? null : slotOf(row);
  }

  /** Whether a slot was run, or recorded as missed, at `now`: what a clock that ran ahead has recorded counts from that time on only. */
  isSettled(project: string, kind: SlotKind, slot: string, now: number): boolean {
    const row = this.#db
      .sql(
        `SELECT 1 FROM slots s JOIN projects p ON p.id = s.project_id
         WHERE p.name = ? AND s.kind = ? AND s.slot = ? AND (s.state = 'claimed' OR coalesce(s.recorded_at, 0) <= ?)`,
      )
      .get(project, kind, slot, now);
    return row !== undefined;
  }

  /** Whether a run was opened later than that. */
  hasRunsAfter(at: number): boolean {
    return this.#db.sql('SELECT 1 FROM runs WHERE opened_at > ? LIMIT 1').get(at) !== undefined;
  }

  /**
   * Frees slots that lie ahead and were claimed by runs that were opened after `openedAfter`: by a clock that ran ahead. Nothing is freed where no
   * run was opened before `now`: then the clock is behind. The rows stay with their runs. Returns their number.
   */
  freeAhead(now: number, openedAfter: number): number {
    return this.#db
      .sql(
        `UPDATE slots SET kind = 'ahead-' || run_id WHERE state = 'claimed' AND kind IN ('ranks', 'volumes') AND at > @now
           AND run_id IN (SELECT id FROM runs WHERE opened_at > @openedAfter AND state <> 'open')
           AND EXISTS (SELECT 1 FROM runs WHERE opened_at <= @now)`,
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
      .sql(
        `SELECT * FROM (
           SELECT s.*, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id
           WHERE p.name = @project AND s.kind = @kind AND s.slot < @bound AND (s.state = 'claimed' OR coalesce(s.recorded_at, 0) <= @until)
           ORDER BY s.slot DESC LIMIT 100
         ) ORDER BY at <= @until DESC, at DESC LIMIT 1`,
      )
      .get({ project, kind, bound, until: until ?? Number.MAX_SAFE_INTEGER });
    return row === undefined ? null : slotOf(row);
  }

  /** The newest slots that went by without a run, and why. */
  missedSlots(limit: number): MissedSlot[] {
    return this.#db
      .sql(
        `SELECT s.*, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id
         WHERE s.state = 'missed' ORDER BY s.at DESC, p.name LIMIT ?`,
      )
      .all(limit)
      .map((row) => ({ ...slotOf(row), kind: row['kind'] as RunKind, reason: String(row['reason'] ?? '') }));
  }

  slotsOf(runId: number): ClaimedSlot[] {
    return this.#db
      .sql(
        'SELECT s.*, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id WHERE s.run_id = ? ORDER BY p.name',
      )
      .all(runId)
      .map(slotOf);
  }
}

function slotOf(row: Row): ClaimedSlot {
  return {
    project: String(row['project']),
    slot: String(row['slot']),
    at: Number(row['at']),
    timezone: String(row['timezone']),
    localDate: String(row['local_date']),
    runId: row['run_id'] as number | null,
    state: row['state'] as 'claimed' | 'missed',
  };
}
