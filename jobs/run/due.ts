// Lists the slots that are due, named or requested, grouped by moment, and open runs. Reads only.

import type { RunRow, SlotClaim } from '../../db/history/runs/runs.ts';
import type { RunKind } from '../../db/history/runs/slots.ts';
import type { Store } from '../../db/store.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import type { Project } from '../../src/tracker/project.ts';
import { type DueSlots, dueSlots, onTimeMs } from '../../src/tracker/schedule/due-slots.ts';
import { localDate, localDateTimeKey } from '../../src/tracker/schedule/local-time.ts';
import type { Slot } from '../../src/tracker/schedule/schedule.ts';
import type { JobContext } from '../context.ts';
import { findUnfinished, type UnfinishedSlot } from '../purchase/unfinished.ts';
import { type DatedClaim, isLive } from '../slot-day.ts';

type ScheduledKind = Exclude<RunKind, 'adhoc'>;

/** The slots of one moment: one run. */
export interface RunGroup {
  readonly kind: ScheduledKind;
  readonly moment: number;
  readonly slots: readonly SlotClaim[];
}

/** Why a project is, or is not, due. */
export interface Dueness {
  readonly project: Project;
  readonly kind: ScheduledKind;
  readonly slots: DueSlots;
  /**
   * The oldest slot that is due for longer than a run may be late; null where none is, and before the first run of the
   * schedule.
   */
  readonly overdue: Slot | null;
  /** What is left to do of the newest slot, which has run; null: nothing. */
  readonly unfinished: UnfinishedSlot | null;
}

/**
 * After a halted run (credits, credentials) the scheduler pauses its services for this long. `run` under cron does not
 * pause.
 */
export const haltPauseMs = 15 * 60_000;

/** Open runs of this and other processes, by project. */
export function openRunsByProject({ store }: JobContext): ReadonlyMap<string, readonly RunRow[]> {
  const byProject = new Map<string, RunRow[]>();
  for (const run of store.runs.openRuns()) {
    for (const { project } of store.runs.slotsOf(run.id)) {
      getOrInsert(byProject, project, () => []).push(run);
    }
  }
  return byProject;
}

interface DuenessOptions {
  /** As the scheduler starts runs, some later than their slot. */
  readonly jitter: boolean;
  /** As `run` does: what is unfinished is tried again once without waiting for a time. */
  readonly isAtOnce: boolean;
}

/** Every schedule of every project; volumes first, so that a report on the same slot has them. */
export function computeDueness(
  context: Pick<JobContext, 'store' | 'services' | 'timezone'>,
  projects: readonly Project[],
  now: number,
  { jitter = false, isAtOnce = false }: Partial<DuenessOptions> = {},
): Dueness[] {
  const options = { jitter, isAtOnce };
  const withVolumes = projects.filter(({ volumes }) => volumes !== undefined);
  return [
    ...withVolumes.map((project) => scheduleDueness(context, { project, kind: 'volumes' }, now, options)),
    ...projects.map((project) => scheduleDueness(context, { project, kind: 'ranks' }, now, options)),
  ];
}

function scheduleDueness(
  context: Pick<JobContext, 'store' | 'services' | 'timezone'>,
  { project, kind }: Pick<Dueness, 'project' | 'kind'>,
  now: number,
  { jitter, isAtOnce }: DuenessOptions,
): Dueness {
  const { store } = context;
  const { id, timezone, jitterSeconds: seconds = 0 } = project;
  const last = store.runs.lastSlot(id, kind, now);
  const newest = store.runs.newestSlotKey(id, kind);
  // today's pages fill no old slot; metrics are bought once a month at most, so that any slot will do
  const onlyLatest = kind === 'volumes' || (project.catchUp === 'all' && isLive(context, project));
  const slots = dueSlots({
    schedule: kind === 'volumes' ? project.volumes?.schedule : project.schedule,
    timezone,
    catchUp: onlyLatest ? 'latest' : project.catchUp,
    lastSlot:
      last === null
        ? null
        : {
            key: last.slot,
            at: last.at,
            isMissed: last.state === 'missed',
            isScheduled: last.timezone === timezone && isMinute(last.slot),
          },
    isSettled: (key) => newest !== null && key <= newest && store.runs.isSettled(id, kind, key, now),
    ...(jitter && seconds > 0 ? { jitter: { seed: `${id} ${kind}`, seconds } } : {}),
    now,
  });
  const oldest = oldestDue(slots);
  const overdue = last !== null && oldest !== null && now - oldest.at > onTimeMs ? oldest : null;
  if (kind === 'volumes')
    return { project, kind, overdue, unfinished: null, slots: retryMissingMetrics(store, project, slots, now) };
  const unfinished = findUnfinished(context, project, slots, now, isAtOnce);
  if (!onlyLatest) return { project, kind, overdue, unfinished, slots };
  const missedReason = `${project.service} has only current pages, which give no rankings of that day (catchUp: all)`;
  return { project, kind, overdue, unfinished, slots: { ...slots, missedReason } };
}

/** The first slot that has passed since the last run, where one is due: `catchUp` may run only the latest of them. */
export function oldestDue({ due, tooOld, passed }: DueSlots): Slot | null {
  return due.length === 0 ? null : ((tooOld ?? passed)?.first ?? null);
}

/**
 * Metrics that the last run could not buy (budget too small, service halted) are requested again once a day, because
 * the next month may be far away.
 */
function retryMissingMetrics(store: Store, project: Project, slots: DueSlots, now: number): DueSlots {
  const last = store.runs.lastClosedRun(project.id, 'volumes');
  const isUnfinished = last !== null && (last.state === 'partial' || last.state === 'halted');
  if (slots.due.length > 0 || !isUnfinished) return slots;
  const today = localDate(now, project.timezone);
  if (localDate(last.closedAt ?? now, project.timezone) >= today) return slots;
  const { slot } = presentSlot(project, now);
  return { ...slots, due: [{ key: slot, at: now }], reason: 'metrics of this month are still missing' };
}

/** Why and until when the scheduler starts no run of a service. */
export interface Pause {
  /** UTC milliseconds. */
  readonly until: number;
  readonly runId: number;
  readonly reason: string;
}

/**
 * The pauses of services that halted their newest run a short while ago; other services of that run go on. A later run
 * that went well ends the pause.
 */
export function pausesAt(store: Store, projects: Iterable<Project>, now: number): ReadonlyMap<string, Pause> {
  if (!store.runs.wasHaltedSince(now - haltPauseMs)) return new Map();
  const newest = new Map<string, RunRow>();
  for (const { id, service } of projects) {
    for (const kind of ['ranks', 'volumes'] as const) {
      const run = store.runs.lastClosedRun(id, kind);
      if (run !== null && (run.closedAt ?? 0) >= (newest.get(service)?.closedAt ?? 0)) newest.set(service, run);
    }
  }
  const pauses = new Map<string, Pause>();
  for (const [service, { id, kind, state, closedAt, reason }] of newest) {
    const since = now - (closedAt ?? 0);
    if (state !== 'halted' || since < 0 || since >= haltPauseMs) continue;
    const halted = store.runs.haltedServices(id);
    if (halted.includes(service) || (kind === 'volumes' && halted.length === 0))
      pauses.set(service, { until: now - since + haltPauseMs, runId: id, reason: reason ?? 'no reason was recorded' });
  }
  return pauses;
}

export function slotClaim(project: Project, slot: Slot): SlotClaim {
  return {
    project: project.id,
    slot: slot.key,
    at: slot.at,
    timezone: project.timezone,
    localDate: localDate(slot.at, project.timezone),
  };
}

/** The slot of a moment that an operator names, to the minute. */
export function namedSlot(project: Project, at: number): SlotClaim {
  return slotClaim(project, { key: localDateTimeKey(at, project.timezone), at });
}

/** Whether a slot is keyed to the minute, as all but those of on-demand runs are. */
function isMinute(slot: string): boolean {
  return slot.length === 'yyyy-mm-ddThh:mm'.length;
}

/** The slot of an on-demand run. It is keyed to the millisecond: two requests in a minute make two runs. */
export function presentSlot(project: Project, now: number): SlotClaim {
  const claim = namedSlot(project, now);
  const milliseconds = String(((now % 60_000) / 1000).toFixed(3)).padStart(6, '0');
  return { ...claim, slot: `${claim.slot}:${milliseconds}` };
}

/**
 * Slots of one kind and moment make one run, oldest first and volumes before ranks: projects then share its searches.
 */
export function groupByMoment(kind: ScheduledKind, claims: readonly DatedClaim[]): RunGroup[] {
  const groups = Map.groupBy(claims, ({ moment, claim }) => `${moment} ${claim.at}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      return first === undefined ? [] : [{ kind, moment: first.moment, slots: group.map(({ claim }) => claim) }];
    })
    .sort((a, b) => (a.slots[0]?.at ?? 0) - (b.slots[0]?.at ?? 0));
}
