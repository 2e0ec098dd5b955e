// Sends alerts and scheduled reports over the channels of a config: in the background of runs, and on request.
import type { ChannelConfig, ResolvedConfig } from '../../../config/resolve.ts';
import { type AlertChannel, type DigestChannel, describeError } from '../../../jobs/alerts/alert-channel.ts';
import { fileChannel } from '../../../jobs/alerts/alert-file.ts';
import { mailChannel } from '../../../jobs/alerts/alert-mail.ts';
import { webhookChannel } from '../../../jobs/alerts/alert-webhook.ts';
import { type DeliverSettings, deliverReports, queueDeliveries } from '../../../jobs/alerts/deliver-reports.ts';
import { type SendSettings, sendAlerts } from '../../../jobs/alerts/send-alerts.ts';
import type { JobContext } from '../../../jobs/context.ts';
import type { App } from '../app.ts';
import { rejectUnset } from '../opening/failures.ts';
import { servicesAtRest } from '../opening/services.ts';
import { openPdfBrowser, reportSettings } from '../reports/report.ts';

export function sendSettings({ alerts, reports }: ResolvedConfig, context: JobContext): SendSettings {
  return {
    channels: new Map([...alerts.channels].map(([name, channel]) => [name, openChannel(channel, context)])),
    reportsDirectory: reports.directory,
    reportsUrl: reports.url,
  };
}

/** The only place that reads the URLs of channels. */
export function openChannel(
  channel: ChannelConfig,
  { clock }: Pick<JobContext, 'clock'>,
): AlertChannel & DigestChannel {
  switch (channel.type) {
    case 'webhook': {
      const { url, format, authorization, secret } = channel;
      return webhookChannel({
        ...{ url: url.reveal(), format },
        ...(authorization !== undefined && { authorization: authorization.reveal() }),
        ...(secret !== undefined && { secret: secret.reveal() }),
      });
    }
    case 'email': {
      const { smtp, from, to, attach } = channel;
      return mailChannel({ smtp: smtp.reveal(), from, to, attach });
    }
    case 'file':
      return fileChannel(channel.path, () => clock.now());
  }
}

/** Sends in the background, while runs and the scheduler go on. */
export interface Sender {
  /** Starts to send what is due, unless it is sending already. */
  sendDue(): void;
  /** Sends once more, and waits until all that is due was tried. Never rejects. */
  close(): Promise<void>;
}

/** `giveUp` cancels attempts in flight: what they carry is due again later. `waits`: the warning if `send` rejects. */
function openSender({ log }: JobContext, giveUp: AbortSignal, waits: string, send: () => Promise<unknown>): Sender {
  let sending: Promise<void> | null = null;
  const trySending = async (): Promise<void> => {
    try {
      await send();
    } catch (error) {
      log.warn({ error: describeError(error) }, waits);
    } finally {
      sending = null;
    }
  };
  const sendDue = (): void => {
    if (!giveUp.aborted) sending ??= trySending();
  };
  return {
    sendDue,
    async close() {
      await sending;
      sendDue();
      await sending;
    },
  };
}

export function openAlertSender(config: ResolvedConfig, context: JobContext, giveUp: AbortSignal): Sender {
  const settings = sendSettings(config, context);
  const { alertDeliveries } = context.store;
  return openSender(context, giveUp, 'alerts wait: the database could not be read', async () => {
    const nextTryAt = alertDeliveries.nextTryAt();
    if (nextTryAt !== null && nextTryAt <= context.clock.now()) await sendAlerts(context, settings, giveUp);
  });
}

const neverAborted = new AbortController().signal;

function deliverSettings(config: ResolvedConfig, context: JobContext): DeliverSettings {
  const { alerts, reports } = config;
  return {
    reports: reportSettings(config),
    reportsUrl: reports.url,
    rules: reports.deliveries,
    channels: new Map([...alerts.channels].map(([name, channel]) => [name, openChannel(channel, context)])),
    recipientsOf: (name) => {
      const channel = alerts.channels.get(name);
      return channel?.type === 'email' ? channel.to : [''];
    },
    openBrowser: () => openPdfBrowser(config),
  };
}

export function openDeliverySender(config: ResolvedConfig, context: JobContext, giveUp: AbortSignal): Sender {
  if (config.reports.deliveries.length === 0) return { sendDue() {}, close: async () => {} };
  const settings = deliverSettings(config, context);
  return openSender(context, giveUp, 'report deliveries wait: the database could not be used', async () => {
    queueDeliveries(context, settings);
    await deliverReports(context, settings, giveUp);
  });
}

const shownMax = 20;

/** Sends what is due now, and what was given up. */
export async function deliver(app: App, signal: AbortSignal = neverAborted) {
  const { config } = app;
  rejectUnset(config);
  const context = { ...app.context, services: servicesAtRest(config) };
  const settings = deliverSettings(config, context);
  const { reportDeliveries } = context.store;
  reportDeliveries.retryFailed(context.clock.now());
  queueDeliveries(context, settings);
  const sent = await deliverReports(context, settings, signal);
  return {
    ...sent,
    /** The newest, with what became of them. */
    deliveries: reportDeliveries.list(shownMax).map(({ fromDate, toDate, ...delivery }) => {
      const { project, schedule, channel, recipient, state, attempts, error } = delivery;
      return { project, schedule, from: fromDate, to: toDate, channel, recipient, state, attempts, error };
    }),
  };
}
