// The alert channels of a config, opened for sending.
import { alertRulesOf, type ChannelConfig, type ResolvedConfig } from '../../../config/resolve.ts';
import { type AlertChannel, type DigestChannel, describeError } from '../../../jobs/alerts/alert-channel.ts';
import { fileChannel } from '../../../jobs/alerts/alert-file.ts';
import { mailChannel } from '../../../jobs/alerts/alert-mail.ts';
import { webhookChannel } from '../../../jobs/alerts/alert-webhook.ts';
import { type DeliverSettings, deliverReports, queueDeliveries } from '../../../jobs/alerts/deliver-reports.ts';
import type { AlertSettings } from '../../../jobs/alerts/find-alerts.ts';
import { type SendResult, type SendSettings, sendAlerts } from '../../../jobs/alerts/send-alerts.ts';
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

export interface AlertSender {
  readonly settings: AlertSettings;
  /** Starts to send alerts that are due, unless it is sending already. */
  sendDue(): void;
  /** Sends once more, and waits until each due alert was tried. Never rejects. */
  close(): Promise<void>;
}

/** `giveUp` cancels attempts in flight: their alerts are due again later. */
export function openAlertSender(config: ResolvedConfig, context: JobContext, giveUp: AbortSignal): AlertSender {
  const { alerts } = config;
  const channelSettings = sendSettings(config, context);
  const { alertDeliveries } = context.store;
  let sending: Promise<void> | null = null;
  const isDue = (): boolean => (alertDeliveries.nextTryAt() ?? Number.POSITIVE_INFINITY) <= context.clock.now();
  const sendDue = (): void => {
    try {
      if (sending !== null || giveUp.aborted || !isDue()) return;
    } catch (error) {
      logFailure(context, error);
      return;
    }
    sending = sendAlerts(context, channelSettings, giveUp)
      .then(
        () => {},
        (error: unknown) => logFailure(context, error),
      )
      .finally(() => {
        sending = null;
      });
  };
  return {
    settings: {
      channels: [...alerts.channels.keys()],
      rulesOf: (project) => alertRulesOf(alerts, project),
    },
    sendDue,
    async close() {
      await sending;
      sendDue();
      await sending;
    },
  };
}

function logFailure({ log }: JobContext, error: unknown): void {
  log.warn({ error: describeError(error) }, 'alerts wait: the database could not be read');
}

const neverAborted = new AbortController().signal;

export interface DeliverySender {
  /** Queues and sends what is due, unless it is sending already. */
  sendDue(): void;
  /** Sends once more, and waits until each delivery that is due was tried. Never rejects. */
  close(): Promise<void>;
}

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

/** `giveUp` ends attempts: what they carry is due again later. */
export function openDeliverySender(config: ResolvedConfig, context: JobContext, giveUp: AbortSignal): DeliverySender {
  if (config.reports.deliveries.length === 0) return { sendDue() {}, close: async () => {} };
  const settings = deliverSettings(config, context);
  let sending: Promise<void> | null = null;
  const send = async (): Promise<void> => {
    try {
      queueDeliveries(context, settings);
      await deliverReports(context, settings, giveUp);
    } catch (error) {
      context.log.warn({ error: describeError(error) }, 'report deliveries wait: the database could not be used');
    }
  };
  const sendDue = (): void => {
    if (sending !== null || giveUp.aborted) return;
    sending = send().finally(() => {
      sending = null;
    });
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

interface DeliveryOutcome extends SendResult {
  /** The newest, with what became of them. */
  readonly deliveries: readonly {
    readonly project: string;
    readonly schedule: string;
    readonly from: string;
    readonly to: string;
    readonly channel: string;
    readonly recipient: string;
    readonly state: string;
    readonly attempts: number;
    readonly error: string | null;
  }[];
}

const shownMax = 20;

/** Sends what is due now, and what was given up. */
export async function deliver(app: App, signal: AbortSignal = neverAborted): Promise<DeliveryOutcome> {
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
    deliveries: reportDeliveries.list(shownMax).map(({ fromDate, toDate, ...delivery }) => {
      const { project, schedule, channel, recipient, state, attempts, error } = delivery;
      return { project, schedule, from: fromDate, to: toDate, channel, recipient, state, attempts, error };
    }),
  };
}
