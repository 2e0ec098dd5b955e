// Finds due slots, abandoned runs and second looks, records missed slots, and claims runs.

import type { RunRow } from '../../db/history/runs/runs.ts';
import type { MissedSlots } from '../../db/history/runs/slots.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import type { Project } from '../../src/tracker/project.ts';
import { lookBackMax } from '../../src/tracker/schedule/due-slots.ts';
import { localDate } from '../../src/tracker/schedule/local-time.ts';
import type { Slot, SlotStretch } from '../../src/tracker/schedule/schedule.ts';
import type { JobContext } from '../context.ts';
import { isAlive, runInProgress } from '../ownership.ts';
import { backfillsOf, type UnfinishedSlot } from '../purchase/unfinished.ts';
import { type DatedClaim, dated, isLive } from '../slot-day.ts';
import { aheadMsMin, clockDoubt } from './clock-doubt.ts';
import {
  computeDueness,
  type Dueness,
  groupByMoment,
  namedSlot,
  openRunsByProject,
  presentSlot,
  type RunGroup,
  slotClaim,
} from './due.ts';
import type { BackfillRequest, RunRequest } from './run-request.ts';

interface DueOptions {
  readonly now: number;
  /** Whether starts are put off by the projects' jitter. */
  readonly jitter: boolean;
  /** Projects that wait although they are due; their slots stay due. Default: none. */
  readonly isPaused?: (project: Project) => boolean;
  readonly onMissed?: (missed: MissedSlots) => void;
}

const tooOldReason = `more than ${lookBackMax} slots back`;

/**
 * The runs that are due, volumes first and the oldest moment first. Records missed slots. A project with an open run
 * gets no second one: its slots stay due or are missed, as its `overlap` says.
 */
export function dueGroups(context: JobContext, projects: readonly Project[], options: DueOptions): RunGroup[] {
  const claims = dueClaims(context, projects, options);
  return [...groupByMoment('volumes', claims.volumes), ...groupByMoment('ranks', claims.ranks)];
}

/**
 * The runs that a request asks for. `resumed`: kinds and projects whose run was just resumed, which counts as the
 * requested run.
 */
export function requestedGroups(
  context: JobContext,
  request: Exclude<RunRequest, BackfillRequest>,
  resumed: ReadonlySet<string>,
): RunGroup[] {
  const now = context.clock.now();
  if (request.kind === 'due') return dueGroups(context, [...context.projects.values()], { now, jitter: false });
  if (request.kind === 'slot') return slotGroups(context, request.projects, request.at);
  const due = dueClaims(context, request.projects, { now, jitter: false });
  // an on-demand run takes the due slot, if there is one
  const taken = new Set(due.ranks.map(({ claim }) => claim.project));
  const others = request.projects.filter((project) => !taken.has(project.id) && !resumed.has(`ranks:${project.id}`));
  const ranks = [...due.ranks, ...others.map((project) => dated(context, project, presentSlot(project, now)))];
  return [...groupByMoment('volumes', due.volumes), ...groupByMoment('ranks', ranks)];
}

/**
 * Opens a run for a group, in the transaction that proves that none of its projects has one under way. Only one run of
 * volumes is open at a time: projects share the metrics of a month, and two runs would buy them twice. Null: nothing is
 * left to claim, or the group has to wait.
 */
export function claimRun(context: JobContext, group: RunGroup): RunRow | null {
  const { store, owner, clock } = context;
  return store.transaction(() => {
    if (group.kind === 'volumes' && store.runs.openRuns().some(({ kind }) => kind === 'volumes')) return null;
    const busy = openRunsByProject(context);
    const free = group.slots.filter(({ project }) => !busy.has(project));
    const moment = store.runs.freeMoment(group.kind, group.moment, free);
    const opened = store.runs.open({ kind: group.kind, moment, owner, at: clock.now() }, free);
    return opened === null ? null : store.runs.run(opened.id);
  });
}

/**
 * Takes an unfinished run of a dead owner. False if the owner works on it, another process was faster, this one works
 * on it already, or one of its projects is broken in the config: its pages could not be read as that project needs.
 */
export function takeOver({ store, owner, clock, isPartial, projects }: JobContext, run: RunRow): boolean {
  const now = clock.now();
  if (isPartial === true && store.runs.slotsOf(run.id).some(({ project }) => !projects.has(project))) return false;
  if (store.runs.activeRuns.has(run.id)) return false;
  if (run.owner !== owner && isAlive(run.owner, run.heartbeatAt, now)) return false;
  return store.transaction(() => store.runs.takeOver(run, owner, now));
}

/** Takes the runs that ended, but whose owner died before it had written their reports. */
export function takeUnreported(context: JobContext): RunRow[] {
  return context.store.runs.unreportedRuns().filter((run) => takeOver(context, run));
}

/**
 * Reopens runs of the requested slot that ended with unfinished checks, so that they are finished. `done`: runs that
 * this call has ended.
 */
export function unfinishedAt(context: JobContext, request: RunRequest, done: ReadonlySet<number>): RunRow[] {
  if (request.kind !== 'slot') return [];
  const { store, clock } = context;
  const busy = openRunsByProject(context);
  const slots = request.projects
    .filter((project) => !busy.has(project.id))
    .flatMap((project): Unfinished[] => {
      const slot = store.runs.slot(project.id, 'ranks', namedSlot(project, request.at).slot);
      const run = slot?.runId == null ? null : store.runs.run(slot.runId);
      if (slot === null || run === null || done.has(run.id)) return [];
      // what failed is read again only on the day that its ranks belong to
      const isItsDay = !isLive(context, project) || localDate(clock.now(), slot.timezone) === slot.localDate;
      const retried: Unfinished['retried'] = isItsDay ? ['failed', 'unknown_paid', 'deferred'] : ['deferred'];
      return [{ project: project.id, run, retried, backfills: backfillsOf(store, project.id, run, clock.now()) }];
    });
  return reopen(context, slots);
}

interface RetryOptions {
  readonly isPaused: (project: Project) => boolean;
  /** The first try waits for no time. */
  readonly isAtOnce?: boolean;
  /** Runs that this call has ended: they are tried again later. Default: none. */
  readonly done?: ReadonlySet<number>;
}

/** Reopens runs whose unfinished checks are to be tried again now (`findUnfinished`). */
export function retriedRuns(
  context: JobContext,
  { isPaused, isAtOnce = false, done = new Set() }: RetryOptions,
): RunRow[] {
  const busy = openRunsByProject(context);
  const slots = computeDueness(context, [...context.projects.values()], context.clock.now(), { isAtOnce }).flatMap(
    ({ project, unfinished }) =>
      unfinished?.isRetryDue === true && !busy.has(project.id) && !isPaused(project) && !done.has(unfinished.run.id)
        ? [{ project: project.id, ...unfinished }]
        : [],
  );
  return reopen(context, slots);
}

type Unfinished = Pick<UnfinishedSlot, 'run' | 'backfills' | 'retried'> & { readonly project: string };

/** Each run once, and only if no other process has opened it since it was read. */
function reopen({ store, owner, clock }: JobContext, slots: readonly Unfinished[]): RunRow[] {
  return [...Map.groupBy(slots, ({ run }) => run.id).values()].flatMap((of) =>
    store.transaction(() => {
      const [first] = of;
      if (first === undefined || store.runs.run(first.run.id)?.epoch !== first.run.epoch) return [];
      const { id } = first.run;
      const planned = sumOf(of, ({ project, retried, backfills }) =>
        store.checks.replan(id, project, retried, backfills),
      );
      if (planned === 0) return [];
      store.runs.reopen(id, owner, clock.now());
      return store.runs.run(id) ?? [];
    }),
  );
}

/** A request that names a project fails while that project has an open run. Throws RUN_IN_PROGRESS. */
export function rejectBusyProject(request: RunRequest, run: RunRow, projects: readonly string[]): void {
  if (request.kind === 'due') return;
  const busy = request.projects.find((project) => projects.includes(project.id));
  if (busy !== undefined) throw runInProgress(run, `project ${busy.id}`);
}

type Claims = { readonly [Kind in Dueness['kind']]: readonly DatedClaim[] };

function dueClaims(context: JobContext, projects: readonly Project[], options: DueOptions): Claims {
  const { now, jitter, isPaused } = options;
  freeSlotsAhead(context);
  const busy = openRunsByProject(context);
  const claims: { [Kind in Dueness['kind']]: DatedClaim[] } = { volumes: [], ranks: [] };
  for (const { project, kind, slots } of computeDueness(context, projects, now, { jitter })) {
    recordMissed(context, { project, kind }, slots.tooOld, tooOldReason, options);
    const others = busy.get(project.id);
    if (others !== undefined) {
      const rival = others.find((run) => run.kind === kind && run.origin === 'schedule');
      if (project.overlap !== 'skip' || rival === undefined) continue;
      const reason = `run ${rival.id} was still in progress, and overlap is skip`;
      recordMissed(context, { project, kind }, slots.passed, reason, options);
      continue;
    }
    if (isPaused?.(project) === true) continue;
    recordMissed(context, { project, kind }, slots.missed, slots.missedReason, options);
    claims[kind].push(...slots.due.map((slot) => toDatedClaim(context, kind, project, slot)));
  }
  return claims;
}

/**
 * After the clock was put back, frees the slots that runs took ahead of time, so that they are due at their time. An
 * unconfirmed clock may be the wrong one: it frees nothing, because slots would run twice.
 */
export function freeSlotsAhead(context: JobContext): void {
  const { store, clock, log } = context;
  const now = clock.now();
  const openedAfter = now + aheadMsMin;
  if (clock.isSimulated === true || !store.runs.hasRunsAfter(openedAfter)) return;
  if (clockDoubt(context) !== null || (clock.witness !== undefined && clock.isConfirmed !== true)) return;
  const slots = store.transaction(() => store.runs.freeAhead(now, openedAfter));
  if (slots > 0) log.warn({ slots }, 'clock was set back: slots that were run ahead of time are due again');
}

function recordMissed(
  { store, clock, log }: JobContext,
  { project: { id: project }, kind }: Pick<Dueness, 'project' | 'kind'>,
  stretch: SlotStretch | null,
  reason: string,
  { onMissed }: Pick<DueOptions, 'onMissed'>,
): void {
  if (stretch === null) return;
  const recorded = store.transaction(() => store.runs.recordMissed(kind, project, stretch, reason, clock.now()));
  for (const { first, last, count, timezone } of recorded) {
    log.warn({ project, kind, slots: count, first: first.key, last: last.key, reason }, 'slots missed');
    onMissed?.({ project, kind, slot: first.key, lastSlot: last.key, count, timezone, reason });
  }
}

/**
 * The named slot of each project. Slots between its last slot and this one are recorded as missed: history goes on from
 * here.
 */
function slotGroups(context: JobContext, projects: readonly Project[], at: number): RunGroup[] {
  const { store, clock } = context;
  const busy = openRunsByProject(context);
  const free = projects.filter((project) => !busy.has(project.id));
  const dueness = computeDueness(context, free, at).filter(({ project, kind }) => {
    const last = store.runs.lastSlot(project.id, kind);
    return last === null || last.at <= at;
  });
  const volumes = dueness
    .filter(({ kind }) => kind === 'volumes')
    .flatMap(({ project, slots }) => slots.due.map((slot) => toDatedClaim(context, 'volumes', project, slot)));
  const earlier = dueness.map(({ project }) => project);
  for (const { project, kind, slots } of at > clock.now() ? [] : computeDueness(context, earlier, at - 1)) {
    if (kind !== 'ranks' || store.runs.lastSlot(project.id, kind) === null) continue;
    for (const stretch of [slots.tooOld, slots.passed])
      recordMissed(context, { project, kind }, stretch, 'a later slot was run with --slot', {});
  }
  const ranks = free.map((project) => dated(context, project, namedSlot(project, at)));
  return [...groupByMoment('volumes', volumes), ...groupByMoment('ranks', ranks)];
}

/** Metrics are of a month, and ordered by their slot. */
function toDatedClaim(context: JobContext, kind: Dueness['kind'], project: Project, slot: Slot): DatedClaim {
  const claim = slotClaim(project, slot);
  return kind === 'ranks' ? dated(context, project, claim) : { claim, moment: claim.at };
}

/**
 * Opens a run for the second looks of the oldest run that has some due, in one step with their checks. Its pages are
 * bought anew: none is fresh enough. Null where nothing is due, or what is due has to wait for `mayRun` or another run.
 */
export function claimSecondLooks(
  context: JobContext,
  mayRun: (project: Project) => boolean = () => true,
): RunRow | null {
  const { store, clock } = context;
  for (const firstRunId of store.secondLooks.dueRuns(clock.now())) {
    const run = store.transaction(() => claimLooksOf(context, firstRunId, mayRun));
    if (run !== null) return run;
  }
  return null;
}

function claimLooksOf(context: JobContext, firstRunId: number, mayRun: (project: Project) => boolean): RunRow | null {
  const { store, owner, clock, projects } = context;
  const now = clock.now();
  const looks = store.secondLooks.waiting(firstRunId);
  const wanted = new Set(looks.flatMap(({ projects: names }) => names));
  const slots = store.runs.slotsOf(firstRunId).filter(({ project }) => wanted.has(project));
  const busy = openRunsByProject(context);
  const isReady = slots.every(({ project: id }) => {
    const project = projects.get(id);
    return !busy.has(id) && (project === undefined ? context.isPartial !== true : mayRun(project));
  });
  if (looks.length === 0 || !isReady) return null;
  // a simulated source shows the time of the slot: that of the second look lies as far behind the first as in reality
  const elapsedMs = now - (store.runs.run(firstRunId)?.openedAt ?? now);
  const claims = slots.map((slot) => ({ ...slot, at: slot.at + elapsedMs }));
  const moment = store.runs.freeMoment('ranks', now, claims);
  const opened = store.runs.open({ kind: 'ranks', confirms: firstRunId, moment, owner, at: now }, claims);
  if (opened === null) {
    store.secondLooks.giveUp(firstRunId);
    return null;
  }
  for (const [sequence, { searchId, depth, projects: names }] of looks.entries()) {
    const isTracked = names.some((name) => projects.has(name));
    if (!isTracked) continue;
    store.checks.plan(opened.id, {
      searchId,
      sequence,
      depth,
      paging: 'until-found',
      deep: false,
      freshForMs: 0,
      projects: names,
    });
  }
  store.secondLooks.claim(firstRunId, opened.id);
  store.secondLooks.giveUp(firstRunId);
  store.runs.markPlanned(opened.id);
  return store.runs.run(opened.id);
}
