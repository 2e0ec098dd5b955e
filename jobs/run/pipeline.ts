// Carries out a request: resumes abandoned runs, then opens the requested runs one after the other.

import { errorText } from '../../src/service/index.ts';
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
    retryReports(context, settings, 'all');
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
      context.log.error({ runId, error: errorText(error) }, 'run failed');
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
  const doubt = isClockDoubtful(context) ? await requestDoubt(context, settings, request) : null;
  if (doubt !== null) return withDoubt(executed, doubt, failures);
  if (request.kind === 'backfill') {
    const opened = settings.signals.stop.aborted || refusals.any ? null : request.open();
    if (opened !== null) await execute({ ...opened, resumed: false });
    return executed;
  }
  for (const group of requestedGroups(context, request, resumed)) {
    if (settings.signals.stop.aborted) return executed;
    if (request.kind === 'due') await settings.queue.prepare();
    const newDoubt = isClockDoubtful(context) ? await requestDoubt(context, settings, request) : null;
    if (newDoubt !== null) return withDoubt(executed, newDoubt, failures);
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
 * Without `await`, so that nothing can happen between the check for other owners and the claim as long as the clock is
 * sound.
 */
function isClockDoubtful(context: JobContext): boolean {
  return clockDoubt(context) !== null || isFarFromHistory(context);
}

/** Why the request may claim no slot by this clock, after asking services for the date; null: it may. */
async function requestDoubt(
  context: JobContext,
  { signals }: PipelineSettings,
  request: RunRequest,
): Promise<string | null> {
  const all = [...context.projects.values()];
  const isAnythingDue = (): boolean =>
    computeDueness(context, all, context.clock.now()).some(
      ({ slots }) => slots.due.length > 0 || (slots.missed ?? slots.tooOld) !== null,
    );
  if (request.kind === 'due' && !isAnythingDue()) return null;
  const projects = request.kind === 'now' || request.kind === 'slot' ? request.projects : all;
  return await doubtAfterAsking(context, projects, signals.stop);
}

/** Adds the doubt to the last run; without a run it becomes a failure. */
function withDoubt(executed: readonly ExecutedRun[], doubt: string, failures: unknown[]): ExecutedRun[] {
  const last = executed.at(-1);
  if (last === undefined) {
    failures.push(new ClockError(doubt));
    return [];
  }
  const problems = [...last.problems, `${doubt}; what else is due waits`];
  return [...executed.slice(0, -1), { ...last, clock: doubt, problems }];
}
