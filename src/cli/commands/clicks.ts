// `clicks`: what measured clicks say: the click-through curve of a site. Free, from stored days.
import type { Command } from 'commander';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { collected } from '../parsed-command.ts';
import { printCurves } from '../text/results/clicks-text.ts';

interface Flags {
  readonly project?: readonly string[];
}

const actions: ReadonlyMap<string, (context: Context) => Promise<void>> = new Map([['curve', curve]]);

export const command: CommandDefinition = {
  about:
    'Reads the days that `backfill clicks` stored. It buys nothing, and measured positions never become ranks. docs/search-console.md explains the numbers.',
  examples: [
    { command: 'clicks curve', does: 'click-through rates by position, measured and built in' },
    { command: 'clicks curve --project acme --json', does: 'the same of one project, with intervals' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe(command) {
    withProject(command.command('curve').description('the click-through curve that is fitted to each site'));
  },
  async run(context): Promise<ExitCode> {
    await actions.get(context.action ?? '')?.(context);
    return exitCodes.done;
  },
};

function withProject(command: Command): Command {
  return command.option('-p, --project <id>', 'only this project; may be given several times', collected);
}

async function curve(context: Context): Promise<void> {
  const { project } = context.flags<Flags>();
  const clickCurves = await context.host.useCases.clickCurves();
  const curves = await context.withApp(async (app) => clickCurves(app, project), { isReading: true });
  if (context.json) context.out.json({ projects: curves });
  else printCurves(context.out, curves);
}
