// The long-running scheduler: polls every minute and runs what is due until it is stopped.
import { isReplaced } from '../../../db/connection/disk.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { Scheduler, type SchedulerEvent } from '../../../jobs/run/scheduler.ts';
import { errorText } from '../../service/index.ts';
import type { App } from '../app.ts';
import { settleBeforeRuns } from '../opening/past-names.ts';
import { withRunSettings } from './execute-runs.ts';
import { type RunResult, runResult } from './run-result.ts';
import { startTicks } from './ticks.ts';

export interface ScheduleOptions {
  /** Stops the scheduler: requests in flight finish. */
  readonly signal: AbortSignal;
  /** A newer config has taken over: active runs end, and no new run starts. */
  readonly retired?: AbortSignal;
  readonly onEvent?: (event: ScheduleEvent) => void;
}

/** `at` is ISO 8601. */
export type ScheduleEvent = { readonly at: string } & (
  | { readonly event: 'started'; readonly projects: number; readonly database: string }
  | {
      readonly event: 'claimed';
      readonly runId: number;
      readonly kind: 'ranks' | 'volumes';
      readonly slots: readonly { readonly project: string; readonly slot: string }[];
      readonly resumed: boolean;
    }
  | { readonly event: 'ended'; readonly run: RunResult }
  | {
      readonly event: 'missed';
      readonly project: string;
      readonly kind: 'ranks' | 'volumes';
      /** The first of consecutive slots. */
      readonly slot: string;
      readonly lastSlot: string;
      readonly count: number;
      readonly timezone: string;
      readonly reason: string;
    }
  /** The next tick retries. */
  | {
      readonly event: 'error';
      readonly runId: number | null;
      readonly code: string;
      readonly message: string;
      readonly hint: string | null;
    }
  | { readonly event: 'stopped' }
);

/**
 * Resolves when the scheduler was stopped or retired and no run is active. Rejects if the database file was replaced.
 */
export async function runSchedule(app: App, { signal, retired, onEvent }: ScheduleOptions): Promise<void> {
  const failures = await app.openUsableServices();
  const { context } = app;
  const at = (): string => new Date(context.clock.now()).toISOString();
  const emit = (event: ScheduleEvent): void => onEvent?.(event);
  for (const { code, message, hint } of failures.values())
    emit({ event: 'error', at: at(), runId: null, code, message, hint });
  await withRunSettings(app, { stop: signal }, async ({ settings, heartbeat, alerts, deliveries }) => {
    await settings.queue.prepare(); // a queue that cannot work fails now, not when the first slot is due
    const replaced = Promise.withResolvers<never>();
    const scheduler = new Scheduler(context, {
      ...settings,
      onEvent(event) {
        if (event.kind === 'failed') {
          if (isReplaced(event.error)) replaced.reject(event.error);
          else heartbeat.onFailure(event.error);
        }
        emit(scheduleEvent(context, at(), event));
      },
    });
    emit({ event: 'started', at: at(), projects: context.projects.size, database: context.store.file });
    let isSettled = false;
    const ticks = await startTicks(() => {
      isSettled ||= settleBeforeRuns(context.store, app.config, context.clock.now(), context.log);
      if (isSettled) scheduler.tick();
      heartbeat.onTick();
      alerts.sendDue();
      deliveries.sendDue();
    });
    const ended = retired === undefined ? signal : AbortSignal.any([signal, retired]);
    try {
      await Promise.race([aborted(ended), replaced.promise]);
    } finally {
      await ticks.stop();
      scheduler.retire();
      await scheduler.idle();
      emit({ event: 'stopped', at: at() });
    }
  });
}

function scheduleEvent(context: JobContext, at: string, event: SchedulerEvent): ScheduleEvent {
  switch (event.kind) {
    case 'claimed': {
      const kind = event.run.kind === 'volumes' ? 'volumes' : 'ranks';
      return { event: 'claimed', at, runId: event.run.id, kind, slots: event.slots, resumed: event.resumed };
    }
    case 'ended':
      return { event: 'ended', at, run: runResult(context, event.run) };
    case 'missed':
      return { event: 'missed', at, ...event.missed };
    case 'failed':
      return { event: 'error', at, runId: event.runId, ...describeFailure(event.error) };
  }
}

function describeFailure(error: unknown): { code: string; message: string; hint: string | null } {
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  return {
    code: typeof code === 'string' ? code : 'UNEXPECTED',
    message: errorText(error),
    hint: typeof hint === 'string' ? hint : null,
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
