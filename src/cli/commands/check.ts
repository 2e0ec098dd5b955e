// `check`: validates the config, counts and prices its searches; --online also checks everything that a run needs.

import type { Command } from '@commander-js/extra-typings';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { MonthForecast } from '../../app/forecast/simulate-policies.ts';
import { pausedKeywords } from '../../app/import/edit-keywords.ts';
import { nameWarnings } from '../../app/opening/ended-histories.ts';
import { guardHistory, olderCopyWarnings } from '../../app/opening/loss.ts';
import {
  type AnswerCost,
  answerCosts,
  costsMoney,
  keywordMonths,
  type ProjectCost,
  projectCosts,
} from '../../app/planning.ts';
import { type Pace, paces, questionsOf, sourceProblems } from '../../app/preflight/config-checks.ts';
import { sumOf } from '../../tracker/figures.ts';
import { gridText } from '../../tracker/grid.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Printer } from '../terminal/printer.ts';
import { CommandError, usageError } from '../text/failure.ts';
import { amount, counted, dollars, keywordMonthText } from '../text/numbers.ts';
import { type Column, factLines, tableLines } from '../text/table.ts';

const describe = (command: Command) =>
  command
    .option('--online', 'also check database, queue and services; buys nothing')
    .option('--forecast', 'simulate the next 31 days from your history, for their expected cost; takes up to a minute')
    .option('--timeout <seconds>', 'time limit of each of these checks (default: 10)');

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
  describe,
  async run(context) {
    const { online, forecast = false, timeout } = context.flags(describe);
    const timeoutMs = parseTimeout(timeout, online === true);
    const config = await context.config();
    // what would stop a run before it begins, such as a missing folder of recordings or an unknown option of a source
    const problems = await sourceProblems(config);
    if (problems.length > 0)
      throw new CommandError(
        'CONFIG_INVALID',
        problems.join('\n'),
        'Correct the service in the config.',
        exitCodes.usage,
      );
    // `--online` reports it beside the other checks
    if (online !== true) guardHistory(config);
    const report = await checkReport(context, config, forecast);
    if (online !== true) {
      if (context.json) context.out.json(report);
      else {
        printConfig(context, report);
        if (report.projects.some(({ costsMoney }) => costsMoney))
          context.out.line('`rankledger check --online` tests the services and shows their remaining credits.');
      }
      return exitCodes.done;
    }
    const { onlineExitCode, printOnline, tryAll } = await import('../subcommands/check-online.ts');
    const checked = await tryAll(context, config, timeoutMs);
    if (context.json) context.out.json({ ...report, online: checked });
    else {
      printConfig(context, report);
      context.out.line();
      printOnline(context.out, checked);
    }
    return onlineExitCode(checked.trials);
  },
};

function parseTimeout(seconds: string | undefined, isOnline: boolean): number | undefined {
  if (seconds === undefined) return undefined;
  if (!isOnline) throw usageError('--timeout needs --online.');
  if (!/^\d+(\.\d+)?$/.test(seconds) || Number(seconds) < 0.1 || Number(seconds) > 600)
    throw usageError('--timeout takes seconds from 0.1 to 600.');
  return Number(seconds) * 1000;
}

type CheckReport = Awaited<ReturnType<typeof checkReport>>;
type CheckedProject = CheckReport['projects'][number];

async function checkReport({ host, signal, progress }: Context, config: ResolvedConfig, forecasts: boolean) {
  const costs = await projectCosts(config, host.now());
  const answers = await answerCosts(config, costs);
  const ofKeywords = await keywordMonths(config, costs);
  const projects = config.projects.flatMap((project, at) => {
    const cost = costs[at];
    if (cost === undefined) return [];
    const { service, schedule = null, timezone } = project;
    const file = config.keywordSources.get(project.id)?.file;
    return [
      {
        ...cost,
        /** Keywords of its file that are paused: in no other number. */
        paused: file === undefined ? 0 : pausedKeywords(file).length,
        /** Absent: no prompts. */
        answers: answers.get(project.id),
        service,
        /** Pages of a keyword in a month at worst, by list prices; null: none is known, it is free, or no schedule. */
        microUsdPerKeywordMonth: ofKeywords.get(project.id) ?? null,
        costsMoney: costsMoney(config, service),
        schedule,
        timezone,
        targets: project.targets.map(({ value }) => value),
        competitors: project.competitors.map(({ value }) => value),
      },
    ];
  });
  const sum = (of: (cost: ProjectCost) => number) => sumOf(costs, of);
  return {
    /** Of the config; `online` adds what services answered. */
    ok: true,
    file: config.file,
    database: config.databaseFile,
    warnings: [...config.warnings, ...nameWarnings(config), ...olderCopyWarnings(config)],
    /** Settings that are valid and seldom meant. */
    questions: await questionsOf(config, costs, host.now(), { amount, dollars }),
    projects,
    /** What bounds the speed of runs, of the services that send requests. */
    paces: await paces(config),
    creditsPerMonth: sum((cost) => cost.creditsPerMonth),
    /** The next 31 days as configured, simulated; null: not asked for, no history to simulate from, or too much. */
    expectedMonth: forecasts
      ? await (await import('../../app/forecast/simulate-policies.ts')).expectedMonth(config, {
          now: host.now(),
          signal,
          onProgress: (done, total) => progress.update({ label: 'simulated', done, total, creditsSpent: 0 }),
        })
      : null,
    /** Of keyword data. */
    microUsdPerMonth: sum((cost) => cost.microUsdPerMonth),
    /** Absent: no project has prompts. */
    answersMicroUsdPerMonth: answers.size > 0 ? sumAnswers([...answers.values()]) : undefined,
    budget: config.budget,
  };
}

function sumAnswers(costs: readonly AnswerCost[]): AnswerCost['microUsdPerMonth'] {
  const sum = (of: 'expected' | 'worst') => sumOf(costs, (cost) => cost.microUsdPerMonth[of]);
  return { expected: sum('expected'), worst: sum('worst') };
}

const pausedColumn: Column<CheckedProject> = {
  title: 'paused',
  align: 'right',
  value: ({ paused }) => amount(paused),
};

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

const keywordColumn: Column<CheckedProject> = {
  title: 'USD a keyword',
  align: 'right',
  value: ({ microUsdPerKeywordMonth }) => keywordMonthText(microUsdPerKeywordMonth),
};

const answerColumn: Column<CheckedProject> = {
  title: 'AI answers a month',
  align: 'right',
  value: ({ answers }) => dollars(answers?.microUsdPerMonth.worst ?? 0),
};

function printConfig({ out, progress, shown }: Context, report: CheckReport): void {
  progress.clear();
  out.line(`${out.styled('green', 'OK')}  ${shown(report.file)}`);
  for (const warning of report.warnings) out.line(`${out.styled('yellow', 'Warning:')} ${warning}`);
  if (report.questions.length > 0) {
    out.line();
    out.line(out.styled('yellow', 'Is this meant?'));
    for (const { setting, consequence } of report.questions) out.line(`  ${setting}\n    ${consequence}`);
  }
  out.line();
  out.line(out.styled('bold', 'Tracked'));
  if (report.projects.length === 0) out.line('  no projects');
  const isPaused = report.projects.some(({ paused }) => paused > 0);
  const tracked = isPaused ? trackedColumns.toSpliced(2, 0, pausedColumn) : trackedColumns;
  for (const line of tableLines(tracked, report.projects)) out.line(line);
  if (report.projects.length === 0) return;
  for (const line of paceLines(report.paces)) out.line(line);
  out.line();
  out.line(out.styled('bold', 'Worst-case cost (every check reads to its full depth; a month has 31 days)'));
  const isPriced = report.projects.some(({ microUsdPerKeywordMonth }) => microUsdPerKeywordMonth !== null);
  const columns = [
    ...costColumns,
    ...(report.answersMicroUsdPerMonth === undefined ? [] : [answerColumn]),
    ...(isPriced ? [keywordColumn] : []),
  ];
  for (const line of tableLines(columns, report.projects)) out.line(line);
  if (isPriced) out.line('  USD a keyword: its pages in a month, by list prices');
  for (const line of gridLines(report)) out.line(line);
  for (const line of answerLines(report)) out.line(line);
  out.line();
  printBudget(out, report);
  out.line();
  out.line(
    'Searches that projects share, fresh pages and targets that are found early cost less: `rankledger plan` shows what the next run would buy, `rankledger check --forecast` what a month is expected to cost.',
  );
}

function paceLines(all: readonly Pace[]): string[] {
  const facts = all.map(({ service, requestsPerSecond, concurrency, heldBackBelowMs }): readonly [string, string] => [
    `pace of ${service}`,
    `${requestsPerSecond} requests a second, ${amount(concurrency)} at once; the first bounds a run where answers take less than ${heldBackBelowMs / 1000} s`,
  ]);
  return facts.length === 0 ? [] : ['', ...factLines(facts)];
}

/** One line per grid. */
function gridLines({ projects }: CheckReport): string[] {
  const facts = projects.flatMap(({ project, grid }): (readonly [string, string])[] => {
    if (grid === undefined) return [];
    const { keywords, searches, creditsPerRun, creditsPerMonth } = grid;
    const cost = `${counted(creditsPerRun, 'credit')} a run, ${amount(creditsPerMonth)} a month`;
    return [
      [
        `grid of ${project}`,
        `${gridText(grid)}, ${counted(keywords, 'keyword')}, ${counted(searches, 'search', 'searches')}: ${cost}`,
      ],
    ];
  });
  return facts.length === 0 ? [] : ['', ...factLines(facts)];
}

/** What it costs to see changes of AI answers: one line per project with prompts. */
function answerLines({ projects }: CheckReport): string[] {
  const facts = projects.flatMap(({ project, answers }): (readonly [string, string])[] => {
    if (answers === undefined) return [];
    const changes = answers.seenChanges.map(({ from, to, prompts, samples, samplesPerMonth, microUsdPerMonth }) => {
      const cost = `${counted(samplesPerMonth, 'answer')} a month, ${dollars(microUsdPerMonth)}`;
      const of = prompts === 1 ? 'a prompt' : `all ${amount(prompts)} prompts together`;
      return `of ${of} from ${100 * from} to ${100 * to} % with samples: ${samples} (${cost})`;
    });
    return [[`AI answers of ${project}`, `changes are seen in 80 %: ${changes.join(', ')}`]];
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

/** `expected 406 (5 %), $0.012 a keyword`: of all projects together. */
function expectedText({ expectedMonth: forecast, budget }: CheckReport): string {
  if (forecast === null) return '';
  const { credits, microUsdPerKeywordMonth: ofKeyword } = forecast;
  const expected = `, expected ${amount(credits)}${ofCap(credits, budget.serpCredits)}`;
  return ofKeyword === null ? expected : `${expected}, ${keywordMonthText(ofKeyword)} a keyword`;
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
        `a run of ${project} may take ${counted(worst, 'credit')}: ${amount(worst - perRun)} would be deferred`,
    );
  if (creditsPerMonth > perMonth) {
    lines.push(
      `a month may take ${counted(creditsPerMonth, 'credit')}: ${amount(creditsPerMonth - perMonth)} would be deferred`,
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
