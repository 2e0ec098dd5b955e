// `simulate`: the credits of the days ahead under several policies, and the changes that each of them finds in time.
import type { Command } from '@commander-js/extra-typings';
import type { PolicyName } from '../../app/forecast/policy-runs.ts';
import type { PolicyForecast, SimulationReport } from '../../app/forecast/simulate-policies.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { collected, wholeNumber } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted, dollarRange, keywordMonthText } from '../text/numbers.ts';
import { type Column, tableLines } from '../text/table.ts';

const policyNames: readonly PolicyName[] = ['configured', 'daily', 'weekly', 'tier', 'adaptive'];
const daysMax = 366;
const keywordsDefault = 200;
const barWidth = 20;

const columns: readonly Column<PolicyForecast>[] = [
  { title: 'policy', value: policyText },
  { title: 'budget', align: 'right', value: ({ budget }) => (budget === null ? '-' : amount(budget)) },
  { title: 'checks', align: 'right', value: ({ checks }) => amount(checks) },
  { title: 'credits', align: 'right', value: ({ credits }) => amount(credits) },
  { title: 'of daily', align: 'right', value: ({ share }) => percent(share) },
  { title: 'list price', align: 'right', value: ({ microUsd }) => dollarRange(microUsd) },
  { title: 'traffic found in a day', align: 'right', value: (row) => foundText(row) },
  {
    title: 'delay',
    align: 'right',
    value: ({ delayDays }) => (delayDays === null ? '-' : `${delayDays.toFixed(1)} d`),
  },
  { title: 'longest gap', align: 'right', value: ({ longestGapDays }) => `${longestGapDays} d` },
  { title: 'old', align: 'right', value: ({ oldTargets }) => amount(oldTargets) },
];
const keywordColumn: Column<PolicyForecast> = {
  title: 'USD a keyword',
  align: 'right',
  value: ({ microUsdPerKeywordMonth }) => keywordMonthText(microUsdPerKeywordMonth),
};
const barColumn: Column<PolicyForecast> = { title: '', value: ({ foundTraffic }) => bar(foundTraffic ?? 0) };

const describe = (command: Command) =>
  command
    .option('-p, --project <id>', 'simulate this project; may be given several times', collected)
    .option('--days <n>', 'days to simulate, from tomorrow', wholeNumber(2, daysMax), 30)
    .option('--policy <name>', `one of ${policyNames.join(', ')}; may be given several times (default: all)`, collected)
    .option('--budget <credits>', 'SERP credits in 30 days, for the adaptive plan', wholeNumber(1, 1e9))
    .option('--from <world>', 'history: ranks move as they did so far; sandbox: the built-in sandbox', 'history')
    .option('--keywords <n>', 'simulate a sample of at most so many keywords', wholeNumber(10, 1e6), keywordsDefault)
    .option('--seed <n>', 'another seed draws other moves of rank', wholeNumber(0, 4294967295), 1);

export const command: CommandDefinition = {
  about: `Runs the real planner and ledger on copies of the database, day by day, in a world in which ranks move as they have moved so far. Buys nothing,
sends nothing and changes nothing. Daily checks are the measure: the other policies are held against what they find. Without history, ranks start
and move as usual ranks do. Takes about a second for each 1,000 pages.`,
  examples: [
    { command: 'simulate', does: 'the next 30 days under each policy' },
    { command: 'simulate --policy adaptive --budget 3000', does: 'the adaptive plan with 3,000 credits in 30 days' },
    { command: 'simulate --project acme --days 60 --json', does: 'one project, as JSON' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe,
  async run(context) {
    const { project = [], days, policy, budget, from, keywords, seed } = context.flags(describe);
    if (from !== 'history' && from !== 'sandbox') throw usageError('--from takes history or sandbox.');
    const config = await context.config();
    const { simulatePolicies } = await import('../../app/forecast/simulate-policies.ts');
    const report = await simulatePolicies(config, {
      projects: project,
      days,
      policies: policy === undefined ? policyNames : policy.map(parsePolicy),
      budget,
      from,
      keywordsMax: keywords,
      seed,
      now: context.host.now(),
      signal: context.signal,
      onProgress: (done, total, label) =>
        context.progress.update({ label, done, total, creditsSpent: 0, everyMs: 3000 }),
    });
    context.progress.clear();
    if (context.json) context.out.json(report);
    else print(context.out, report);
    return exitCodes.done;
  },
};

function parsePolicy(name: string): PolicyName {
  const policy = policyNames.find((each) => each === name);
  if (policy === undefined) throw usageError(`--policy takes one of ${policyNames.join(', ')}.`);
  return policy;
}

function print(out: Printer, report: SimulationReport): void {
  const { days, firstDate, lastDate, searches, simulatedSearches, searchesWithHistory, cheapest, from } = report;
  const sampled = simulatedSearches < searches ? `, ${amount(simulatedSearches)} of them simulated` : '';
  out.line(
    `${counted(days, 'day')}, ${firstDate} to ${lastDate}: ${counted(searches, 'search', 'searches')}${sampled}`,
  );
  out.line(
    from === 'sandbox'
      ? 'Ranks are those of the built-in sandbox.'
      : `Ranks move as in your history (${amount(searchesWithHistory)} searches have one), drawn with seed ${report.seed}.`,
  );
  out.line();
  const isPriced = report.policies.some(({ microUsdPerKeywordMonth }) => microUsdPerKeywordMonth !== null);
  const shown = [...columns, ...(isPriced ? [keywordColumn] : []), barColumn];
  for (const line of tableLines(shown, report.policies)) out.line(line);
  out.line();
  out.line(
    'traffic found in a day: of the traffic that moved (volume x change of CTR), the share found within one day, ± its standard error',
  );
  out.line('old: targets that were not checked for more than seven days');
  if (isPriced) out.line('USD a keyword: its pages in a month, by list prices');
  out.line();
  const goal = `${percent(report.foundMin)} of the traffic within a day`;
  out.line(
    cheapest === null
      ? `No simulated policy finds ${goal}.`
      : `Cheapest that finds ${goal}: ${policyText(cheapest)}, ${counted(cheapest.credits, 'credit')}${cheapest.budget === null ? '' : ` within a budget of ${amount(cheapest.budget)}`}.`,
  );
}

/** `adaptive 14d`: with another longest gap than that of the config. */
function policyText({ policy, atLeastEveryDays }: PolicyForecast): string {
  return atLeastEveryDays === null ? policy : `${policy} ${atLeastEveryDays}d`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function foundText({ foundTraffic, foundTrafficError }: PolicyForecast): string {
  if (foundTraffic === null) return 'no change';
  return `${percent(foundTraffic)} ± ${Math.round(100 * (foundTrafficError ?? 0))}`;
}

function bar(share: number): string {
  return '█'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '░');
}
