// The long-running scheduler of one config, from its first look to the end of its last run, told as events.
import { isReplaced } from '../../db/file-identity.ts';
import type { JobContext } from '../../jobs/context.ts';
import { Scheduler, type SchedulerEvent, type SchedulerSettings } from '../../jobs/scheduler.ts';
import type { ScheduleEvent, ScheduleOptions } from './contract.ts';
import type { Monitor } from './monitor.ts';
import { runResult } from './results.ts';
import { startTicks } from './ticks.ts';

/** Resolves when the scheduler was stopped or retired, and no run is active. Rejects where its database was replaced. */
export async function keepSchedule(
  context: JobContext,
  settings: Omit<SchedulerSettings, 'onEvent'>,
  monitor: Monitor,
  { retired, onEvent }: ScheduleOptions,
): Promise<void> {
  const { stop } = settings.signals;
  const tell = (event: ScheduleEvent): void => onEvent?.(event);
  const at = (): string => new Date(context.clock.now()).toISOString();
  const replaced = Promise.withResolvers<never>();
  const scheduler = new Scheduler(context, {
    ...settings,
    onEvent(event) {
      if (event.kind === 'failed') {
        if (isReplaced(event.error)) replaced.reject(event.error);
        else monitor.failed(event.error);
      }
      tell(told(context, at(), event));
    },
  });
  tell({ event: 'started', at: at(), projects: context.projects.size, database: context.store.file });
  const ticks = await startTicks(() => {
    scheduler.tick();
    monitor.looked();
  });
  try {
    await Promise.race([aborted(retired === undefined ? stop : AbortSignal.any([stop, retired])), replaced.promise]);
  } finally {
    await ticks.stop();
    scheduler.retire();
    await scheduler.idle();
    tell({ event: 'stopped', at: at() });
  }
}

function told(context: JobContext, at: string, event: SchedulerEvent): ScheduleEvent {
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
      return { event: 'error', at, runId: event.runId, ...failureOf(event.error) };
  }
}

function failureOf(error: unknown): { code: string; message: string; hint: string | null } {
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  return {
    code: typeof code === 'string' ? code : 'UNEXPECTED',
    message: error instanceof Error ? error.message : String(error),
    hint: typeof hint === 'string' ? hint : null,
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
