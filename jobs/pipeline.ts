// A run from end to end: resume what a dead process left, then claim, plan, check, close and report. The steps are files of their own.
import { StoreError } from '../db/errors.ts';
import type { RunRow, SlotClaim } from '../db/runs.ts';
import type { Project } from '../src/tracker/project.ts';
import type { StopSignals } from './check-search.ts';
import { closeRun } from './close-run.ts';
import type { JobContext } from './context.ts';
import { type Dueness, duenessOf, groupByMoment, namedSlot, presentSlot, type RunGroup, slotClaim } from './due.ts';
import { isAlive } from './ownership.ts';
import { planRun } from './plan-run.ts';
import type { FetchQueue } from './queue.ts';
import { recoverRun } from './recover-run.ts';
import { refreshVolumes } from './refresh-volumes.ts';
import { drainRun } from './worker.ts';
import { type ReportSettings, type RunReport, writeReports } from './write-report.ts';

/** What to run: named projects or all of them now, for a given moment, or whatever is due. */
export type RunRequest =
  | { readonly kind: 'due' }
  | { readonly kind: 'now'; readonly projects: readonly Project[] }
  | { readonly kind: 'slot'; readonly projects: readonly Project[]; readonly at: number };

export interface PipelineProgress {
  readonly phase: 'planning' | 'checking' | 'volumes' | 'reporting';
  readonly runId: number;
  readonly done: number;
  readonly total: number;
}

/** How one run ended, for whoever asked for it. */
export interface ExecutedRun {
  readonly runId: number;
  readonly resumed: boolean;
  readonly interrupted: boolean;
  /** Told apart from the run's own state: keyword data requests that failed. */
  readonly problems: readonly string[];
  readonly reports: readonly RunReport[];
}

export interface PipelineSettings {
  readonly queue: FetchQueue;
  readonly signals: StopSignals;
  readonly reports: ReportSettings;
  readonly onProgress: (progress: PipelineProgress) => void;
}

/** Carries out a request. Stops after a run that was halted or interrupted. Throws StoreError, RUN_IN_PROGRESS among them. */
export async function runPipeline(
  context: JobContext,
  settings: PipelineSettings,
  request: RunRequest,
): Promise<ExecutedRun[]> {
  const executed: ExecutedRun[] = [];
  const busy = new Set<string>();
  const resumed = new Set<string>();
  for (const run of context.store.runs.openRuns()) {
    const projects = context.store.runs.slotsOf(run.id).map((slot) => slot.project);
    if (!takeOver(context, run)) {
      for (const project of projects) busy.add(project);
      refuseBusy(request, run, projects);
      continue;
    }
    if (run.kind === 'adhoc') {
      await recoverRun(context, settings.queue, run.id, settings.signals.stop);
      closeRun(context, run.id, null, ['the process ended before the answer was recorded']);
      continue;
    }
    const result = await executeRun(context, settings, run, true);
    executed.push(result);
    for (const project of projects) resumed.add(`${run.kind}:${project}`);
    if (isOver(context, result)) return executed;
  }
  for (const run of unfinishedAt(context, request, busy)) {
    const result = await executeRun(context, settings, run, true);
    executed.push(result);
    if (isOver(context, result)) return executed;
  }
  reportWhatIsMissing(context, settings, executed);
  for (const group of groupsOf(context, request, busy, resumed)) {
    if (settings.signals.stop.aborted) return executed;
    const opened = context.store.transaction(() =>
      context.store.runs.open(
        { kind: group.kind, moment: group.moment, owner: context.owner, at: context.clock.now() },
        group.slots,
      ),
    );
    const run = opened === null ? null : context.store.runs.run(opened.id);
    if (run === null) continue;
    const result = await executeRun(context, settings, run, false);
    executed.push(result);
    if (isOver(context, result)) return executed;
  }
  return executed;
}

/** Runs of the slot that is asked for which ended with checks deferred: opened again, so that they are finished. */
function unfinishedAt({ store, owner, clock }: JobContext, request: RunRequest, busy: ReadonlySet<string>): RunRow[] {
  if (request.kind !== 'slot') return [];
  const slots = request.projects
    .filter((project) => !busy.has(project.id))
    .map((project) => store.runs.slot(project.id, 'ranks', namedSlot(project, request.at).slot));
  const runIds = new Set(slots.flatMap((slot) => slot?.runId ?? []));
  return [...runIds].flatMap((runId) =>
    store.transaction(() => {
      if (store.runs.run(runId)?.state === 'open' || store.checks.replanDeferred(runId) === 0) return [];
      store.runs.reopen(runId, owner, clock.now());
      return store.runs.run(runId) ?? [];
    }),
  );
}

/** Works on a run that this process owns until it is closed or interrupted. */
async function executeRun(
  context: JobContext,
  settings: PipelineSettings,
  run: RunRow,
  resumed: boolean,
): Promise<ExecutedRun> {
  const { inHand } = context.store.runs;
  inHand.add(run.id);
  try {
    return await workOn(context, settings, run, resumed);
  } finally {
    inHand.delete(run.id);
  }
}

async function workOn(
  context: JobContext,
  settings: PipelineSettings,
  run: RunRow,
  resumed: boolean,
): Promise<ExecutedRun> {
  const { store } = context;
  const projects = store.runs.slotsOf(run.id).flatMap(({ project }) => context.projects.get(project) ?? []);
  if (resumed) await recoverRun(context, settings.queue, run.id, settings.signals.stop);
  context.log.info(
    { runId: run.id, kind: run.kind, projects: projects.map((project) => project.id), resumed },
    'run opened',
  );
  const outcome =
    run.kind === 'volumes'
      ? await workOnVolumes(context, settings, run, projects)
      : await workOnRanks(context, settings, run, projects);
  if (outcome.interrupted) {
    store.transaction(() => store.runs.abandon(run.id));
    return { runId: run.id, resumed, interrupted: true, problems: outcome.problems, reports: [] };
  }
  const reports = run.kind === 'ranks' ? reportOn(context, settings, run.id) : [];
  context.log.info({ runId: run.id, state: store.runs.run(run.id)?.state }, 'run closed');
  return { runId: run.id, resumed, interrupted: false, problems: outcome.problems, reports };
}

interface WorkOutcome {
  readonly interrupted: boolean;
  readonly problems: readonly string[];
}

async function workOnRanks(
  context: JobContext,
  settings: PipelineSettings,
  run: RunRow,
  projects: readonly Project[],
): Promise<WorkOutcome> {
  const { store } = context;
  const tell = (phase: PipelineProgress['phase'], done: number, total: number): void =>
    settings.onProgress({ phase, runId: run.id, done, total });
  if (!run.planned) planRun(context, run.id, projects, (count) => tell('planning', count, count));
  const counts = store.checks.counts(run.id);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  let done = total - counts.planned;
  tell('checking', done, total);
  const drained = await drainRun(context, settings.queue, run.id, settings.signals, () => {
    done += 1;
    tell('checking', done, total);
  });
  if (drained.kind === 'interrupted') return { interrupted: true, problems: [] };
  closeRun(context, run.id, drained.kind === 'halted' ? drained.failure : null, []);
  return { interrupted: false, problems: [] };
}

async function workOnVolumes(
  context: JobContext,
  settings: PipelineSettings,
  run: RunRow,
  projects: readonly Project[],
): Promise<WorkOutcome> {
  const refreshed = await refreshVolumes(context, run.id, projects, settings.signals, (done, total) =>
    settings.onProgress({ phase: 'volumes', runId: run.id, done, total }),
  );
  if (refreshed.kind === 'interrupted') return { interrupted: true, problems: [] };
  const problems = refreshed.kind === 'done' ? refreshed.problems : [];
  closeRun(context, run.id, refreshed.kind === 'halted' ? refreshed.failure : null, problems);
  return { interrupted: false, problems };
}

function reportOn(context: JobContext, settings: PipelineSettings, runId: number): RunReport[] {
  settings.onProgress({ phase: 'reporting', runId, done: 0, total: 1 });
  const reports = writeReports(context, settings.reports, runId);
  context.store.transaction(() => context.store.runs.markReported(runId, context.clock.now()));
  return reports;
}

function reportWhatIsMissing(context: JobContext, settings: PipelineSettings, executed: ExecutedRun[]): void {
  for (const run of context.store.runs.unreportedRuns()) {
    if (run.owner !== context.owner && isAlive(run.owner, run.heartbeatAt, context.clock.now())) continue;
    const reports = reportOn(context, settings, run.id);
    executed.push({ runId: run.id, resumed: true, interrupted: false, problems: [], reports });
  }
}

/** Takes an open run whose process is dead; false where it lives, another one was quicker, or this one has it in hand. */
function takeOver(context: JobContext, run: RunRow): boolean {
  const now = context.clock.now();
  if (context.store.runs.inHand.has(run.id)) return false;
  if (run.owner !== context.owner && isAlive(run.owner, run.heartbeatAt, now)) return false;
  return context.store.transaction(() => context.store.runs.takeOver(run.id, run.owner, context.owner, now));
}

function refuseBusy(request: RunRequest, run: RunRow, projects: readonly string[]): void {
  if (request.kind === 'due') return;
  const busy = request.projects.find((project) => projects.includes(project.id));
  if (busy === undefined) return;
  throw new StoreError(
    'RUN_IN_PROGRESS',
    `run ${run.id} of project ${busy.id} is under way (process ${run.owner?.split('|').at(-1) ?? 'unknown'})`,
    'Wait until it ends; `rankledger status` shows it.',
  );
}

function isOver(context: JobContext, result: ExecutedRun): boolean {
  return result.interrupted || context.store.runs.run(result.runId)?.state === 'halted';
}

function groupsOf(
  context: JobContext,
  request: RunRequest,
  busy: ReadonlySet<string>,
  resumed: ReadonlySet<string>,
): RunGroup[] {
  const wanted = request.kind === 'due' ? [...context.projects.values()] : request.projects;
  const projects = wanted.filter((project) => !busy.has(project.id));
  const now = request.kind === 'slot' ? request.at : context.clock.now();
  const dueness = duenessOf(context.store, projects, now);
  const volumes = dueClaims(context, dueness, 'volumes', request.kind !== 'slot');
  return [
    ...groupByMoment('volumes', volumes),
    ...groupByMoment('ranks', rankClaims(context, request, dueness, projects, now, resumed)),
  ];
}

function rankClaims(
  context: JobContext,
  request: RunRequest,
  dueness: readonly Dueness[],
  projects: readonly Project[],
  now: number,
  resumed: ReadonlySet<string>,
): SlotClaim[] {
  if (request.kind === 'slot') return projects.map((project) => namedSlot(project, request.at));
  const due = dueClaims(context, dueness, 'ranks', true);
  if (request.kind === 'due') return due;
  // a run that was asked for takes the slot that is due, if one is; a resumed run is the run that was asked for
  const taken = new Set(due.map((claim) => claim.project));
  const others = projects.filter((project) => !taken.has(project.id) && !resumed.has(`ranks:${project.id}`));
  return [...due, ...others.map((project) => presentSlot(project, now))];
}

function dueClaims(
  context: JobContext,
  dueness: readonly Dueness[],
  kind: Dueness['kind'],
  recordMissed: boolean,
): SlotClaim[] {
  return dueness
    .filter((entry) => entry.kind === kind)
    .flatMap(({ project, question }) => {
      if (recordMissed && question.missed.length > 0) {
        context.store.transaction(() => {
          for (const slot of question.missed)
            context.store.runs.recordMissed(kind, slotClaim(project, slot), question.reason);
        });
      }
      return question.due.map((slot) => slotClaim(project, slot));
    });
}
