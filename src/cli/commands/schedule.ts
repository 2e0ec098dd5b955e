// `schedule`: polls every minute and runs what is due, until a signal ends it.

import type { Command } from '@commander-js/extra-typings';
import type { ScheduledTask } from 'node-cron';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { isReplaced } from '../../../db/connection/disk.ts';
import type { MissedSlots } from '../../../db/history/runs/slots.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { Scheduler, type SchedulerEvent } from '../../../jobs/run/scheduler.ts';
import type { App } from '../../app/app.ts';
import { settleBeforeRuns } from '../../app/opening/database.ts';
import { type RunResult, runResult, withRunSettings } from '../../app/runs/run.ts';
import { errorText } from '../../service/terms.ts';
import { minuteMs } from '../../tracker/schedule/time-units.ts';
import type { HistoryServer } from '../../workspace/listen.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { metricsOption } from '../parsed-command.ts';
import { describeFailure } from '../text/failure.ts';
import { counted, dollars } from '../text/numbers.ts';
import {
  brokenText,
  missedLine,
  printBroken,
  problemCount,
  statusCounts,
  withRemedy,
} from '../text/results/run-text.ts';
import { printable } from '../text/table.ts';

const describe = (command: Command) => command.option(...metricsOption);

export const command: CommandDefinition = {
  about: `Polls every minute, and runs what is due by each project's schedule and time zone. Several schedulers, and \`rankledger run\`,
may share one database. SIGTERM or SIGINT (Ctrl-C) shuts it down: requests in flight finish, and the exit code is 0. The config is read at the
start; SIGHUP reloads it, unless it runs in a terminal.`,
  examples: [
    { command: 'schedule', does: 'run until Ctrl-C; config/deploy has files for supervisors' },
    { command: 'schedule --json', does: 'one line of JSON per event' },
    { command: 'schedule --metrics 9464', does: 'with /metrics for Prometheus on that port' },
  ],
  readsConfig: true,
  isLongRunning: true,
  leavesOutBroken: true,
  describe,
  async run(context) {
    return await new Schedules(context).run();
  },
};

/** The scheduler of the config in use and, after a reload, those of older ones that still finish their runs. */
class Schedules {
  readonly #context: Context;
  readonly #open = new Set<Promise<void>>();
  #retire = new AbortController();
  #hasBegun = false;
  /** SIGHUP arrived while the config was read for the first time. */
  #isReloadWanted = false;
  #isReloading = false;
  /** The config in use has broken entries. */
  #isPartial = false;
  #failure: { readonly error: unknown } | null = null;
  /** Of the config in use. */
  #app: App | null = null;
  #metrics: HistoryServer | null = null;

  constructor(context: Context) {
    this.#context = context;
  }

  async run(): Promise<ExitCode> {
    const { host, log, out } = this.#context;
    // on a terminal, SIGHUP means that the terminal was closed, and ends the process
    const forget = out.isTerminal ? () => {} : host.onReload(() => this.#reload());
    try {
      const config = await this.#context.config();
      for (const warning of config.warnings) log.warn({}, warning);
      this.#complainOfBroken(config);
      this.#begin(config);
      if (this.#isReloadWanted) this.#reload();
      while (this.#open.size > 0) await Promise.all(this.#open);
    } finally {
      forget();
      await this.#metrics?.close();
    }
    if (this.#failure !== null) throw this.#failure.error;
    return this.#isPartial ? exitCodes.partial : exitCodes.done;
  }

  /** Only the valid projects run. */
  #complainOfBroken({ broken }: ResolvedConfig): void {
    const { log, json, out } = this.#context;
    this.#isPartial = broken.problems.length > 0;
    if (!this.#isPartial) return;
    for (const problem of broken.problems) log.error({ projects: broken.projects }, problem);
    if (json) this.#complain(`${brokenText(broken.projects)}: ${broken.problems.join('; ')}`, null);
    else printBroken(out, broken);
  }

  #begin(config: ResolvedConfig): void {
    const { host, log, signal } = this.#context;
    const retire = new AbortController();
    this.#retire = retire;
    this.#hasBegun = true;
    const onEvent = (event: ScheduleEvent): void =>
      this.#print(event, config, retire.signal.aborted && !signal.aborted);
    const work = async (): Promise<void> => {
      const app = await host.openApp(config, { log, lock: { stop: signal, onLocked() {} } });
      try {
        this.#app = app;
        await this.#monitor(app);
        await runSchedule(app, { signal, retired: retire.signal, onEvent });
        this.#isPartial ||= app.config.broken.problems.length > 0;
      } finally {
        await app.close();
      }
    };
    const task = work()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#open.delete(task));
    this.#open.add(task);
  }

  /** With --metrics, from the first config on. */
  async #monitor(first: App): Promise<void> {
    const { flags, log, json, out } = this.#context;
    const { metrics } = flags(describe);
    if (metrics === undefined || this.#metrics !== null) return;
    const { scheduleMetrics, serveMetrics } = await import('../../app/metrics.ts');
    const { metricsDoor } = await import('../../app/workspace/door.ts');
    const app = () => this.#app ?? first;
    this.#metrics = await serveMetrics(
      metrics,
      log,
      scheduleMetrics(() => app().context),
      metricsDoor(first, app),
    );
    if (!json) out.line(`Metrics at ${this.#metrics.url}`);
  }

  /** A broken config changes nothing: the scheduler keeps the one that it has. */
  #reload(): void {
    const { log, reloadedConfig, signal } = this.#context;
    if (!this.#hasBegun) this.#isReloadWanted = true;
    if (!this.#hasBegun || this.#isReloading || signal.aborted) return;
    this.#isReloading = true;
    const task = reloadedConfig()
      .then((config) => {
        this.#retire.abort();
        this.#complainOfBroken(config);
        this.#begin(config);
        log.info({ config: config.file }, 'config reloaded');
      })
      .catch((error: unknown) => {
        const { message } = describeFailure(error);
        log.error({ error: message }, 'config could not be reloaded; the old one stays in use');
        this.#complain(message, 'The old config stays in use.');
      })
      .finally(() => {
        this.#isReloading = false;
        this.#open.delete(task);
      });
    this.#open.add(task);
  }

  #complain(message: string, hint: string | null): void {
    const { json, out, host } = this.#context;
    const event = {
      event: 'error',
      at: new Date(host.now()).toISOString(),
      runId: null,
      code: 'CONFIG_INVALID',
      message,
    };
    if (json) out.line(JSON.stringify({ ...event, hint }));
  }

  #print(event: ScheduleEvent, config: ResolvedConfig, isReplaced: boolean): void {
    const { json, out } = this.#context;
    if (json)
      out.line(
        JSON.stringify(event.event === 'started' ? { ...event, metrics: this.#metrics?.url } : toJsonLine(event)),
      );
    else out.line(printable(`${timeIn(event.at, config.timezone)}  ${describeEvent(event, isReplaced)}`));
  }
}

/** The parts of a run that a monitor needs; its movers are in the reports. */
function toJsonLine(event: ScheduleEvent): object {
  if (event.event !== 'ended') return event;
  const { reports, problems, ...run } = event.run;
  return {
    event: event.event,
    at: event.at,
    ...run,
    problems: problemCount(run.checks),
    reports: reports.map(({ project, directory, rows }) => ({ project, directory, rows })),
  };
}

function describeEvent(event: ScheduleEvent, isReplaced: boolean): string {
  switch (event.event) {
    case 'started':
      return `Scheduling ${counted(event.projects, 'project')} of ${event.database}; press Ctrl-C to stop.`;
    case 'claimed':
      return `Run ${event.runId} of ${event.kind}${event.resumed ? ' goes on' : ''}: ${formatSlots(event.slots)}`;
    case 'ended':
      return `Run ${event.run.runId} ${event.run.state}: ${describeEnd(event.run)}`;
    case 'missed':
      return missedLine(event);
    case 'error':
      return `Error${event.runId === null ? '' : ` in run ${event.runId}`}: ${withRemedy(event.message, event.hint)}`;
    case 'stopped':
      return isReplaced ? 'Config reloaded.' : 'Stopped.';
  }
}

function describeEnd({ kind, checks, serpCredits, microUsd, haltReason, suspectReason, reports }: RunResult): string {
  const parts =
    kind === 'volumes'
      ? [`${dollars(microUsd.spent)} spent`]
      : [statusCounts(checks), `${counted(serpCredits.spent, 'credit')} spent`];
  if (reports.length > 0) parts.push(counted(reports.length, 'report'));
  if (haltReason !== null) parts.push(`HALTED: ${haltReason}`);
  if (suspectReason !== null) parts.push(`SUSPECT: ${suspectReason}`);
  return parts.join(', ');
}

function formatSlots(slots: readonly { readonly project: string; readonly slot: string }[]): string {
  return slots.map(({ project, slot }) => `${project} ${slot}`).join(', ');
}

/** `2026-01-15 06:00:00` on the config's clock. */
function timeIn(at: string, timeZone: string): string {
  return new Date(at).toLocaleString('sv-SE', { timeZone });
}

interface ScheduleOptions {
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
  | ({ readonly event: 'missed' } & MissedSlots)
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
      return { event: 'error', at, runId: event.runId, ...failureFacts(event.error) };
  }
}

function failureFacts(error: unknown): { code: string; message: string; hint: string | null } {
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

/**
 * node-cron waits for a time of day: after the clock is put back, it would wait until that time comes again. A
 * monotonic clock detects that.
 */
const watchEveryMs = 30_000;
const silentMsMax = 1.5 * minuteMs;

const silent = { info() {}, warn() {}, error() {}, debug() {} };

export interface Ticks {
  stop(): Promise<void>;
}

/** Calls `tick` at once and in each minute until it is stopped. */
export async function startTicks(tick: () => void): Promise<Ticks> {
  const { schedule } = await import('node-cron');
  let tickedAt = performance.now();
  const onMinute = (): void => {
    tickedAt = performance.now();
    tick();
  };
  const begin = (): ScheduledTask =>
    schedule('* * * * *', onMinute, {
      timezone: 'UTC',
      // a busy minute is late, not lost
      missedExecutionTolerance: minuteMs,
      suppressMissedWarning: true,
      logger: silent,
    });
  let task = begin();
  const watch = setInterval(() => {
    if (performance.now() - tickedAt < silentMsMax) return;
    const old = task;
    task = begin();
    void old.destroy();
    onMinute();
  }, watchEveryMs);
  onMinute();
  return {
    async stop() {
      clearInterval(watch);
      await task.destroy();
    },
  };
}
