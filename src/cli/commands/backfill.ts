// `backfill`: fills gaps in history. Each kind is a subcommand; pages are bought now, and dated now.
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { BackfillRanksOptions } from '../../app/backfill/ranks.ts';
import type { RunProgress } from '../../app/runs/execute-runs.ts';
import type { RunResult } from '../../app/runs/run-result.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { calendarDate, collected, wholeNumber } from '../parsed-command.ts';
import { describeImport, importExamples, runImport } from '../subcommands/backfill-import.ts';
import { progressState } from '../terminal/run-progress.ts';
import { usageError } from '../text/failure.ts';
import {
  printClicks,
  printDerived,
  printImportedClicks,
  printRanksPlan,
  printVolumesPlan,
} from '../text/results/backfill-text.ts';
import { printRun, runExitCode } from '../text/results/run-text.ts';

interface Flags {
  readonly project?: readonly string[];
  readonly keyword?: readonly string[];
  readonly dryRun?: boolean;
}

interface RanksFlags extends Flags {
  readonly tag?: readonly string[];
  readonly page?: Pages;
  readonly depth?: number;
  readonly missing?: boolean;
  readonly failed?: boolean;
}

interface VolumesFlags extends Flags {
  readonly force?: boolean;
}

interface DeriveFlags extends Flags {
  readonly target?: readonly string[];
}

type Pages = NonNullable<BackfillRanksOptions['pages']>;

/** The deepest page that a config allows. */
const pageMax = 100;

const actions: ReadonlyMap<string, (context: Context) => Promise<ExitCode>> = new Map([
  ['ranks', ranks],
  ['volumes', volumes],
  ['derive', derive],
  ['clicks', clicks],
  ['import', runImport],
]);

export const command: CommandDefinition = {
  about: `Past days cannot be fetched: ranks and volumes are bought now, within the budget, and dated now. A backfill never counts as a scheduled run.`,
  examples: [
    { command: 'backfill ranks --dry-run', does: 'what the latest slot is missing, and what it would cost' },
    { command: 'backfill ranks', does: 'buy it, and update the reports' },
    { command: 'backfill ranks --project acme --tag trail --failed', does: 'only failed checks of some keywords' },
    { command: 'backfill ranks --depth 10', does: 'searches that were not read down to page 10' },
    { command: 'backfill ranks --page 4-10', does: 'the same, without buying pages 1 to 3 again' },
    { command: 'backfill volumes', does: 'keyword metrics that this month is missing' },
    { command: 'backfill derive', does: 'ranks of new targets and competitors from stored pages, free' },
    { command: 'backfill clicks', does: 'clicks and impressions of 16 months from Search Console, free' },
    { command: 'backfill clicks --file export.zip', does: 'clicks of an export, without access to the API' },
    ...importExamples,
  ],
  readsConfig: true,
  asksServices: ({ action }) => action === 'ranks' || action === 'volumes' || action === 'clicks',
  describe(command) {
    const buying = (name: string, does: string) =>
      withProject(command.command(name).description(does))
        .option('-k, --keyword <text>', 'only this keyword; may be given several times', collected)
        .option('--dry-run', 'show what it would buy and cost, and buy nothing');
    buying('ranks', 'buy now what is missing or failed in the latest slot')
      .option('-t, --tag <tag>', 'only keywords with this tag; may be given several times', collected)
      .option('--page <from-to>', 'only these result pages; earlier pages count if they are fresh', pages)
      .option('--depth <pages>', 'all pages down to this one', wholeNumber(1, pageMax))
      .option('--missing', 'only searches that were not checked, or not deep enough')
      .option('--failed', 'only searches whose checks failed, were deferred or are incomplete');
    buying('volumes', 'buy now the keyword metrics that this month is missing').option(
      '--force',
      'buy known metrics again; the old ones are kept',
    );
    withProject(command.command('derive').description('rank new targets and competitors in stored pages of old checks'))
      .option('--target <target>', 'only this target or competitor; may be given several times', collected)
      .option('--dry-run', 'count what it would add, and add nothing');
    withProject(
      command
        .command('clicks')
        .description('fetch clicks and impressions that Search Console counted, and ranks never'),
    )
      .option('--months <n>', 'how many months back', wholeNumber(1, 16), 16)
      .option('--file <file>', 'import an export instead: a zip archive or its CSV files; may be repeated', collected)
      .option('--from <date>', 'first day of the export (default: of its table of dates)', calendarDate)
      .option('--to <date>', 'last day of the export', calendarDate);
    describeImport(command);
  },
  run: async (context) => (await actions.get(context.action ?? '')?.(context)) ?? exitCodes.usage,
};

function withProject(command: Command): Command {
  return command.option('-p, --project <id>', 'only this project; may be given several times', collected);
}

async function ranks(context: Context): Promise<ExitCode> {
  const { page, depth, missing, failed, dryRun, ...flags } = context.flags<RanksFlags>();
  const { useCases } = context.host;
  if (page !== undefined && depth !== undefined) throw usageError('--page and --depth exclude each other.');
  const asked = page ?? (depth === undefined ? undefined : { from: 1, to: depth });
  const gaps = missing === failed ? undefined : missing === true ? 'missing' : 'failed';
  const options: BackfillRanksOptions = {
    ...readNames(flags),
    tags: flags.tag,
    pages: asked,
    gaps,
  };
  if (dryRun !== true) {
    const backfillRanks = await useCases.backfillRanks();
    const runs = await context.withApp((app) => backfillRanks(app, { ...options, ...live(context) }));
    return printRuns(context, runs, 'Nothing is missing: every search of the latest slot has a complete check.');
  }
  const planRanks = await useCases.planRanksBackfill();
  const plan = await context.withApp(async (app) => planRanks(app, options), { isReading: true });
  if (context.json) context.out.json(plan);
  else if (plan.searches === 0) context.out.line('Nothing is missing.');
  else printRanksPlan(context.out, plan);
  return exitCodes.done;
}

async function volumes(context: Context): Promise<ExitCode> {
  const { force, dryRun, ...flags } = context.flags<VolumesFlags>();
  const { useCases } = context.host;
  const options = { ...readNames(flags), force: force === true };
  if (dryRun !== true) {
    const backfillVolumes = await useCases.backfillVolumes();
    const runs = await context.withApp((app) => backfillVolumes(app, { ...options, ...live(context) }));
    return printRuns(context, runs, 'Nothing is missing: the metrics of this month are known.');
  }
  const planVolumes = await useCases.planVolumesBackfill();
  const plan = await context.withApp((app) => planVolumes(app, options), { isReading: true });
  if (context.json) context.out.json(plan);
  else if (plan.keywordRequests === 0) context.out.line('Nothing is missing.');
  else printVolumesPlan(context.out, plan);
  return exitCodes.done;
}

async function derive(context: Context): Promise<ExitCode> {
  const { project, target, dryRun } = context.flags<DeriveFlags>();
  const { progress, signal } = context;
  const isDryRun = dryRun === true;
  const deriveRankings = await context.host.useCases.derive();
  const report = await context.withApp(
    (app) =>
      deriveRankings(app, {
        projects: project,
        targets: target,
        dryRun: isDryRun,
        signal,
        onProgress: (state) => progress.update({ label: 'Reading stored pages, checks', ...state, creditsSpent: 0 }),
      }),
    { isReading: isDryRun },
  );
  progress.clear();
  if (context.json) context.out.json(report);
  else printDerived(context.out, report, isDryRun);
  if (!report.interrupted) return exitCodes.done;
  if (!context.json) context.out.line('Stopped before the last check. Run the same command again to continue.');
  return exitCodes.interrupted;
}

interface ClicksFlags extends Flags {
  readonly months: number;
  readonly file?: readonly string[];
  readonly from?: string;
  readonly to?: string;
}

async function clicks(context: Context): Promise<ExitCode> {
  const { project, months, file, from, to } = context.flags<ClicksFlags>();
  if (file !== undefined) return await importClicks(context, file);
  if (from !== undefined || to !== undefined)
    throw usageError('--from and --to name the days of an export.', 'Add --file, or choose with --months.');
  const { progress, signal } = context;
  const backfillClicks = await context.host.useCases.backfillClicks();
  const fetched = await context.withApp((app) =>
    backfillClicks(app, {
      projects: project,
      months,
      signal,
      onProgress: (id, done, total) =>
        progress.update({ label: `Fetching clicks of ${id}, days`, done, total, creditsSpent: 0 }),
    }),
  );
  progress.clear();
  if (context.json) context.out.json({ projects: fetched });
  else printClicks(context.out, fetched);
  return exitCodes.done;
}

async function importClicks(context: Context, written: readonly string[]): Promise<ExitCode> {
  const { project: [project, ...others] = [], from, to } = context.flags<ClicksFlags>();
  if (others.length > 0) throw usageError('An export belongs to one project.');
  const files = written.map((file) => resolve(context.host.cwd, file));
  const period = { from, to };
  const options = { files, ...period, project };
  const importExport = await context.host.useCases.importClicks();
  const imported = await context.withApp(async (app) => importExport(app, options));
  if (context.json) context.out.json(imported);
  else printImportedClicks(context.out, imported);
  return imported.rejected.length > 0 ? exitCodes.partial : exitCodes.done;
}

function readNames({ project, keyword }: Flags) {
  return {
    projects: project,
    keywords: keyword,
  };
}

function live({ progress, signal }: Context) {
  const onProgress = (state: RunProgress) => progress.update(progressState(state));
  return { signal, onProgress, onNotice: (sentence: string) => progress.note(sentence) };
}

/** Includes runs that were resumed first. */
function printRuns(
  { json, out, shown, progress, signal }: Context,
  runs: readonly RunResult[],
  none: string,
): ExitCode {
  progress.clear();
  if (json) out.json({ runs });
  else if (runs.length === 0) out.line(none);
  else for (const run of runs) printRun(out, run, shown);
  const code = runExitCode(runs);
  const isCutShort = signal.aborted && (runs.length === 0 || code === exitCodes.partial);
  return isCutShort ? exitCodes.interrupted : code;
}

/** For options: `4-10`, or `4` for one page. */
function pages(written: string): Pages {
  const [, from, to = from] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(written) ?? [];
  const asked = { from: Number(from), to: Number(to) };
  if (asked.from >= 1 && asked.from <= asked.to && asked.to <= pageMax) return asked;
  throw new InvalidArgumentError(`Write pages from 1 to ${pageMax}, such as 4-10.`);
}
