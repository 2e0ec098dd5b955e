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
import {
  closeAdhoc,
  type ExecutedRun,
  executeRun,
  type OwnedRun,
  type PipelineSettings,
  reportOn,
} from './run-work.ts';

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
  const executed: ExecutedRun[] = [];
  const refusals = new Refusals(context);
  const execute = async (owned: OwnedRun): Promise<ExecutedRun> => {
    const result = await executeRun(context, settings, owned);
    executed.push(result);
    refusals.note(owned.run.kind, result.halts);
    return result;
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
  for (const run of unfinishedAt(context, request)) {
    if (executed.some(({ runId }) => runId === run.id)) continue; // resumed above, and done with
    if ((await execute({ run, resumed: true })).interrupted) return executed;
  }
  for (const run of takeUnreported(context)) executed.push(reportOn(context, settings, run.id));
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
