// `check --online`: tests everything that a run needs, and computes what it costs by the known prices.

import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { PlanReport } from '../../../jobs/query/planning.ts';
import { type ListPrice, sellersOf } from '../../app/opening/list-prices.ts';
import { type AnswerCost, answerCosts, type ProjectCost, plan, projectCosts } from '../../app/planning.ts';
import { checkOnline, type PreflightCheck, type PreflightState } from '../../app/preflight/online-checks.ts';
import { keywordDataCostMicroUsd } from '../../service/terms.ts';
import { plural, sumOf } from '../../tracker/figures.ts';
import { type DollarRange, keywordMonth, pageUnits } from '../../tracker/page-price.ts';
import type { Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Printer, Style } from '../terminal/printer.ts';
import { amount, counted, dollars, keywordMonthText } from '../text/numbers.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

/** Expected and worst case. */
interface Span {
  readonly expected: number;
  readonly worst: number;
}

/** A cost in units of the source, and in micro-USD from the cheapest plan to the most expensive one. */
interface SourceAmount {
  readonly units: Span;
  readonly microUsdLeast: Span;
  readonly microUsdMost: Span;
}

export interface OnlineCost {
  readonly project: string;
  readonly what: 'pages' | 'keyword-data' | 'answers';
  readonly service: string;
  readonly source: string;
  /** Null if the price is unknown: the source is free, or only its operator knows. */
  readonly price: ListPrice | null;
  /** Pages, keywords whose data is missing, or samples of AI answers. */
  readonly perRun: Span;
  readonly perMonth: Span;
  readonly amountPerRun: SourceAmount | null;
  readonly amountPerMonth: SourceAmount | null;
  /** Pages of a keyword in a month, in micro-USD; null: unknown, free, or not of pages. */
  readonly microUsdPerKeywordMonth: DollarRange | null;
}

/** Facts about one project before it runs. */
export interface ProjectOutlook {
  readonly cost: ProjectCost;
  /** Of AI answers; null: no prompts. */
  readonly answers: AnswerCost | null;
  /** The next run of this project alone; null if the database cannot be read. */
  readonly plan: PlanReport | null;
}

/** Tests everything that a run needs, and computes what it would cost. */
export async function tryAll(context: Context, config: ResolvedConfig, timeoutMs: number | undefined) {
  const { signal, progress } = context;
  const { trials, isReadable } = await checkOnline(config, {
    signal,
    timeoutMs,
    onProgress: (done, total) => progress.update({ label: 'tried', done, total, creditsSpent: 0 }),
  });
  const plans = isReadable ? await planProjects(context, config) : new Map<string, PlanReport>();
  const monthly = await projectCosts(config, context.host.now());
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
export function onlineExitCode(trials: readonly PreflightCheck[]): ExitCode {
  const states = new Set(trials.flatMap((trial) => [trial, ...trial.parts]).map(({ state }) => state));
  if (states.has('refused')) return exitCodes.halted;
  return states.has('failed') ? exitCodes.failed : exitCodes.done;
}

/**
 * One line per project and source that may sell to it: each source of a chain, and of a service of several, as if it
 * sold everything.
 */
export function onlineCosts(
  config: Pick<ResolvedConfig, 'projects' | 'services' | 'best'>,
  outlooks: ReadonlyMap<string, ProjectOutlook>,
  checks: readonly PreflightCheck[],
): OnlineCost[] {
  return config.projects.flatMap((project) => {
    const outlook = outlooks.get(project.id);
    if (outlook === undefined) return [];
    const names = sellersOf(config, project.service);
    const own = checks.filter(({ service, what }) => names.includes(service ?? '') && what !== 'account');
    const sellers = own.flatMap((check) => (check.parts.length > 0 ? check.parts : [check]));
    return sellers.flatMap((check) => {
      // the first of several sells all but pages
      const isFirst = check.service === names[0];
      if (check.what === 'answers')
        return outlook.answers === null || !isFirst ? [] : [answersCost(outlook, outlook.answers, check)];
      return [
        ...(check.what === 'keyword-data' ? [] : [pagesCost(outlook, check)]),
        ...(check.what === 'pages' || !isFirst || project.volumes === undefined
          ? []
          : [keywordDataCost(outlook, check, project.volumes.limit)]),
      ];
    });
  });
}

function pagesCost({ cost, plan }: ProjectOutlook, check: PreflightCheck): OnlineCost {
  const worst = plan?.creditsWorstCase ?? cost.creditsPerDeepRun;
  const perRun = { expected: plan?.creditsExpected ?? worst, worst };
  // the expected share of the worst case is assumed to be the same for the whole month as for the next run
  const share = worst === 0 ? 1 : perRun.expected / worst;
  const perMonth = { expected: Math.round(cost.creditsPerMonth * share), worst: cost.creditsPerMonth };
  const searches = cost.searches;
  const amount = (pages: Span, firsts: number) => {
    const { price } = check;
    if (price === null) return null;
    const units = (count: number): number => pageUnits(price, count, firsts);
    return toSourceAmount(price, { expected: units(pages.expected), worst: units(pages.worst) });
  };
  const amountPerMonth = amount(perMonth, searches * cost.slotsPerMonth);
  return {
    ...findSeller(cost, check, 'pages'),
    perRun,
    perMonth,
    amountPerRun: amount(perRun, searches),
    amountPerMonth,
    microUsdPerKeywordMonth:
      amountPerMonth === null || cost.slotsPerMonth === 0
        ? null
        : keywordMonth(
            { least: amountPerMonth.microUsdLeast.expected, most: amountPerMonth.microUsdMost.worst },
            cost.keywords,
          ),
  };
}

/**
 * Keywords without metrics this month: at best in requests as large as the limit; at worst one by one, each with as
 * many related keywords as the limit allows. The specification has a separate price, in dollars, for each request.
 */
function keywordDataCost({ cost, plan }: ProjectOutlook, check: PreflightCheck, limit: number): OnlineCost {
  const { price } = check;
  const all = cost.keywordRequestsPerMonth;
  const now = plan?.keywordRequests ?? all;
  const bySpecification = check.what === 'pages-and-keyword-data';
  const amount = (keywords: number): SourceAmount | null => {
    if (bySpecification) {
      const span = {
        expected: keywords * keywordDataCostMicroUsd(1),
        worst: keywords * keywordDataCostMicroUsd(limit),
      };
      return { units: span, microUsdLeast: span, microUsdMost: span };
    }
    if (price === null) return null;
    const requests = Math.ceil(keywords / limit);
    const together = requests * price.first + (keywords - requests) * (price.together ?? price.first);
    const apart = keywords * (price.first + price.further * (limit - 1));
    return toSourceAmount(price, { expected: Math.min(together, apart), worst: Math.max(together, apart) });
  };
  return {
    ...findSeller(cost, check, 'keyword-data'),
    perRun: { expected: now, worst: now },
    perMonth: { expected: all, worst: all },
    amountPerRun: amount(now),
    amountPerMonth: amount(all),
    microUsdPerKeywordMonth: null,
  };
}

/** The most that each answer can cost is its price: a source that states less is charged less. */
function answersCost(
  { cost, plan }: ProjectOutlook,
  { samplesPerMonth, microUsdPerMonth }: AnswerCost,
  check: PreflightCheck,
): OnlineCost {
  const { samples, microUsdWorstCase } = plan?.answers ?? {
    samples: samplesPerMonth.worst,
    microUsdWorstCase: microUsdPerMonth.worst,
  };
  const amount = (units: Span): SourceAmount => ({ units, microUsdLeast: units, microUsdMost: units });
  return {
    ...findSeller(cost, check, 'answers'),
    perRun: { expected: samples, worst: samples },
    perMonth: samplesPerMonth,
    amountPerRun: amount({ expected: microUsdWorstCase, worst: microUsdWorstCase }),
    amountPerMonth: amount(microUsdPerMonth),
    microUsdPerKeywordMonth: null,
  };
}

function findSeller({ project }: ProjectCost, { service, source, price }: PreflightCheck, what: OnlineCost['what']) {
  return { project, what, service: service ?? '', source: source ?? '', price };
}

function toSourceAmount({ unitMicroUsd }: ListPrice, units: Span): SourceAmount {
  const times = (factor: number): Span => ({
    expected: Math.round(units.expected * factor),
    worst: Math.round(units.worst * factor),
  });
  return { units, microUsdLeast: times(unitMicroUsd.least), microUsdMost: times(unitMicroUsd.most) };
}

/**
 * Warnings if the remaining credits may not suffice for the next run, for each seller that states its credits in the
 * unit of its price.
 */
export function shortages(costs: readonly OnlineCost[], checks: readonly PreflightCheck[]): string[] {
  return checks.flatMap((check) => {
    const { creditsLeft, price } = check;
    if (creditsLeft === null || check.parts.length > 0 || check.state !== 'ok') return [];
    const isAccount = check.what === 'account';
    if (!isAccount && (price === null || price.unit !== check.unit)) return [];
    const buying = costs.filter(
      ({ service, source, what }) =>
        service === check.service && (isAccount ? what === 'pages' : source === check.source && what === check.what),
    );
    const worst = sumOf(buying, ({ amountPerRun, perRun }) =>
      isAccount ? perRun.worst : (amountPerRun?.units.worst ?? 0),
    );
    if (worst <= creditsLeft) return [];
    const inUsd = (count: number): string =>
      check.unit === 'micro_usd' ? `${count / 1e6} USD` : `${count} ${plural(count, 'credit')}`;
    const account = `${check.service}${isAccount ? ` (account ${check.source})` : ` (${check.source})`}`;
    return [`${account} has ${inUsd(creditsLeft)} left, and the next run of everything may take ${inUsd(worst)}.`];
  });
}

export interface OnlineText {
  readonly trials: readonly PreflightCheck[];
  readonly costs: readonly OnlineCost[];
  readonly warnings: readonly string[];
}

const stateWords: Readonly<Record<PreflightState, string>> = {
  ok: 'ok',
  'not-asked': 'not asked',
  refused: 'REFUSED',
  failed: 'FAILED',
};

/** The name of a checked part in the list: the sources of a chain by their position in it. */
interface Row {
  readonly name: string;
  readonly check: PreflightCheck;
}

const trialColumns: readonly Column<Row>[] = [
  { title: 'state', value: ({ check }) => stateWords[check.state] },
  { title: 'what', value: ({ name }) => name },
  { title: 'says', value: ({ check }) => describeResult(check) },
];

const boughtWords: Readonly<Record<OnlineCost['what'], string>> = {
  pages: 'pages',
  'keyword-data': 'keyword data',
  answers: 'AI answers',
};

const costColumns: readonly Column<OnlineCost>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'buys', value: ({ what }) => boughtWords[what] },
  { title: 'from', value: ({ service, source }) => `${service} (${source})` },
  { title: 'a run', align: 'right', value: ({ perRun }) => spanText(perRun, amount) },
  { title: 'credits', align: 'right', value: ({ amountPerRun, price }) => unitsText(amountPerRun, price) },
  { title: 'USD a run', align: 'right', value: ({ amountPerRun }) => usdText(amountPerRun) },
  { title: 'a month', align: 'right', value: ({ perMonth }) => spanText(perMonth, amount) },
  { title: 'USD a month', align: 'right', value: ({ amountPerMonth }) => usdText(amountPerMonth) },
  {
    title: 'a keyword',
    align: 'right',
    value: ({ microUsdPerKeywordMonth }) => keywordMonthText(microUsdPerKeywordMonth),
  },
  { title: 'as of', value: ({ price }) => price?.asOf ?? '-' },
];

export function printOnline(out: Printer, { trials, costs, warnings }: OnlineText): void {
  const rows = trials.flatMap((check) => [
    { name: describeSubject(check), check },
    ...check.parts.map((part, at) => ({ name: `${part.service}, ${at + 1} (${part.source})`, check: part })),
  ]);
  out.line(out.styled('bold', 'Tried'));
  for (const line of tableLines(trialColumns, rows)) out.line(line);
  for (const warning of warnings) out.line(`${out.styled('yellow', 'Warning:')} ${printable(warning)}`);
  printProblems(out, rows);
  if (costs.length === 0) return;
  out.line();
  out.line(out.styled('bold', 'Cost by vendor'));
  for (const line of tableLines(costColumns, costs)) out.line(line);
  out.line(
    'From the expected cost on the cheapest plan to the worst case on the most expensive one, by list prices; a keyword: its pages in USD a month. A month has 31 days with runs like the next one.',
  );
  if (costs.some(({ price }) => price === null)) out.line('-: free, or no list price known.');
}

function printProblems(out: Printer, rows: readonly Row[]): void {
  const wrong = rows.filter(({ check: { problems, parts } }) => problems.length > 0 && parts.length === 0);
  if (wrong.length === 0) return;
  out.line();
  out.line(out.styled('bold', 'What to do'));
  for (const { name, check } of wrong) {
    const style: Style = check.state === 'refused' ? 'yellow' : 'red';
    for (const { code, message, remedy } of check.problems) {
      out.line(`  ${out.styled(style, name)}: ${printable(message)} [${code}]`);
      if (remedy !== null) out.line(`    ${printable(remedy)}`);
    }
  }
}

function describeSubject({ what, service, source }: PreflightCheck): string {
  if (service === null) return source === null ? what : `${what} (${source})`;
  if (what === 'account') return `${service}, account ${source}`;
  const part = what === 'keyword-data' || what === 'answers' ? `, ${boughtWords[what]}` : '';
  return `${service}${part} (${source})`;
}

/** Only problems are printed in full below the table. */
function describeResult({ says, problems, creditsLeft, unit, plan, what }: PreflightCheck): string {
  const [first] = problems;
  if (first !== undefined && says.startsWith(first.message))
    return [...new Set(problems.map(({ code }) => code))].join(', ');
  const left =
    creditsLeft === null || what === 'account'
      ? ''
      : ` ${unit === 'micro_usd' ? dollars(creditsLeft) : counted(creditsLeft, 'credit')} left.`;
  return `${says}${left}${plan === null ? '' : ` Plan: ${plan}.`}`;
}

function unitsText(bought: SourceAmount | null, price: OnlineCost['price']): string {
  return bought === null || price?.unit !== 'credit' ? '-' : spanText(bought.units, amount);
}

function usdText(bought: SourceAmount | null): string {
  if (bought === null) return '-';
  return spanText({ expected: bought.microUsdLeast.expected, worst: bought.microUsdMost.worst }, dollars);
}

function spanText({ expected, worst }: Span, write: (count: number) => string): string {
  return expected === worst ? write(worst) : `${write(expected)} to ${write(worst)}`;
}
