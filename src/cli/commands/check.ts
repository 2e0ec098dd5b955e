// `check`: validates the config, counts and prices its searches; --online also checks everything that a run needs.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { PlanReport } from '../../../jobs/query/planning.ts';
import type { MonthForecast } from '../../app/forecast/simulate-policies.ts';
import { type AnswerCost, type ProjectCost, plan } from '../../app/planning.ts';
import type { Question } from '../../app/preflight/config-checks.ts';
import type { PreflightCheck } from '../../app/preflight/online-checks.ts';
import { gridText } from '../../tracker/grid.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { OnlineText } from '../subcommands/check-online.ts';
import type { Printer } from '../terminal/printer.ts';
import { CommandError, usageError } from '../text/failure.ts';
import { amount, counted, dollars } from '../text/numbers.ts';
import { type Column, factLines, tableLines } from '../text/table.ts';

interface Flags {
  readonly forecast?: boolean;
  readonly online?: boolean;
  readonly timeout?: string;
}

export const command: CommandDefinition = {
  about: `Lists all problems of the config with file and line. Sends no request and spends nothing. --online also checks the database, the queue and each
service, still without spending: it queries account endpoints and connects to each proxy, and shows the remaining credits and the cost of a run.
Exit code 4 if a service refuses access (credentials, credits, address), 1 if anything else does not answer or cannot be used.`,
  examples: [
    { command: 'check', does: 'rankledger.yaml in this folder' },
    { command: 'check --config sites/acme.yaml', does: 'another file' },
    { command: 'check --online', does: 'the same, and a check of everything that a run needs' },
    { command: 'check --forecast', does: 'the same, and the credits that the next month is expected to cost' },
    { command: 'check --json', does: 'the same for scripts; exit code 2 if the config is wrong' },
  ],
  readsConfig: true,
  describe: (command) =>
    void command
      .option('--online', 'also check database, queue and services; buys nothing')
      .option(
        '--forecast',
        'simulate the next 31 days from your history, for their expected cost; takes up to a minute',
      )
      .option('--timeout <seconds>', 'time limit of each of these checks (default: 10)'),
  async run(context) {
    const { online, forecast = false, timeout } = context.flags<Flags>();
    const timeoutMs = parseTimeout(timeout, online === true);
    const config = await context.config();
    await refuseUnusableServices(config);
    const report = await checkReport(context, forecast);
    const checked = online === true ? await tryAll(context, config, timeoutMs) : undefined;
    if (context.json) context.out.json(checked === undefined ? report : { ...report, online: checked });
    else await print(context, report, checked);
    return checked === undefined ? exitCodes.done : onlineExitCode(checked.trials);
  },
};

function parseTimeout(seconds: string | undefined, isOnline: boolean): number | undefined {
  if (seconds === undefined) return undefined;
  if (!isOnline) throw usageError('--timeout needs --online.');
  if (!/^\d+(\.\d+)?$/.test(seconds) || Number(seconds) < 0.1 || Number(seconds) > 600)
    throw usageError('--timeout takes seconds from 0.1 to 600.');
  return Number(seconds) * 1000;
}

interface Online extends OnlineText {
  readonly ok: boolean;
}

/** Tests everything that a run needs, and computes what it would cost. */
async function tryAll(context: Context, config: ResolvedConfig, timeoutMs: number | undefined): Promise<Online> {
  const { checkOnline } = await import('../../app/preflight/online-checks.ts');
  const { signal, progress } = context;
  const { trials, isReadable } = await checkOnline(config, {
    signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    onProgress: (done, total) => progress.update({ label: 'tried', done, total, creditsSpent: 0 }),
  });
  const plans = isReadable ? await planProjects(context, config) : new Map<string, PlanReport>();
  const { projectCosts } = await import('../../app/planning.ts');
  const { onlineCosts, shortages } = await import('../subcommands/check-online.ts');
  const { answerCosts } = await import('../../app/planning.ts');
  const monthly = projectCosts(config, context.host.now());
  const answers = await answerCosts(config, monthly);
  const outlooks = new Map(
    monthly.map((cost) => [
      cost.project,
      { cost, answers: answers.get(cost.project) ?? null, plan: plans.get(cost.project) ?? null },
    ]),
  );
  const costs = onlineCosts(config, outlooks, trials);
  const warnings = [...trials.flatMap((trial) => trial.warnings), ...shortages(costs, trials)];
  return { ok: onlineExitCode(trials) === exitCodes.done, trials, costs, warnings };
}

/** The next run of each project, planned alone. */
async function planProjects({ withApp }: Context, { projects }: ResolvedConfig): Promise<Map<string, PlanReport>> {
  return await withApp(
    async (app) => {
      const plans = new Map<string, PlanReport>();
      for (const { id } of projects) plans.set(id, await plan(app, { projects: [id] }));
      return plans;
    },
    { isReading: true },
  );
}

/** A refusal outranks a failure: it needs an operator. */
function onlineExitCode(trials: readonly PreflightCheck[]): ExitCode {
  const states = new Set(trials.flatMap((trial) => [trial, ...trial.parts]).map(({ state }) => state));
  if (states.has('refused')) return exitCodes.halted;
  return states.has('failed') ? exitCodes.failed : exitCodes.done;
}

/**
 * Problems that would stop a run before it begins, such as a missing folder of recordings or an unknown option of a
 * source.
 */
async function refuseUnusableServices(config: ResolvedConfig): Promise<void> {
  const { sourceProblems } = await import('../../app/preflight/config-checks.ts');
  const problems = await sourceProblems(config);
  if (problems.length === 0) return;
  throw new CommandError('CONFIG_INVALID', problems.join('\n'), 'Correct the service in the config.', exitCodes.usage);
}

async function checkReport({ config, host, signal, progress }: Context, forecasts: boolean): Promise<CheckReport> {
  const resolved = await config();
  const { costsMoney, projectCosts } = await import('../../app/planning.ts');
  const { answerCosts } = await import('../../app/planning.ts');
  const { questionsOf } = await import('../../app/preflight/config-checks.ts');
  const { nameWarnings } = await import('../../app/opening/database.ts');
  const costs = projectCosts(resolved, host.now());
  const answers = await answerCosts(resolved, costs);
  const projects = resolved.projects.flatMap((project, at): CheckedProject[] => {
    const cost = costs[at];
    if (cost === undefined) return [];
    const { service, schedule = null, timezone } = project;
    const targets = project.targets.map(({ value }) => value);
    const competitors = project.competitors.map(({ value }) => value);
    const paid = costsMoney(resolved.services.get(service));
    const asked = answers.get(project.id);
    return [
      {
        ...cost,
        ...(asked !== undefined && { answers: asked }),
        service,
        costsMoney: paid,
        schedule,
        timezone,
        targets,
        competitors,
      },
    ];
  });
  const sum = (of: (cost: ProjectCost) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  return {
    ok: true,
    file: resolved.file,
    database: resolved.databaseFile,
    warnings: [...resolved.warnings, ...nameWarnings(resolved)],
    questions: await questionsOf(resolved, costs, host.now(), { amount, dollars }),
    projects,
    creditsPerMonth: sum((cost) => cost.creditsPerMonth),
    expectedMonth: forecasts
      ? await (await import('../../app/forecast/simulate-policies.ts')).expectedMonth(resolved, {
          now: host.now(),
          signal,
          onProgress: (done, total) => progress.update({ label: 'simulated', done, total, creditsSpent: 0 }),
        })
      : null,
    microUsdPerMonth: sum((cost) => cost.microUsdPerMonth),
    ...(answers.size > 0 && { answersMicroUsdPerMonth: sumAnswers([...answers.values()]) }),
    budget: resolved.budget,
  };
}

function sumAnswers(costs: readonly AnswerCost[]): AnswerCost['microUsdPerMonth'] {
  const sum = (of: 'expected' | 'worst') => costs.reduce((total, cost) => total + cost.microUsdPerMonth[of], 0);
  return { expected: sum('expected'), worst: sum('worst') };
}

async function print(
  { out, shown, progress }: Context,
  report: CheckReport,
  online: Online | undefined,
): Promise<void> {
  progress.clear();
  printConfig(out, shown(report.file), report);
  if (online === undefined) {
    if (report.projects.some(({ costsMoney }) => costsMoney))
      out.line('`rankledger check --online` tests the services and shows their remaining credits.');
    return;
  }
  const { printOnline } = await import('../subcommands/check-online.ts');
  out.line();
  printOnline(out, online);
}

interface CheckedProject extends ProjectCost {
  /** Absent: no prompts. */
  readonly answers?: AnswerCost;
  readonly service: string;
  readonly costsMoney: boolean;
  readonly schedule: string | null;
  readonly timezone: string;
  readonly targets: readonly string[];
  readonly competitors: readonly string[];
}

interface CheckReport {
  /** From the config; `online` adds what services answered. */
  readonly ok: true;
  readonly file: string;
  readonly database: string;
  readonly warnings: readonly string[];
  /** Settings that are valid and seldom meant. */
  readonly questions: readonly Question[];
  readonly projects: readonly CheckedProject[];
  readonly creditsPerMonth: number;
  /** The next 31 days as configured, simulated; null: not asked for, no history to simulate from, or too much of it. */
  readonly expectedMonth: MonthForecast | null;
  /** Of keyword data. */
  readonly microUsdPerMonth: number;
  /** Of AI answers; absent: no project has prompts. */
  readonly answersMicroUsdPerMonth?: AnswerCost['microUsdPerMonth'];
  readonly budget: ResolvedConfig['budget'];
}

const trackedColumns: readonly Column<CheckedProject>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'keywords', align: 'right', value: ({ keywords }) => amount(keywords) },
  { title: 'searches', align: 'right', value: ({ searches }) => amount(searches) },
  { title: 'service', value: ({ service, costsMoney }) => (costsMoney ? service : `${service} (free)`) },
  {
    title: 'schedule',
    value: ({ schedule, timezone }) => (schedule === null ? 'when named' : `${schedule} ${timezone}`),
  },
  { title: 'targets', value: ({ targets }) => targets.join(', '), widthMax: 50 },
  { title: 'competitors', value: ({ competitors }) => competitors.join(', '), widthMax: 40 },
];

const costColumns: readonly Column<CheckedProject>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'runs a month', align: 'right', value: ({ slotsPerMonth }) => amount(slotsPerMonth) },
  { title: 'credits a run', align: 'right', value: ({ creditsPerRun }) => amount(creditsPerRun) },
  { title: 'a deep run', align: 'right', value: ({ creditsPerDeepRun }) => amount(creditsPerDeepRun) },
  { title: 'credits a month', align: 'right', value: ({ creditsPerMonth }) => amount(creditsPerMonth) },
  { title: 'keyword data a month', align: 'right', value: ({ microUsdPerMonth }) => dollars(microUsdPerMonth) },
];

const answerColumn: Column<CheckedProject> = {
  title: 'AI answers a month',
  align: 'right',
  value: ({ answers }) => dollars(answers?.microUsdPerMonth.worst ?? 0),
};

function printConfig(out: Printer, file: string, report: CheckReport): void {
  out.line(`${out.styled('green', 'OK')}  ${file}`);
  for (const warning of report.warnings) out.line(`${out.styled('yellow', 'Warning:')} ${warning}`);
  if (report.questions.length > 0) {
    out.line();
    out.line(out.styled('yellow', 'Is this meant?'));
    for (const { setting, consequence } of report.questions) out.line(`  ${setting}\n    ${consequence}`);
  }
  out.line();
  out.line(out.styled('bold', 'Tracked'));
  if (report.projects.length === 0) out.line('  no projects');
  for (const line of tableLines(trackedColumns, report.projects)) out.line(line);
  if (report.projects.length === 0) return;
  out.line();
  out.line(out.styled('bold', 'Worst-case cost (every check reads to its full depth; a month has 31 days)'));
  const columns = report.answersMicroUsdPerMonth === undefined ? costColumns : [...costColumns, answerColumn];
  for (const line of tableLines(columns, report.projects)) out.line(line);
  for (const line of gridLines(report)) out.line(line);
  out.line();
  printBudget(out, report);
  out.line();
  out.line(
    'Searches that projects share, fresh pages and targets that are found early cost less: `rankledger plan` shows what the next run would buy, `rankledger check --forecast` what a month is expected to cost.',
  );
}

/** One line per grid. */
function gridLines({ projects }: CheckReport): string[] {
  const facts = projects.flatMap(({ project, grid }): (readonly [string, string])[] => {
    if (grid === undefined) return [];
    const { keywords, searches, creditsPerRun, creditsPerMonth } = grid;
    const cost = `${amount(creditsPerRun)} credits a run, ${amount(creditsPerMonth)} a month`;
    return [
      [
        `grid of ${project}`,
        `${gridText(grid)}, ${counted(keywords, 'keyword')}, ${counted(searches, 'search', 'searches')}: ${cost}`,
      ],
    ];
  });
  return facts.length === 0 ? [] : ['', ...factLines(facts)];
}

type Caps = ResolvedConfig['budget']['serpCredits'];

/** `at worst 1,147 a month (11 %)`: of all projects together, against the cap of the month. */
function worstCase(cost: number, caps: Caps, write: (number: number) => string): string {
  return `all projects at worst ${write(cost)} a month${ofCap(cost, caps)}`;
}

function ofCap(cost: number, { perMonth: cap }: Caps): string {
  return cap === undefined || cap === 0 ? '' : ` (${Math.ceil((100 * cost) / cap)} %)`;
}

/** `expected 406 (5 %)`: of all projects together. */
function expectedText({ expectedMonth: forecast, budget }: CheckReport): string {
  return forecast === null
    ? ''
    : `, expected ${amount(forecast.credits)}${ofCap(forecast.credits, budget.serpCredits)}`;
}

function forecastText({ days, searches, simulatedSearches }: MonthForecast): string {
  const sampled =
    simulatedSearches < searches ? `, with ${amount(simulatedSearches)} of ${amount(searches)} searches` : '';
  return `Expected: the next ${days} days, simulated from your history${sampled}. \`rankledger simulate\` compares other policies.`;
}

/** The caps of the config, and whether the worst case exceeds them. */
function printBudget(out: Printer, report: CheckReport): void {
  const { budget } = report;
  const windows = ['perRun', 'perDay', 'perMonth'] as const;
  const caps = (amounts: Caps, write: (number: number) => string) =>
    windows
      .flatMap((window) => {
        const cap = amounts[window];
        return cap === undefined ? [] : [`${write(cap)} ${window.replace('per', 'a ').toLowerCase()}`];
      })
      .join(', ') || 'no cap';
  out.line(out.styled('bold', 'Budget'));
  const facts = [
    [
      'SERP credits',
      `${caps(budget.serpCredits, amount)}; ${worstCase(report.creditsPerMonth, budget.serpCredits, amount)}${expectedText(report)}`,
    ],
    dollarFact(report, caps(budget.microUsd, dollars)),
  ] as const;
  for (const line of factLines(facts)) out.line(line);
  if (report.expectedMonth !== null) out.line(`  ${forecastText(report.expectedMonth)}`);
  for (const line of shortfalls(report)) out.line(`  ${out.styled('yellow', 'short')}  ${line}`);
}

/** Keyword data and AI answers are paid from the same windows. */
function dollarFact(report: CheckReport, caps: string): readonly [string, string] {
  const { microUsdPerMonth, answersMicroUsdPerMonth: answers, budget } = report;
  if (answers === undefined)
    return ['keyword data', `${caps}; ${worstCase(microUsdPerMonth, budget.microUsd, dollars)}`];
  const worst = worstCase(microUsdPerMonth + answers.worst, budget.microUsd, dollars);
  return ['keyword data and AI answers', `${caps}; ${worst}, AI answers expected ${dollars(answers.expected)}`];
}

/** Where the worst case is above a cap: what does not fit is deferred. */
function shortfalls({ budget, projects, creditsPerMonth, ...report }: CheckReport): string[] {
  const none = Number.POSITIVE_INFINITY;
  const { perRun = none, perMonth = none } = budget.serpCredits;
  const lines = projects
    .filter(({ creditsPerDeepRun }) => creditsPerDeepRun > perRun)
    .map(
      ({ project, creditsPerDeepRun: worst }) =>
        `a run of ${project} may take ${amount(worst)} credits: ${amount(worst - perRun)} would be deferred`,
    );
  if (creditsPerMonth > perMonth) {
    lines.push(
      `a month may take ${amount(creditsPerMonth)} credits: ${amount(creditsPerMonth - perMonth)} would be deferred`,
    );
  }
  const { perMonth: usdPerMonth = none } = budget.microUsd;
  const answers = report.answersMicroUsdPerMonth;
  const microUsd = report.microUsdPerMonth + (answers?.worst ?? 0);
  if (microUsd > usdPerMonth) {
    const what = answers === undefined ? 'keyword data' : 'keyword data and AI answers';
    lines.push(
      `a month may take ${dollars(microUsd)} of ${what}: ${dollars(microUsd - usdPerMonth)} would be deferred`,
    );
  }
  return lines;
}
