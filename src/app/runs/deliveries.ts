// Sends alerts and scheduled reports over the channels of a config.
import type { ChannelConfig, ResolvedConfig } from '../../../config/resolve.ts';
import type { AlertChannel, DigestChannel } from '../../../jobs/alerts/alert-channel.ts';
import { fileChannel } from '../../../jobs/alerts/alert-file.ts';
import { mailChannel } from '../../../jobs/alerts/alert-mail.ts';
import { webhookChannel } from '../../../jobs/alerts/alert-webhook.ts';
import { type DeliverSettings, deliverReports, queueDeliveries } from '../../../jobs/alerts/deliver-reports.ts';
import type { SendSettings } from '../../../jobs/alerts/send-alerts.ts';
import type { JobContext } from '../../../jobs/context.ts';
import type { App } from '../app.ts';
import { rejectUnset } from '../opening/failures.ts';
import { atRest } from '../opening/services.ts';
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
        url: url.reveal(),
        format,
        authorization: authorization?.reveal(),
        secret: secret?.reveal(),
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

/** Sends the reports that are due. */
export async function sendReports(config: ResolvedConfig, context: JobContext, signal: AbortSignal) {
  const settings = deliverSettings(config, context);
  queueDeliveries(context, settings);
  return await deliverReports(context, settings, signal);
}

const shownMax = 20;

/** Sends what is due now, and what was given up. */
export async function deliver(app: App, signal: AbortSignal = neverAborted) {
  const { config } = app;
  rejectUnset(config);
  const context = atRest(config, app.context);
  const { reportDeliveries } = context.store;
  reportDeliveries.retryFailed(context.clock.now());
  const sent = await sendReports(config, context, signal);
  return {
    ...sent,
    /** The newest, with what became of them. */
    deliveries: reportDeliveries.list(shownMax).map(({ fromDate, toDate, ...delivery }) => {
      const { project, schedule, channel, recipient, state, attempts, error } = delivery;
      return { project, schedule, from: fromDate, to: toDate, channel, recipient, state, attempts, error };
    }),
  };
}
