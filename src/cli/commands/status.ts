// `status`: the last runs, the next slots, the remaining budget and the failures.
import type { Command } from '@commander-js/extra-typings';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { BudgetWindowRow } from '../../../db/ledger/budget-windows.ts';
import type { SourceStanding } from '../../../jobs/check/source-choice.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { windowKeysAt } from '../../../jobs/purchase/money.ts';
import {
  adaptiveOutcomes,
  duenessReport,
  lastRuns,
  type RunUnderWay,
  runsUnderWay,
  unwrittenReports,
} from '../../../jobs/query/status.ts';
import { updateNotes } from '../../../jobs/read/rows/suspected-updates.ts';
import { problemsLeft } from '../../../jobs/report/tables/problems.ts';
import { pausesAt } from '../../../jobs/run/due.ts';
import type { App } from '../../app/app.ts';
import { brokenWith } from '../../app/opening/failures.ts';
import { bestSources, pagePrices } from '../../app/opening/list-prices.ts';
import { atRest, setupFailures } from '../../app/opening/services.ts';
import { byText, sumOf } from '../../tracker/figures.ts';
import { type DollarRange, joined, keywordMonth } from '../../tracker/page-price.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import { forecastOf } from '../../tracker/spend-pace.ts';
import { agreementFields } from '../../tracker/trust/looks.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Printer } from '../terminal/printer.ts';
import { amount, counted, keywordMonthText, percent } from '../text/numbers.ts';
import { printUnsent, printUnsentReports, unsentAlerts } from '../text/results/alert-text.ts';
import {
  disputeLine,
  missedText,
  printBroken,
  printBudget,
  printDueness,
  printNothingChecked,
  printOverdue,
  printProblems,
  printUnfinished,
  printUnwritten,
  statusCounts,
} from '../text/results/run-text.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

type Run = StatusReport['runs'][number];

const runColumns: readonly Column<Run>[] = [
  { title: 'run', align: 'right', value: ({ runId }) => `${runId}` },
  { title: 'what', value: ({ kind, confirms }) => (confirms === undefined ? kind : 'second looks') },
  { title: 'slot', value: ({ slot }) => slot },
  { title: 'projects', value: ({ projects }) => projects.join(', '), widthMax: 40 },
  { title: 'state', value: describeState },
  { title: 'searches', value: ({ checks }) => statusCounts(checks) },
  {
    title: 'note',
    value: ({ reason, suspectReason, remark, discardReason }) =>
      discardReason ?? suspectReason ?? reason ?? remark ?? '',
    // the last column: a reason or a wait with its end is not cut
    widthMax: 300,
  },
];

function describeState({ state, suspectReason, discardedAt }: Run): string {
  if (discardedAt !== null) return `${state}, discarded`;
  return suspectReason === null ? state : `${state}, suspect`;
}

const describe = (command: Command) =>
  command.option(
    '--check',
    'print only slots that are overdue or checked nothing, and reports that could not be written, for monitoring',
  );

export const command: CommandDefinition = {
  examples: [
    { command: 'status', does: 'everything on one screen' },
    { command: 'status --json', does: 'the same for scripts and monitoring' },
    {
      command: 'status --check',
      does: 'exit code 3 if a slot has waited for more than an hour or checked nothing, or a report could not be written',
    },
  ],
  readsConfig: true,
  leavesOutBroken: true,
  asksServices: () => false,
  describe,
  async run(context) {
    const status = await context.withApp(readStatus, { isReading: true });
    const overdue = status.projects.filter(({ overdueSince }) => overdueSince !== null);
    const nothingChecked = status.projects.filter((project) => project.nothingChecked !== null);
    const { check } = context.flags(describe);
    const { unwritten, broken } = status;
    if (context.json) context.out.json(check === true ? { overdue, nothingChecked, unwritten, broken } : status);
    else if (check === true) printCheck(context.out, status);
    else print(context.out, { ...status, database: context.shown(status.database) });
    const isBad = overdue.length + nothingChecked.length + unwritten.length + broken.problems.length > 0;
    return isBad ? exitCodes.partial : exitCodes.done;
  },
};

function printCheck(out: Printer, { broken, projects, unwritten }: StatusReport): void {
  printBroken(out, broken);
  printOverdue(out, projects);
  printNothingChecked(out, projects);
  printUnwritten(out, unwritten);
  if (projects.every(({ overdueSince, nothingChecked }) => overdueSince === null && nothingChecked === null))
    out.line('Nothing is overdue, and the last run of each project checked something.');
}

type UnderWay = StatusReport['underWay'][number];

const underWayColumns: readonly Column<UnderWay>[] = [
  { title: 'run', align: 'right', value: ({ runId }) => `${runId}` },
  { title: 'what', value: ({ kind }) => kind },
  { title: 'projects', value: ({ projects }) => projects.join(', '), widthMax: 40 },
  {
    title: 'searches',
    align: 'right',
    value: ({ done, total }) => (total === 0 ? '-' : `${amount(done)} of ${amount(total)}`),
  },
  { title: 'since', value: ({ openedAt }) => openedAt },
  { title: 'last heartbeat', value: ({ heartbeatAt }) => heartbeatAt ?? '-' },
  { title: '', value: ({ isAlive }) => (isAlive ? '' : 'its process is gone; the next run resumes it') },
];

const updateColumns: readonly Column<StatusReport['updates'][number]>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'date', value: ({ date }) => date },
  { title: 'what', value: ({ text }) => text },
];

const adaptiveColumns: readonly Column<StatusReport['adaptive'][number]>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'runs', align: 'right', value: ({ runs }) => amount(runs) },
  {
    title: 'checked',
    align: 'right',
    value: ({ searches, waiting }) => `${amount(searches - waiting)} of ${amount(searches)}`,
  },
  { title: 'credits', align: 'right', value: ({ creditsSpent }) => amount(creditsSpent) },
  { title: 'saved', align: 'right', value: savedText },
  { title: 'changes', align: 'right', value: ({ changes }) => `about ${amount(Math.round(changes))}` },
  {
    title: 'not seen in a day',
    align: 'right',
    value: ({ missed, missedError }) => `${amount(Math.round(missed))} ± ${amount(Math.ceil(missedError))}`,
  },
];

const sourceColumns: readonly Column<SourceStanding>[] = [
  { title: 'service', value: ({ service }) => service },
  { title: 'source', value: ({ source }) => source },
  { title: 'state', value: ({ belief }) => belief },
  { title: 'to page', align: 'right', value: ({ depth }) => amount(depth) },
  { title: 'compared', align: 'right', value: ({ looks }) => amount(looks) },
  ...agreementFields.map(
    (field): Column<SourceStanding> => ({
      title: field,
      align: 'right',
      value: ({ agreement }) => percent(agreement?.[field]),
    }),
  ),
  { title: 'USD of 1,000 believed pages', align: 'right', value: ({ microUsd }) => (microUsd / 1000).toFixed(2) },
];

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function savedText({ creditsSaved, savedShare }: StatusReport['adaptive'][number]): string {
  return `${amount(creditsSaved)}${savedShare === null ? '' : ` (${Math.round(100 * savedShare)} %)`}`;
}

const missedColumns: readonly Column<StatusReport['missed'][number]>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'what', value: ({ kind }) => kind },
  { title: 'slot', value: (missed) => (missed.count === 1 ? `${missed.slot} ${missed.timezone}` : missedText(missed)) },
  { title: 'why', value: ({ reason }) => reason, widthMax: 80 },
];

function printTable<Entry>(
  out: Printer,
  title: string,
  columns: readonly Column<Entry>[],
  rows: readonly Entry[],
): void {
  if (rows.length === 0) return;
  out.line();
  out.line(out.styled('bold', title));
  for (const line of tableLines(columns, rows)) out.line(line);
}

function print(out: Printer, status: StatusReport): void {
  printBroken(out, status.broken);
  printOverdue(out, status.projects);
  printNothingChecked(out, status.projects);
  printUnfinished(out, status.projects);
  out.line(out.styled('bold', 'Last runs'));
  if (status.runs.length === 0) out.line('  none yet: start with `rankledger run`');
  for (const line of tableLines(runColumns, status.runs)) out.line(line);
  printTable(out, 'In progress', underWayColumns, status.underWay);
  out.line();
  out.line(out.styled('bold', 'Projects'));
  if (status.projects.length === 0) out.line('  none in the config');
  printDueness(out, status.projects);
  for (const { service, until, runId, reason } of status.paused) {
    const what = `The scheduler does not use service ${service} until ${until}: run ${runId} was halted (${reason}).`;
    out.line(printable(`  ${what} To run at once: rankledger run --all`));
  }
  printTable(out, 'Missed slots', missedColumns, status.missed);
  printTable(out, 'Suspected updates', updateColumns, status.updates);
  printTable(out, 'Sources of services of mode best', sourceColumns, status.sources);
  for (const { text } of status.sources) if (text !== null) out.line(printable(`  ${sentence(text)}.`));
  printTable(out, 'Adaptive plans, last 30 days (estimates, against daily checks)', adaptiveColumns, status.adaptive);
  if (status.unwritten.length > 0) out.line();
  printUnwritten(out, status.unwritten);
  out.line();
  out.line(out.styled('bold', 'Budget'));
  printBudget(out, status.budget);
  if (status.microUsdPerKeywordMonth !== null)
    out.line(
      `  A keyword a month: ${keywordMonthText(status.microUsdPerKeywordMonth)} by list prices, at the pace of this month`,
    );
  if (status.isBehindWitness) {
    out.line(
      '  The database was restored or replaced, and later purchases are missing. The next run counts them as spent.',
    );
  }
  if (status.unknownPurchases > 0) {
    const purchases = counted(status.unknownPurchases, 'purchase');
    out.line(`  ${purchases} without an answer, perhaps charged, counted as spent: rankledger audit`);
  }
  for (const totals of status.disputes)
    out.line(printable(`  Price in dispute: ${disputeLine(totals)}. See: rankledger audit`));
  if (status.alerts.pending + status.alerts.failed > 0) {
    out.line();
    printUnsent(out, status.alerts);
  }
  const { deliveries } = status.alerts;
  if (deliveries.pending + deliveries.failed > 0) {
    out.line();
    printUnsentReports(out, status.alerts);
  }
  if (status.problems.length > 0) {
    out.line();
    out.line(out.styled('bold', "Failures in each project's last slot that have not been repaired"));
    printProblems(out, status.problems, status.problemsTotal);
  }
  if (status.unset.length > 0) {
    out.line();
    out.line(out.styled('bold', 'Not set in this environment; commands that call services need them'));
    for (const problem of status.unset) out.line(printable(`  ${problem}`));
  }
  out.line();
  out.line(`Database: ${status.database}`);
}

/** As `--json` prints it. */
type StatusReport = Awaited<ReturnType<typeof readStatus>>;

const runsShown = 10;
const missedShown = 10;
const updatesShown = 5;
const problemsShown = 20;

async function readStatus({ config, context }: App) {
  const { store, clock } = context;
  const projects = [...context.projects.values()];
  const { problems, total: problemsTotal } = problemsLeft(context, projects, problemsShown);
  const underWay = runsUnderWay(context);
  const budget = budgetNow(context, underWay);
  return {
    database: config.databaseFile,
    /** Projects that do not run: their config is broken, or their service cannot be opened. */
    broken: brokenWith(config, await setupFailures(config, () => store.accounts, clock)),
    /** Environment variables that are not set, and that commands which call services need. */
    unset: config.unset,
    runs: lastRuns(context, runsShown),
    underWay,
    projects: duenessReport(context, projects, { scheduler: true }),
    /** Services that the scheduler pauses, because a run was halted. */
    paused: [...pausesAt(store, projects, clock.now())].map(([service, { until, runId, reason }]) => ({
      service,
      until: new Date(until).toISOString(),
      runId,
      reason,
    })),
    /** The newest slots that passed without a run. Consecutive slots are one entry, from `slot` to `lastSlot`. */
    missed: store.runs.missedSlots(missedShown),
    /** Days on which more keywords moved than usual, as notes say it, the newest first. */
    updates: projects
      .flatMap(({ id }) => updateNotes(store, id).map(({ date, text }) => ({ project: id, date, text })))
      .sort((a, b) => byText(b.date, a.date))
      .slice(0, updatesShown),
    adaptive: adaptiveOutcomes(context),
    /** Sources of services of `mode: best`, and whether they are believed. */
    sources: await sourceStandings(config, context),
    unwritten: unwrittenReports(context),
    budget,
    microUsdPerKeywordMonth: await keywordMonthNow(config, context, budget),
    unknownPurchases: store.ledger.unknownPurchases(),
    /** The database was restored or swapped: the next run counts what only its witness file records as unknown. */
    isBehindWitness: store.witness.gap() !== null,
    disputes: store.disputes.totals(),
    alerts: unsentAlerts(context),
    /** The first failures of each project's newest slot that no backfill has fixed, and the number of all. */
    problems,
    problemsTotal,
  };
}

async function sourceStandings(config: ResolvedConfig, context: JobContext): Promise<SourceStanding[]> {
  if (config.best.size === 0) return [];
  const { SourceChoice } = await import('../../../jobs/check/source-choice.ts');
  return new SourceChoice({ ...atRest(config, context), best: await bestSources(config) }).standings();
}

/**
 * Pages of a keyword in a month, at the pace of this month and the list prices of all services in use; null: one has
 * none, or nothing was spent before today.
 */
async function keywordMonthNow(
  config: ResolvedConfig,
  { clock, timezone }: JobContext,
  budget: readonly BudgetWindowRow[],
): Promise<DollarRange | null> {
  const spentIn = (of: BudgetWindowRow['scope']): number =>
    budget.find(({ currency, scope }) => currency === 'serp_credit' && scope === of)?.spent ?? 0;
  const pace = forecastOf(spentIn('month'), localDate(clock.now(), timezone), spentIn('day') > 0);
  if (pace === null || pace.spent === 0) return null;
  const prices = await pagePrices(config);
  const used = [...new Set(config.projects.map(({ service }) => service))].map((service) => prices.get(service));
  const known = used.filter((price) => price !== undefined);
  const page = known.length === used.length ? joined(known) : null;
  if (page === null) return null;
  const keywords = sumOf(config.projects, (project) => project.keywords.length);
  return keywordMonth({ least: page.least * pace.perDay, most: page.most * pace.perDay }, keywords, 1);
}

/** The windows of this day and month, and of each run under way. If none is, the window of a run that starts now. */
function budgetNow({ store, clock, timezone }: JobContext, underWay: readonly RunUnderWay[]): BudgetWindowRow[] {
  const windowsOf = (runKey: string): BudgetWindowRow[] =>
    store.ledger.windows(runKey, windowKeysAt(clock.now(), timezone));
  if (underWay.length === 0) return windowsOf('');
  const ofRuns = underWay.flatMap(({ runId }) => windowsOf(String(runId)).filter(({ scope }) => scope === 'run'));
  return [...ofRuns, ...windowsOf('').filter(({ scope }) => scope !== 'run')];
}
