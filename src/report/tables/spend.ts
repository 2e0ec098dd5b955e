// spend.csv: what a run cost a project, what it saved, and how both add up to the run's ledger.

import { sortedEntries } from '../../tracker/figures.ts';
import type { CheckCost } from '../../tracker/paging.ts';
import { marketName } from '../../tracker/project.ts';
import type { PlanOutcome } from '../../tracker/signal/plan-outcome.ts';
import { missedError } from '../../tracker/signal/plan-outcome.ts';
import { columnsOf, fieldColumns, type MarketNames, marketScopeColumns, runDay } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/**
 * The scope of a line: our project, one of its markets, the other projects of the run together, the whole run, or one
 * of several sources.
 */
type SpendScope = 'project' | 'market' | 'other_projects' | 'run' | 'source';

/**
 * Credits, or micro-USD. planned = spent + unknown - failures + savedBySharing + savedByFreshness + savedByEarlyStop +
 * notBought.
 */
export interface SpendAmounts {
  readonly planned: number;
  readonly spent: number;
  readonly unknown: number;
  readonly savedBySharing: number;
  readonly savedByFreshness: number;
  readonly savedByEarlyStop: number;
  readonly notBought: number;
  readonly failures: number;
}

/** One line of the table. */
export interface SpendRow extends MarketNames {
  readonly project: string;
  readonly scope: SpendScope;
  /** Label of the source, in source lines. */
  readonly source: string | null;
  readonly unit: 'serp_credits' | 'usd';
  /** Null without checks. */
  readonly checks: number | null;
  /** For a source only the amounts paid, and possibly paid, are known: the others are zero and not printed. */
  readonly amounts: SpendAmounts;
  /** Null unless the line is a source that counts requests. */
  readonly requests: SpendRequests | null;
  readonly chosen?: ChosenSpend;
  /** What the adaptive plan saved, and may have missed; in lines of a project with an adaptive cadence. */
  readonly plan?: PlanOutcome;
  readonly runId: number;
  readonly warning: string | null;
}

/** Requests sent to a source. */
interface SpendRequests {
  readonly charged: number;
  readonly free: number;
  readonly unknown: number;
}

/** The sales of one source to a run. */
export interface SourceSpend {
  readonly source: string;
  /** Credits. */
  readonly spent: number;
  readonly unknown: number;
  /** Null if it does not count requests. */
  readonly requests: SpendRequests | null;
  /** Of one of several sources that a service chooses among. */
  readonly chosen?: ChosenSpend;
}

/** Pages that were believed, and what a credit costs; null: unknown. */
interface ChosenSpend {
  readonly pages: number;
  readonly microUsd: number | null;
}

const none: SpendAmounts = Object.freeze({
  planned: 0,
  spent: 0,
  unknown: 0,
  savedBySharing: 0,
  savedByFreshness: 0,
  savedByEarlyStop: 0,
  notBought: 0,
  failures: 0,
});
const names = Object.keys(none) as (keyof SpendAmounts)[];
type Amounts = { -readonly [Name in keyof SpendAmounts]: number };
const microUsd = 1_000_000;

/** Whether an amount has a meaning in that scope. */
export function isAmountKnown(scope: SpendScope, amount: keyof SpendAmounts): boolean {
  return scope !== 'source' || amount === 'spent' || amount === 'unknown';
}

const { text, number } = columnsOf<SpendRow>();

const amount = (name: string, of: keyof SpendAmounts, description: string): CsvColumn<SpendRow> =>
  number(name, description, ({ scope, unit, amounts }) => {
    if (!isAmountKnown(scope, of)) return null;
    return unit === 'usd' ? amounts[of] / microUsd : amounts[of];
  });

const requests = (name: string, of: keyof SpendRequests, description: string): CsvColumn<SpendRow> =>
  number(name, description, (row) => row.requests?.[of] ?? null);

/** In lines with scope project, of a project with `cadence: adaptive`. */
const ofPlan = (name: string, description: string, value: (plan: PlanOutcome) => number): CsvColumn<SpendRow> =>
  number(name, description, ({ plan }) => (plan === undefined ? null : value(plan)));
const tenth = (estimate: number): number => Math.round(estimate * 10) / 10;

export const spendColumns: readonly CsvColumn<SpendRow>[] = [
  ...fieldColumns((row: SpendRow) => row, 'project'),
  text(
    'scope',
    'project, market (of the project), other_projects (of the same run), run, or source (of the run, if it reports its sales)',
    (row) => row.scope,
  ),
  ...marketScopeColumns<SpendRow>(),
  text('source', 'service/source, or service/source:part of a chain, in lines with scope source', (row) => row.source),
  text(
    'unit',
    'serp_credits for result pages, usd for keyword data and AI answers bought since the previous slot',
    (row) => row.unit,
  ),
  number('checks', 'Number of checks', (row) => row.checks),
  amount('planned', 'planned', 'Cost of all pages to the full depth of each check, without sharing'),
  amount('spent', 'spent', 'Spent according to the ledger; of a shared check, the part of the project'),
  amount('unknown', 'unknown', 'The same for purchases with an unknown outcome, which count as spent'),
  amount('saved_by_sharing', 'savedBySharing', 'Pages that other projects of the run paid for'),
  amount('saved_by_freshness', 'savedByFreshness', 'Pages that were reused or free'),
  amount('saved_by_early_stop', 'savedByEarlyStop', 'Pages that complete checks did not need'),
  amount(
    'not_bought',
    'notBought',
    'Pages that incomplete checks are missing; for usd, the unused part of reservations',
  ),
  amount(
    'failures',
    'failures',
    'Part of spent and unknown that gave no page or answer, exceeded the agreed price, or compared sources',
  ),
  requests('requests', 'charged', 'Charged requests, in lines of a source that counts requests as its bill does'),
  requests(
    'requests_unknown',
    'unknown',
    'Requests that may have been charged; a page that was lost with its process counts as one',
  ),
  requests('requests_free', 'free', 'Free requests: refused, failed without a charge, or fetched directly'),
  number('run_id', 'The run', (row) => row.runId),
  text(
    'warning',
    'Warnings about the whole run: it is suspect, the data is simulated, it was discarded',
    (row) => row.warning,
  ),
  runDay(),
  ofPlan(
    'searches_waiting',
    'With `cadence: adaptive`: searches without a check in this run',
    ({ waiting }) => waiting,
  ),
  ofPlan(
    'saved_by_plan',
    'Expected credits of daily checks to the depth of the project that the adaptive plan did not plan',
    ({ creditsSaved }) => creditsSaved,
  ),
  ofPlan(
    'changes_estimated',
    'Estimated changes of rank that daily checks would have shown since the run before',
    ({ changes }) => tenth(changes),
  ),
  ofPlan(
    'changes_missed',
    'Of these, the estimated number that no check showed within a day of the daily check',
    ({ missed }) => tenth(missed),
  ),
  ofPlan('changes_missed_error', 'Standard error of changes_missed', (plan) => tenth(missedError(plan))),
  ...fieldColumns((row: SpendRow) => row, 'location'),
  number(
    'pages_believed',
    'Pages that were believed, in lines of a source of a service of `mode: best`',
    ({ chosen }) => chosen?.pages ?? null,
  ),
  number(
    'usd_per_page',
    'Dollars of a believed page, in the same lines: failures and second pages included',
    usdPerPage,
  ),
];

function usdPerPage({ chosen, amounts: { spent, unknown } }: SpendRow): number | null {
  if (chosen === undefined || chosen.microUsd === null || chosen.pages === 0) return null;
  return Math.round(((spent + unknown) * chosen.microUsd) / chosen.pages) / microUsd;
}

export interface SpendFacts {
  readonly project: string;
  readonly runId: number;
  readonly warning: string | null;
}

/** The lines of a run, with the outcome of its adaptive plan in the line of the project. */
export function withPlan(rows: readonly SpendRow[], plan: PlanOutcome | null): SpendRow[] {
  return rows.map((row) => (row.scope === 'project' && plan !== null ? { ...row, plan } : row));
}

/** The lines of a run's checks: the project, its markets in order, the other projects if any, the run. */
export function spendOfChecks(facts: SpendFacts, checks: Iterable<CheckCost>): SpendRow[] {
  const markets = new Map<string, { market: Market; checks: number; amounts: SpendAmounts }>();
  let ours = { checks: 0, amounts: none };
  let all = { checks: 0, amounts: none };
  for (const check of checks) {
    const { count, projects, country, language, device, location } = check;
    all = { checks: all.checks + count, amounts: plus(all.amounts, times(wholeAmounts(check), count)) };
    const projectIndex = projects.indexOf(facts.project);
    if (projectIndex === -1) continue;
    const own = times(sharedAmounts(check, projectIndex), count);
    ours = { checks: ours.checks + count, amounts: plus(ours.amounts, own) };
    const key = marketName({ country, language, device, location });
    const known = markets.get(key) ?? { market: { country, language, device, location }, checks: 0, amounts: none };
    markets.set(key, { ...known, checks: known.checks + count, amounts: plus(known.amounts, own) });
  }
  const line = (scope: SpendScope, checks: number | null, amounts: SpendAmounts, market: Market = anyMarket) =>
    ({ ...facts, ...market, source: null, scope, unit: 'serp_credits', checks, amounts, requests: null }) as const;
  const others = plus(all.amounts, times(ours.amounts, -1));
  const inOrder = sortedEntries(markets).map(([, entry]) => entry);
  return [
    line('project', ours.checks, ours.amounts),
    ...inOrder.map(({ market, checks: count, amounts }) => line('market', count, amounts, market)),
    ...(names.some((name) => others[name] !== 0) ? [line('other_projects', null, others)] : []),
    line('run', all.checks, all.amounts),
  ];
}

/** The lines of chain sources, and of sources that count requests: what each sold to the whole run. */
export function spendOfSources(facts: SpendFacts, sold: readonly SourceSpend[]): SpendRow[] {
  return sold.map(({ source, spent, unknown, requests: counted, chosen }) => ({
    ...facts,
    ...anyMarket,
    source,
    scope: 'source',
    unit: 'serp_credits',
    checks: null,
    amounts: { ...none, spent, unknown },
    requests: counted,
    chosen,
  }));
}

/** What a run spent in dollars: micro-USD. */
interface SpendDollars {
  readonly reserved: number;
  readonly spent: number;
  readonly unknown: number;
  readonly failures: number;
}

/** The lines of the keyword data and AI answers of a run: the part of the project, of the others if any, the run. */
export function spendOfDollars(facts: SpendFacts, run: SpendDollars, project: SpendDollars): SpendRow[] {
  const amountsOf = ({ reserved, spent, unknown, failures }: SpendDollars): SpendAmounts => ({
    ...none,
    planned: reserved,
    spent,
    unknown,
    failures,
    notBought: reserved - spent - unknown + failures,
  });
  const [all, own] = [amountsOf(run), amountsOf(project)];
  const line = (scope: SpendScope, amounts: SpendAmounts) =>
    ({ ...facts, ...anyMarket, source: null, scope, unit: 'usd', checks: null, amounts, requests: null }) as const;
  const others = plus(all, times(own, -1));
  const hasOthers = names.some((name) => others[name] !== 0);
  return [line('project', own), ...(hasOthers ? [line('other_projects', others)] : []), line('run', all)];
}

type Market = Pick<SpendRow, 'country' | 'language' | 'device' | 'location'>;
const anyMarket: Market = Object.freeze({ country: null, language: null, device: null });

/** One check for all projects that share it: each would have planned all of it, and together they paid once. */
function wholeAmounts(check: CheckCost): SpendAmounts {
  const { spent, unknown, projects } = check;
  const { paid, free, unneeded, lacking, failures } = countPages(check);
  return {
    planned: projects.length * check.depth,
    spent,
    unknown,
    savedBySharing: (projects.length - 1) * paid,
    savedByFreshness: projects.length * free,
    savedByEarlyStop: projects.length * unneeded,
    notBought: projects.length * lacking,
    failures,
  };
}

/** The same for one of them. Credits are integers: the remainder rotates among projects, from check to check. */
function sharedAmounts(check: CheckCost, projectIndex: number): SpendAmounts {
  const { paid, free, unneeded, lacking, failures } = countPages(check);
  const count = check.projects.length;
  const share = (of: number): number => shareOf(of, (projectIndex + check.remainderOffset) % count, count);
  const [spent, unknown, failed] = [share(check.spent), share(check.unknown), share(failures)];
  return {
    planned: check.depth,
    spent,
    unknown,
    savedBySharing: paid - (spent + unknown - failed),
    savedByFreshness: free,
    savedByEarlyStop: unneeded,
    notBought: lacking,
    failures: failed,
  };
}

/** The part in whole units of one of `count` that share an amount: all parts add up to it. */
function shareOf(amount: number, index: number, count: number): number {
  return Math.ceil((amount * (index + 1)) / count) - Math.ceil((amount * index) / count);
}

/** The pages of a check: paid for and read; read for free; not needed; missing. `failures`: credits without a page. */
function countPages({ status, depth, pagesRead, spent, unknown, pagesPaid }: CheckCost) {
  const paid = Math.min(pagesPaid, pagesRead, spent + unknown);
  const unread = depth - pagesRead;
  const isWhole = status === 'ok';
  return {
    paid,
    free: pagesRead - paid,
    unneeded: isWhole ? unread : 0,
    lacking: isWhole ? 0 : unread,
    failures: spent + unknown - paid,
  };
}

function plus(a: SpendAmounts, b: SpendAmounts): SpendAmounts {
  const sum: Amounts = { ...none };
  for (const name of names) sum[name] = a[name] + b[name];
  return sum;
}

function times(amounts: SpendAmounts, factor: number): SpendAmounts {
  const product: Amounts = { ...none };
  for (const name of names) product[name] = amounts[name] * factor + 0;
  return product;
}
