// The text of `check`: what is tracked, what it costs, and where the budget is short.
import type { ResolvedConfig } from '../../../../config/resolve.ts';
import type { MonthForecast } from '../../../app/forecast/simulate-policies.ts';
import type { AnswerCost } from '../../../app/preflight/answer-costs.ts';
import type { ProjectCost } from '../../../app/preflight/project-cost.ts';
import type { Question } from '../../../app/preflight/questions.ts';
import { gridText } from '../../../tracker/grid.ts';
import type { Printer } from '../../terminal/printer.ts';
import { amount, counted, dollars } from '../numbers.ts';
import { type Column, factLines, tableLines } from '../table.ts';

export interface CheckedProject extends ProjectCost {
  /** Absent: no prompts. */
  readonly answers?: AnswerCost;
  readonly service: string;
  readonly costsMoney: boolean;
  readonly schedule: string | null;
  readonly timezone: string;
  readonly targets: readonly string[];
  readonly competitors: readonly string[];
}

export interface CheckReport {
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

export function printConfig(out: Printer, file: string, report: CheckReport): void {
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
