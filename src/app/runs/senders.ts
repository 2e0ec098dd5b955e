// Sends what is due in the background of runs. What sends is loaded when something is due.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { describeError } from '../../../jobs/alerts/alert-channel.ts';
import type { JobContext } from '../../../jobs/context.ts';

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
  const { alertDeliveries } = context.store;
  return openSender(context, giveUp, 'alerts wait: the database could not be read', async () => {
    const nextTryAt = alertDeliveries.nextTryAt();
    if (nextTryAt === null || nextTryAt > context.clock.now()) return;
    const [{ sendAlerts }, { sendSettings }] = await Promise.all([
      import('../../../jobs/alerts/send-alerts.ts'),
      import('./deliveries.ts'),
    ]);
    await sendAlerts(context, sendSettings(config, context), giveUp);
  });
}

export function openDeliverySender(config: ResolvedConfig, context: JobContext, giveUp: AbortSignal): Sender {
  if (config.reports.deliveries.length === 0) return { sendDue() {}, close: async () => {} };
  return openSender(context, giveUp, 'report deliveries wait: the database could not be used', async () => {
    const { sendReports } = await import('./deliveries.ts');
    await sendReports(config, context, giveUp);
  });
}
