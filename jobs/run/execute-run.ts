// Executes one run of this process until it is closed and reported, or interrupted.
import { untilUnlocked } from '../../db/connection/opening/lock-patience.ts';
import type { RunRow } from '../../db/history/runs/runs.ts';
import type { Project } from '../../src/tracker/project.ts';
import { missingAnswers, refreshAnswers } from '../answers/refresh-answers.ts';
import { runChecks } from '../check/run-checks.ts';
import type { JobContext } from '../context.ts';
import { brokenServices, filterHalts, type ServiceWait } from '../purchase/service-states.ts';
import type { VolumeNeed } from '../volumes/metrics-request.ts';
import { closeRun } from './closing/close-run.ts';
import { writeAlerts, writeRunReports } from './closing/run-reports.ts';
import { type ExecutedRun, interruptedWork, type WorkOutcome } from './executed-run.ts';
import { clockRemark } from './opening/clock-doubt.ts';
import { deferRemoved } from './opening/defer-removed.ts';
import { planRun } from './opening/plan-run.ts';
import { recoverRun } from './opening/recover-run.ts';
import { replanBurst } from './opening/replan-burst.ts';
import { holdRun } from './opening/run-lease.ts';
import type { PipelineProgress, PipelineSettings } from './pipeline-settings.ts';
import { workOnVolumes } from './volumes-run.ts';

/** A run that this process owns. */
export interface OwnedRun {
  readonly run: RunRow;
  /** Another process had begun it. */
  readonly resumed: boolean;
  /** The keyword metrics that a backfill buys. Default: those that the month lacks. */
  readonly needs?: readonly VolumeNeed[];
}

/**
 * Works on a run to its end. Rejects where store or queue cannot be used, or the run was taken over (RUN_TAKEN_OVER);
 * another process then resumes it.
 */
export async function executeRun(
  context: JobContext,
  settings: PipelineSettings,
  owned: OwnedRun,
): Promise<ExecutedRun> {
  const { run } = owned;
  const { activeRuns } = context.store.runs;
  activeRuns.add(run.id);
  const lease = holdRun(context, run.id);
  const signals = {
    stop: AbortSignal.any([settings.signals.stop, lease.lost]),
    giveUp: AbortSignal.any([settings.signals.giveUp, lease.lost]),
  };
  try {
    if (run.kind === 'ranks') await settings.queue.prepare();
    const onProgress = (progress: PipelineProgress): void => {
      lease.noteWaits(progress.waits);
      settings.onProgress(progress);
    };
    const executed = await workOn(context, { ...settings, signals, onProgress }, owned);
    if (executed.interrupted) {
      lease.lost.throwIfAborted();
      context.store.transaction(() => context.store.runs.abandon(run.id));
    } else {
      settings.onRunEnded?.(executed);
    }
    return executed;
  } finally {
    lease.end();
    activeRuns.delete(run.id);
    if (activeRuns.size === 0) context.store.diskReserve.make();
  }
}

/** Settles an ad-hoc request of a dead process and closes its run. */
export async function closeAdhoc(context: JobContext, settings: PipelineSettings, runId: number): Promise<void> {
  await recoverRun(context, settings.queue, runId, settings.signals.stop);
  closeRun(context, runId, [], ['the process ended before the answer was recorded']);
}

async function workOn(
  context: JobContext,
  settings: PipelineSettings,
  { run, resumed, needs }: OwnedRun,
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
      ? await workOnVolumes(context, settings, run, projects, needs, () =>
          // a run of volumes has no reports that could bring its alerts later: they are recorded with its end
          writeAlerts(context, settings, run.id),
        )
      : await workOnRanks(context, settings, { run, resumed }, projects);
  if (outcome.interrupted) return { runId: run.id, resumed, ...outcome, reports: [] };
  const reports = run.kind === 'ranks' ? writeRunReports(context, settings, run.id) : [];
  context.log.info({ runId: run.id, state: store.runs.run(run.id)?.state }, 'run closed');
  return { runId: run.id, resumed, ...outcome, reports };
}

async function workOnRanks(
  context: JobContext,
  settings: PipelineSettings,
  { run, resumed }: OwnedRun,
  projects: readonly Project[],
): Promise<WorkOutcome> {
  const { store } = context;
  let waits: readonly ServiceWait[] = [];
  const report = (phase: PipelineProgress['phase'], done: number, total: number): void =>
    settings.onProgress({ phase, runId: run.id, done, total, waits });
  if (!run.planned) planRun(context, run.id, projects, (count) => report('planning', count, count));
  if (resumed) deferRemoved(context, run.id);
  if (run.origin === 'confirm') store.transaction(() => store.secondLooks.deferLate(run.id, context.clock.now()));
  const counts = store.checks.counts(run.id);
  let total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  let done = total - counts.planned;
  report('checking', done, total);
  const listener = {
    onEnded(): void {
      done += 1;
      report('checking', done, total);
    },
    onWaits(now: readonly ServiceWait[]): void {
      waits = now;
      report('checking', done, total);
    },
  };
  const check = () => runChecks(context, settings.queue, run.id, settings.signals, listener);
  let checked = await check();
  if (checked.kind === 'done' && checked.stops.length === 0) {
    const added = replanBurst(context, run.id, settings.reports.ctrCurve);
    total += added;
    if (added > 0) checked = await check();
  }
  if (checked.kind === 'interrupted') return interruptedWork;
  const { stops } = checked;
  // after the checks: an assistant that is slow or fails keeps no ranks waiting
  const needs = run.origin === 'schedule' ? missingAnswers(context, projects, run.moment) : [];
  const answered = await refreshAnswers(context, run.id, needs, settings.signals, (done, total, waits) =>
    settings.onProgress({ phase: 'answers', runId: run.id, done, total, waits }),
  );
  if (answered.interrupted) return interruptedWork;
  const { doubt: clock, remark } = clockRemark(context, run);
  const remarks = [...(remark === null ? [] : [remark]), ...checked.remarks];
  const end = { remark: remarks[0] };
  await untilUnlocked(() => closeRun(context, run.id, stops, answered.problems, end), settings.signals.stop);
  const problems = [...brokenServices(stops), ...answered.problems, ...remarks];
  return { interrupted: false, problems, halts: filterHalts(stops), clock };
}
