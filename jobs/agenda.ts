// What there is to do: the slots that may be run now, and runs that were left. Records missed slots and claims; works on nothing.
import type { RunRow } from '../db/runs.ts';
import type { Project } from '../src/tracker/project.ts';
import type { Slot } from '../src/tracker/schedule.ts';
import type { BackfillRequest } from './backfill.ts';
import type { JobContext } from './context.ts';
import { type Dueness, duenessOf, groupByMoment, namedSlot, presentSlot, type RunGroup, slotClaim } from './due.ts';
import { isAlive, runInProgress } from './ownership.ts';
import { type DatedClaim, dated } from './slot-day.ts';

/** What to run: named projects or all of them now, for a given moment, whatever is due, or only what is missing. */
export type RunRequest =
  | { readonly kind: 'due' }
  | BackfillRequest
  | { readonly kind: 'now'; readonly projects: readonly Project[] }
  | { readonly kind: 'slot'; readonly projects: readonly Project[]; readonly at: number };

/** A slot that went by without a run, as it was recorded. */
export interface RecordedMiss {
  readonly project: string;
  readonly kind: Dueness['kind'];
  readonly slot: string;
  readonly reason: string;
}

export interface DueOptions {
  readonly now: number;
  /** Whether starts are put off by the projects' jitter. */
  readonly jitter: boolean;
  /** Projects that wait although they are due; their slots stay due. Default: none. */
  readonly isPaused?: (project: Project) => boolean;
  readonly onMissed?: (missed: RecordedMiss) => void;
}

/** A run that was opened so much later than now belongs to a clock that ran ahead. */
const clockLeapMs = 24 * 3_600_000;

/** The projects of open runs, in whosever hands, with those runs. */
export function underWay({ store }: JobContext): ReadonlyMap<string, readonly RunRow[]> {
  const byProject = new Map<string, RunRow[]>();
  for (const run of store.runs.openRuns()) {
    for (const { project } of store.runs.slotsOf(run.id)) {
      byProject.set(project, [...(byProject.get(project) ?? []), run]);
    }
  }
  return byProject;
}

/**
 * What is due, as runs to open, volumes first and the oldest moment first. What was missed is recorded. A project with a run under way gets no second
 * one: its slots stay due or are given up, as its `overlap` says.
 */
export function dueGroups(context: JobContext, projects: readonly Project[], options: DueOptions): RunGroup[] {
  const claims = dueClaims(context, projects, options);
  return [...groupByMoment('volumes', claims.volumes), ...groupByMoment('ranks', claims.ranks)];
}

/** What a request asks for, as runs to open. `resumed`: kinds and projects whose run was just resumed, which counts as the run that was asked for. */
export function requestedGroups(
  context: JobContext,
  request: Exclude<RunRequest, BackfillRequest>,
  resumed: ReadonlySet<string>,
): RunGroup[] {
  const now = context.clock.now();
  if (request.kind === 'due') return dueGroups(context, [...context.projects.values()], { now, jitter: false });
  if (request.kind === 'slot') return slotGroups(context, request.projects, request.at);
  const due = dueClaims(context, request.projects, { now, jitter: false });
  // a run that was asked for takes the slot that is due, if one is
  const taken = new Set(due.ranks.map(({ claim }) => claim.project));
  const others = request.projects.filter((project) => !taken.has(project.id) && !resumed.has(`ranks:${project.id}`));
  const ranks = [...due.ranks, ...others.map((project) => dated(context, project, presentSlot(project, now)))];
  return [...groupByMoment('volumes', due.volumes), ...groupByMoment('ranks', ranks)];
}

/**
 * Opens a run for a group, in one step with the proof that none of its projects has one under way. Of volumes there is one run at a time: projects share
 * the metrics of a month, and two runs would buy them twice. Null where nothing is left to claim, or it has to wait.
 */
export function claimRun(context: JobContext, group: RunGroup): RunRow | null {
  const { store, owner, clock } = context;
  return store.transaction(() => {
    if (group.kind === 'volumes' && store.runs.openRuns().some(({ kind }) => kind === 'volumes')) return null;
    const busy = underWay(context);
    const free = group.slots.filter(({ project }) => !busy.has(project));
    const moment = store.runs.freeMoment(group.kind, group.moment, free);
    const opened = store.runs.open({ kind: group.kind, moment, owner, at: clock.now() }, free);
    return opened === null ? null : store.runs.run(opened.id);
  });
}

/**
 * Takes an unfinished run whose owner is gone; false where the owner works on it, another process was quicker, or this one works on it already, and
 * where it is also of a project that is broken in the config: its pages could not be read as that project wants them.
 */
export function takeOver({ store, owner, clock, isPartial, projects }: JobContext, run: RunRow): boolean {
  const now = clock.now();
  if (isPartial === true && store.runs.slotsOf(run.id).some(({ project }) => !projects.has(project))) return false;
  if (store.runs.inHand.has(run.id)) return false;
  if (run.owner !== owner && isAlive(run.owner, run.heartbeatAt, now)) return false;
  return store.transaction(() => store.runs.takeOver(run, owner, now));
}

/** Takes the runs that ended, but whose owner died before it had written their reports. */
export function takeUnreported(context: JobContext): RunRow[] {
  return context.store.runs.unreportedRuns().filter((run) => takeOver(context, run));
}

/** Runs of the slot that is asked for which ended with checks deferred: opened again, so that they are finished. `done`: runs that this call has ended. */
export function unfinishedAt(context: JobContext, request: RunRequest, done: ReadonlySet<number>): RunRow[] {
  if (request.kind !== 'slot') return [];
  const { store, owner, clock } = context;
  const busy = underWay(context);
  const slots = request.projects
    .filter((project) => !busy.has(project.id))
    .map((project) => store.runs.slot(project.id, 'ranks', namedSlot(project, request.at).slot));
  const runIds = new Set(slots.flatMap((slot) => slot?.runId ?? []).filter((runId) => !done.has(runId)));
  return [...runIds].flatMap((runId) =>
    store.transaction(() => {
      if (store.runs.run(runId)?.state === 'open' || store.checks.replanDeferred(runId) === 0) return [];
      store.runs.reopen(runId, owner, clock.now());
      return store.runs.run(runId) ?? [];
    }),
  );
}

/** Who asks for a project by name is told of the run that is under way, rather than of nothing. */
export function refuseBusy(request: RunRequest, run: RunRow, projects: readonly string[]): void {
  if (request.kind === 'due') return;
  const busy = request.projects.find((project) => projects.includes(project.id));
  if (busy !== undefined) throw runInProgress(run, `project ${busy.id}`);
}

type Claims = { readonly [Kind in Dueness['kind']]: readonly DatedClaim[] };

function dueClaims(context: JobContext, projects: readonly Project[], options: DueOptions): Claims {
  const { now, jitter, isPaused } = options;
  freeSlotsAhead(context, now);
  const busy = underWay(context);
  const claims: { [Kind in Dueness['kind']]: DatedClaim[] } = { volumes: [], ranks: [] };
  for (const dueness of duenessOf(context, projects, now, { jitter })) {
    const { project, kind, question } = settleBacklog(context, dueness, options);
    const others = busy.get(project.id);
    if (others !== undefined) {
      const rival = others.find((run) => run.kind === kind && run.origin === 'schedule');
      if (project.overlap !== 'skip' || rival === undefined) continue;
      const reason = `run ${rival.id} was still under way, and overlap is skip`;
      recordMissed(context, { project, kind }, [...question.missed, ...question.due], reason, options);
      continue;
    }
    if (isPaused?.(project) === true) continue;
    recordMissed(context, { project, kind }, question.missed, question.missedReason, options);
    claims[kind].push(...question.due.map((slot) => datedOf(context, kind, project, slot)));
  }
  return claims;
}

/** The clock was put back: slots that it ran ahead to are due when their time comes. */
function freeSlotsAhead({ store, clock, log }: JobContext, now: number): void {
  const openedAfter = now + clockLeapMs;
  if (clock.isSimulated === true || !store.runs.hasRunsAfter(openedAfter)) return;
  const slots = store.transaction(() => store.runs.freeAhead(now, openedAfter));
  if (slots > 0) log.warn({ slots }, 'the clock was put back: slots that were run ahead of time are due again');
}

/** After a very long downtime what is too old to be caught up with is recorded first, a part at a time. */
function settleBacklog(context: JobContext, dueness: Dueness, options: DueOptions): Dueness {
  let current = dueness;
  while (current.question.isMore && (context.clock.skewMs ?? null) === null) {
    recordMissed(context, current, current.question.missed, current.question.missedReason, options);
    const again = duenessOf(context, [current.project], options.now, { jitter: options.jitter });
    current = again.find((other) => other.kind === dueness.kind) ?? current;
  }
  return current;
}

function recordMissed(
  { store, clock, log }: JobContext,
  { project, kind }: Pick<Dueness, 'project' | 'kind'>,
  slots: Dueness['question']['missed'],
  reason: string,
  { onMissed }: Pick<DueOptions, 'onMissed'>,
): void {
  // a clock that is shown to be wrong settles nothing
  if (slots.length === 0 || (clock.skewMs ?? null) !== null) return;
  const recorded = store.transaction(() =>
    slots.filter((slot) => store.runs.recordMissed(kind, slotClaim(project, slot), reason, clock.now())),
  );
  if (recorded.length > 0) {
    const [first, last] = [recorded[0]?.key, recorded.at(-1)?.key];
    log.warn({ project: project.id, kind, slots: recorded.length, first, last, reason }, 'slots missed');
  }
  for (const { key: slot } of recorded) onMissed?.({ project: project.id, kind, slot, reason });
}

/** The named slot of each project. What was due between its last slot and this one is settled with it: history goes on from here. */
function slotGroups(context: JobContext, projects: readonly Project[], at: number): RunGroup[] {
  const { store, clock } = context;
  const busy = underWay(context);
  const free = projects.filter((project) => !busy.has(project.id));
  const dueness = duenessOf(context, free, at).filter(({ project, kind }) => {
    const last = store.runs.lastSlot(project.id, kind);
    return last === null || last.at <= at;
  });
  const volumes = dueness
    .filter(({ kind }) => kind === 'volumes')
    .flatMap(({ project, question }) => question.due.map((slot) => datedOf(context, 'volumes', project, slot)));
  for (const { project, kind, question } of dueness) {
    if (kind !== 'ranks' || at > clock.now() || store.runs.lastSlot(project.id, kind) === null) continue;
    const passed = [...question.missed, ...question.due].filter((slot) => slot.at < at);
    recordMissed(context, { project, kind }, passed, 'a later slot was run by name', {});
  }
  const ranks = free.map((project) => dated(context, project, namedSlot(project, at)));
  return [...groupByMoment('volumes', volumes), ...groupByMoment('ranks', ranks)];
}

/** Metrics are of a month, and ordered by their slot. */
function datedOf(context: JobContext, kind: Dueness['kind'], project: Project, slot: Slot): DatedClaim {
  const claim = slotClaim(project, slot);
  return kind === 'ranks' ? dated(context, project, claim) : { claim, moment: claim.at };
}
