// Runs what is due, or the projects that the request names, once.
import type { BrokenEntries } from '../../../config/document/draft.ts';
import { alertRulesOf, type ResolvedConfig } from '../../../config/resolve.ts';
import type { MissedSlots } from '../../../db/history/runs/slots.ts';
import { describeError } from '../../../jobs/alerts/alert-channel.ts';
import type { JobContext } from '../../../jobs/context.ts';
import type { ServiceWait } from '../../../jobs/purchase/service-states.ts';
import {
  duenessReport,
  type ProjectDueness,
  type UnwrittenReport,
  unwrittenReports,
} from '../../../jobs/query/status.ts';
import { disputeNotes } from '../../../jobs/read/price-disputes.ts';
import { pruneReports } from '../../../jobs/report/files/old-reports.ts';
import { type CheckProblem, listProblems } from '../../../jobs/report/tables/problems.ts';
import { runPipeline } from '../../../jobs/run/pipeline.ts';
import { countGap } from '../../../jobs/run/run-lease.ts';
import type { ExecutedRun, PipelineSettings, RunRequest } from '../../../jobs/run/run-request.ts';
import type { CheckStatus } from '../../tracker/observation.ts';
import { describeSuspicions } from '../../tracker/trust/suspect.ts';
import type { App } from '../app.ts';
import { namesInUse, settleBeforeRuns } from '../opening/database.ts';
import { planRequest, rejectSlot } from '../opening/named-projects.ts';
import { openQueue, shutdownDeadline } from '../opening/queue.ts';
import { reportSettings, type WrittenReport } from '../reports/report.ts';
import { type ClicksFetch, type ClicksFetcher, openClicksFetcher } from './clicks.ts';
import { type HeartbeatSender, openHeartbeat } from './heartbeat.ts';
import { openAlertSender, openDeliverySender, type Sender } from './senders.ts';

export interface RunOptions extends ExecutionOptions {
  /** Ids of projects to run now; unknown ids are a UsageError. */
  readonly projects?: readonly string[];
  /** Every project now. */
  readonly all?: boolean;
  /**
   * UTC milliseconds: runs the named projects, or all, for that slot. Resumes an unfinished run, and does nothing if it
   * is complete.
   */
  readonly slot?: number;
  /**
   * Runs `slot` of a live source although a later slot has passed: its rankings carry the day they are seen on.
   * Otherwise that is a UsageError.
   */
  readonly late?: boolean;
}

export interface RunOutcome {
  /** In order of execution; empty if nothing was due. */
  readonly runs: readonly RunResult[];
  /** If nothing was due: for each project why, and when next. */
  readonly notDue: readonly ProjectDueness[];
  /** Projects that are still overdue although the request was for everything that is due. */
  readonly overdue: readonly ProjectDueness[];
  /** Projects whose newest slot lacks searches, with what happens next and the command that buys them now. */
  readonly unfinished: readonly ProjectDueness[];
  /** Slots that passed without a run, found by this request: consecutive slots are one entry. */
  readonly missed: readonly MissedSlots[];
  /** Reports and alerts of these and earlier runs that could not be written. Each run retries them. */
  readonly unwritten: readonly UnwrittenReport[];
  /** Measured clicks that were fetched afterwards; absent: no project with access to Search Console ran. */
  readonly clicks?: readonly ClicksFetch[];
  /** Projects that do not run: their config is broken, or their service cannot be opened. */
  readonly broken: BrokenEntries;
}

const missedMax = 100;

export async function run(app: App, options: RunOptions): Promise<RunOutcome> {
  await app.openUsableServices();
  const { config, context } = app;
  const request = planRequest(config, options);
  rejectSlot(context, config, request, options.late ?? false);
  const startedAt = context.clock.now();
  let clicks: readonly ClicksFetch[] = [];
  const runs = await executeRuns(app, request, { ...options, onClicks: (fetched) => (clicks = fetched) });
  const dueness = duenessReport(context, [...context.projects.values()], { isAtOnce: true });
  const asked = new Set(runs.flatMap(({ slots }) => slots.map(({ project }) => project)));
  const overdue = request.kind === 'due' ? dueness.filter(({ overdueSince }) => overdueSince !== null) : [];
  return {
    runs,
    notDue: runs.length > 0 ? [] : dueness,
    overdue,
    unfinished: dueness.filter(
      ({ project, unfinished }) => unfinished !== null && (request.kind === 'due' || asked.has(project)),
    ),
    missed: context.store.runs.missedSlotsSince(startedAt, missedMax),
    unwritten: unwrittenReports(context),
    clicks: clicks.length === 0 ? undefined : clicks,
    broken: config.broken,
  };
}

export interface RunProgress {
  readonly phase: 'planning' | 'checking' | 'volumes' | 'answers' | 'reporting';
  readonly done: number;
  readonly total: number;
  readonly creditsSpent: number;
  /** Services that are paused for a while. */
  readonly waits: readonly ServiceWait[];
}

interface ExecutionOptions {
  /** Lets requests in flight finish, and starts nothing new. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Called with a sentence for the operator where the queue cannot go on for now. */
  readonly onNotice?: (sentence: string) => void;
  /** Default: false. */
  readonly skipsReports?: boolean;
  /** Called with the clicks that were fetched after the runs. */
  readonly onClicks?: (fetched: readonly ClicksFetch[]) => unknown;
}

/** Services must be open. */
export async function executeRuns(
  app: App,
  request: RunRequest,
  { signal = new AbortController().signal, onProgress, onNotice, skipsReports = false, onClicks }: ExecutionOptions,
): Promise<RunResult[]> {
  const { config, context } = app;
  const settle = () => settleBeforeRuns(context.store, config, context.clock.now(), context.log);
  if (!(await context.store.whenUnlocked(settle, signal))) throw namesInUse();
  const executed = await withRunSettings(
    app,
    { stop: signal, notify: onNotice },
    async ({ settings, heartbeat, clicks }) => {
      const runs = await runPipeline(
        context,
        {
          ...settings,
          skipsReports,
          onProgress: ({ runId, ...state }) =>
            onProgress?.({ ...state, creditsSpent: context.store.ledger.spentBy(runId, 'serp_credit') }),
        },
        request,
      );
      if (runs.length === 0) heartbeat.onNothingDue();
      onClicks?.(await clicks.close());
      return runs;
    },
  );
  return executed.map((run) => runResult(context, run));
}

/**
 * Opens what runs need besides services, and closes it when `work` is done. Requests in flight are cancelled at a
 * deadline after `stop`.
 */
export async function withRunSettings<Result>(
  app: App,
  { stop, notify }: { readonly stop: AbortSignal; readonly notify?: ExecutionOptions['onNotice'] },
  work: (tools: {
    readonly settings: Omit<PipelineSettings, 'onProgress'>;
    readonly heartbeat: HeartbeatSender;
    readonly alerts: Sender;
    readonly deliveries: Sender;
    readonly clicks: ClicksFetcher;
  }) => Promise<Result>,
): Promise<Result> {
  const { config, context } = app;
  const traces = config.tracesTo && (await (await import('./traces.ts')).openTraces(config.tracesTo, context));
  const deadline = shutdownDeadline(stop);
  const heartbeat = openHeartbeat(config.heartbeat, context);
  const { services, log, clock, store } = context;
  const alerts = openAlertSender(config, context, deadline.signal);
  const deliveries = openDeliverySender(config, context, deadline.signal);
  const clicks = openClicksFetcher(config, context, stop);
  const queue = openQueue(config, { services, clock, payer: () => store.ledger.identity(), log, notify });
  const { onBlocked } = store;
  store.onBlocked = null; // requests in flight go on
  try {
    await store.whenUnlocked(() => countGap(context), stop);
    const settings = {
      queue,
      signals: { stop, giveUp: deadline.signal },
      reports: reportSettings(config),
      alerts: {
        channels: [...config.alerts.channels.keys()],
        rulesOf: (project: string) => alertRulesOf(config.alerts, project),
      },
      onRunEnded({ runId }: ExecutedRun) {
        if (traces) traces.send(runId);
        pruneAfterRun(config, context);
        heartbeat.onRunEnded();
        alerts.sendDue();
        clicks.fetchDue();
      },
    };
    alerts.sendDue();
    return await work({ settings, heartbeat, alerts, deliveries, clicks });
  } catch (error) {
    heartbeat.onFailure(error);
    throw app.asStoreError(error);
  } finally {
    await clicks.close();
    await alerts.close();
    if (!stop.aborted) await deliveries.close();
    deadline.end();
    await heartbeat.close();
    if (traces) await traces.close();
    await queue.close();
    store.onBlocked = onBlocked;
  }
}

export type Spending = ReturnType<JobContext['store']['ledger']['totals']>;

export interface RunResult {
  readonly runId: number;
  readonly kind: 'ranks' | 'volumes';
  /** Of a run of second looks: the run whose changes they are at. */
  readonly confirms?: number;
  /** `interrupted`: stopped by the signal; the next start resumes it. */
  readonly state: 'complete' | 'partial' | 'halted' | 'interrupted';
  readonly resumed: boolean;
  readonly slots: readonly {
    readonly project: string;
    readonly slot: string;
    /** Why the project's ranks are suspect; null: they are not. */
    readonly suspectReason: string | null;
  }[];
  readonly checks: Readonly<Record<CheckStatus, number>>;
  readonly serpCredits: Spending;
  readonly microUsd: Spending;
  /** Pages that cost nothing: another project had paid for them, or they were fresh. */
  readonly pagesReused: number;
  readonly haltReason: string | null;
  readonly suspectReason: string | null;
  /** The first problems; `report` lists all. */
  readonly problems: readonly CheckProblem[];
  /** Problems besides checks: missing keyword data, prices in dispute. */
  readonly notes: readonly string[];
  /** Why the clock of this machine is in doubt; null if it is not. */
  readonly clock: string | null;
  readonly reports: readonly WrittenReport[];
}

const problemsShown = 20;

export function runResult(context: JobContext, executed: ExecutedRun): RunResult {
  const { ledger, checks, runs } = context.store;
  const run = runs.run(executed.runId);
  if (run === null) throw new Error(`there is no run ${executed.runId}`);
  const slots = runs.slotsOf(run.id);
  const { planned: _planned, running: _running, ...counts } = checks.counts(run.id);
  return {
    runId: run.id,
    kind: run.kind === 'volumes' ? 'volumes' : 'ranks',
    confirms: run.confirms ?? undefined,
    state: run.state === 'open' ? 'interrupted' : run.state,
    resumed: executed.resumed,
    slots: slots.map(({ project, slot, suspectReason }) => ({ project, slot, suspectReason })),
    checks: counts,
    serpCredits: ledger.totals(run.id, 'serp_credit'),
    microUsd: ledger.totals(run.id, 'micro_usd'),
    pagesReused: checks.pagesReused(run.id),
    haltReason: run.state === 'halted' ? run.reason : null,
    suspectReason: describeSuspicions(slots),
    problems: listProblems(context, run.id, problemsShown),
    notes: [...executed.problems, ...disputeNotes(context.store, run.id)],
    clock: executed.clock,
    reports: executed.reports,
  };
}

/** After a run: what cannot be deleted is tried again after the next one. */
function pruneAfterRun({ projects, reports, retention }: ResolvedConfig, { clock, log }: JobContext): void {
  if (retention.reportsMs === undefined) return;
  try {
    const ids = projects.map(({ id }) => id);
    const removed = pruneReports(reports.directory, ids, clock.now() - retention.reportsMs, true);
    if (removed.folders > 0) log.info({ ...removed }, 'old reports deleted: retention.reports');
  } catch (error) {
    log.warn({ error: describeError(error) }, 'old reports could not be deleted');
  }
}
