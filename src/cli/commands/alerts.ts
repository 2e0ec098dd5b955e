// `alerts`: lists, tests and resends notifications.

import type { ResolvedConfig } from '../../../config/resolve.ts';
import { describeError } from '../../../jobs/alerts/alert-channel.ts';
import { sendAlerts } from '../../../jobs/alerts/send-alerts.ts';
import type { App } from '../../app/app.ts';
import { rejectUnset } from '../../app/opening/failures.ts';
import { openChannel, sendSettings } from '../../app/runs/deliveries.ts';
import { type AlertMessage, ruleName } from '../../tracker/changes/alerts.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { usageError } from '../text/failure.ts';
import { counted } from '../text/numbers.ts';
import { printUnsent, printUnsentReports, unsentAlerts } from '../text/results/alert-text.ts';
import { printable } from '../text/table.ts';

type Action = (app: App, context: Context) => ExitCode | Promise<ExitCode>;

const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['list', list],
  ['test', test],
  ['retry', retry],
]);

export const command: CommandDefinition = {
  about: `After each run, rankledger applies the rules of the config (\`alerts.rules\`). It stores the alerts with the run and sends them to the channels
(\`alerts.channels\`), each change once. It retries failed deliveries after later runs and scheduler ticks, with growing delays, up to eight times. If a
process dies while it sends, an alert may arrive twice, with the same id.`,
  examples: [
    { command: 'alerts test', does: 'send a sample to each channel; exit code 1 if one fails' },
    { command: 'alerts test ops', does: 'only to the channel ops' },
    { command: 'alerts list', does: 'unsent alerts and scheduled reports, and why' },
    { command: 'alerts retry', does: 'send all of them now, also those that are no longer retried' },
  ],
  readsConfig: true,
  asksServices: ({ action }) => action !== 'list',
  describe(command) {
    command.command('list').description('list unsent alerts and scheduled reports');
    command
      .command('test')
      .description('send a sample to each channel')
      .argument('[channels...]', 'names of channels (default: all)');
    command.command('retry').description('send all unsent alerts now');
  },
  async run(context) {
    const act = actions.get(context.action ?? '');
    const isReading = context.action !== 'retry';
    return await context.withApp(async (app) => (await act?.(app, context)) ?? exitCodes.usage, { isReading });
  },
};

function list(app: App, { out, json }: Context): ExitCode {
  const unsent = unsentAlerts(app.context);
  if (json) {
    out.json(unsent);
    return exitCodes.done;
  }
  if (unsent.pending + unsent.failed > 0) printUnsent(out, unsent);
  else if (hasNoRules(app.config)) out.line('The config has no alert rules. Add alerts.rules.');
  else out.line('All alerts have been sent.');
  printUnsentReports(out, unsent);
  return exitCodes.done;
}

/** Neither for all projects nor in one. Rules beside a secret that is not set cannot be read, and may be there. */
function hasNoRules({ alerts: { rules, ownRules }, unset }: ResolvedConfig): boolean {
  return unset.length === 0 && [rules, ...ownRules.values()].every(({ length }) => length === 0);
}

/** Sends a sample to each of these channels, or to all, and records nothing. */
async function test({ config, context }: App, { out, json, args, signal }: Context): Promise<ExitCode> {
  rejectUnset(config);
  const { channels } = config.alerts;
  const unknown = args.find((name) => !channels.has(name));
  if (unknown !== undefined) {
    const known = [...channels.keys()].join(', ') || 'none';
    throw usageError(`there is no channel "${unknown}" in ${config.file}; it has: ${known}`);
  }
  const message = sampleFor(config);
  const tests = await Promise.all(
    [...channels]
      .filter(([name]) => args.length === 0 || args.includes(name))
      .map(([channel, written]) => {
        const { type } = written;
        return openChannel(written, context)
          .send(message, signal)
          .then(
            () => ({ channel, type, ok: true, detail: null }),
            (error: unknown) => ({ channel, type, ok: false, detail: describeError(error) }),
          );
      }),
  );
  if (tests.length === 0) throw usageError('The config has no alert channels.', 'Add alerts.channels.');
  if (json) out.json(tests);
  for (const { channel, type, ok, detail } of json ? [] : tests) {
    const verdict = ok ? out.styled('green', 'ok    ') : out.styled('red', 'FAILED');
    out.line(printable(`${verdict}  ${channel} (${type})${detail === null ? '' : `: ${detail}`}`));
  }
  return tests.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
}

/** Sends all unsent alerts now, also those that are out of attempts. */
async function retry({ config, context }: App, { out, json, signal }: Context): Promise<ExitCode> {
  rejectUnset(config);
  context.store.alertDeliveries.retryFailed(context.clock.now());
  const { sent, failed } = await sendAlerts(context, sendSettings(config, context), signal, Number.MAX_SAFE_INTEGER);
  const unsent = unsentAlerts(context);
  if (json) out.json({ told: sent, notTold: failed, ...unsent });
  else {
    out.line(`${counted(sent, 'alert')} sent, ${failed} failed`);
    printUnsent(out, unsent);
  }
  return unsent.pending + unsent.failed === 0 ? exitCodes.done : exitCodes.failed;
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
