// Delivers reports on the schedule of the config, after runs and while the scheduler works.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { describeError } from '../../../jobs/alerts/alert-channel.ts';
import { type DeliverSettings, deliverReports, queueDeliveries } from '../../../jobs/alerts/deliver-reports.ts';
import type { SendResult } from '../../../jobs/alerts/send-alerts.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { openChannel } from '../alerts/channels.ts';
import type { App } from '../app.ts';
import { servicesAtRest } from '../opening/services-at-rest.ts';
import { rejectUnset } from '../opening/usage-error.ts';
import { openPdfBrowser } from '../reports/pdf.ts';
import { reportSettings } from '../reports/report-settings.ts';

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

export interface DeliveryOutcome extends SendResult {
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
