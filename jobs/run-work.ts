// Works on one run of this process until it is closed and reported, or interrupted. Which run that is, is left to the pipeline and the scheduler.
import { untilUnlocked } from '../db/lock-patience.ts';
import type { RunRow } from '../db/runs.ts';
import { skewText } from '../src/service/index.ts';
import type { Project } from '../src/tracker/project.ts';
import type { StopSignals } from './check-search.ts';
import { closeRun } from './close-run.ts';
import type { JobContext } from './context.ts';
import type { AlertSettings } from './find-alerts.ts';
import type { VolumeNeed } from './metrics-request.ts';
import { planRun } from './plan-run.ts';
import type { FetchQueue } from './queue.ts';
import { recoverRun } from './recover-run.ts';
import { holdRun } from './run-lease.ts';
import { writeAlerts, writeRunReports } from './run-reports.ts';
import { brokenServices, haltsOf, type ServiceStop, type ServiceWait } from './service-lines.ts';
import { workOnVolumes } from './volumes-run.ts';
import { drainRun } from './worker.ts';
import type { ReportSettings, RunReport } from './write-report.ts';

export interface PipelineProgress {
  readonly phase: 'planning' | 'checking' | 'volumes' | 'reporting';
  readonly runId: number;
  readonly done: number;
  readonly total: number;
  /** Services that nothing is asked of for a while. */
  readonly waits: readonly ServiceWait[];
}

/** How one run ended, for whoever asked for it. */
export interface ExecutedRun {
  readonly runId: number;
  readonly resumed: boolean;
  readonly interrupted: boolean;
  /** Told apart from the run's own state: keyword data requests that failed. */
  readonly problems: readonly string[];
  /** Services that refused us. */
  readonly halts: readonly ServiceStop[];
  readonly reports: readonly RunReport[];
}

export interface PipelineSettings {
  readonly queue: FetchQueue;
  readonly signals: StopSignals;
  readonly reports: ReportSettings;
  /** Absent: nothing is told. */
  readonly alerts?: AlertSettings;
  readonly onProgress: (progress: PipelineProgress) => void;
  /** Told of each run that has ended and was reported, for monitors. */
  readonly onRunEnded?: (run: ExecutedRun) => void;
}

/** A run that this process owns. */
export interface OwnedRun {
  readonly run: RunRow;
  /** Another process had begun it. */
  readonly resumed: boolean;
  /** Of keyword metrics, what a backfill is for; absent: what the month is missing. */
  readonly needs?: readonly VolumeNeed[];
}

/** Works on a run to its end. Rejects where store or queue cannot be used, or the run was taken over (RUN_TAKEN_OVER); another process then resumes it. */
export async function executeRun(
  context: JobContext,
  settings: PipelineSettings,
  owned: OwnedRun,
): Promise<ExecutedRun> {
  const { run } = owned;
  const { inHand } = context.store.runs;
  inHand.add(run.id);
  const lease = holdRun(context, run.id);
  const signals = {
    stop: AbortSignal.any([settings.signals.stop, lease.lost]),
    giveUp: AbortSignal.any([settings.signals.giveUp, lease.lost]),
  };
  try {
    if (run.kind === 'ranks') await settings.queue.prepare();
    const executed = await workOn(context, { ...settings, signals }, owned);
    if (executed.interrupted) {
      lease.lost.throwIfAborted();
      context.store.transaction(() => context.store.runs.abandon(run.id));
    } else {
      settings.onRunEnded?.(executed);
    }
    return executed;
  } finally {
    lease.end();
    inHand.delete(run.id);
    if (inHand.size === 0) context.store.diskReserve.make();
  }
}

/** Puts what a dead process left of an ad-hoc request in order; nobody waits for its answer any more. */
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
  const { interrupted, problems, halts } =
    run.kind === 'volumes'
      ? await workOnVolumes(context, settings, run, projects, needs, () =>
          // a run of volumes has no reports, and nobody looks at it again: its alerts stand with its end
          writeAlerts(context, settings, run.id),
        )
      : await workOnRanks(context, settings, run, projects);
  if (interrupted) return { runId: run.id, resumed, interrupted, problems, halts, reports: [] };
  const reports = run.kind === 'ranks' ? writeRunReports(context, settings, run.id) : [];
  context.log.info({ runId: run.id, state: store.runs.run(run.id)?.state }, 'run closed');
  return { runId: run.id, resumed, interrupted, problems, halts, reports };
}

export type WorkOutcome = Pick<ExecutedRun, 'interrupted' | 'problems' | 'halts'>;

async function workOnRanks(
  context: JobContext,
  settings: PipelineSettings,
  run: RunRow,
  projects: readonly Project[],
): Promise<WorkOutcome> {
  const { store } = context;
  let waits: readonly ServiceWait[] = [];
  const tell = (phase: PipelineProgress['phase'], done: number, total: number): void =>
    settings.onProgress({ phase, runId: run.id, done, total, waits });
  if (!run.planned) planRun(context, run.id, projects, (count) => tell('planning', count, count));
  const counts = store.checks.counts(run.id);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  let done = total - counts.planned;
  tell('checking', done, total);
  const drained = await drainRun(context, settings.queue, run.id, settings.signals, {
    onEnded() {
      done += 1;
      tell('checking', done, total);
    },
    onWaits(now) {
      waits = now;
      tell('checking', done, total);
    },
  });
  if (drained.kind === 'interrupted') return { interrupted: true, problems: [], halts: [] };
  const { stops } = drained;
  const remarks = [...clockRemarks(context, run.id), ...drained.remarks];
  await untilUnlocked(() => closeRun(context, run.id, stops, [], { remark: remarks[0] }), settings.signals.stop);
  return { interrupted: false, problems: [...brokenServices(stops), ...remarks], halts: haltsOf(stops) };
}

/** The clock of this machine, where the answers of live sources contradict it. */
function clockRemarks({ clock, log }: JobContext, runId: number): string[] {
  const skewMs = clock.skewMs ?? null;
  if (skewMs === null) return [];
  log.warn({ runId, skewMs }, 'the dates of answers contradict the clock of this machine');
  return [skewText(skewMs)];
}
