// `alerts`: what was not told yet, a sample to each channel, and another try.
import type { AlertDesk } from '../../app.ts';
import { printUnsent } from '../alert-text.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { counted } from '../numbers.ts';
import { printable } from '../table.ts';

type Action = (desk: AlertDesk, context: Context) => Promise<ExitCode>;

const actions: ReadonlyMap<string, Action> = new Map([
  ['list', list],
  ['test', test],
  ['retry', retry],
]);

export const command: CommandDefinition = {
  about: `Alerts are found after each run by the rules of the config (\`alerts.rules\`), written down with the run, and sent to the channels of \`alerts.channels\`:
each change once. What a channel did not take is tried again at the next runs and looks of the scheduler, later each time, up to eight times. A process
that dies while it sends may tell something twice, under the same id.`,
  examples: [
    { command: 'alerts test', does: 'a sample to each channel; exit code 1 where one did not take it' },
    { command: 'alerts test ops', does: 'only to the channel ops' },
    { command: 'alerts list', does: 'what was not told yet, and why' },
    { command: 'alerts retry', does: 'tries all of that now, what was given up too' },
  ],
  readsConfig: true,
  asksServices: ({ action }) => action !== 'list',
  describe(command) {
    command.command('list').description('show what was not told yet');
    command
      .command('test')
      .description('send a sample to each channel')
      .argument('[channels...]', 'names of channels; none: all');
    command.command('retry').description('try all that was not told at once');
  },
  async run(context) {
    const act = actions.get(context.action ?? '');
    const isReading = context.action !== 'retry';
    return await context.withApp(async (app) => (await act?.(app.alerts, context)) ?? exitCodes.usage, { isReading });
  },
};

async function list(desk: AlertDesk, { out, json }: Context): Promise<ExitCode> {
  const unsent = desk.unsent();
  if (json) out.json(unsent);
  else if (unsent.pending + unsent.failed === 0) out.line('All that was found has been told.');
  else printUnsent(out, unsent);
  return exitCodes.done;
}

async function test(desk: AlertDesk, { out, json, args, signal }: Context): Promise<ExitCode> {
  const trials = await desk.test(args, signal);
  if (json) out.json(trials);
  else if (trials.length === 0) out.line('The config has no channels: add alerts.channels.');
  for (const { channel, type, ok, detail } of json ? [] : trials) {
    const verdict = ok ? out.styled('green', 'ok    ') : out.styled('red', 'FAILED');
    out.line(printable(`${verdict}  ${channel} (${type})${detail === null ? '' : `: ${detail}`}`));
  }
  return trials.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
}

async function retry(desk: AlertDesk, { out, json, signal }: Context): Promise<ExitCode> {
  const { sent, failed } = await desk.retry(signal);
  const unsent = desk.unsent();
  if (json) out.json({ told: sent, notTold: failed, ...unsent });
  else {
    out.line(`${counted(sent, 'alert')} told, ${counted(failed, 'alert')} not`);
    printUnsent(out, unsent);
  }
  return unsent.pending + unsent.failed === 0 ? exitCodes.done : exitCodes.failed;
}
