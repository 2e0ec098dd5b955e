// `backfill`: fills gaps in history. Each kind is a subcommand; pages are bought now, and dated now.
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import {
  lackingProjects,
  lackingVolumes,
  type RanksBackfillOptions,
  ranksBackfill,
  volumesBackfill,
} from '../../../jobs/backfill/backfill.ts';
import type { DeriveReport } from '../../../jobs/backfill/backfill-derive.ts';
import type { FetchedClicks } from '../../../jobs/backfill/fetch-clicks.ts';
import { estimatePrice } from '../../../jobs/query/planning.ts';
import type { RunRequest } from '../../../jobs/run/run-request.ts';
import type { App } from '../../app/app.ts';
import { projectsNamed, rejectUnknown, rejectUnknownKeywords } from '../../app/opening/named-projects.ts';
import { refusalOfPage, sourceLimits } from '../../service/terms.ts';
import type { Project } from '../../tracker/project.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { calendarDate, collected, projectOption, wholeNumber } from '../parsed-command.ts';
import { bridge, describeBridge } from '../subcommands/backfill-bridge.ts';
import { describeImport, importExamples, runImport } from '../subcommands/backfill-import.ts';
import type { Printer } from '../terminal/printer.ts';
import { progressState } from '../terminal/progress.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted, dollars } from '../text/numbers.ts';
import { printBudget, printDeferred, printRun, runExitCode } from '../text/results/run-text.ts';
import { type Column, factLines, printable, tableLines } from '../text/table.ts';

type Pages = NonNullable<RanksBackfillOptions['pages']>;

/** The deepest page that a config allows. */
const pageMax = 100;

const actions: ReadonlyMap<string, (context: Context) => Promise<ExitCode>> = new Map([
  ['ranks', ranks],
  ['volumes', volumes],
  ['derive', derive],
  ['clicks', clicks],
  ['import', runImport],
  ['bridge', bridge],
]);

const buying = (command: Command, name: string, does: string) =>
  command
    .command(name)
    .description(does)
    .addOption(projectOption)
    .option('-k, --keyword <text>', 'only this keyword; may be given several times', collected)
    .option('--dry-run', 'show what it would buy and cost, and buy nothing');

const describeRanks = (command: Command) =>
  buying(command, 'ranks', 'buy now what is missing or failed in the latest slot')
    .option('-t, --tag <tag>', 'only keywords with this tag; may be given several times', collected)
    .option('--page <from-to>', 'only these result pages; earlier pages count if they are fresh', pages)
    .option('--depth <pages>', 'all pages down to this one', wholeNumber(1, pageMax))
    .option('--missing', 'only searches that were not checked, or not deep enough')
    .option('--failed', 'only searches whose checks failed, were deferred or are incomplete');

const describeVolumes = (command: Command) =>
  buying(command, 'volumes', 'buy now the keyword metrics that this month is missing').option(
    '--force',
    'buy known metrics again; the old ones are kept',
  );

const describeDerive = (command: Command) =>
  command
    .command('derive')
    .description('rank new targets and competitors in stored pages of old checks')
    .addOption(projectOption)
    .option('--target <target>', 'only this target or competitor; may be given several times', collected)
    .option('--dry-run', 'count what it would add, and add nothing');

const describeClicks = (command: Command) =>
  command
    .command('clicks')
    .description('fetch clicks and impressions that Search Console counted, and ranks never')
    .addOption(projectOption)
    .option('--months <n>', 'how many months back', wholeNumber(1, 16), 16)
    .option('--file <file>', 'import an export instead: a zip archive or its CSV files; may be repeated', collected)
    .option('--from <date>', 'first day of the export (default: of its table of dates)', calendarDate)
    .option('--to <date>', 'last day of the export', calendarDate);

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
    {
      command: 'backfill bridge --from serper --to dataforseo',
      does: 'whether ranks of a new vendor compare with the old',
    },
    ...importExamples,
  ],
  readsConfig: true,
  asksServices: ({ action }) => ['ranks', 'volumes', 'clicks', 'bridge'].includes(action ?? ''),
  describe(command) {
    describeRanks(command);
    describeVolumes(command);
    describeDerive(command);
    describeClicks(command);
    describeBridge(command);
    describeImport(command);
  },
  run: async (context) => (await actions.get(context.action ?? '')?.(context)) ?? exitCodes.usage,
};

type RanksPlan = Awaited<ReturnType<typeof planRanks>>;

/** Buys rankings that the latest slot of a project lacks. Options that are left out select all. */
async function ranks(context: Context): Promise<ExitCode> {
  const { dryRun, page, depth } = context.flags(describeRanks);
  if (page !== undefined && depth !== undefined) throw usageError('--page and --depth exclude each other.');
  const last = page?.to ?? depth;
  if (dryRun !== true) {
    const none = 'Nothing is missing: every search of the latest slot has a complete check.';
    return await buy(context, none, async (app) => {
      const projects = projectsNamed(app.config, context.flags(describeRanks).project);
      if (last !== undefined) await rejectUnsoldPages(app.config, projects, last);
      return { projects, request: ranksBackfill(app.context, projects, selectedRanks(context, projects)) };
    });
  }
  const plan = await planRanks(context);
  if (context.json) context.out.json(plan);
  else if (plan.searches === 0) context.out.line('Nothing is missing.');
  else printRanksPlan(context.out, plan);
  return exitCodes.done;
}

function planRanks(context: Context) {
  return context.withApp(
    async ({ config, context: jobs }) => {
      const now = jobs.clock.now();
      const { project, page, depth } = context.flags(describeRanks);
      const projects = projectsNamed(config, project);
      const last = page?.to ?? depth;
      if (last !== undefined) await rejectUnsoldPages(config, projects, last);
      const lacking = lackingProjects(jobs.store, projects, selectedRanks(context, projects), now);
      const narrowed = lacking.map(({ project }) => project);
      const {
        keywordRequests: _requests,
        microUsdWorstCase: _cost,
        ...price
      } = estimatePrice(jobs, narrowed, [], () => now);
      return {
        /** Searches, of projects that lack any. */
        projects: lacking.map(({ project, missing, failed }) => ({ project: project.id, missing, failed })),
        ...price,
      };
    },
    { isReading: true },
  );
}

/** Throws the error of a wrong command line for a page that the service of a project does not sell. */
async function rejectUnsoldPages(
  { services, best }: ResolvedConfig,
  projects: readonly Project[],
  last: number,
): Promise<void> {
  for (const { id, service } of projects) {
    for (const name of best.get(service)?.of ?? [service]) {
      const config = services.get(name);
      if (config?.mode !== 'embedded') continue;
      const refusal = refusalOfPage(await sourceLimits(config.source, config.options), last);
      if (refusal !== undefined)
        throw usageError(
          `project ${id}: the service "${name}" (${config.source}) ${refusal.words}, and not page ${last}.`,
        );
    }
  }
}

/** Pages before `--page` are not bought, but used if they are fresh. Default: as deep as each keyword is tracked. */
function selectedRanks({ flags }: Context, projects: readonly Project[]): RanksBackfillOptions {
  const { page, depth, missing, failed, keyword: keywords = [], tag: tags = [] } = flags(describeRanks);
  rejectUnknownKeywords(keywords, projects);
  rejectUnknown('tag', tags, new Set(projects.flatMap((one) => one.keywords.flatMap((each) => each.tags))), projects);
  const pages = page ?? (depth === undefined ? null : { from: 1, to: depth });
  // neither, or both: all gaps
  return {
    keywords,
    tags,
    pages,
    missing: missing === true || failed !== true,
    failed: failed === true || missing !== true,
  };
}

type VolumesPlan = Awaited<ReturnType<typeof planVolumes>>;

/** Buys keyword metrics that this month lacks. With `--force`, known ones are bought again, and kept. */
async function volumes(context: Context): Promise<ExitCode> {
  const { dryRun } = context.flags(describeVolumes);
  if (dryRun !== true)
    return await buy(context, 'Nothing is missing: the metrics of this month are known.', (app) => {
      const { projects, options } = selectedVolumes(context, app);
      return { projects, request: volumesBackfill(app.context, projects, options) };
    });
  const plan = await planVolumes(context);
  if (context.json) context.out.json(plan);
  else if (plan.keywordRequests === 0) context.out.line('Nothing is missing.');
  else printVolumesPlan(context.out, plan);
  return exitCodes.done;
}

function planVolumes(context: Context) {
  return context.withApp(
    async (app) => {
      const { projects, options } = selectedVolumes(context, app);
      await app.openServicesOf(projects);
      const now = app.context.clock.now();
      const needs = lackingVolumes(app.context, projects, options, now);
      const { keywordRequests, microUsdWorstCase, budget } = estimatePrice(app.context, [], needs, () => now);
      const markets = needs.map(({ market, month, keywords }) => ({ ...market, month, keywords: keywords.length }));
      return { markets, keywordRequests, microUsdWorstCase, budget };
    },
    { isReading: true },
  );
}

function selectedVolumes({ flags }: Context, { config }: App) {
  const { project: ids, keyword: keywords = [], force = false } = flags(describeVolumes);
  const named = projectsNamed(config, ids);
  const projects = named.filter(({ volumes }) => volumes !== undefined);
  if (projects.length === 0) {
    const names = named.map(({ id }) => id).join(', ');
    throw usageError(`keyword metrics are off for ${names}: add \`volumes: { schedule: "0 4 2 * *" }\` to the project`);
  }
  rejectUnknownKeywords(keywords, projects);
  return { projects, options: { keywords, force } };
}

interface Selected {
  readonly projects: readonly Project[];
  readonly request: RunRequest;
}

/** Resumes unfinished runs first. Starts no run if nothing is missing. */
async function buy(
  { json, out, shown, progress, signal, withApp }: Context,
  none: string,
  select: (app: App) => Selected | Promise<Selected>,
): Promise<ExitCode> {
  const { executeRuns } = await import('../../app/runs/run.ts');
  const runs = await withApp(async (app) => {
    const { projects, request } = await select(app);
    await app.openServicesOf(projects);
    return await executeRuns(app, request, {
      signal,
      onProgress: (state) => progress.update(progressState(state)),
      onNotice: (sentence) => progress.note(sentence),
    });
  });
  progress.clear();
  if (json) out.json({ runs });
  else if (runs.length === 0) out.line(none);
  else for (const run of runs) printRun(out, run, shown);
  const code = runExitCode(runs);
  const isCutShort = signal.aborted && (runs.length === 0 || code === exitCodes.partial);
  return isCutShort ? exitCodes.interrupted : code;
}

async function derive({ flags, json, out, progress, signal, withApp }: Context): Promise<ExitCode> {
  const { project: ids, target: targets = [], dryRun = false } = flags(describeDerive);
  const { deriveRankings } = await import('../../../jobs/backfill/backfill-derive.ts');
  const report = await withApp(
    ({ config, context: { store } }) => {
      const projects = projectsNamed(config, ids);
      const known = projects.flatMap((project) => [...project.targets, ...project.competitors]);
      rejectUnknown('target', targets, new Set(known.map(({ value }) => value)), projects);
      return deriveRankings(store, { projects, targets, dryRun }, signal, (state) =>
        progress.update({ label: 'Reading stored pages, checks', ...state, creditsSpent: 0 }),
      );
    },
    { isReading: dryRun },
  );
  progress.clear();
  if (json) out.json(report);
  else printDerived(out, report, dryRun);
  if (!report.interrupted) return exitCodes.done;
  if (!json) out.line('Stopped before the last check. Run the same command again to continue.');
  return exitCodes.interrupted;
}

async function clicks(context: Context): Promise<ExitCode> {
  const { project: ids, months, file, from, to } = context.flags(describeClicks);
  const { json, out, progress, signal } = context;
  if (file !== undefined) {
    const { importClicks } = await import('../subcommands/import-clicks.ts');
    return await importClicks(context, file, { projects: ids, from, to });
  }
  if (from !== undefined || to !== undefined)
    throw usageError('--from and --to name the days of an export.', 'Add --file, or choose with --months.');
  const { clicksPeriod, fetchClicks } = await import('../../../jobs/backfill/fetch-clicks.ts');
  const { openConsole } = await import('../../app/runs/clicks.ts');
  const fetched = await context.withApp(async ({ config, context: jobs }) => {
    const accesses = projectsNamed(config, ids).flatMap(({ id }) => {
      const access = config.searchConsoles.get(id);
      return access === undefined ? [] : [{ id, access }];
    });
    if (accesses.length === 0)
      throw usageError(
        'no project has access to Search Console',
        'add `searchConsole: { property, credentials }` to the project; see docs/search-console.md',
      );
    const period = clicksPeriod(jobs.clock.now(), months);
    const all: FetchedClicks[] = [];
    for (const { id, access } of accesses) {
      const source = await openConsole(access, jobs.clock);
      try {
        const request = { project: id, property: access.property, ...period };
        const onProgress = (done: number, total: number) =>
          progress.update({ label: `Fetching clicks of ${id}, days`, done, total, creditsSpent: 0 });
        all.push(await fetchClicks(jobs, source, request, signal, onProgress));
      } finally {
        await source.close();
      }
    }
    return all;
  });
  progress.clear();
  if (json) out.json({ projects: fetched });
  else printClicks(out, fetched);
  return exitCodes.done;
}

/** For options: `4-10`, or `4` for one page. */
function pages(written: string): Pages {
  const [, from, to = from] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(written) ?? [];
  const asked = { from: Number(from), to: Number(to) };
  if (asked.from >= 1 && asked.from <= asked.to && asked.to <= pageMax) return asked;
  throw new InvalidArgumentError(`Write pages from 1 to ${pageMax}, such as 4-10.`);
}

const gapColumns: readonly Column<RanksPlan['projects'][number]>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'missing', align: 'right', value: ({ missing }) => amount(missing) },
  { title: 'failed', align: 'right', value: ({ failed }) => amount(failed) },
];

function printRanksPlan(out: Printer, plan: RanksPlan): void {
  out.line(out.styled('bold', 'Searches that the latest slot is missing'));
  for (const line of tableLines(gapColumns, plan.projects)) out.line(line);
  out.line();
  out.line(out.styled('bold', 'What it would buy'));
  const facts: (readonly [string, string])[] = [
    ['searches', amount(plan.searches)],
    ['pages', `${amount(plan.pagesExpected)} expected, ${amount(plan.pagesWorstCase)} at worst`],
    ['SERP credits', `${amount(plan.creditsExpected)} expected, ${amount(plan.creditsWorstCase)} at worst`],
  ];
  if (plan.pagesFresh > 0) facts.push(['fresh pages', `${amount(plan.pagesFresh)} reused at no cost`]);
  for (const line of factLines(facts)) out.line(line);
  out.line();
  out.line(out.styled('bold', 'Budget'));
  printBudget(out, plan.budget);
  printDeferred(out, plan.deferred);
}

const marketColumns: readonly Column<VolumesPlan['markets'][number]>[] = [
  { title: 'service', value: ({ service }) => service },
  { title: 'country', value: ({ country }) => country },
  { title: 'language', value: ({ language }) => language },
  { title: 'month', value: ({ month }) => month },
  { title: 'keywords', align: 'right', value: ({ keywords }) => amount(keywords) },
];

function printVolumesPlan(out: Printer, plan: VolumesPlan): void {
  out.line(out.styled('bold', 'Keywords to request'));
  for (const line of tableLines(marketColumns, plan.markets)) out.line(line);
  const cost = `${counted(plan.keywordRequests, 'request')} and ${dollars(plan.microUsdWorstCase)}`;
  out.line(`At most ${cost}; one answer may cover several keywords.`);
  out.line();
  out.line(out.styled('bold', 'Budget'));
  printBudget(out, plan.budget);
}

function printDerived(out: Printer, report: DeriveReport, isDryRun: boolean): void {
  const { ranked, notFound, notFollowed, seen } = report.added;
  const total = ranked + notFound + notFollowed + seen;
  const parts = [`${amount(ranked)} ranked`, `${amount(notFound)} not found`];
  if (notFollowed > 0) parts.push(`${amount(notFollowed)} not read to the depth`);
  if (seen > 0) parts.push(`${amount(seen)} seen without an exact rank`);
  const facts: (readonly [string, string])[] = [
    ['checks', `${amount(report.checks)} examined, ${amount(report.known)} of them known already`],
    [isDryRun ? 'would add' : 'added', `${counted(total, 'ranking')}${total === 0 ? '' : `: ${parts.join(', ')}`}`],
  ];
  if (report.unproven > 0) {
    facts.push(['left open', `${counted(report.unproven, 'ranking')} not proven by the stored pages`]);
  }
  for (const [reason, checks] of Object.entries(report.skipped)) {
    if (checks > 0) facts.push(['skipped', `${counted(checks, 'check')}: ${reason}`]);
  }
  for (const line of factLines(facts)) out.line(line);
}

function printClicks(out: Printer, projects: readonly FetchedClicks[]): void {
  for (const fetched of projects) {
    const { project, property, from, to, days, fresh, known, clicks, impressions } = fetched;
    out.line(out.styled('bold', `${printable(project)}: ${printable(property)}, ${from} to ${to}`));
    const state = fresh === 0 ? '' : `, ${amount(fresh)} of them not final: fetched again next time`;
    const facts: (readonly [string, string])[] = [['days', `${amount(days)} fetched${state}, ${amount(known)} known`]];
    if (days > 0) {
      const hidden = `${amount(fetched.hiddenClicks)} and ${amount(fetched.hiddenImpressions)} in no row by query, country and device`;
      facts.push(['rows', amount(fetched.rows)]);
      facts.push(['counted', `${counted(clicks, 'click')}, ${counted(impressions, 'impression')}; ${hidden}`]);
      const alone = `${counted(fetched.queryClicks, 'click')} by query, ${counted(fetched.pageClicks, 'click')} by page`;
      facts.push(['alone', `${alone}: as Search Console gives them without other dimensions`]);
    }
    if (fetched.refused.length > 0) facts.push(['not fetched', printable(fetched.refused.join('; '))]);
    for (const line of factLines(facts)) out.line(line);
  }
}
