// Carries out a request from end to end: resumes what a dead process left, then opens what was asked for, one run after the other.
import {
  claimRun,
  type RunRequest,
  refuseBusy,
  requestedGroups,
  takeOver,
  unfinishedAt,
  unreportedRuns,
} from './agenda.ts';
import type { JobContext } from './context.ts';
import { closeAdhoc, type ExecutedRun, executeRun, type PipelineSettings, reportOn } from './run-work.ts';

export type { RunRequest } from './agenda.ts';
export type { ExecutedRun, PipelineProgress, PipelineSettings } from './run-work.ts';

/** Carries out a request. Stops after a run that was halted or interrupted. Throws StoreError, RUN_IN_PROGRESS among them. */
export async function runPipeline(
  context: JobContext,
  settings: PipelineSettings,
  request: RunRequest,
): Promise<ExecutedRun[]> {
  const executed: ExecutedRun[] = [];
  // A queue that cannot be had is found out before anything is claimed or bought, the metrics that it does not carry among it. Where nothing is due
  // none is needed; what was asked for by name is claimed in one go with the look at who is at it.
  if (request.kind === 'now' || request.kind === 'slot') await settings.queue.prepare();
  /** `ranks:acme`: a resumed run is the run that was asked for; a backfill is only a part of it. */
  const resumed = new Set<string>();
  for (const run of context.store.runs.openRuns()) {
    const projects = context.store.runs.slotsOf(run.id).map((slot) => slot.project);
    if (!takeOver(context, run)) {
      refuseBusy(request, run, projects);
      continue;
    }
    if (run.kind === 'adhoc') {
      await closeAdhoc(context, settings, run.id);
      continue;
    }
    const result = await executeRun(context, settings, { run, resumed: true });
    executed.push(result);
    if (run.origin === 'schedule') for (const project of projects) resumed.add(`${run.kind}:${project}`);
    if (isOver(context, result)) return executed;
  }
  for (const run of unfinishedAt(context, request)) {
    const result = await executeRun(context, settings, { run, resumed: true });
    executed.push(result);
    if (isOver(context, result)) return executed;
  }
  for (const run of unreportedRuns(context)) executed.push(reportOn(context, settings, run.id));
  if (request.kind === 'backfill') {
    const opened = settings.signals.stop.aborted ? null : request.open();
    if (opened !== null) executed.push(await executeRun(context, settings, { ...opened, resumed: false }));
    return executed;
  }
  for (const group of requestedGroups(context, request, resumed)) {
    if (settings.signals.stop.aborted) return executed;
    if (request.kind === 'due') await settings.queue.prepare();
    const run = claimRun(context, group);
    if (run === null) continue;
    const result = await executeRun(context, settings, { run, resumed: false });
    executed.push(result);
    if (isOver(context, result)) return executed;
  }
  return executed;
}

function isOver(context: JobContext, result: ExecutedRun): boolean {
  return result.interrupted || context.store.runs.run(result.runId)?.state === 'halted';
}
