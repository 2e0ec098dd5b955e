// Alerts of one config: its channels opened, what waits sent after runs and at looks, and the desk at which people try and retry them.
import type { ChannelConfig } from '../../config/alerts.ts';
import type { ResolvedConfig } from '../../config/resolve.ts';
import type { Delivery } from '../../db/alert-deliveries.ts';
import { type AlertChannel, wordsOf } from '../../jobs/alert-channel.ts';
import { fileChannel } from '../../jobs/alert-file.ts';
import { mailChannel } from '../../jobs/alert-mail.ts';
import { webhookChannel } from '../../jobs/alert-webhook.ts';
import type { JobContext } from '../../jobs/context.ts';
import type { AlertSettings } from '../../jobs/find-alerts.ts';
import { type SendResult, type SendSettings, sendAlerts } from '../../jobs/send-alerts.ts';
import { alertText } from '../report/alert-text.ts';
import type { AlertMessage, KeptAlert } from '../tracker/alert.ts';
import { ruleName } from '../tracker/alert-rules.ts';
import { refuseUnset, UsageError } from './contract.ts';

const unsentShown = 20;

/** Sends what waits, beside the work that has it written down. */
export interface Courier {
  readonly settings: AlertSettings;
  /** Begins to send what is due; what is being sent already is not begun twice. */
  look(): void;
  /** Looks once more, and waits until all that is due was tried. Never rejects. */
  close(): Promise<void>;
}

/** `giveUp` ends tries that are under way: what they had is due again later. */
export function openCourier(config: ResolvedConfig, context: JobContext, giveUp: AbortSignal): Courier {
  const { alerts } = config;
  const settings = sendSettingsOf(config, context);
  const { alertDeliveries } = context.store;
  let sending: Promise<void> | null = null;
  const isDue = (): boolean => (alertDeliveries.nextTryAt() ?? Number.POSITIVE_INFINITY) <= context.clock.now();
  const look = (): void => {
    try {
      if (sending !== null || giveUp.aborted || !isDue()) return;
    } catch (error) {
      logged(context, error);
      return;
    }
    sending = sendAlerts(context, settings, giveUp)
      .then(
        () => {},
        (error: unknown) => logged(context, error),
      )
      .finally(() => {
        sending = null;
      });
  };
  return {
    settings: {
      channels: [...alerts.channels.keys()],
      rulesOf: (project) => alerts.ownRules.get(project) ?? alerts.rules,
    },
    look,
    async close() {
      await sending;
      look();
      await sending;
    },
  };
}

function logged({ log }: JobContext, error: unknown): void {
  log.warn({ error: wordsOf(error) }, 'alerts wait: the database could not be asked for them');
}

/** What was not told yet. */
export interface UnsentAlerts {
  /** Waiting for their first or next try. */
  readonly pending: number;
  /** Given up: `rankledger alerts retry` takes them up again. */
  readonly failed: number;
  /** ISO 8601; null where none waits. */
  readonly nextTryAt: string | null;
  /** The newest of them. */
  readonly unsent: readonly {
    readonly id: number;
    readonly project: string;
    readonly runId: number;
    readonly rule: string;
    readonly channel: string;
    readonly text: string;
    readonly state: 'pending' | 'failed';
    readonly attempts: number;
    /** ISO 8601, like `nextTryAt`. */
    readonly createdAt: string;
    readonly nextTryAt: string | null;
    readonly error: string | null;
  }[];
}

export function unsentAlerts({ store }: JobContext): UnsentAlerts {
  const { alertDeliveries } = store;
  const { pending, failed } = alertDeliveries.countByState();
  const nextTryAt = alertDeliveries.nextTryAt();
  const unsent = pending + failed === 0 ? [] : alertDeliveries.unsent(unsentShown).map(unsentOf);
  return { pending, failed, nextTryAt: iso(nextTryAt), unsent };
}

function unsentOf(delivery: Delivery): UnsentAlerts['unsent'][number] {
  const { id, project, runId, rule, channel, state, attempts, createdAt, nextTryAt, error, payload } = delivery;
  const { alert } = JSON.parse(payload) as KeptAlert;
  return {
    id,
    project,
    runId,
    rule,
    channel,
    text: alertText(alert),
    state: state === 'failed' ? 'failed' : 'pending',
    attempts,
    createdAt: new Date(createdAt).toISOString(),
    nextTryAt: iso(nextTryAt),
    error,
  };
}

/** How a channel took a sample. */
export interface ChannelTrial {
  readonly channel: string;
  readonly type: ChannelConfig['type'];
  readonly ok: boolean;
  /** What went wrong, or is to be said; null where there is nothing. */
  readonly detail: string | null;
}

export interface AlertDesk {
  /** What was not told yet. */
  unsent(): UnsentAlerts;
  /** Sends a sample to each channel, or to those named; nothing of it is kept. Throws UsageError for a channel that is not there. */
  test(channels: readonly string[], signal?: AbortSignal): Promise<ChannelTrial[]>;
  /** Tries all that was not told at once, what was given up among it. */
  retry(signal?: AbortSignal): Promise<SendResult>;
}

export function alertDesk(config: ResolvedConfig, context: JobContext): AlertDesk {
  const { channels } = config.alerts;
  const never = new AbortController().signal;
  return {
    unsent: () => unsentAlerts(context),
    async test(names, signal = never) {
      refuseUnset(config);
      const asked = names.length === 0 ? [...channels.keys()] : [...new Set(names)];
      const unknown = asked.find((name) => !channels.has(name));
      if (unknown !== undefined) {
        const known = [...channels.keys()].join(', ') || 'none';
        throw new UsageError(`there is no channel "${unknown}" in ${config.file}; it has: ${known}`);
      }
      const message = sampleFor(config);
      return await Promise.all(
        [...channels]
          .filter(([name]) => asked.includes(name))
          .map(async ([channel, written]) => {
            const { type } = written;
            return await openChannel(written, context)
              .send(message, signal)
              .then(
                (detail) => ({ channel, type, ok: true, detail }),
                (error: unknown) => ({ channel, type, ok: false, detail: wordsOf(error) }),
              );
          }),
      );
    },
    async retry(signal = never) {
      refuseUnset(config);
      context.store.alertDeliveries.retryFailed(context.clock.now());
      return await sendAlerts(context, sendSettingsOf(config, context), signal, Number.MAX_SAFE_INTEGER);
    },
  };
}

function sendSettingsOf({ alerts, reports }: ResolvedConfig, context: JobContext): SendSettings {
  return {
    channels: new Map([...alerts.channels].map(([name, channel]) => [name, openChannel(channel, context)])),
    reportsDirectory: reports.directory,
    ...(reports.url === undefined ? {} : { reportsUrl: reports.url }),
  };
}

/** The one place where the addresses of channels are revealed. */
function openChannel(channel: ChannelConfig, { clock }: JobContext): AlertChannel {
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

/** A change that never was, and says so. */
function sampleFor({ projects }: ResolvedConfig): AlertMessage {
  const rule = { when: 'dropped-out-of', top: 10 } as const;
  return {
    project: projects[0]?.id ?? 'example',
    run: null,
    warning: 'a test of this channel: nothing has happened',
    report: null,
    alerts: [
      {
        id: 'test',
        alert: {
          about: 'keyword',
          when: rule.when,
          rule: ruleName(rule),
          keyword: 'an example',
          country: 'US',
          language: 'en',
          device: 'desktop',
          target: 'example.com',
          tags: [],
          changeClass: 'declined',
          now: { rank: 12, url: 'https://example.com/', depth: 3, date: '2026-01-15' },
          before: { rank: 4, url: 'https://example.com/', depth: 3, date: '2026-01-14' },
          searchVolume: null,
          estimatedClicksChange: null,
        },
      },
    ],
  };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
