// Runs, budgets and movers as text.

import type { BrokenEntries } from '../../../../config/document/draft.ts';
import type { MissedSlots } from '../../../../db/history/runs/slots.ts';
import type { BudgetWindowRow as BudgetWindow } from '../../../../db/ledger/budget-windows.ts';
import type { DisputeTotals } from '../../../../db/ledger/reconciliations.ts';
import type { PlanReport } from '../../../../jobs/query/planning.ts';
import type { ProjectDueness, UnwrittenReport } from '../../../../jobs/query/status.ts';
import type { CheckProblem } from '../../../../jobs/report/tables/problems.ts';
import type { RunResult, Spending } from '../../../app/runs/run.ts';
import type { Headline } from '../../../read/row-sums.ts';
import type { Mover } from '../../../report/tables/movers.ts';
import { rankText, sumOf } from '../../../tracker/figures.ts';
import { marketName } from '../../../tracker/project.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { Printer } from '../../terminal/printer.ts';
import { amount, counted, dateRange, dollars, signedAmount } from '../numbers.ts';
import { type Column, factLines, printable, tableLines } from '../table.ts';

const moversShown = 5;
const problemsShown = 5;

/** The exit code of the worst run; reports and alerts that could not be written make it `partial` at least. */
export function runExitCode(runs: readonly RunResult[], unwritten: readonly UnwrittenReport[] = []): ExitCode {
  if (runs.some(({ state }) => state === 'interrupted')) return exitCodes.interrupted;
  if (runs.some(({ state }) => state === 'halted')) return exitCodes.halted;
  const isPartial = ({ state, checks, suspectReason, clock }: RunResult) =>
    state === 'partial' || suspectReason !== null || clock !== null || problemCount(checks) > 0;
  return unwritten.length > 0 || runs.some(isPartial) ? exitCodes.partial : exitCodes.done;
}

/** Projects that do not run because the config is broken there, and where. */
export function printBroken(out: Printer, { projects, problems }: BrokenEntries): void {
  if (problems.length === 0) return;
  out.line(printable(`BROKEN CONFIG: ${brokenText(projects)}`));
  for (const problem of problems) out.line(printable(`  ${problem}`));
}

/** The effect of the broken entries on the projects, in one sentence. */
export function brokenText(projects: readonly string[]): string {
  return projects.length === 0
    ? 'no project uses the broken parts; `rankledger check` lists them'
    : `${projects.join(', ')} cannot run until this is repaired; other projects continue`;
}

/** Slots that have waited for more than an hour without a run. */
export function printOverdue(out: Printer, dueness: readonly ProjectDueness[]): void {
  for (const { project, kind, overdueSince, reason } of dueness) {
    if (overdueSince !== null) out.line(printable(`OVERDUE: ${kind} of ${project} since ${overdueSince} (${reason})`));
  }
}

export function printNothingChecked(out: Printer, dueness: readonly ProjectDueness[]): void {
  for (const { project, nothingChecked: slot } of dueness) {
    if (slot === null) continue;
    const what = `run ${slot.runId}, ${slot.slot}, checked none of its ${counted(slot.searches, 'search', 'searches')}`;
    out.line(printable(`NOTHING CHECKED: ${project}: ${what} (${slot.reason})`));
  }
}

/** What the newest slots lack, what happens next, and the command that buys it now. */
export function printUnfinished(
  out: Printer,
  dueness: readonly Pick<ProjectDueness, 'project' | 'unfinished'>[],
): void {
  for (const { project, unfinished: left } of dueness) {
    if (left === null) continue;
    const counts = { failed: left.failed, deferred: left.deferred, incomplete: left.incomplete };
    const of = `${statusCounts(counts)} of ${counted(left.searches, 'search', 'searches')}`;
    out.line(
      printable(`UNFINISHED: ${project}, ${left.slot}: ${of}; ${left.outlook}. To repair it now: ${left.repair}`),
    );
  }
}

/** `2026-01-14T06:00`, or of several slots `20 slots missed, 2 to 21 Nov`. */
export function missedText({ slot, lastSlot, count }: Pick<MissedSlots, 'slot' | 'lastSlot' | 'count'>): string {
  return count === 1 ? slot : `${counted(count, 'slot')} missed, ${dateRange(slot, lastSlot)}`;
}

export function missedLine({ project, kind, reason, ...slots }: Omit<MissedSlots, 'timezone'>): string {
  const whose = `${kind} of ${project} (${reason})`;
  return slots.count === 1 ? `Missed: ${missedText(slots)}, ${whose}` : `${missedText(slots)}: ${whose}`;
}

/** Slots that passed without a run. */
export function printMissed(out: Printer, missed: readonly MissedSlots[]): void {
  for (const slots of missed) out.line(printable(missedLine(slots)));
}

/** Searches without a complete check: a result lists only the first ones. */
export function problemCount({ failed, deferred, incomplete, unknown_paid }: RunResult['checks']): number {
  return failed + deferred + incomplete + unknown_paid;
}

/** Notes repeat: the first few are enough. */
const notesShown = 5;

/** One run: banner, counts, money, reports, first problems. */
export function printRun(out: Printer, run: RunResult, shown: (file: string) => string): void {
  const looks = run.confirms === undefined ? 'Ranks' : `Second looks at run ${run.confirms}`;
  const what = run.kind === 'ranks' ? looks : 'Search volumes';
  const slots = run.slots.map(({ project, slot }) => `${project} ${slot}`).join(', ');
  out.line(out.styled('bold', `${what}, run ${run.runId}${run.resumed ? ' (resumed)' : ''}: ${slots}`));
  for (const line of banners(out, run)) out.line(line);
  const facts: (readonly [string, string])[] = [];
  const total = sumOf(Object.values(run.checks));
  if (total > 0) facts.push(['searches', `${amount(total)}: ${statusCounts(run.checks)}`]);
  if (run.kind === 'ranks') facts.push(['SERP credits', `${spendingText(run.serpCredits, amount)}${reuseText(run)}`]);
  if (run.microUsd.reserved > 0) facts.push(['keyword data', spendingText(run.microUsd, dollars)]);
  for (const report of run.reports) {
    facts.push([`report ${report.project}`, `${shown(report.directory)} (${counted(report.rows, 'row')})`]);
    facts.push(...headlineFacts(report));
  }
  for (const line of factLines(facts)) out.line(line);
  for (const note of run.notes.slice(0, notesShown)) out.line(`  ${out.styled('yellow', 'note')}  ${printable(note)}`);
  if (run.notes.length > notesShown) out.line(`  ... and ${run.notes.length - notesShown} more like these`);
  printProblems(out, run.problems, problemCount(run.checks));
}

/** `average rank  16.3 (+0.7)`: the headline numbers of a report, with their changes. */
function headlineFacts({ headline }: RunResult['reports'][number]): (readonly [string, string])[] {
  if (headline === null || headline.checked === 0) return [];
  const { averageRank, averageRankChange, top3, top3Change, top10, top10Change, visibility, visibilityChange } =
    headline;
  const facts: (readonly [string, string])[] = [];
  if (averageRank !== null)
    facts.push(['average rank', `${averageRank.toFixed(1)}${changeText(averageRankChange, 1)}`]);
  if (top3 !== null && top10 !== null) {
    const inTop = (count: number, change: number | null) => `${amount(count)}${changeText(change, 0)}`;
    facts.push(['top 3, top 10', `${inTop(top3, top3Change)}, ${inTop(top10, top10Change)}`]);
  }
  if (visibility !== null) facts.push(['visibility', `${visibility.toFixed(2)} %${changeText(visibilityChange, 2)}`]);
  if (headline.comparable > 0)
    facts.push(['changes', `over ${amount(headline.comparable)} of ${counted(headline.checked, 'checked row')}`]);
  return facts;
}

/** ` (+0.7)`; nothing if nothing compares. */
function changeText(change: number | null, digits: number): string {
  if (change === null) return '';
  const rounded = Number(change.toFixed(digits));
  return ` (${rounded > 0 ? '+' : ''}${rounded === 0 ? '0' : rounded.toFixed(digits)})`;
}

function banners(out: Printer, run: RunResult): string[] {
  const lines: string[] = [];
  const banner = (style: 'red' | 'yellow', text: string) => lines.push(`  ${out.styled(style, printable(text))}`);
  if (run.state === 'halted')
    banner(
      'red',
      `HALTED: ${(run.haltReason ?? 'nothing more can be bought').replace(/\.$/, '')}. The rest is deferred.`,
    );
  if (run.state === 'interrupted') banner('yellow', 'INTERRUPTED: the next `rankledger run` continues from here.');
  if (run.suspectReason !== null)
    banner('yellow', `SUSPECT: ${run.suspectReason}. Review these ranks before you trust them.`);
  return lines;
}

/** Prices that one service stated above the agreed ones. */
export function disputeLine({ service, currency, purchases, agreed, stated }: DisputeTotals): string {
  const write = currency === 'serp_credit' ? (credits: number) => counted(credits, 'SERP credit') : dollars;
  return `service ${service} states ${write(stated)} for ${counted(purchases, 'purchase')} agreed at ${write(agreed)}`;
}

/** `80 ok, 2 failed`. */
export function statusCounts(checks: Readonly<Record<string, number>>): string {
  const counts = Object.entries(checks).filter(([, count]) => count > 0);
  if (counts.length === 0) return 'none';
  return counts.map(([status, count]) => `${amount(count)} ${statusName(status)}`).join(', ');
}

export function statusName(status: string): string {
  return status === 'unknown_paid' ? 'perhaps charged, no answer' : status.replaceAll('_', ' ');
}

function spendingText(spending: Spending, write: (number: number) => string): string {
  const { spent, unknown } = spending;
  const parts = [`${write(spent)} spent`];
  if (unknown > 0) parts.push(`${write(unknown)} perhaps spent (counted; see rankledger audit)`);
  if (openAmount(spending) > 0) parts.push(`${write(openAmount(spending))} still reserved`);
  return parts.join(', ');
}

/** Reserved amounts that are not settled yet. */
function openAmount({ reserved, spent, unknown, released }: Spending): number {
  return reserved - spent - unknown - released;
}

function reuseText({ pagesReused }: RunResult): string {
  return pagesReused === 0 ? '' : `; ${counted(pagesReused, 'page')} reused at no cost`;
}

/** Nothing where all were written. */
export function printUnwritten(out: Printer, unwritten: readonly UnwrittenReport[]): void {
  if (unwritten.length === 0) return;
  out.line(out.styled('bold', 'Reports and alerts that could not be written'));
  for (const { runId, part, project, reason } of unwritten.slice(0, problemsShown)) {
    const what = { report: 'report', index: 'index of reports', agency: 'files of all projects', alerts: 'alerts' }[
      part
    ];
    const whose = project === null ? '' : ` of ${project}`;
    out.line(`  ${out.styled('red', 'not written')}  ${printable(`${what}${whose}, run ${runId}: ${reason}`)}`);
  }
  if (unwritten.length > problemsShown) out.line(`  ... and ${unwritten.length - problemsShown} more`);
  out.line('  The next run retries. History is safe in the database.');
}

/**
 * The first problems with their remedies, and the number of the others, of `total`. Equal ones are one line with a
 * count.
 */
export function printProblems(out: Printer, problems: readonly CheckProblem[], total = problems.length): void {
  const alike = Map.groupBy(problems, ({ status, reason, remedy }) => [status, reason, remedy].join('\n'));
  let named = 0;
  for (const group of [...alike.values()].slice(0, problemsShown)) {
    const [first] = group;
    if (first === undefined) continue;
    named += first.alike;
    const where = `${first.project}, "${first.keyword}", ${marketName(first.market)}`;
    const others = first.alike === 1 ? '' : ` and ${amount(first.alike - 1)} more`;
    const text = printable(`${where}${others}: ${withRemedy(first.reason, first.remedy)}`);
    out.line(`  ${out.styled('yellow', statusName(first.status))}  ${text}`);
  }
  if (total > named) out.line(`  ... and ${amount(total - named)} more`);
}

/** A problem and its remedy, as two sentences in one line. */
export function withRemedy(message: string, remedy: string | null): string {
  if (remedy === null) return message;
  return `${message}${/[.!?]$/.test(message) ? '' : '.'} ${remedy}`;
}

/** The biggest of several reports' movers, biggest first, noise last. */
export function biggestMovers(reports: readonly { readonly movers: readonly Mover[] }[]): readonly Mover[] {
  const size = ({ estimatedClicksChange }: Mover) => Math.abs(estimatedClicksChange ?? 0);
  const noise = ({ significance }: Mover) => (significance === 'noise' ? 1 : 0);
  return reports
    .flatMap(({ movers }) => movers)
    .toSorted((a, b) => noise(a) - noise(b) || size(b) - size(a))
    .slice(0, moversShown);
}

const moverColumns: readonly Column<Mover>[] = [
  { title: 'keyword', value: (mover) => mover.keyword, widthMax: 40 },
  { title: 'market', value: marketName },
  { title: 'target', value: (mover) => mover.target, widthMax: 40 },
  { title: 'rank', value: (mover) => `${rankText(mover.previousRank, amount)} -> ${rankText(mover.rank, amount)}` },
  { title: 'significance', value: ({ significance }) => significance ?? '' },
  {
    title: 'clicks a month',
    align: 'right',
    value: ({ estimatedClicksChange: change }) => (change === null ? '?' : signedAmount(Math.round(change))),
  },
];

/** The movers of reports as a table under a title; where nothing moved, a line that says why. */
export function printMovers(
  out: Printer,
  title: string,
  movers: readonly Mover[],
  reports: readonly { readonly headline: Headline | null }[],
): void {
  out.line(out.styled('bold', title));
  const rows = (count: 'checked' | 'comparable'): number => sumOf(reports, ({ headline }) => headline?.[count] ?? 0);
  if (movers.length === 0 && rows('checked') === 0) out.line('  unknown: nothing was checked');
  else if (movers.length === 0 && rows('comparable') === 0)
    out.line('  unknown: there is no earlier check to compare with');
  else if (movers.length === 0) out.line(`  none: no rank has changed in ${counted(rows('comparable'), 'row')}`);
  for (const line of tableLines(moverColumns, movers)) out.line(line);
}

const duenessColumns: readonly Column<ProjectDueness>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'what', value: ({ kind }) => (kind === 'ranks' ? 'ranks' : 'volumes') },
  { title: 'due', value: ({ due }) => (due ? 'yes' : 'no') },
  { title: 'next', value: ({ nextSlot }) => nextSlot ?? '-' },
  { title: 'why', value: ({ reason }) => reason },
];

/** Why each project is or is not due, and when it is next. */
export function printDueness(out: Printer, projects: readonly ProjectDueness[]): void {
  for (const line of tableLines(duenessColumns, projects)) out.line(line);
}

const budgetColumns: readonly Column<BudgetWindow>[] = [
  { title: 'budget', value: ({ currency }) => (currency === 'serp_credit' ? 'SERP credits' : 'keyword data') },
  { title: 'window', value: ({ scope, key }) => (scope === 'run' ? 'run' : `${scope} ${key}`) },
  { title: 'cap', align: 'right', value: (window) => moneyText(window.currency, window.cap) },
  { title: 'spent', align: 'right', value: (window) => moneyText(window.currency, window.spent) },
  { title: 'reserved', align: 'right', value: (window) => moneyText(window.currency, window.reserved) },
  { title: 'left', align: 'right', value: (window) => moneyText(window.currency, amountLeft(window)) },
];

export function printBudget(out: Printer, budget: readonly BudgetWindow[]): void {
  const shown = budget.filter(({ cap, spent, reserved }) => cap !== null || spent + reserved > 0);
  if (shown.length === 0) out.line('  no cap, nothing spent');
  for (const line of tableLines(budgetColumns, shown)) out.line(line);
}

function amountLeft({ cap, spent, reserved }: BudgetWindow): number | null {
  return cap === null ? null : Math.max(0, cap - spent - reserved);
}

function moneyText(currency: BudgetWindow['currency'], number: number | null): string {
  if (number === null) return 'no cap';
  return currency === 'serp_credit' ? amount(number) : dollars(number);
}

/** The budget that a plan's worst case exceeds; empty if everything fits. */
export function printDeferred(out: Printer, deferred: PlanReport['deferred']): void {
  if (deferred.checks === 0) return;
  out.line();
  const why = deferred.reason === null ? '' : `: ${deferred.reason}`;
  out.line(
    out.styled(
      'yellow',
      `Worst case: ${counted(deferred.checks, 'search would be', 'searches would be')} deferred${why}`,
    ),
  );
  for (const { keyword, market, reason } of deferred.sample)
    out.line(printable(`  "${keyword}", ${marketName(market)}: ${reason}`));
}
