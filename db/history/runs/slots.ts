// Slots: the due moments of projects, each claimed by one run or missed. Runs themselves are in runs.ts.

import { localDate } from '../../../src/tracker/schedule/local-time.ts';
import { type SlotStretch, withoutSlots } from '../../../src/tracker/schedule/schedule.ts';
import { hourMs } from '../../../src/tracker/schedule/time-units.ts';

import type { Connection } from '../../connection/client.ts';
import { and, eq, gte, lte, or } from '../../schema/drizzle.ts';
import type { TableRow } from '../../schema/rows.ts';
import { slots } from '../../schema/runs.ts';

export type RunKind = TableRow<'runs'>['kind'];

/** Why a run was opened. `backfill`: to buy what was missing. `import`: to hold what another tool recorded. */
export type RunOrigin = TableRow<'runs'>['origin'];

/** Consecutive slots of a project that went by without a run. */
export interface MissedSlots {
  readonly project: string;
  readonly kind: Exclude<RunKind, 'adhoc'>;
  /** The first one: local date-time in `timezone`. */
  readonly slot: string;
  /** The last one; equal to `slot` where it was only one. */
  readonly lastSlot: string;
  readonly count: number;
  readonly timezone: string;
  readonly reason: string;
}

/** Why a stretch has no run, and when that was recorded. */
interface Cause {
  readonly reason: string;
  /** Null where an early version recorded it. */
  readonly at: number | null;
}

type SlotRow = TableRow<'slots'>;

const selectMissed = `SELECT p.name AS project, s.kind, coalesce(s.first_slot, s.slot) AS slot, s.slot AS lastSlot,
    coalesce(s.slot_count, 1) AS count, s.timezone, coalesce(s.reason, '') AS reason
  FROM slots s JOIN projects p ON p.id = s.project_id`;

const selectClaimed = `SELECT p.name AS project, s.slot, s.at, s.timezone, s.local_date AS localDate, s.run_id AS runId, s.state,
    s.suspect_reason AS suspectReason FROM slots s JOIN projects p ON p.id = s.project_id`;

/** What a slot is of. Backfills and imports have slots of their own, so that no schedule takes them for its own. */
export type SlotKind = RunKind | Exclude<RunOrigin, 'schedule'> | 'confirm';

/** `slot`: local date-time in `timezone`. */
export type SlotClaim = Readonly<TableRow<'slots', 'slot' | 'at' | 'timezone' | 'localDate'>> & {
  readonly project: string;
};

/** `suspectReason`: why the project's ranks of this slot are suspect; null: they are not. */
export type ClaimedSlot = SlotClaim & Readonly<TableRow<'slots', 'runId' | 'state' | 'suspectReason'>>;

const lastSlotLeadMs = 15 * hourMs;

export class Slots {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
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
    const projectId = this.#db.names.projectId(project);
    let pieces = [stretch];
    for (const row of this.#rowsWithin(projectId, kind, stretch.first.key, stretch.last.key)) {
      const [first, last] = [row.firstSlot ?? row.slot, row.slot];
      if (row.state === 'missed' && (row.recordedAt ?? 0) > at) this.#shorten(row, stretch.first.key, stretch.last.key);
      else pieces = pieces.flatMap((piece) => withoutSlots(piece, first, last));
    }
    for (const piece of pieces) this.#insertMissed(projectId, kind, piece, { reason, at });
    return pieces;
  }

  /** Removes a slot from the missed ones: a run has it. Call inside a transaction. */
  protected removeMissed(projectId: number, kind: SlotRow['kind'], slot: string): void {
    for (const row of this.#rowsWithin(projectId, kind, slot, slot)) {
      if (row.state === 'missed') this.#shorten(row, slot, slot);
    }
  }

  slot(project: string, kind: SlotKind, slot: string): ClaimedSlot | null {
    const row = this.#db
      .sql<ClaimedSlot>(`${selectClaimed} WHERE p.name = ? AND s.kind = ? AND s.slot = ?`)
      .get(project, kind, slot);
    return row ?? null;
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
      .sql<ClaimedSlot>(
        `SELECT * FROM (
           ${selectClaimed}
           WHERE p.name = @project AND s.kind = @kind AND s.slot < @bound AND (s.state = 'claimed' OR coalesce(s.recorded_at, 0) <= @until)
           ORDER BY s.slot DESC LIMIT 100
         ) ORDER BY at <= @until DESC, at DESC LIMIT 1`,
      )
      .get({ project, kind, bound, until: until ?? Number.MAX_SAFE_INTEGER });
    return row ?? null;
  }

  /** The newest stretches of slots that passed without a run, and why: by their last slot. */
  missedSlots(limit: number): MissedSlots[] {
    return this.#db
      .sql<MissedSlots>(`${selectMissed} WHERE s.state = 'missed' ORDER BY s.at DESC, p.name LIMIT ?`)
      .all(limit);
  }

  /** Stretches of missed slots that were recorded at or after a moment, in the order of their slots. */
  missedSlotsSince(at: number, limit: number): MissedSlots[] {
    return this.#db
      .sql<MissedSlots>(
        `${selectMissed} WHERE s.state = 'missed' AND s.recorded_at >= ? ORDER BY p.name, s.kind, s.at LIMIT ?`,
      )
      .all(at, limit);
  }

  slotsOf(runId: number): ClaimedSlot[] {
    return this.#db.sql<ClaimedSlot>(`${selectClaimed} WHERE s.run_id = ? ORDER BY p.name`).all(runId);
  }

  /** The rows that share a slot key with these, by their last slot. */
  #rowsWithin(projectId: number, kind: SlotRow['kind'], firstKey: string, lastKey: string): SlotRow[] {
    const { slot, firstSlot } = slots;
    const isWithin = and(gte(slot, firstKey), or(lte(slot, lastKey), lte(firstSlot, lastKey)));
    return this.#db.drizzle
      .select()
      .from(slots)
      .where(and(eq(slots.projectId, projectId), eq(slots.kind, kind), isWithin))
      .orderBy(slot)
      .all();
  }

  /** Leaves of a row of missed slots what does not lie between the keys. */
  #shorten(row: SlotRow, fromKey: string, toKey: string): void {
    const [projectId, kind] = [row.projectId, row.kind];
    const left = withoutSlots(stretchIn(row), fromKey, toKey);
    this.#db.sql('DELETE FROM slots WHERE project_id = ? AND kind = ? AND slot = ?').run(projectId, kind, row.slot);
    const cause = { reason: row.reason ?? '', at: row.recordedAt };
    for (const piece of left) this.#insertMissed(projectId, kind, piece, cause);
  }

  #insertMissed(projectId: number, kind: SlotRow['kind'], stretch: SlotStretch, { reason, at }: Cause): void {
    const { schedule, timezone, first, last, count } = stretch;
    const isOne = first.key === last.key;
    this.#db.insert('slots', {
      projectId,
      kind,
      slot: last.key,
      at: last.at,
      timezone,
      localDate: localDate(last.at, timezone),
      state: 'missed',
      reason,
      recordedAt: at,
      ...(isOne ? {} : { firstSlot: first.key, firstAt: first.at, slotCount: count, schedule }),
    });
  }
}

function stretchIn(row: SlotRow): SlotStretch {
  const last = { key: row.slot, at: row.at };
  return {
    schedule: row.schedule ?? '',
    timezone: row.timezone,
    first: row.firstSlot === null ? last : { key: row.firstSlot, at: row.firstAt ?? row.at },
    last,
    count: row.slotCount ?? 1,
  };
}
