// Executes runs: prepares the queue, the alerts and the heartbeat, and closes them afterwards.
import type { ServiceWait } from '../../../jobs/purchase/service-states.ts';
import { runPipeline } from '../../../jobs/run/pipeline.ts';
import { countGap } from '../../../jobs/run/run-lease.ts';
import type { PipelineSettings, RunRequest } from '../../../jobs/run/run-request.ts';
import { type AlertSender, openAlertSender } from '../alerts/alert-sender.ts';
import type { App } from '../app.ts';
import { namesInUse, settleBeforeRuns } from '../opening/past-names.ts';
import { openQueue } from '../opening/queue.ts';
import { reportSettings } from '../reports/report-settings.ts';
import { type DeliverySender, openDeliverySender } from './deliver.ts';
import { type ClicksFetch, type ClicksFetcher, openClicksFetcher } from './fetch-clicks.ts';
import { type HeartbeatSender, openHeartbeat } from './heartbeat.ts';
import { pruneAfterRun } from './prune-reports.ts';
import { type RunResult, runResult } from './run-result.ts';
import { shutdownDeadline } from './shutdown-deadline.ts';

export interface RunProgress {
  readonly phase: 'planning' | 'checking' | 'volumes' | 'answers' | 'reporting';
  readonly done: number;
  readonly total: number;
  readonly creditsSpent: number;
  /** Services that are paused for a while; absent if none is. */
  readonly waits?: readonly ServiceWait[];
}

export interface ExecutionOptions {
  /** Lets requests in flight finish, and starts nothing new. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Called with a sentence for the operator where the queue cannot go on for now. */
  readonly onNotice?: (sentence: string) => void;
  /** Default: false. */
  readonly skipsReports?: boolean;
  /** Called with the clicks that were fetched after the runs. */
  readonly onClicks?: (fetched: readonly ClicksFetch[]) => void;
}

/** Services must be open. */
export async function executeRuns(
  app: App,
  request: RunRequest,
  { signal = new AbortController().signal, onProgress, onNotice, skipsReports = false, onClicks }: ExecutionOptions,
): Promise<RunResult[]> {
  const { config, context } = app;
  if (!settleBeforeRuns(context.store, config, context.clock.now(), context.log)) throw namesInUse();
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

/** What runs need besides services. */
interface RunTools {
  readonly settings: Omit<PipelineSettings, 'onProgress'>;
  readonly heartbeat: HeartbeatSender;
  readonly alerts: AlertSender;
  readonly deliveries: DeliverySender;
  readonly clicks: ClicksFetcher;
}

/**
 * Opens what runs need besides services, and closes it when `work` is done. Requests in flight are cancelled at a
 * deadline after `stop`.
 */
export async function withRunSettings<Result>(
  app: App,
  { stop, notify }: { readonly stop: AbortSignal; readonly notify?: ExecutionOptions['onNotice'] | undefined },
  work: (tools: RunTools) => Promise<Result>,
): Promise<Result> {
  const { config, context } = app;
  const deadline = shutdownDeadline(stop);
  const heartbeat = openHeartbeat(config.heartbeat, context);
  const { services, log, clock, store } = context;
  const alerts = openAlertSender(config, context, deadline.signal);
  const deliveries = openDeliverySender(config, context, deadline.signal);
  const clicks = openClicksFetcher(config, context, stop);
  const queue = openQueue(config, {
    services,
    clock,
    payer: () => store.ledger.identity(),
    log,
    ...(notify !== undefined && { notify }),
  });
  try {
    countGap(context);
    const settings = {
      queue,
      signals: { stop, giveUp: deadline.signal },
      reports: reportSettings(config),
      alerts: alerts.settings,
      onRunEnded() {
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
    await queue.close();
  }
}
