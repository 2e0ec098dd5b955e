// Runs as `status` shows them: those under way and the latest. Reads only.
import type { RunRow } from '../../db/history/runs/runs.ts';
import { describeSuspicions } from '../../src/tracker/trust/suspect.ts';
import type { JobContext } from '../context.ts';
import { isAlive } from '../ownership.ts';

/** Times are ISO 8601. */
export interface RunUnderWay {
  readonly runId: number;
  readonly kind: RunRow['kind'];
  readonly projects: readonly string[];
  /** Checks that have ended, and all checks. Both are 0 before the run is planned, and in a run that buys metrics. */
  readonly done: number;
  readonly total: number;
  /** False if its process is gone: the next run or scheduler resumes it. */
  readonly isAlive: boolean;
  readonly openedAt: string;
  readonly heartbeatAt: string | null;
}

/** Open runs of all processes. */
export function runsUnderWay({ store, clock }: JobContext): RunUnderWay[] {
  return store.runs.openRuns().map((run) => {
    const { planned, running, ...ended } = store.checks.counts(run.id);
    const done = Object.values(ended).reduce((sum, count) => sum + count, 0);
    return {
      runId: run.id,
      kind: run.kind,
      projects: store.runs.slotsOf(run.id).map(({ project }) => project),
      done,
      total: done + planned + running,
      isAlive: isAlive(run.owner, run.heartbeatAt, clock.now()),
      openedAt: iso(run.openedAt),
      heartbeatAt: run.heartbeatAt === null ? null : iso(run.heartbeatAt),
    };
  });
}

/** Times are ISO 8601. */
export interface RunSummary {
  readonly runId: number;
  readonly kind: RunRow['kind'];
  /** Of a run of second looks: the run whose changes they are at. */
  readonly confirms?: number;
  readonly state: RunRow['state'];
  readonly openedAt: string;
  readonly closedAt: string | null;
  readonly projects: readonly string[];
  readonly slots: readonly { readonly project: string; readonly slot: string }[];
  readonly checks: Readonly<Record<string, number>>;
  readonly reason: string | null;
  readonly suspectReason: string | null;
  /** What needs attention although the run went on without it. */
  readonly remark: string | null;
  /** When an operator discarded it; null if it counts. */
  readonly discardedAt: string | null;
  readonly discardReason: string | null;
  /** The first of its slots; empty if it has none. */
  readonly slot: string;
}

/** The newest first. */
export function lastRuns({ store }: JobContext, limit: number): RunSummary[] {
  return store.runs.lastRuns(limit).map((run) => {
    const slots = store.runs
      .slotsOf(run.id)
      .map(({ project, slot, suspectReason }) => ({ project, slot, suspectReason }));
    return {
      runId: run.id,
      kind: run.kind,
      ...(run.confirms === null ? {} : { confirms: run.confirms }),
      state: run.state,
      openedAt: iso(run.openedAt),
      closedAt: run.closedAt === null ? null : iso(run.closedAt),
      projects: slots.map(({ project }) => project),
      slots,
      checks: store.checks.counts(run.id),
      reason: run.reason,
      suspectReason: describeSuspicions(slots),
      remark: run.remark,
      discardedAt: run.discardedAt === null ? null : iso(run.discardedAt),
      discardReason: run.discardReason,
      slot: slots[0]?.slot ?? '',
    };
  });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
