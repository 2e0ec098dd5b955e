// Carries out a request from end to end: resumes what a dead process left, then opens what was asked for, one run after the other.
import {
  claimRun,
  type RunRequest,
  refuseBusy,
  requestedGroups,
  takeOver,
  takeUnreported,
  unfinishedAt,
} from './agenda.ts';
import type { JobContext } from './context.ts';
import { Refusals } from './refusals.ts';
import { reportOn, retryReports } from './run-reports.ts';
import { closeAdhoc, type ExecutedRun, executeRun, type OwnedRun, type PipelineSettings } from './run-work.ts';

export type { RunRequest } from './agenda.ts';
export type { ExecutedRun, PipelineProgress, PipelineSettings } from './run-work.ts';

/**
 * Carries out a request. Stops after a run that was interrupted; a service that has refused us is asked no more, and what was to be asked there stays due.
 * Throws StoreError, RUN_IN_PROGRESS among them.
 */
export async function runPipeline(
  context: JobContext,
  settings: PipelineSettings,
  request: RunRequest,
): Promise<ExecutedRun[]> {
  const failures: unknown[] = [];
  const executed = await carryOut(context, settings, request, failures);
  // after all that is due was bought: a report that fails, or ends the process, keeps nothing from being bought
  if (!settings.signals.stop.aborted) {
    for (const run of takeUnreported(context)) executed.push(reportOn(context, settings, run.id));
    retryReports(context, settings, false);
  }
  if (failures.length > 0) throw failures[0];
  return executed;
}

/** The runs that were asked for. One that cannot be carried out is added to `failures`, and keeps none of the others from it. */
async function carryOut(
  context: JobContext,
  settings: PipelineSettings,
  request: RunRequest,
  failures: unknown[],
): Promise<ExecutedRun[]> {
  const executed: ExecutedRun[] = [];
  const refusals = new Refusals(context);
  const execute = async (owned: OwnedRun): Promise<{ readonly interrupted: boolean }> => {
    const { id: runId, kind } = owned.run;
    try {
      const result = await executeRun(context, settings, owned);
      executed.push(result);
      refusals.note(kind, result.halts);
      return result;
    } catch (error) {
      context.log.error({ runId, error: error instanceof Error ? error.message : String(error) }, 'run failed');
      failures.push(error);
      return { interrupted: false };
    }
  };
  // A queue that cannot be had is found out before anything is claimed or bought, the metrics that it does not carry among it. Where nothing is due
  // none is needed; what was asked for by name is claimed in one go with the look at who is at it.
  if (request.kind === 'now' || request.kind === 'slot') await settings.queue.prepare();
  /** `ranks:acme`: a resumed run is the run that was asked for; a backfill is only a part of it. */
  const resumed = new Set<string>();
  for (const run of context.store.runs.openRuns()) {
    const projects = context.store.runs.slotsOf(run.id).map((slot) => slot.project);
    if (projects.some((project) => refusals.concern(run.kind, project))) continue;
    if (!takeOver(context, run)) {
      refuseBusy(request, run, projects);
      continue;
    }
    if (run.kind === 'adhoc') {
      await closeAdhoc(context, settings, run.id);
      continue;
    }
    const { interrupted } = await execute({ run, resumed: true });
    if (run.origin === 'schedule') for (const project of projects) resumed.add(`${run.kind}:${project}`);
    if (interrupted) return executed;
  }
  const done = new Set(executed.map(({ runId }) => runId));
  for (const run of unfinishedAt(context, request, done)) {
    if ((await execute({ run, resumed: true })).interrupted) return executed;
  }
  if (request.kind === 'backfill') {
    const opened = settings.signals.stop.aborted || refusals.any ? null : request.open();
    if (opened !== null) await execute({ ...opened, resumed: false });
    return executed;
  }
  for (const group of requestedGroups(context, request, resumed)) {
    if (settings.signals.stop.aborted) return executed;
    if (request.kind === 'due') await settings.queue.prepare();
    const slots = group.slots.filter(({ project }) => !refusals.concern(group.kind, project));
    const run = slots.length === 0 ? null : claimRun(context, { ...group, slots });
    if (run !== null && (await execute({ run, resumed: false })).interrupted) return executed;
  }
  return refusals.told(executed);
}
