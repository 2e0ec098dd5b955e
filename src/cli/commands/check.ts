// `check`: whether the config can be used, what it tracks, and what that costs at worst. It asks no provider and opens no database.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { CommandDefinition, Context } from '../command.ts';
import type { ProjectCost } from '../cost.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { amount, dollars } from '../numbers.ts';
import type { Printer } from '../printer.ts';
import { type Column, factLines, tableLines } from '../table.ts';

interface CheckedProject extends ProjectCost {
  readonly service: string;
  readonly costsMoney: boolean;
  readonly schedule: string | null;
  readonly timezone: string;
  readonly targets: readonly string[];
  readonly competitors: readonly string[];
}

interface CheckReport {
  readonly ok: true;
  readonly file: string;
  readonly database: string;
  readonly warnings: readonly string[];
  readonly projects: readonly CheckedProject[];
  readonly creditsPerMonth: number;
  readonly microUsdPerMonth: number;
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
  { title: 'looks for', value: ({ targets }) => targets.join(', '), widthMax: 50 },
  { title: 'compares with', value: ({ competitors }) => competitors.join(', '), widthMax: 40 },
];

const costColumns: readonly Column<CheckedProject>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'runs a month', align: 'right', value: ({ slotsPerMonth }) => amount(slotsPerMonth) },
  { title: 'credits a run', align: 'right', value: ({ creditsPerRun }) => amount(creditsPerRun) },
  { title: 'a deep run', align: 'right', value: ({ creditsPerDeepRun }) => amount(creditsPerDeepRun) },
  { title: 'credits a month', align: 'right', value: ({ creditsPerMonth }) => amount(creditsPerMonth) },
  { title: 'keyword data a month', align: 'right', value: ({ microUsdPerMonth }) => dollars(microUsdPerMonth) },
];

export const command: CommandDefinition = {
  about: 'Asks no provider and spends nothing. Every problem of the config is told at once, with file and line.',
  examples: [
    { command: 'check', does: 'rankledger.yaml of this folder' },
    { command: 'check --config sites/acme.yaml', does: 'another file' },
    { command: 'check --json', does: 'the same for scripts; exit code 2 where the config is wrong' },
  ],
  readsConfig: true,
  describe: () => {},
  async run(context) {
    await refuseUnusableServices(await context.config());
    const report = await checkReport(context);
    if (context.json) context.out.json(report);
    else print(context, report);
    return exitCodes.done;
  },
};

/** A folder of recordings that is not there, an option that a source does not have: what would stop a run before it begins. */
async function refuseUnusableServices(config: ResolvedConfig): Promise<void> {
  const { sourceProblems } = await import('../../app.ts');
  const problems = await sourceProblems(config);
  if (problems.length === 0) return;
  throw new CommandError('CONFIG_INVALID', problems.join('\n'), 'Correct the service in the config.', exitCodes.usage);
}

async function checkReport({ config, host }: Context): Promise<CheckReport> {
  const resolved = await config();
  const { costsMoney, projectCosts } = await import('../cost.ts');
  const costs = projectCosts(resolved, host.now());
  const projects = resolved.projects.flatMap((project, at): CheckedProject[] => {
    const cost = costs[at];
    if (cost === undefined) return [];
    const { service, schedule = null, timezone } = project;
    const targets = project.targets.map(({ value }) => value);
    const competitors = project.competitors.map(({ value }) => value);
    const paid = costsMoney(resolved.services.get(service));
    return [{ ...cost, service, costsMoney: paid, schedule, timezone, targets, competitors }];
  });
  const sum = (of: (cost: ProjectCost) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  return {
    ok: true,
    file: resolved.file,
    database: resolved.databaseFile,
    warnings: resolved.warnings,
    projects,
    creditsPerMonth: sum((cost) => cost.creditsPerMonth),
    microUsdPerMonth: sum((cost) => cost.microUsdPerMonth),
    budget: resolved.budget,
  };
}

function print({ out, shown }: Context, report: CheckReport): void {
  out.line(`${out.styled('green', 'OK')}  ${shown(report.file)}`);
  for (const warning of report.warnings) out.line(`${out.styled('yellow', 'Warning:')} ${warning}`);
  out.line();
  out.line(out.styled('bold', 'Tracked'));
  if (report.projects.length === 0) out.line('  no projects');
  for (const line of tableLines(trackedColumns, report.projects)) out.line(line);
  if (report.projects.length === 0) return;
  out.line();
  out.line(out.styled('bold', 'Cost at worst (every check reads to its depth; a month has 31 days)'));
  for (const line of tableLines(costColumns, report.projects)) out.line(line);
  out.line();
  printBudget(out, report);
  out.line();
  out.line(
    'Shared searches, fresh pages and early finds cost less: `rankledger plan` says what the next run would buy.',
  );
}

/** The caps of the config, and where the worst case is above them. */
function printBudget(out: Printer, report: CheckReport): void {
  const { budget } = report;
  const windows = ['perRun', 'perDay', 'perMonth'] as const;
  const caps = (amounts: ResolvedConfig['budget']['serpCredits'], write: (number: number) => string) =>
    windows
      .flatMap((window) => {
        const cap = amounts[window];
        return cap === undefined ? [] : [`${write(cap)} ${window.replace('per', 'a ').toLowerCase()}`];
      })
      .join(', ') || 'no cap';
  out.line(out.styled('bold', 'Budget'));
  const facts = [
    ['SERP credits', caps(budget.serpCredits, amount)],
    ['keyword data', caps(budget.microUsd, dollars)],
  ] as const;
  for (const line of factLines(facts)) out.line(line);
  for (const line of shortfalls(report)) out.line(`  ${out.styled('yellow', 'short')}  ${line}`);
}

/** Where the worst case is above a cap: what does not fit is deferred. */
function shortfalls({ budget, projects, creditsPerMonth, microUsdPerMonth }: CheckReport): string[] {
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
  if (microUsdPerMonth > usdPerMonth) {
    lines.push(
      `a month may take ${dollars(microUsdPerMonth)} of keyword data: ${dollars(microUsdPerMonth - usdPerMonth)} would be deferred`,
    );
  }
  return lines;
}
