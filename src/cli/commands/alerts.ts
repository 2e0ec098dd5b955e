// `alerts`: lists, tests and resends notifications.

import type { App } from '../../app/app.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { usageError } from '../text/failure.ts';
import { counted } from '../text/numbers.ts';
import { printUnsent, printUnsentReports } from '../text/results/alert-text.ts';
import { printable } from '../text/table.ts';

type Action = (app: App, context: Context) => Promise<ExitCode>;

const actions: ReadonlyMap<string, Action> = new Map([
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

async function list(app: App, { host, out, json }: Context): Promise<ExitCode> {
  const listUnsentAlerts = await host.useCases.listUnsentAlerts();
  const unsent = listUnsentAlerts(app);
  if (json) {
    out.json(unsent);
    return exitCodes.done;
  }
  if (app.config.alerts.rules.length === 0) out.line('The config has no alert rules. Add alerts.rules.');
  else if (unsent.pending + unsent.failed === 0) out.line('All alerts have been sent.');
  else printUnsent(out, unsent);
  printUnsentReports(out, unsent);
  return exitCodes.done;
}

async function test(app: App, { host, out, json, args, signal }: Context): Promise<ExitCode> {
  const testChannels = await host.useCases.testChannels();
  const tests = await testChannels(app, args, signal);
  if (tests.length === 0) throw usageError('The config has no alert channels.', 'Add alerts.channels.');
  if (json) out.json(tests);
  for (const { channel, type, ok, detail } of json ? [] : tests) {
    const verdict = ok ? out.styled('green', 'ok    ') : out.styled('red', 'FAILED');
    out.line(printable(`${verdict}  ${channel} (${type})${detail === null ? '' : `: ${detail}`}`));
  }
  return tests.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
}

async function retry(app: App, { host, out, json, signal }: Context): Promise<ExitCode> {
  const [retryAlerts, listUnsentAlerts] = [await host.useCases.retryAlerts(), await host.useCases.listUnsentAlerts()];
  const { sent, failed } = await retryAlerts(app, signal);
  const unsent = listUnsentAlerts(app);
  if (json) out.json({ told: sent, notTold: failed, ...unsent });
  else {
    out.line(`${counted(sent, 'alert')} sent, ${failed} failed`);
    printUnsent(out, unsent);
  }
  return unsent.pending + unsent.failed === 0 ? exitCodes.done : exitCodes.failed;
}
