// Lists, tests and resends alerts.
import type { ChannelConfig, ResolvedConfig } from '../../../config/resolve.ts';
import { describeError } from '../../../jobs/alerts/alert-channel.ts';
import { type SendResult, sendAlerts } from '../../../jobs/alerts/send-alerts.ts';
import { type AlertMessage, ruleName } from '../../tracker/changes/alerts.ts';
import type { App } from '../app.ts';
import { rejectUnset, UsageError } from '../opening/usage-error.ts';
import { openChannel, sendSettings } from './channels.ts';
import { type UnsentAlerts, unsentAlerts } from './unsent-alerts.ts';

export interface ChannelTest {
  readonly channel: string;
  readonly type: ChannelConfig['type'];
  readonly ok: boolean;
  /** The error, or a remark of the channel; null if there is none. */
  readonly detail: string | null;
}

const neverAborted = new AbortController().signal;

export function listUnsentAlerts({ context }: App): UnsentAlerts {
  return unsentAlerts(context);
}

/**
 * Sends a sample to each of these channels, or to all, and records nothing. Throws UsageError for an unknown channel.
 */
export async function testChannels(
  { config, context }: App,
  names: readonly string[],
  signal: AbortSignal = neverAborted,
): Promise<ChannelTest[]> {
  rejectUnset(config);
  const { channels } = config.alerts;
  const unknown = names.find((name) => !channels.has(name));
  if (unknown !== undefined) {
    const known = [...channels.keys()].join(', ') || 'none';
    throw new UsageError(`there is no channel "${unknown}" in ${config.file}; it has: ${known}`);
  }
  const message = sampleFor(config);
  return await Promise.all(
    [...channels]
      .filter(([name]) => names.length === 0 || names.includes(name))
      .map(async ([channel, written]) => {
        const { type } = written;
        return await openChannel(written, context)
          .send(message, signal)
          .then(
            (detail) => ({ channel, type, ok: true, detail }),
            (error: unknown) => ({ channel, type, ok: false, detail: describeError(error) }),
          );
      }),
  );
}

/** Sends all unsent alerts now, also those that are out of attempts. */
export async function retryAlerts({ config, context }: App, signal: AbortSignal = neverAborted): Promise<SendResult> {
  rejectUnset(config);
  context.store.alertDeliveries.retryFailed(context.clock.now());
  return await sendAlerts(context, sendSettings(config, context), signal, Number.MAX_SAFE_INTEGER);
}

/** An invented change; its warning says so. */
function sampleFor({ projects }: ResolvedConfig): AlertMessage {
  const rule = { when: 'dropped-out-of', top: 10 } as const;
  return {
    project: projects[0]?.id ?? 'example',
    run: null,
    warning: 'this is a test of this channel',
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
