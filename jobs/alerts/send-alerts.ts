// Sends the deliveries that are due, grouped by run and channel, and schedules the retry of failed ones.
import { join } from 'node:path';
import { batchesOf } from '../../db/connection/batches.ts';
import type { Delivery } from '../../db/history/outbox.ts';
import type { AlertMessage, KeptAlert } from '../../src/tracker/changes/alerts.ts';
import { minuteMs } from '../../src/tracker/schedule/time-units.ts';
import type { JobContext } from '../context.ts';
import { type AlertChannel, DeliveryError, nextAttempt, toDeliveryError } from './alert-channel.ts';

export interface SendSettings {
  /** By the names that the config gives them. */
  readonly channels: ReadonlyMap<string, AlertChannel>;
  /** Folder of all reports, absolute. */
  readonly reportsDirectory: string;
  /** Address under which that folder is published, ending with `/`; absent: it is not. */
  readonly reportsUrl?: string;
}

export interface SendResult {
  /** Alerts, not messages. */
  readonly sent: number;
  readonly failed: number;
}

const alertsPerTake = 1000;
const alertsPerMessage = 100;
/** Deliveries that were taken are sent within this, or another process takes them. */
const leaseMs = 10 * minuteMs;

/** Sends all that is due at `dueAt` (default: now). Rejects with StoreError only. */
export async function sendAlerts(
  context: JobContext,
  settings: SendSettings,
  signal: AbortSignal,
  dueAt?: number,
): Promise<SendResult> {
  const { store, clock } = context;
  const total = { sent: 0, failed: 0 };
  /** Channels that failed just now are not tried again before their pause is over. */
  const broken = new Map<string, DeliveryError>();
  while (!signal.aborted) {
    const until = clock.now() + leaseMs;
    const taken = store.alertDeliveries.take(dueAt ?? clock.now(), until, alertsPerTake);
    if (taken.length === 0) break;
    const byChannel = Map.groupBy(taken, ({ channel }) => channel);
    const results = await Promise.all(
      [...byChannel].map(([name, deliveries]) =>
        sendAll(context, settings, { name, deliveries, until, broken, signal }),
      ),
    );
    for (const { sent, failed } of results) {
      total.sent += sent;
      total.failed += failed;
    }
    if (taken.length < alertsPerTake || dueAt !== undefined) break;
  }
  return total;
}

interface ChannelWork {
  readonly name: string;
  readonly deliveries: readonly Delivery[];
  readonly until: number;
  readonly broken: Map<string, DeliveryError>;
  readonly signal: AbortSignal;
}

async function sendAll(context: JobContext, settings: SendSettings, work: ChannelWork): Promise<SendResult> {
  const { store, clock, log } = context;
  const { name, deliveries, until, broken, signal } = work;
  const channel = settings.channels.get(name);
  const total = { sent: 0, failed: 0 };
  for (const group of groupByMessage(deliveries)) {
    if (signal.aborted || clock.now() >= until) break;
    const failure =
      channel === undefined
        ? new DeliveryError(`the config has no channel "${name}"`)
        : (broken.get(name) ?? (await trySending(channel, composeMessage(context, settings, group), signal)));
    const ids = group.map(({ id }) => id);
    if (failure === null) {
      store.alertDeliveries.markSent(ids, clock.now());
      total.sent += ids.length;
      continue;
    }
    if (signal.aborted) break;
    // a channel that reached some of its receivers works
    if (failure.reached === null) broken.set(name, failure);
    for (const [attempts, ofOne] of Map.groupBy(group, (delivery) => delivery.attempts)) {
      const next = nextAttempt(context, attempts, failure);
      const ids = ofOne.map(({ id }) => id);
      store.transaction(() => {
        if (failure.reached !== null) store.alertDeliveries.keepReached(ids, failure.reached);
        store.alertDeliveries.markFailed(ids, failure.message, next);
      });
    }
    total.failed += ids.length;
    log.warn({ channel: name, alerts: ids.length, error: failure.message }, 'alerts could not be sent');
  }
  if (total.sent > 0) log.info({ channel: name, alerts: total.sent }, 'alerts sent');
  return total;
}

async function trySending(
  channel: AlertChannel,
  message: AlertMessage,
  signal: AbortSignal,
): Promise<DeliveryError | null> {
  try {
    await channel.send(message, signal);
    return null;
  } catch (error) {
    return toDeliveryError(error);
  }
}

/** Alerts of one run and project together, at most so many; those that were tried together stay together. */
function groupByMessage(deliveries: readonly Delivery[]): Delivery[][] {
  const groups = Map.groupBy(deliveries, ({ runId, project, createdAt }) => `${runId} ${createdAt} ${project}`);
  return [...groups.values()].flatMap((group) => [...batchesOf(group, alertsPerMessage)]);
}

function composeMessage({ store }: JobContext, settings: SendSettings, group: readonly Delivery[]): AlertMessage {
  const [first] = group;
  if (first === undefined) throw new Error('a message has at least one alert');
  const kept = group.map(({ id, payload }) => ({ id: `alert-${id}`, ...(JSON.parse(payload) as KeptAlert) }));
  const { warning = null, report = null, reached } = kept.at(-1) ?? {};
  const run = store.runs.run(first.runId);
  const { slot = '', timezone = '' } =
    store.runs.slotsOf(first.runId).find(({ project }) => project === first.project) ?? {};
  return {
    project: first.project,
    run: run === null ? null : { id: run.id, kind: run.kind, slot, timezone, state: run.state },
    warning,
    ...(reached === undefined ? {} : { reached }),
    alerts: kept.map(({ id, alert }) => ({ id, alert })),
    report:
      report === null
        ? null
        : { directory: join(settings.reportsDirectory, report), url: reportUrl(settings.reportsUrl, report) },
  };
}

function reportUrl(base: string | undefined, report: string): string | null {
  if (base === undefined) return null;
  return new URL(`${report.split('/').map(encodeURIComponent).join('/')}/`, base).href;
}
