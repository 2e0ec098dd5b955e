// `clicks`: what measured clicks say: the curve of a site, why its clicks changed, which queries to track. Free.

import { type Command, Option } from '@commander-js/extra-typings';
import type { EngineExportRow, EngineReport } from '../../../db/history/clicks.ts';
import { readClickChanges } from '../../../jobs/clicks/click-changes.ts';
import { siteFeatureCurves } from '../../../jobs/clicks/feature-curves.ts';
import { fitSiteCurve } from '../../../jobs/clicks/site-curve.ts';
import { silentKeywords, suggestionPeriod, untrackedQueries } from '../../../jobs/clicks/suggestions.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import { servicesForSale } from '../../app/opening/services.ts';
import { InvalidQuery } from '../../read/contract.ts';
import type { SilentKeyword, UntrackedQuery } from '../../read/records.ts';
import { ctr } from '../../tracker/changes/visibility.ts';
import type { ClickChange, ClickChanges, ClickEffects } from '../../tracker/clicks/clicks.ts';
import type { FittedRank } from '../../tracker/clicks/curves.ts';
import { type KnownFault, withFaults } from '../../tracker/clicks/known-faults.ts';
import { sumOf } from '../../tracker/figures.ts';
import type { Project } from '../../tracker/project.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { projectOption, wholeNumber } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted, signedAmount } from '../text/numbers.ts';
import { type Column, factLines, printable, tableLines } from '../text/table.ts';

const changesBy = ['query', 'page', 'country', 'device'] as const;

const describeChanges = (command: Command) =>
  command
    .command('changes')
    .description('clicks gained or lost, split into demand, rank and rate')
    .addOption(projectOption)
    .addOption(new Option('--by <kind>', 'rows by').choices(changesBy).default('query'))
    .option('--days <n>', 'days of each period', wholeNumber(1, 240), 28)
    .option('--to <date>', 'last day (default: the newest final one)');

const describeSuggest = (command: Command) =>
  command
    .command('suggest')
    .description('queries with impressions that are not tracked, and tracked ones without')
    .addOption(projectOption)
    .option('--min-impressions <n>', 'impressions of a suggested query in 28 days', wholeNumber(1, 1_000_000), 10);

const describeEngines = (command: Command) =>
  command.command('engines').description('imported exports of other search engines').addOption(projectOption);

const describeCurve = (command: Command) =>
  command.command('curve').description('the click-through curve that is fitted to each site').addOption(projectOption);

const actions: ReadonlyMap<string, (context: Context) => Promise<void>> = new Map([
  ['curve', curve],
  ['changes', changes],
  ['suggest', suggest],
  ['engines', engines],
]);

export const command: CommandDefinition = {
  about:
    'Reads the days that `backfill clicks` stored. It buys nothing, and measured positions never become ranks. docs/search-console.md explains the numbers.',
  examples: [
    { command: 'clicks curve', does: 'click-through rates by position, measured and built in' },
    { command: 'clicks changes', does: 'why clicks changed against the 28 days before, by query' },
    { command: 'clicks changes --by page --days 7', does: 'by page, one week against the week before' },
    { command: 'clicks suggest --min-impressions 100', does: 'queries worth tracking, with their cost a month' },
    { command: 'clicks engines', does: 'clicks and citations of imported exports of other search engines' },
    { command: 'clicks curve --project acme --json', does: 'the same of one project, with intervals' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe(command) {
    describeChanges(command);
    describeSuggest(command);
    describeEngines(command);
    describeCurve(command);
  },
  async run(context): Promise<ExitCode> {
    await actions.get(context.action ?? '')?.(context);
    return exitCodes.done;
  },
};

type ProjectCurve = Awaited<ReturnType<typeof readCurves>>[number];

function readCurves({ withApp }: Context, ids: readonly string[] | undefined) {
  return withApp(
    ({ config, context: { store, clock } }) =>
      projectsNamed(config, ids).map((project) => {
        const curve = fitSiteCurve(store, project, localDate(clock.now(), project.timezone));
        /** By SERP feature, from tracked keywords whose pages were checked near a day of clicks. */
        const features = siteFeatureCurves(store, project, curve);
        return { project: project.id, ...curve, features };
      }),
    { isReading: true },
  );
}

async function curve(context: Context): Promise<void> {
  const curves = await readCurves(context, context.flags(describeCurve).project);
  if (context.json) context.out.json({ projects: curves });
  else printCurves(context.out, curves);
}

/** Never mixed with the clicks of Search Console. */
async function engines({ flags, json, out, withApp }: Context): Promise<void> {
  const projects = await withApp(
    ({ config, context: { store } }) =>
      projectsNamed(config, flags(describeEngines).project).map(({ id }) => ({
        project: id,
        exports: store.engineExports.list(id),
      })),
    { isReading: true },
  );
  if (json) {
    out.json({ projects });
    return;
  }
  for (const { project, exports } of projects) {
    out.line(out.styled('bold', printable(project)));
    if (exports.length === 0) out.line('  No export of another search engine: backfill clicks --file');
    for (const { report, from, to, rows } of exports) {
      const total = sumOf(rows, ({ count }) => count);
      out.line(`  ${from} to ${to}: ${amount(total)} ${report} in ${counted(rows.length, 'row')}`);
      for (const line of tableLines(engineColumns(report), rows.slice(0, rowsShown))) out.line(line);
    }
  }
}

function engineColumns(report: EngineReport): Column<EngineExportRow>[] {
  return [
    { title: 'of', value: ({ kind }) => kind },
    { title: 'name', value: ({ name }) => printable(name) },
    { title: report, align: 'right', value: ({ count }) => amount(count) },
    ...(report === 'citations'
      ? []
      : [
          {
            title: 'impressions',
            align: 'right' as const,
            value: ({ impressions }: EngineExportRow) => amount(impressions ?? 0),
          },
        ]),
  ];
}

type ProjectChanges = ClickChanges & { readonly project: string };

async function changes(context: Context): Promise<void> {
  const { project, ...question } = context.flags(describeChanges);
  const found = await withClicks(context, project, (jobs, each) => readClickChanges(jobs, each, question));
  if (context.json) context.out.json({ projects: found });
  else printChanges(context.out, found);
}

interface ProjectSuggestions {
  readonly project: string;
  /** Local dates of the numbers, inclusive: the newest 28 final days, else those of the newest export. */
  readonly from: string;
  readonly to: string;
  readonly faults?: readonly KnownFault[];
  readonly untracked: readonly UntrackedQuery[];
  readonly withoutImpressions: readonly SilentKeyword[];
}

async function suggest(context: Context): Promise<void> {
  const { project, minImpressions } = context.flags(describeSuggest);
  const found = await withClicks(context, project, (jobs, each) => {
    const untracked = untrackedQueries(jobs, each, minImpressions);
    const { from = '', to = '' } = suggestionPeriod(jobs, each) ?? {};
    const faults = withFaults(from, to);
    return { from, to, ...faults, untracked, withoutImpressions: silentKeywords(jobs, each) };
  });
  if (context.json) context.out.json({ projects: found });
  else printSuggestions(context.out, found);
}

/** Projects without clicks are left out, unless they are named. */
function withClicks<Answer>(
  { withApp }: Context,
  ids: readonly string[] | undefined,
  read: (context: JobContext, project: Project) => Answer,
): Promise<(Answer & { readonly project: string })[]> {
  return withApp(
    async ({ config, context: atRest }) => {
      const context = { ...atRest, services: await servicesForSale(config) };
      const { clicks, clickExports } = context.store;
      const projects = projectsNamed(config, ids).filter(
        (each) => ids !== undefined || clicks.property(each) !== null || clickExports.newest(each, '9999') !== null,
      );
      if (projects.length === 0)
        throw usageError('no project has clicks', 'fetch them: rankledger backfill clicks; see docs/search-console.md');
      try {
        return projects.map((project) => ({ project: project.id, ...read(context, project) }));
      } catch (error) {
        throw error instanceof InvalidQuery ? usageError(error.message) : error;
      }
    },
    { isReading: true },
  );
}

/** Rates by rank of each project, beside the built-in curve. */
function printCurves(out: Printer, curves: readonly ProjectCurve[]): void {
  for (const { project, name, prior, property, from, to, faults, parts, features } of curves) {
    out.line(out.styled('bold', `${printable(project)}: ${name}`));
    if (property === null || to === null) {
      out.line('  No final day of clicks is stored: rankledger backfill clicks');
      continue;
    }
    const lines = parts.map(({ brand, device, impressions, ranks }): readonly [string, string] => [
      `${brand ? 'with' : 'without'} the brand, ${device ?? 'all devices'}`,
      `${counted(impressions, 'impression')}${ranks.length === 0 ? ': too few for a curve' : ''}`,
    ]);
    for (const line of factLines([['days', `${from} to ${to}, ${printable(property)}`], ...lines])) out.line(line);
    for (const line of faultLines(faults, 'left out')) out.line(line);
    const [main] = parts;
    for (const line of tableLines(curveColumns(prior), main?.ranks.slice(0, rowsShown) ?? [])) out.line(line);
    printFeatures(out, features);
  }
}

type FeatureCurve = ProjectCurve['features'][number];

/** How clicks go with SERP features, and the curves of those that have one. */
function printFeatures(out: Printer, features: readonly FeatureCurve[]): void {
  const shown = features.filter(({ present }) => present.impressions > 0);
  if (shown.length === 0) return;
  out.line('  Clicks with a SERP feature, against pages without it at equal positions:');
  for (const line of tableLines(featureColumns, shown)) out.line(line);
  for (const { name, ranks } of shown.filter((one) => movesClicks(one))) {
    out.line(`  ${name}`);
    for (const line of tableLines(rankColumns, ranks.slice(0, featureRanksShown))) out.line(line);
  }
}

const featureRanksShown = 10;

/** More than chance: the interval of the ratio does not hold 1. */
function movesClicks({ ratio }: FeatureCurve): boolean {
  return ratio !== null && (ratio.high < 1 || ratio.low > 1);
}

function ratioText({ ratio }: FeatureCurve): string {
  if (ratio === null) return 'too little data';
  const whole = (value: number): string => `${Math.round(100 * value)} %`;
  return `${whole(ratio.value)} (${whole(ratio.low)} to ${whole(ratio.high)})`;
}

const featureColumns: readonly Column<FeatureCurve>[] = [
  { title: 'feature', value: ({ feature }) => feature },
  { title: 'queries', align: 'right', value: ({ present }) => amount(present.queries) },
  { title: 'impressions', align: 'right', value: ({ present }) => amount(present.impressions) },
  { title: 'without it', align: 'right', value: ({ absent }) => amount(absent.impressions) },
  { title: 'clicks (95 % interval)', value: ratioText },
];

/** The effects of each project, and its largest changes. */
function printChanges(out: Printer, projects: readonly ProjectChanges[]): void {
  for (const { project, property, curve, period, previous, total, hiddenChange, faults, rows } of projects) {
    out.line(out.styled('bold', `${printable(project)}: ${printable(property)}`));
    const days = ({ from, to, stored }: typeof period) => `${from} to ${to}, ${counted(stored, 'final day')} stored`;
    const facts: (readonly [string, string])[] = [
      ['days', days(period)],
      ['compared', days(previous)],
      ['clicks', `${amount(total.clicks)}, before ${amount(total.previousClicks)}: ${signedAmount(total.change)}`],
      ['demand', `${signedAmount(total.demand)}, of these ${signedAmount(total.newOrLost)} of new and lost queries`],
      ['rank', `${signedAmount(total.rank)}, along ${curve}`],
      ['rate', `${signedAmount(total.rate)}: snippets, features, other sites`],
      [
        'hidden',
        `${signedAmount(hiddenChange)} clicks of queries that are hidden or have unknown impressions, in no row`,
      ],
    ];
    for (const line of factLines(facts)) out.line(line);
    if (period.stored !== previous.stored)
      out.line('  The periods have different numbers of days: changes are partly those of the missing days.');
    for (const line of faultLines(faults, 'demand, rank and rate are not comparable')) out.line(line);
    for (const line of tableLines(changeColumns, rows.slice(0, rowsShown))) out.line(line);
  }
}

function faultLines(faults: readonly KnownFault[] | undefined, effect: string): string[] {
  return (faults ?? []).map(({ from, to, text, source }) => `  ${from} to ${to}: ${text}; ${effect} (${source})`);
}

const rowsShown = 20;

const changeColumns: readonly Column<ClickChange>[] = [
  { title: 'name', widthMax: 50, value: ({ name }) => name },
  { title: 'clicks', align: 'right', value: ({ clicks }) => amount(clicks) },
  ...(['change', 'demand', 'rank', 'rate'] as const).map(
    (title): Column<ClickEffects> => ({ title, align: 'right', value: (row) => signedAmount(row[title]) }),
  ),
];

/** The first of both lists; --json has all. */
function printSuggestions(out: Printer, projects: readonly ProjectSuggestions[]): void {
  for (const { project, from, to, faults, untracked, withoutImpressions: silent } of projects) {
    out.line(out.styled('bold', printable(project)));
    const queries = counted(untracked.length, 'query', 'queries');
    out.line(
      `  ${queries} with impressions from ${from} to ${to} that ${untracked.length === 1 ? 'is' : 'are'} not tracked`,
    );
    for (const line of faultLines(faults, 'the numbers are as reported')) out.line(line);
    for (const line of tableLines(untrackedColumns, untracked.slice(0, rowsShown))) out.line(line);
    out.line(`  ${counted(silent.length, 'tracked keyword')} without reported impressions (rare queries are hidden)`);
    for (const line of tableLines(silentColumns, silent.slice(0, rowsShown))) out.line(line);
  }
}

const credits = {
  title: 'credits a month',
  align: 'right',
  value: ({ creditsPerMonth }: SilentKeyword | UntrackedQuery) => amount(creditsPerMonth),
} as const;

function marketsOf({ country, language, devices }: SilentKeyword | UntrackedQuery): string {
  return `${country} ${language} ${devices.join(', ')}`;
}

const untrackedColumns: readonly Column<UntrackedQuery>[] = [
  { title: 'query', widthMax: 50, value: ({ query }) => query },
  { title: 'market', value: marketsOf },
  {
    title: 'impressions',
    align: 'right',
    value: ({ impressions }) => (impressions === null ? '' : amount(impressions)),
  },
  { title: 'clicks', align: 'right', value: ({ clicks }) => amount(clicks) },
  { title: 'position', align: 'right', value: ({ averagePosition }) => averagePosition?.toFixed(1) ?? '' },
  { title: 'brand', value: ({ brand }) => (brand ? 'yes' : '') },
  credits,
];

const silentColumns: readonly Column<SilentKeyword>[] = [
  { title: 'keyword', widthMax: 50, value: ({ keyword }) => keyword },
  { title: 'market', value: marketsOf },
  credits,
];

const rankColumns: readonly Column<FittedRank>[] = [
  { title: 'rank', align: 'right', value: ({ rank }) => `${rank}` },
  { title: 'impressions', align: 'right', value: ({ impressions }) => amount(Math.round(impressions)) },
  { title: 'clicks', align: 'right', value: ({ clicks }) => amount(Math.round(clicks)) },
  { title: 'rate', align: 'right', value: ({ rate }) => percent(rate) },
  { title: '95 % interval', value: ({ low, high }) => `${percent(low)} to ${percent(high)}` },
];

function curveColumns(prior: string): Column<FittedRank>[] {
  return [...rankColumns, { title: prior, align: 'right', value: ({ rank }) => percent(ctr(prior, rank)) }];
}

function percent(rate: number): string {
  return `${(100 * rate).toFixed(2)} %`;
}
