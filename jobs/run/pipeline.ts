// Carries out a request: resumes abandoned runs, then opens the requested runs one after the other.

import { isLocked } from '../../db/connection/errors.ts';
import type { RunRow } from '../../db/history/runs/runs.ts';
import type { RunKind } from '../../db/history/runs/slots.ts';
import { errorText } from '../../src/service/terms.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { JobContext } from '../context.ts';
import type { ServiceStop } from '../purchase/service-states.ts';
import {
  claimRun,
  claimSecondLooks,
  freeSlotsAhead,
  rejectBusyProject,
  requestedGroups,
  retriedRuns,
  takeOver,
  takeUnreported,
  unfinishedAt,
} from './claim-runs.ts';
import { ClockError, clockDoubt, doubtAfterAsking, isFarFromHistory } from './clock-doubt.ts';
import { computeDueness } from './due.ts';
import { closeAdhoc, executeRun, type OwnedRun } from './execute-run.ts';
import { releaseAlerts, reportOn, retryReports } from './run-reports.ts';
import type { ExecutedRun, PipelineSettings, RunRequest } from './run-request.ts';

/**
 * Carries out a request. Stops after an interrupted run. A service that refused gets no more requests, and its slots
 * stay due. Throws StoreError, including RUN_IN_PROGRESS.
 */
export async function runPipeline(
  context: JobContext,
  settings: PipelineSettings,
  request: RunRequest,
): Promise<ExecutedRun[]> {
  const runs = new RequestedRuns(context, settings, request);
  await runs.execute();
  // answers of these runs may have confirmed the clock
  const { stop } = settings.signals;
  const patiently = <T>(work: () => T): Promise<T> => context.store.whenUnlocked(work, stop);
  if (context.clock.isConfirmed === true) await patiently(() => freeSlotsAhead(context));
  const executed = [...runs.executed];
  // after everything due was bought: a report that fails, or ends the process, prevents no purchase
  if (!stop.aborted) {
    for (const run of await patiently(() => takeUnreported(context)))
      executed.push(await patiently(() => reportOn(context, settings, run.id)));
    await patiently(() => releaseAlerts(context, settings));
    await patiently(() => retryReports(context, settings, 'all'));
  }
  if (runs.failures.length > 0) throw runs.failures[0];
  return executed;
}

/** The runs of one request, one after the other. */
class RequestedRuns {
  readonly #context: JobContext;
  readonly #settings: PipelineSettings;
  readonly #request: RunRequest;
  readonly #refusals: RefusingServices;
  /** `ranks:acme`: a resumed run counts as the requested one; a backfill is only a part of it. */
  readonly #resumed = new Set<string>();
  executed: readonly ExecutedRun[] = [];
  /** A failed run does not stop the others. */
  readonly failures: unknown[] = [];

  constructor(context: JobContext, settings: PipelineSettings, request: RunRequest) {
    this.#context = context;
    this.#settings = settings;
    this.#request = request;
    this.#refusals = new RefusingServices(context);
  }

  async execute(): Promise<void> {
    const context = this.#context;
    const request = this.#request;
    // The queue is opened before anything is claimed or bought, including metrics, which it does not carry. Where
    // nothing is due it is not needed.
    if (request.kind === 'now' || request.kind === 'slot') await this.#settings.queue.prepare();
    for (const run of context.store.runs.openRuns()) {
      if ((await this.#patiently(() => this.#takeOver(run))) && !(await this.#resume(run))) return;
    }
    const done = new Set(this.executed.map(({ runId }) => runId));
    for (const run of await this.#patiently(() => unfinishedAt(context, request, done))) {
      if (!(await this.#run({ run, resumed: true }))) return;
    }
    if (isClockDoubtful(context) && (await this.#endsInDoubt())) return;
    if (request.kind === 'backfill') {
      const opened = this.#isStopped() || this.#refusals.any ? null : await this.#patiently(request.open);
      if (opened !== null) await this.#run({ ...opened, resumed: false });
      return;
    }
    for (const group of await this.#patiently(() => requestedGroups(context, request, this.#resumed))) {
      if (this.#isStopped()) return;
      if (request.kind === 'due') await this.#settings.queue.prepare();
      if (isClockDoubtful(context) && (await this.#endsInDoubt())) return;
      const slots = group.slots.filter(({ project }) => !this.#refusals.blocks(group.kind, project));
      const run = slots.length === 0 ? null : await this.#patiently(() => claimRun(context, { ...group, slots }));
      if (run === null && slots.length > 0) this.#rejectBusy();
      if (run !== null && !(await this.#run({ run, resumed: false }))) return;
    }
    for (const run of request.kind === 'due' ? await this.#patiently(() => this.#retried()) : []) {
      if (this.#isStopped()) return;
      await this.#settings.queue.prepare();
      if (!(await this.#run({ run, resumed: true }))) return;
    }
    // after the slots: a first look is worth more than a second one
    if (await this.#lookAgain()) this.executed = this.#refusals.addProblems(this.executed);
  }

  #retried(): RunRow[] {
    const done = new Set(this.executed.map(({ runId }) => runId));
    return retriedRuns(this.#context, {
      isPaused: ({ id }) => this.#refusals.blocks('ranks', id),
      isAtOnce: true,
      done,
    });
  }

  #patiently<T>(work: () => T): Promise<T> {
    return this.#context.store.whenUnlocked(work, this.#settings.signals.stop);
  }

  #isStopped(): boolean {
    return this.#settings.signals.stop.aborted;
  }

  /** Another process was quicker to open a run of a project that the request names. Throws RUN_IN_PROGRESS. */
  #rejectBusy(): void {
    for (const run of this.#context.store.runs.openRuns())
      if (run.owner !== this.#context.owner) rejectBusyProject(this.#request, run, this.#projectsOf(run));
  }

  /** False where the run is left as it is. Throws RUN_IN_PROGRESS. */
  #takeOver(run: RunRow): boolean {
    const projects = this.#projectsOf(run);
    if (projects.some((project) => this.#refusals.blocks(run.kind, project))) return false;
    if (takeOver(this.#context, run)) return true;
    rejectBusyProject(this.#request, run, projects);
    return false;
  }

  /** False: it was interrupted. */
  async #resume(run: RunRow): Promise<boolean> {
    if (run.kind === 'adhoc') {
      await closeAdhoc(this.#context, this.#settings, run.id);
      return true;
    }
    const goesOn = await this.#run({ run, resumed: true });
    if (run.origin === 'schedule')
      for (const project of this.#projectsOf(run)) this.#resumed.add(`${run.kind}:${project}`);
    return goesOn;
  }

  #projectsOf({ id }: RunRow): string[] {
    return this.#context.store.runs.slotsOf(id).map(({ project }) => project);
  }

  /** Executes second looks that are due. False: they were interrupted. */
  async #lookAgain(): Promise<boolean> {
    while (!this.#isStopped()) {
      const mayRun = ({ id }: Project) => !this.#refusals.blocks('ranks', id);
      const run = await this.#patiently(() => claimSecondLooks(this.#context, mayRun));
      if (run === null) break;
      await this.#settings.queue.prepare();
      if (!(await this.#run({ run, resumed: false }))) return false;
    }
    return true;
  }

  /** False: it was interrupted. */
  async #run(owned: OwnedRun): Promise<boolean> {
    const { id: runId, kind } = owned.run;
    try {
      const result = await this.#executed(owned);
      this.executed = [...this.executed, result];
      this.#refusals.note(kind, result.halts);
      return !result.interrupted;
    } catch (error) {
      this.#context.log.error({ runId, error: errorText(error) }, 'run failed');
      this.failures.push(error);
      return true;
    }
  }

  /** A lock that another program holds for long ends the work on a run; it goes on when the lock is released. */
  async #executed(owned: OwnedRun): Promise<ExecutedRun> {
    const [context, settings] = [this.#context, this.#settings];
    for (let work = owned; ; ) {
      try {
        return await executeRun(context, settings, work);
      } catch (error) {
        if (!isLocked(error) || this.#isStopped()) throw error;
        const run = await this.#patiently(() => context.store.transaction(() => context.store.runs.run(owned.run.id)));
        if (run === null) throw error;
        if (run.state !== 'open') return await this.#patiently(() => reportOn(context, settings, run.id));
        work = { ...owned, run, resumed: true };
      }
    }
  }

  /** Whether no slot may be claimed by this clock. Adds why to the last run; without a run it is a failure. */
  async #endsInDoubt(): Promise<boolean> {
    const doubt = await requestDoubt(this.#context, this.#settings, this.#request);
    if (doubt === null) return false;
    const last = this.executed.at(-1);
    if (last === undefined) this.failures.push(new ClockError(doubt));
    else {
      const problems = [...last.problems, `${doubt}; what else is due waits`];
      this.executed = [...this.executed.slice(0, -1), { ...last, clock: doubt, problems }];
    }
    return true;
  }
}

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
    computeDueness(context, all, context.clock.now(), { isAtOnce: true }).some(
      ({ slots, unfinished }) =>
        slots.due.length > 0 || unfinished?.isRetryDue === true || (slots.missed ?? slots.tooOld) !== null,
    );
  if (request.kind === 'due' && !isAnythingDue()) return null;
  const projects = request.kind === 'now' || request.kind === 'slot' ? request.projects : all;
  return await doubtAfterAsking(context, projects, signals.stop);
}

/** An account without money for one thing may have some for another; refused credentials are refused for all. */
class RefusingServices {
  readonly #context: JobContext;
  /** `vendor`, or `volumes vendor`. */
  readonly #refused = new Set<string>();
  readonly #left = new Set<string>();

  constructor(context: JobContext) {
    this.#context = context;
  }

  get any(): boolean {
    return this.#refused.size > 0;
  }

  note(kind: RunKind, halts: readonly ServiceStop[]): void {
    for (const { service, code } of halts) {
      this.#refused.add(code === 'INSUFFICIENT_CREDITS' ? `${kind} ${service}` : service);
    }
  }

  /** Whether a run of this kind may not be opened for a project. Remembers it for `addProblems`. */
  blocks(kind: RunKind, project: string): boolean {
    const service = this.#context.projects.get(project)?.service ?? '';
    const isRefused = this.#refused.has(service) || this.#refused.has(`${kind} ${service}`);
    if (isRefused) this.#left.add(`${kind} of ${project} wait: service "${service}" is halted`);
    return isRefused;
  }

  /** Adds the runs that were not opened to the problems of the last run. */
  addProblems(executed: readonly ExecutedRun[]): ExecutedRun[] {
    const last = executed.at(-1);
    if (last === undefined || this.#left.size === 0) return [...executed];
    return [...executed.slice(0, -1), { ...last, problems: [...last.problems, ...this.#left] }];
  }
}
