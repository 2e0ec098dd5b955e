// For each schedule of a project: whether it is due, why, and when next. Reads only.
import type { RunRow } from '../../db/history/runs/runs.ts';
import type { Project } from '../../src/tracker/project.ts';
import { localDateTimeKey } from '../../src/tracker/schedule/local-time.ts';
import type { JobContext } from '../context.ts';
import { computeDueness, type Dueness, openRunsByProject, type Pause, pausesAt } from '../run/due.ts';

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
  /** The newest slot, where its run has ended and read no results page of the project; null: it read some. */
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
 * pauses.
 */
export function duenessReport(
  context: JobContext,
  projects: readonly Project[],
  { scheduler = false } = {},
): ProjectDueness[] {
  const { store, clock } = context;
  const now = clock.now();
  const busy = openRunsByProject(context);
  const pauses = scheduler ? pausesAt(store, projects, now) : new Map<string, Pause>();
  return computeDueness(context, projects, now, { jitter: scheduler }).map((entry) => {
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
      nothingChecked:
        unfinished === null || unfinished.read > 0
          ? null
          : {
              runId: unfinished.runId,
              slot: unfinished.slot,
              searches: unfinished.checks,
              reason: unfinished.reason ?? 'no reason was recorded',
            },
    };
  });
}

function describeReason(
  { project, kind, slots: found, unfinished }: Dueness,
  rivals: readonly RunRow[],
  pause: Pause | undefined,
): string {
  const deferred = unfinished?.deferred ?? 0;
  const waiting = unfinished?.isRetryDue === true ? 'are tried again now' : 'go first next time';
  const slots =
    deferred === 0 ? found : { ...found, reason: `${found.reason}; ${deferred} deferred searches ${waiting}` };
  const [rival] = rivals;
  const isSkipped = project.overlap === 'skip' && rivals.some((run) => run.kind === kind && run.origin === 'schedule');
  if (rival !== undefined && slots.due.length > 0)
    return `${slots.reason}; ${isSkipped ? 'skipped for' : 'waits for'} run ${rival.id}, which is in progress`;
  if (rival !== undefined) return `run ${rival.id} is in progress; ${slots.reason}`;
  if (pause === undefined || slots.due.length === 0) return slots.reason;
  const until = localDateTimeKey(pause.until, project.timezone);
  return `${slots.reason}; paused until ${until}: run ${pause.runId} was halted (${pause.reason})`;
}
