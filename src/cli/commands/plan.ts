// `plan`: a dry run: purchases, expected and worst-case cost, and what the budget would defer.

import type { Command } from '@commander-js/extra-typings';
import type { PlannedDecision, PlanReport } from '../../../jobs/query/planning.ts';
import { nameWarnings } from '../../app/opening/ended-histories.ts';
import { olderCopyWarnings } from '../../app/opening/loss.ts';
import { type PricedPlan, type PricedProject, plan } from '../../app/planning.ts';
import { sumOf } from '../../tracker/figures.ts';
import { gridText } from '../../tracker/grid.ts';
import { marketName } from '../../tracker/project.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { collected, namedSlot, slotMoment } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted, dollars, keywordMonthText } from '../text/numbers.ts';
import { printBudget, printDeferred, printUnfinished } from '../text/results/run-text.ts';
import { type Column, factLines, printable, tableLines } from '../text/table.ts';

/** A local date and time to the minute; the slot of an on-demand run has milliseconds. */
const minuteLength = 'YYYY-MM-DDTHH:mm'.length;

const projectColumns: readonly Column<PricedProject>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'slot', value: ({ slot, due }) => (due ? slot.slice(0, minuteLength) : '-') },
  { title: 'due', value: ({ due }) => (due ? 'yes' : 'no') },
  { title: 'keywords', align: 'right', value: ({ keywords }) => amount(keywords) },
  { title: 'searches', align: 'right', value: ({ searches }) => amount(searches) },
];
const keywordColumn: Column<PricedProject> = {
  title: 'USD a keyword',
  align: 'right',
  value: ({ microUsdPerKeywordMonth }) => keywordMonthText(microUsdPerKeywordMonth),
};
const whyColumn: Column<PricedProject> = { title: 'why', value: ({ reason }) => reason };

const describe = (command: Command) =>
  command
    .option('-p, --project <id>', 'plan this project; may be given several times', collected)
    .option('--all', 'plan every project, due or not')
    .option(
      '--slot <moment>',
      "plan for that moment, an ISO 8601 date and time (default zone: the config's timezone)",
      namedSlot,
    );

export const command: CommandDefinition = {
  about: 'Buys nothing and writes nothing.',
  examples: [
    { command: 'plan', does: 'what `rankledger run` would do now' },
    { command: 'plan --all', does: 'what a run of every project would do, due or not' },
    { command: 'plan --project acme --json', does: 'one project, as JSON' },
  ],
  readsConfig: true,
  describe,
  async run(context) {
    const { project, all, slot } = context.flags(describe);
    if (all === true && project !== undefined) throw usageError('--all and --project exclude each other.');
    // before the app is opened: that gives the history of earlier names to the present ones
    const config = await context.config();
    const warnings = [...nameWarnings(config), ...olderCopyWarnings(config)];
    const report = await context.withApp(
      async (app) => {
        const at = slot === undefined ? undefined : await slotMoment(slot, app.config.timezone);
        return await plan(app, { projects: project, all, slot: at });
      },
      { isReading: true },
    );
    if (context.json) context.out.json(warnings.length === 0 ? report : { ...report, warnings });
    else print(context.out, report, warnings);
    return exitCodes.done;
  },
};

function print(out: Printer, plan: PricedPlan, warnings: readonly string[]): void {
  for (const warning of warnings) out.line(`${out.styled('yellow', 'Warning:')} ${warning}`);
  out.line(out.styled('bold', 'Projects'));
  const isPriced = plan.projects.some(({ microUsdPerKeywordMonth }) => microUsdPerKeywordMonth !== null);
  const columns = [...projectColumns, ...(isPriced ? [keywordColumn] : []), whyColumn];
  for (const line of tableLines(columns, plan.projects)) out.line(line);
  if (isPriced) out.line('  USD a keyword: a month of runs like this one, by list prices');
  for (const { project, triesAgain } of plan.projects)
    if (triesAgain !== undefined)
      out.line(
        printable(
          `  ${project}: ${counted(triesAgain, 'search', 'searches')} of its last slot would be tried again; their cost: rankledger backfill ranks --failed --dry-run --project ${project}`,
        ),
      );
  printUnfinished(out, plan.projects);
  const isRetried = plan.projects.some(({ triesAgain }) => triesAgain !== undefined);
  if (plan.searches === 0 && plan.keywordRequests === 0 && (plan.answers?.samples ?? 0) === 0) {
    const isDue = plan.projects.some(({ due }) => due);
    printDecisions(out, plan.adaptive ?? []);
    out.line();
    out.line(
      `Nothing ${isRetried ? 'else ' : ''}would be bought.${isDue ? '' : ' To plan all projects, due or not: rankledger plan --all'}`,
    );
    return;
  }
  out.line();
  out.line(out.styled('bold', 'What it would buy'));
  for (const line of factLines(purchaseFacts(plan))) out.line(line);
  printDecisions(out, plan.adaptive ?? []);
  out.line();
  out.line(out.styled('bold', 'Budget'));
  printBudget(out, plan.budget);
  printDeferred(out, plan.deferred);
  const short = dataShortfall(plan);
  if (short > 0)
    out.line(`Worst case: ${dollars(short)} of keyword data and AI answers would be deferred: the budget leaves less.`);
}

/** What keyword data and AI answers may cost beyond the tightest window of their budget, in millionths of a USD. */
function dataShortfall({ budget, microUsdWorstCase, answers }: PlanReport): number {
  const left = budget.flatMap(({ currency, cap, spent, reserved }) =>
    currency === 'micro_usd' && cap !== null ? cap - spent - reserved : [],
  );
  return microUsdWorstCase + (answers?.microUsdWorstCase ?? 0) - Math.max(0, Math.min(...left));
}

const decisionsMax = 20;

/** A line of the decisions: a search, or all points of one keyword and device. */
interface DecisionLine extends PlannedDecision {
  /** Of a grid: the points that are checked, and all. */
  readonly points?: { readonly checked: number; readonly total: number };
}

/** One line per map instead of one per point, with the reason of its first point that is checked, or that waits. */
function decisionLines(decisions: readonly PlannedDecision[]): DecisionLine[] {
  const keyOf = ({ project, keyword, market, gridPoint }: PlannedDecision, index: number): string =>
    gridPoint ? [project, keyword, market.country, market.language, market.device].join('\n') : String(index);
  const keys = new Map(decisions.map((decision, index) => [decision, keyOf(decision, index)]));
  return [...Map.groupBy(decisions, (decision) => keys.get(decision)).values()].flatMap((group) => {
    const checked = group.filter(({ check }) => check);
    const [shown] = [...checked, ...group];
    if (shown === undefined) return [];
    if (shown.gridPoint !== true) return [shown];
    const pages = sumOf(checked, (decision) => decision.pages);
    return [{ ...shown, pages, points: { checked: checked.length, total: group.length } }];
  });
}

function reasonText({ points, reason }: DecisionLine): string {
  return points === undefined
    ? reason
    : `${amount(points.checked)} of ${amount(points.total)} points; the first: ${reason}`;
}

/** All points of a grid have one line. */
function marketText({ market, points }: DecisionLine): string {
  return marketName(points === undefined ? market : { ...market, location: undefined });
}

const decisionColumns: readonly Column<DecisionLine>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'keyword', value: ({ keyword }) => keyword },
  { title: 'market', value: marketText },
  { title: 'pages', align: 'right', value: ({ check, pages }) => (check ? amount(pages) : '-') },
  { title: 'why', value: reasonText },
];

/** The first decisions of the adaptive plan, checks before searches that wait; --json has all. */
function printDecisions(out: Printer, decisions: readonly PlannedDecision[]): void {
  if (decisions.length === 0) return;
  const [checked, waiting] = [decisions.filter(({ check }) => check), decisions.filter(({ check }) => !check)];
  out.line();
  out.line(out.styled('bold', 'Adaptive plan'));
  const shown = decisionLines([...checked, ...waiting]).slice(0, decisionsMax);
  for (const line of tableLines(decisionColumns, shown)) out.line(line);
  out.line(`${counted(checked.length, 'check')}, ${counted(waiting.length, 'search', 'searches')} wait`);
}

/** `7 x 7 points, 1km apart, 2 keywords: 98 of 98 searches, 98 credits expected, 294 at worst` */
function gridFact(grid: NonNullable<PlanReport['grids']>[number]): string {
  const { keywords, checks, searches, creditsExpected, creditsWorstCase } = grid;
  return `${gridText(grid)}, ${counted(keywords, 'keyword')}: ${amount(checks)} of ${counted(searches, 'search', 'searches')}, ${counted(creditsExpected, 'credit')} expected, ${amount(creditsWorstCase)} at worst`;
}

function purchaseFacts(plan: PlanReport): (readonly [string, string])[] {
  const shared =
    plan.sharedSearches > 0
      ? `, ${amount(plan.sharedSearches)} of them shared by several projects and bought once`
      : '';
  const deep = plan.deepChecks > 0 ? `, ${counted(plan.deepChecks, 'deep check')} among them` : '';
  const facts: (readonly [string, string])[] = [
    ['searches', `${amount(plan.searches)}${shared}${deep}`],
    ['pages', `${amount(plan.pagesExpected)} expected, ${amount(plan.pagesWorstCase)} at worst`],
    ['SERP credits', `${amount(plan.creditsExpected)} expected, ${amount(plan.creditsWorstCase)} at worst`],
  ];
  if (plan.creditsOfSecondLooks !== undefined)
    facts.push(['second looks', `${amount(plan.creditsOfSecondLooks)} more credits at worst, later the same day`]);
  if (plan.pagesFresh > 0) facts.push(['fresh pages', `${amount(plan.pagesFresh)} reused at no cost`]);
  if (plan.keywordRequests > 0) {
    facts.push([
      'keyword data',
      `${counted(plan.keywordRequests, 'request')}, ${dollars(plan.microUsdWorstCase)} at worst`,
    ]);
  }
  for (const grid of plan.grids ?? []) facts.push([`grid of ${grid.project}`, gridFact(grid)]);
  const { answers } = plan;
  if (answers !== undefined)
    facts.push(['AI answers', `${counted(answers.samples, 'sample')}, ${dollars(answers.microUsdWorstCase)} at worst`]);
  return facts;
}
