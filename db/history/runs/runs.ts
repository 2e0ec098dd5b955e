// Runs and their claimed slots: which process owns a run, and how it ended.

import type { Connection } from '../../connection/client.ts';
import { alias, and, desc, eq, getTableColumns, gte, inArray, isNull, lt, ne, sql } from '../../schema/drizzle.ts';
import { projects } from '../../schema/names.ts';
import { runs, slots } from '../../schema/runs.ts';
import { type RunKind, type RunOrigin, type SlotClaim, type SlotKind, Slots } from './slots.ts';

export type { ClaimedSlot, SlotClaim } from './slots.ts';

import { RunFence } from '../../ledger/run-fence.ts';
import type { NewTableRow, TableRow } from '../../schema/rows.ts';

type RunState = RunRow['state'];

/** A run as its readers see it: the origin of second looks is `confirm`. */
export type RunRow = ReturnType<typeof toRun>;

/** A slot that another run has taken since its own run was discarded. */
interface TakenSlot {
  readonly project: string;
  readonly slot: string;
  readonly runId: number;
}

/** How the reason of checks begins that were deferred because their service halted the run. */
export const haltedWords = 'the run was halted: ';

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
    claims: readonly SlotClaim[],
  ): { id: number; claimed: SlotClaim[] } | null {
    const { origin = 'schedule', confirms = null } = run;
    const slotKind = confirms !== null ? 'confirm' : origin === 'schedule' ? run.kind : origin;
    return this.#db.transaction(() => {
      const free = claims.filter((slot) => this.slot(slot.project, slotKind, slot.slot)?.state !== 'claimed');
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
    const row = this.#select().where(eq(runs.id, id)).get();
    return row === undefined ? null : toRun(row);
  }

  openRuns(): RunRow[] {
    return this.#select().where(eq(runs.state, 'open')).orderBy(runs.id).all().map(toRun);
  }

  /** The newest runs. Leaves out imports: a file of a year would be three hundred of them. */
  lastRuns(limit: number): RunRow[] {
    return this.#select()
      .where(and(ne(runs.kind, 'adhoc'), ne(runs.origin, 'import')))
      .orderBy(desc(runs.id))
      .limit(limit)
      .all()
      .map(toRun);
  }

  /**
   * Those that were opened within these moments (UTC milliseconds, inclusive), newest first; of a project those with a
   * slot of it. Leaves out what `lastRuns` leaves out.
   */
  openedWithin({ project, from, until }: { project: string | null; from: number; until: number }): {
    readonly id: number;
    readonly openedAt: number;
  }[] {
    return this.#db
      .sql<{ id: number; openedAt: number }>(
        `SELECT r.id, r.opened_at AS openedAt FROM runs r
         WHERE r.opened_at BETWEEN @from AND @until AND r.kind <> 'adhoc' AND r.origin <> 'import' ${
           project === null
             ? ''
             : `AND EXISTS (SELECT 1 FROM slots s JOIN projects p ON p.id = s.project_id
                WHERE s.run_id = r.id AND p.name = @project)`
         }
         ORDER BY r.id DESC`,
      )
      .all({ from, until, ...(project !== null && { project }) });
  }

  /** How many runs have ended in each state. */
  endedByState(): { readonly state: RunRow['state']; readonly runs: number }[] {
    return this.#db
      .sql<{ state: RunRow['state']; runs: number }>(
        "SELECT state, count(*) AS runs FROM runs WHERE state <> 'open' GROUP BY state",
      )
      .all();
  }

  /** Whether any run was halted at or after a moment. */
  wasHaltedSince(at: number): boolean {
    const isHalted = and(eq(runs.state, 'halted'), gte(runs.closedAt, at));
    return this.#select().where(isHalted).limit(1).get() !== undefined;
  }

  /** The services that halted a run: of ranks by deferred checks, of metrics by the failure of their last request. */
  haltedServices(id: number): string[] {
    return this.#db
      .sql<{ service: string }>(
        `SELECT DISTINCT m.service FROM checks c JOIN searches s ON s.id = c.search_id JOIN markets m ON m.id = s.market_id
         WHERE c.run_id = @id AND c.state = 'deferred' AND substr(c.reason, 1, length(@haltedWords)) = @haltedWords
         UNION
         SELECT service FROM (
           SELECT p.service, p.error_code, row_number() OVER (PARTITION BY p.service ORDER BY p.id DESC) AS nth
           FROM runs r JOIN reservations v ON v.run_id = r.id JOIN purchases p ON p.reservation_id = v.id
           WHERE r.id = @id AND r.kind = 'volumes')
         WHERE nth = 1 AND error_code IS NOT NULL`,
      )
      .all({ id, haltedWords })
      .map(({ service }) => service);
  }

  /**
   * The last moment that the newest run recorded, by the clock of that time; with `before`, the newest run before that
   * one. Null: no run.
   */
  lastMoment(before = Number.MAX_SAFE_INTEGER): number | null {
    const newest = this.#select().where(and(lt(runs.id, before), ne(runs.origin, 'import')));
    const row = newest.orderBy(desc(runs.id)).limit(1).get();
    return row === undefined ? null : Math.max(row.openedAt, row.heartbeatAt ?? 0, row.closedAt ?? 0);
  }

  /** The newest closed run of a project. */
  lastClosedRun(project: string, kind: RunKind): RunRow | null {
    const row = this.#db.drizzle
      .select(getTableColumns(runs))
      .from(slots)
      .innerJoin(projects, eq(projects.id, slots.projectId))
      .innerJoin(runs, eq(runs.id, slots.runId))
      .where(and(eq(projects.name, project), eq(slots.kind, kind), ne(runs.state, 'open')))
      .orderBy(desc(slots.at))
      .limit(1)
      .get();
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
    this.#update(id, { heartbeatAt: at });
  }

  /** What an open run waits for; its remark until it is closed, taken over or abandoned. */
  noteWaits(id: number, text: string | null): void {
    this.#fence.check(id);
    const isOpen = and(eq(runs.id, id), eq(runs.state, 'open'));
    this.#db.drizzle.update(runs).set({ remark: text }).where(isOpen).run();
  }

  /** Closed runs of ranks without reports: their owner is writing them, or died before. */
  unreportedRuns(): RunRow[] {
    const isUnreported = and(eq(runs.kind, 'ranks'), ne(runs.state, 'open'), isNull(runs.reportedAt));
    return this.#select().where(isUnreported).orderBy(runs.id).all().map(toRun);
  }

  markReported(id: number, at: number): void {
    this.#fence.check(id);
    this.#update(id, { reportedAt: at, owner: null });
  }

  /** Reopens a closed run, for a command that names its slot: its deferred checks are still to be done. */
  reopen(id: number, owner: string, at: number): void {
    const { ownerEpoch } = runs;
    const row = this.#db.drizzle
      .update(runs)
      .set({
        state: 'open',
        closedAt: null,
        reason: null,
        remark: null,
        reportedAt: null,
        owner,
        heartbeatAt: at,
        ownerEpoch: sql`${ownerEpoch} + 1`,
      })
      .where(and(eq(runs.id, id), inArray(runs.state, ['partial', 'halted'])))
      .returning({ ownerEpoch })
      .get();
    if (row === undefined) return;
    this.#fence.hold(id, row.ownerEpoch);
    this.#db.drizzle.update(slots).set({ suspectReason: null }).where(eq(slots.runId, id)).run();
  }

  /** Leaves an open run to the next process; does nothing if that process has it already. */
  abandon(id: number): void {
    const isHeld = and(eq(runs.id, id), eq(runs.ownerEpoch, this.#fence.epochOf(id) ?? -1));
    this.#db.drizzle.update(runs).set({ owner: null, remark: null }).where(isHeld).run();
  }

  markPlanned(id: number): void {
    this.#fence.check(id);
    this.#update(id, { planned: 1 });
  }

  markReplanned(id: number): void {
    this.#fence.check(id);
    this.#update(id, { planned: 2 });
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
  takenSlots(runId: number, kind: SlotKind): TakenSlot[] {
    const other = alias(slots, 'other');
    const { projectId, slot } = slots;
    const isTaken = and(eq(other.projectId, projectId), eq(other.slot, slot), eq(other.state, 'claimed'));
    return this.#db.drizzle
      .select({ project: projects.name, slot, runId: sql<number>`${other.runId}` })
      .from(slots)
      .innerJoin(projects, eq(projects.id, projectId))
      .innerJoin(other, and(isTaken, eq(other.kind, kind)))
      .where(eq(slots.kind, `discarded-${runId}`))
      .orderBy(projects.name)
      .all();
  }

  /**
   * Restores a discarded run and its slots, and deletes missed slots recorded meanwhile. Call inside a transaction,
   * after `takenSlots`.
   */
  restore(runId: number, kind: SlotKind): void {
    const isDiscarded = eq(slots.kind, `discarded-${runId}`);
    for (const { projectId, slot } of this.#db.drizzle.select().from(slots).where(isDiscarded).all())
      this.removeMissed(projectId, kind, slot);
    this.#db.drizzle.update(slots).set({ kind }).where(isDiscarded).run();
    this.#update(runId, { discardedAt: null, discardReason: null });
  }

  #select() {
    return this.#db.drizzle.select().from(runs);
  }

  #update(id: number, values: Partial<NewTableRow<'runs'>>): void {
    this.#db.drizzle.update(runs).set(values).where(eq(runs.id, id)).run();
  }
}

export function toRun({ planned, origin, ownerEpoch, ...row }: TableRow<'runs'>) {
  return {
    ...row,
    origin: row.confirms === null ? origin : ('confirm' as const),
    planned: planned >= 1,
    /** A burst of changes was looked for, and its checks are planned. */
    replanned: planned === 2,
    /** Raised with each new owner. */
    epoch: ownerEpoch,
  };
}
