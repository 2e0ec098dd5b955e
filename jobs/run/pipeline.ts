// Carries out a request: resumes abandoned runs, then opens the requested runs one after the other.

import type { JobContext } from '../context.ts';
import { releaseAlerts, reportOn, retryReports } from './closing/run-reports.ts';
import { closeAdhoc, executeRun, type OwnedRun } from './execute-run.ts';
import type { ExecutedRun } from './executed-run.ts';
import {
  claimRun,
  freeSlotsAhead,
  rejectBusyProject,
  requestedGroups,
  takeOver,
  takeUnreported,
  unfinishedAt,
} from './opening/claim-runs.ts';
import { ClockError, clockDoubt, doubtAfterAsking, isFarFromHistory } from './opening/clock-doubt.ts';
import { computeDueness } from './opening/due.ts';
import { claimSecondLooks } from './opening/second-look-run.ts';
import type { PipelineSettings } from './pipeline-settings.ts';
import { RefusingServices } from './refusing-services.ts';
import type { RunRequest } from './run-request.ts';

/**
 * Carries out a request. Stops after an interrupted run. A service that refused gets no more requests, and its slots
 * stay due. Throws StoreError, including RUN_IN_PROGRESS.
 */
export async function runPipeline(
  context: JobContext,
  settings: PipelineSettings,
  request: RunRequest,
): Promise<ExecutedRun[]> {
  const failures: unknown[] = [];
  const executed = await carryOut(context, settings, request, failures);
  // answers of these runs may have confirmed the clock
  if (context.clock.isConfirmed === true) freeSlotsAhead(context);
  // after everything due was bought: a report that fails, or ends the process, prevents no purchase
  if (!settings.signals.stop.aborted) {
    for (const run of takeUnreported(context)) executed.push(reportOn(context, settings, run.id));
    releaseAlerts(context, settings);
    retryReports(context, settings, false);
  }
  if (failures.length > 0) throw failures[0];
  return executed;
}

/** Executes the requested runs. A failure is added to `failures` and does not stop the other runs. */
async function carryOut(
  context: JobContext,
  settings: PipelineSettings,
  request: RunRequest,
  failures: unknown[],
): Promise<ExecutedRun[]> {
  const executed: ExecutedRun[] = [];
  const refusals = new RefusingServices(context);
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
  // The queue is opened before anything is claimed or bought, including metrics, which it does not carry. Where nothing
  // is due it is not needed; a named project is claimed without an await after the check for other owners.
  if (request.kind === 'now' || request.kind === 'slot') await settings.queue.prepare();
  /** `ranks:acme`: a resumed run counts as the requested one; a backfill is only a part of it. */
  const resumed = new Set<string>();
  for (const run of context.store.runs.openRuns()) {
    const projects = context.store.runs.slotsOf(run.id).map((slot) => slot.project);
    if (projects.some((project) => refusals.blocks(run.kind, project))) continue;
    if (!takeOver(context, run)) {
      rejectBusyProject(request, run, projects);
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
  if (isClockDoubtful(context) && (await isHeldByClock(context, settings, request, executed, failures)))
    return executed;
  if (request.kind === 'backfill') {
    const opened = settings.signals.stop.aborted || refusals.any ? null : request.open();
    if (opened !== null) await execute({ ...opened, resumed: false });
    return executed;
  }
  for (const group of requestedGroups(context, request, resumed)) {
    if (settings.signals.stop.aborted) return executed;
    if (request.kind === 'due') await settings.queue.prepare();
    if (isClockDoubtful(context) && (await isHeldByClock(context, settings, request, executed, failures)))
      return executed;
    const slots = group.slots.filter(({ project }) => !refusals.blocks(group.kind, project));
    const run = slots.length === 0 ? null : claimRun(context, { ...group, slots });
    if (run !== null && (await execute({ run, resumed: false })).interrupted) return executed;
  }
  // after the slots: a first look is worth more than a second one
  while (!settings.signals.stop.aborted) {
    const run = claimSecondLooks(context, ({ id }) => !refusals.blocks('ranks', id));
    if (run === null) break;
    await settings.queue.prepare();
    if ((await execute({ run, resumed: false })).interrupted) return executed;
  }
  return refusals.addProblems(executed);
}

/**
 * Asked without an `await`: where the clock is sound, nothing comes between the check for other owners and the claim.
 */
function isClockDoubtful(context: JobContext): boolean {
  return clockDoubt(context) !== null || isFarFromHistory(context);
}

/**
 * Whether the clock is in doubt, so that no slot may be claimed; the last run says so, or without one a failure does.
 */
async function isHeldByClock(
  context: JobContext,
  { signals }: PipelineSettings,
  request: RunRequest,
  executed: ExecutedRun[],
  failures: unknown[],
): Promise<boolean> {
  const all = [...context.projects.values()];
  const isAnythingDue = (): boolean =>
    computeDueness(context, all, context.clock.now()).some(
      ({ question }) => question.due.length > 0 || (question.missed ?? question.tooOld) !== null,
    );
  if (request.kind === 'due' && !isAnythingDue()) return false;
  const projects = request.kind === 'now' || request.kind === 'slot' ? request.projects : all;
  const doubt = await doubtAfterAsking(context, projects, signals.stop);
  if (doubt === null) return false;
  const last = executed.pop();
  if (last === undefined) failures.push(new ClockError(doubt));
  else executed.push({ ...last, clock: doubt, problems: [...last.problems, `${doubt}; what else is due waits`] });
  return true;
}
