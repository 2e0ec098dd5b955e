// `clicks`: what measured clicks say: the curve of a site, why its clicks changed, which queries to track. Free.
import { type Command, Option } from 'commander';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { collected, wholeNumber } from '../parsed-command.ts';
import { printChanges, printCurves, printSuggestions } from '../text/results/clicks-text.ts';

const changesBy = ['query', 'page', 'country', 'device'] as const;

interface ChangesFlags extends Flags {
  readonly by: (typeof changesBy)[number];
  readonly days: number;
  readonly to?: string;
}

interface Flags {
  readonly project?: readonly string[];
}

const actions: ReadonlyMap<string, (context: Context) => Promise<void>> = new Map([
  ['curve', curve],
  ['changes', changes],
  ['suggest', suggest],
]);

export const command: CommandDefinition = {
  about:
    'Reads the days that `backfill clicks` stored. It buys nothing, and measured positions never become ranks. docs/search-console.md explains the numbers.',
  examples: [
    { command: 'clicks curve', does: 'click-through rates by position, measured and built in' },
    { command: 'clicks changes', does: 'why clicks changed against the 28 days before, by query' },
    { command: 'clicks changes --by page --days 7', does: 'by page, one week against the week before' },
    { command: 'clicks suggest --min-impressions 100', does: 'queries worth tracking, with their cost a month' },
    { command: 'clicks curve --project acme --json', does: 'the same of one project, with intervals' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe(command) {
    withProject(command.command('changes').description('clicks gained or lost, split into demand, rank and rate'))
      .addOption(new Option('--by <kind>', 'rows by').choices(changesBy).default('query'))
      .option('--days <n>', 'days of each period', wholeNumber(1, 240), 28)
      .option('--to <date>', 'last day (default: the newest final one)');
    withProject(
      command.command('suggest').description('queries with impressions that are not tracked, and tracked ones without'),
    ).option('--min-impressions <n>', 'impressions of a suggested query in 28 days', wholeNumber(1, 1_000_000), 10);
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

async function changes(context: Context): Promise<void> {
  const { project, by, days, to } = context.flags<ChangesFlags>();
  const clickChanges = await context.host.useCases.clickChanges();
  const question = { by, days, to };
  const found = await context.withApp(async (app) => clickChanges(app, question, project), { isReading: true });
  if (context.json) context.out.json({ projects: found });
  else printChanges(context.out, found);
}

async function suggest(context: Context): Promise<void> {
  const { project, minImpressions } = context.flags<Flags & { readonly minImpressions: number }>();
  const suggestQueries = await context.host.useCases.suggestQueries();
  const found = await context.withApp(async (app) => suggestQueries(app, minImpressions, project), { isReading: true });
  if (context.json) context.out.json({ projects: found });
  else printSuggestions(context.out, found);
}
