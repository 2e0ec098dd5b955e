// Missed slots: one row per consecutive stretch, keyed by the last slot of the stretch.

import { localDate } from '../../../src/tracker/schedule/local-time.ts';
import { type SlotStretch, withoutSlots } from '../../../src/tracker/schedule/schedule.ts';
import type { Connection } from '../../connection/client.ts';
import { insertInto } from '../../connection/insert.ts';
import type { TableRow } from '../../schema/rows.ts';
import type { RunKind } from './run-kind.ts';

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
type NamedSlotRow = SlotRow & { project: string; kind: MissedSlots['kind'] };

const insertMissedSlot = insertInto('slots', [
  'project_id',
  'kind',
  'slot',
  'at',
  'timezone',
  'local_date',
  'state',
  'reason',
  'recorded_at',
  'first_slot',
  'first_at',
  'slot_count',
  'schedule',
]);

export class MissedSlotStore {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * Records the part of a stretch that has no row, and returns it: whole, or the pieces between recorded ones. Replaces
   * rows recorded later than `at`, because that clock was ahead. Call inside a transaction.
   */
  record(
    projectId: number,
    kind: RunKind,
    stretch: SlotStretch,
    { reason, at }: Cause & { at: number },
  ): SlotStretch[] {
    let pieces = [stretch];
    for (const row of this.#rowsWithin(projectId, kind, stretch.first.key, stretch.last.key)) {
      const [first, last] = [row.first_slot ?? row.slot, row.slot];
      if (row.state === 'missed' && (row.recorded_at ?? 0) > at)
        this.#shorten(row, stretch.first.key, stretch.last.key);
      else pieces = pieces.flatMap((piece) => withoutSlots(piece, first, last));
    }
    for (const piece of pieces) this.#insert(projectId, kind, piece, { reason, at });
    return pieces;
  }

  /** Takes a slot out of what was recorded as missed: a run has it. Call inside a transaction. */
  remove(projectId: number, kind: string, slot: string): void {
    for (const row of this.#rowsWithin(projectId, kind, slot, slot)) {
      if (row.state === 'missed') this.#shorten(row, slot, slot);
    }
  }

  /** The newest stretches, by their last slot. */
  newest(limit: number): MissedSlots[] {
    return this.#db
      .sql<NamedSlotRow>(
        `SELECT s.*, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id
         WHERE s.state = 'missed' ORDER BY s.at DESC, p.name LIMIT ?`,
      )
      .all(limit)
      .map(toMissedSlots);
  }

  /** The stretches that were recorded at or after a moment, UTC milliseconds, in the order of their slots. */
  recordedSince(at: number, limit: number): MissedSlots[] {
    return this.#db
      .sql<NamedSlotRow>(
        `SELECT s.*, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id
         WHERE s.state = 'missed' AND s.recorded_at >= ? ORDER BY p.name, s.kind, s.at LIMIT ?`,
      )
      .all(at, limit)
      .map(toMissedSlots);
  }

  /** The rows that share a slot key with these, by their last slot. */
  #rowsWithin(projectId: number, kind: string, firstKey: string, lastKey: string): SlotRow[] {
    return this.#db
      .sql<SlotRow>(
        `SELECT * FROM slots WHERE project_id = @projectId AND kind = @kind AND slot BETWEEN @firstKey AND @lastKey
         UNION ALL
         SELECT * FROM slots WHERE project_id = @projectId AND kind = @kind AND slot > @lastKey AND first_slot <= @lastKey
         ORDER BY slot`,
      )
      .all({ projectId, kind, firstKey, lastKey });
  }

  /** Leaves of a row of missed slots what does not lie between the keys. */
  #shorten(row: SlotRow, fromKey: string, toKey: string): void {
    const [projectId, kind] = [row.project_id, row.kind];
    const left = withoutSlots(stretchIn(row), fromKey, toKey);
    this.#db.sql('DELETE FROM slots WHERE project_id = ? AND kind = ? AND slot = ?').run(projectId, kind, row.slot);
    const cause = { reason: row.reason ?? '', at: row.recorded_at };
    for (const piece of left) this.#insert(projectId, kind, piece, cause);
  }

  #insert(projectId: number, kind: SlotRow['kind'], stretch: SlotStretch, { reason, at }: Cause): void {
    const { schedule, timezone, first, last, count } = stretch;
    const isOne = first.key === last.key;
    this.#db.insert(insertMissedSlot, {
      project_id: projectId,
      kind,
      slot: last.key,
      at: last.at,
      timezone,
      local_date: localDate(last.at, timezone),
      state: 'missed',
      reason,
      recorded_at: at,
      ...(isOne ? {} : { first_slot: first.key, first_at: first.at, slot_count: count, schedule }),
    });
  }
}

function stretchIn(row: SlotRow): SlotStretch {
  const last = { key: row.slot, at: row.at };
  return {
    schedule: row.schedule ?? '',
    timezone: row.timezone,
    first: row.first_slot === null ? last : { key: row.first_slot, at: row.first_at ?? row.at },
    last,
    count: row.slot_count ?? 1,
  };
}

function toMissedSlots(row: NamedSlotRow): MissedSlots {
  return {
    project: row.project,
    kind: row.kind,
    slot: row.first_slot ?? row.slot,
    lastSlot: row.slot,
    count: row.slot_count ?? 1,
    timezone: row.timezone,
    reason: row.reason ?? '',
  };
}
