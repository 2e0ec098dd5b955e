// Sends alerts in the background, while runs and the scheduler go on.
import { alertRulesOf, type ResolvedConfig } from '../../../config/resolve.ts';
import { describeError } from '../../../jobs/alerts/alert-channel.ts';
import type { AlertSettings } from '../../../jobs/alerts/find-alerts.ts';
import { sendAlerts } from '../../../jobs/alerts/send-alerts.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { sendSettings } from './channels.ts';

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
