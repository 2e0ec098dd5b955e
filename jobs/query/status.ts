// What `status` shows: runs, whether schedules are due, and what adaptive plans saved. Reads only.

import type { RunRow } from '../../db/history/runs/runs.ts';
import type { RunRecord } from '../../src/read/records.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import type { Project } from '../../src/tracker/project.ts';
import { localDateTimeKey } from '../../src/tracker/schedule/local-time.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { missedError } from '../../src/tracker/signal/plan-outcome.ts';
import { describeSuspicions } from '../../src/tracker/trust/suspect.ts';
import type { JobContext } from '../context.ts';
import { isAlive } from '../ownership.ts';
import { describeLack, describeRetry, repairCommand, type UnfinishedSlot } from '../purchase/unfinished.ts';
import { computeDueness, type Dueness, openRunsByProject, type Pause, pausesAt } from '../run/due.ts';

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
    const done = sumOf(Object.values(ended));
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

interface RunSummary extends Omit<RunRecord, 'creditsSpent' | 'microUsdSpent'> {
  readonly slots: readonly { readonly project: string; readonly slot: string }[];
  readonly discardReason: string | null;
}

/** The newest first. */
export function lastRuns(context: JobContext, limit: number): RunSummary[] {
  return runSummaries(context, context.store.runs.lastRuns(limit));
}

export function runSummaries({ store }: Pick<JobContext, 'store'>, runs: readonly RunRow[]): RunSummary[] {
  return runs.map((run) => {
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

export interface ProjectDueness {
  readonly project: string;
  readonly kind: 'ranks' | 'volumes';
  readonly due: boolean;
  /** Why it is, or is not, due; what it waits for. */
  readonly reason: string;
  /** Local date-time with the zone's name; null where nothing follows. */
  readonly nextSlot: string | null;
  /**
   * When the scheduler starts a slot that has passed, ISO 8601: later than the slot for its jitter. Null where none
   * waits.
   */
  readonly startsAt: string | null;
  /** The run of the project that is under way; null where none is. */
  readonly runUnderWay: number | null;
  /** The oldest slot that has waited for more than an hour, and for which no run is under way; null where none has. */
  readonly overdueSince: string | null;
  /** What the newest slot lacks, after the backfills since; null: nothing, or its run is under way. */
  readonly unfinished: {
    readonly runId: number;
    /** Local date-time with the zone's name. */
    readonly slot: string;
    readonly searches: number;
    readonly failed: number;
    readonly deferred: number;
    readonly incomplete: number;
    /** When a run tries them again, ISO 8601, if the budget has room; null: the next slot does. */
    readonly retryAt: string | null;
    /** What happens to them without further action. */
    readonly outlook: string;
    /** The command that buys them now. */
    readonly repair: string;
  } | null;
  /** The newest slot, where its run has ended and no results page of the project was read since; null: some were. */
  readonly nothingChecked: {
    readonly runId: number;
    /** Local date-time with the zone's name. */
    readonly slot: string;
    readonly searches: number;
    readonly reason: string;
  } | null;
}

/**
 * For each schedule why it is, or is not, due. `scheduler`: as the long-running scheduler sees it, with jitter and
 * pauses. `isAtOnce`: as the next `run` sees it.
 */
export function duenessReport(
  context: JobContext,
  projects: readonly Project[],
  { scheduler = false, isAtOnce = false } = {},
): ProjectDueness[] {
  const { store, clock } = context;
  const now = clock.now();
  const busy = openRunsByProject(context);
  const pauses = scheduler ? pausesAt(store, projects, now) : new Map<string, Pause>();
  return computeDueness(context, projects, now, { jitter: scheduler, isAtOnce }).map((entry) => {
    const { project, kind, slots, unfinished } = entry;
    const rivals = busy.get(project.id) ?? [];
    return {
      project: project.id,
      kind,
      due: slots.due.length > 0 || unfinished?.isRetryDue === true,
      reason: describeReason(entry, rivals, pauses.get(project.service)),
      nextSlot: slots.next === null ? null : `${slots.next.key} ${project.timezone}`,
      startsAt: slots.waiting === null ? null : new Date(slots.waiting.startsAt).toISOString(),
      runUnderWay: rivals[0]?.id ?? null,
      overdueSince: rivals.length > 0 || entry.overdue === null ? null : `${entry.overdue.key} ${project.timezone}`,
      unfinished: unfinished === null ? null : toUnfinished(unfinished, project),
      nothingChecked:
        unfinished === null || unfinished.complete + unfinished.incomplete > 0
          ? null
          : {
              runId: unfinished.run.id,
              slot: unfinished.slot,
              searches: unfinished.checks,
              reason: unfinished.reason ?? 'no reason was recorded',
            },
    };
  });
}

export function toUnfinished(found: UnfinishedSlot, project: Project): NonNullable<ProjectDueness['unfinished']> {
  const { run, slot, checks: searches, failed, deferred, incomplete, retryAt } = found;
  return {
    runId: run.id,
    slot,
    searches,
    failed,
    deferred,
    incomplete,
    retryAt: retryAt === null ? null : iso(retryAt),
    outlook: describeRetry(found, project),
    repair: repairCommand(project.id),
  };
}

function describeReason(
  { project, kind, slots: found, unfinished }: Dueness,
  rivals: readonly RunRow[],
  pause: Pause | undefined,
): string {
  const left = unfinished?.isRetryDue === true ? `; ${describeLack(unfinished)} are tried again` : '';
  const slots = { ...found, reason: `${found.reason}${left}` };
  const [rival] = rivals;
  const isSkipped = project.overlap === 'skip' && rivals.some((run) => run.kind === kind && run.origin === 'schedule');
  if (rival !== undefined && slots.due.length > 0)
    return `${slots.reason}; ${isSkipped ? 'skipped for' : 'waits for'} run ${rival.id}, which is in progress`;
  if (rival !== undefined) return `run ${rival.id} is in progress; ${slots.reason}`;
  if (pause === undefined || slots.due.length === 0) return slots.reason;
  const until = localDateTimeKey(pause.until, project.timezone);
  return `${slots.reason}; paused until ${until}: run ${pause.runId} was halted (${pause.reason})`;
}

/** Of one project, over the runs of the last 30 days. */
interface AdaptiveOutcome {
  readonly project: string;
  readonly days: number;
  readonly runs: number;
  /** Searches, summed over runs, and those of them that had no check. */
  readonly searches: number;
  readonly waiting: number;
  readonly creditsSpent: number;
  /** Expected credits of daily checks to the depth of the project, beyond those that were planned. */
  readonly creditsSaved: number;
  /** Of what daily checks were expected to cost, 0 to 1; null without checks. */
  readonly savedShare: number | null;
  /** Estimated changes of rank, those of them that no check saw within a day, and the standard error of these. */
  readonly changes: number;
  readonly missed: number;
  readonly missedError: number;
}

const days = 30;

export function adaptiveOutcomes({ store, projects, clock }: JobContext): AdaptiveOutcome[] {
  return [...projects.values()]
    .filter(({ adaptive }) => adaptive?.cadence === true)
    .flatMap(({ id }) => {
      const { rateError, ...sums } = store.planOutcomes.since(id, clock.now() - days * dayMs);
      const daily = sums.creditsSpent + sums.creditsSaved;
      const savedShare = daily === 0 ? null : sums.creditsSaved / daily;
      return sums.runs === 0
        ? []
        : [{ project: id, days, ...sums, savedShare, missedError: missedError({ missed: sums.missed, rateError }) }];
    });
}

/** Reports and alerts that could not be written. */
export interface UnwrittenReport {
  readonly runId: number;
  /** `report` and `alerts` of one project, `index` and `agency` of all. */
  readonly part: 'report' | 'index' | 'agency' | 'alerts';
  readonly project: string | null;
  readonly reason: string;
  readonly attempts: number;
  /** Of the last attempt. */
  readonly at: string;
}

const unwrittenShown = 20;

/** The newest first. */
export function unwrittenReports({ store }: JobContext): UnwrittenReport[] {
  return store.reportFailures
    .all(unwrittenShown)
    .map(({ nextTryAt: _, at, ...failure }) => ({ ...failure, at: iso(at) }));
}
