// The sections about the run: its cost, its problems, notes, and what the numbers mean.

import { marketName } from '../../../tracker/project.ts';
import { isAmountKnown, type SpendAmounts, type SpendRow } from '../../tables/spend.ts';
import { ofTable, type PageFacts } from '../data/page-facts.ts';
import { html, type Markup } from '../text/markup.ts';
import { maybe, number, statusWords } from '../text/words.ts';
import { table } from './tables.ts';

const spendScopes: Readonly<Record<SpendRow['scope'], string>> = {
  project: 'This project',
  market: 'One market',
  other_projects: 'Other projects of the run',
  run: 'The whole run',
  source: 'One source of the run',
};

const amountTitles: Readonly<Record<keyof SpendAmounts, string>> = {
  planned: 'Planned',
  spent: 'Spent',
  unknown: 'Unknown',
  savedBySharing: 'Saved by sharing',
  savedByFreshness: 'Saved by freshness',
  savedByEarlyStop: 'Saved by early stop',
  notBought: 'Not bought',
  failures: 'Failures',
};

export function spendSection(facts: PageFacts): Markup | null {
  const { spend } = facts;
  if (spend.length === 0) return null;
  const amounts = Object.keys(amountTitles) as (keyof SpendAmounts)[];
  return html`<p class="lead">SERP credits, and US dollars for keyword data. Planned is the cost of all pages at full depth; unspent parts of it were saved, or not bought.${ofTable(facts, 'spend', html` <a href="spend.csv">spend.csv</a> has every line.`)}</p>
${table(
  'Spend',
  [
    { title: 'Scope' },
    { title: 'Checks', isNumber: true },
    ...amounts.map((name) => ({ title: amountTitles[name], isNumber: true })),
  ],
  spend.map((line) => [
    spendName(line),
    maybe(line.checks),
    ...amounts.map((name) => {
      if (!isAmountKnown(line.scope, name)) return maybe(null);
      return line.unit === 'usd' ? dollars(line.amounts[name]) : number(line.amounts[name], 0);
    }),
  ]),
  { hasTitle: false },
)}`;
}

/** Small amounts keep their decimals: a shared request costs less than a cent, not $0.00. */
function dollars(microUsd: number): string {
  return `$${number(microUsd / 1_000_000, microUsd % 10_000 === 0 ? 2 : 4)}`;
}

function spendName({ scope, country, language, device, location, source, requests }: SpendRow): string {
  if (scope === 'market')
    return `\u2003${marketName({ country: country ?? '', language: language ?? '', device: device ?? '', location })}`;
  if (scope !== 'source') return spendScopes[scope];
  return `\u2003${source}${requests === null ? '' : requestWords(requests)}`;
}

function requestWords({ charged, unknown, free }: NonNullable<SpendRow['requests']>): string {
  const counts = [
    { of: charged, word: 'charged' },
    { of: unknown, word: 'perhaps charged' },
    { of: free, word: 'free' },
  ];
  const counted = counts.flatMap(({ of, word }) => (of > 0 ? `${number(of)} ${word}` : []));
  return counted.length === 0 ? '' : `; requests: ${counted.join(', ')}`;
}

export function problemSection({ problems }: PageFacts): Markup {
  if (problems.length === 0) return html`<p>None: every check of the run is complete.</p>`;
  return table(
    'Checks that are not complete',
    [
      { title: 'Status' },
      { title: 'Checks', isNumber: true },
      { title: 'Reason', isLong: true },
      { title: 'Remedy', isLong: true },
      { title: 'For example', isLong: true },
    ],
    problems.map(({ state, count, reason, remedy, examples }) => [
      html`<span class="warn">${statusWords[state] ?? state}</span>`,
      number(count),
      reason,
      remedy,
      examples.map((example, index) => html`${index > 0 && ', '}<bdi>${example}</bdi>`),
    ]),
  );
}

export function aboutSection({ ctrCurve, competitors }: PageFacts): Markup {
  return html`<dl class="about">
<dt>Rank</dt><dd>Rank among the organic results of all pages read. “Not found” means on none of the pages down to the stated depth.</dd>
<dt>Change</dt><dd>Reported only between two complete checks with comparable depth and the same source. Everything else is marked n/c: not comparable.</dd>
<dt>Estimated clicks</dt><dd>Monthly search volume times the click-through rate of the rank, by the curve ${ctrCurve}.</dd>
<dt>Visibility</dt><dd>Estimated clicks, as a percentage of the estimated clicks of rank 1 for every keyword. Keywords without a complete check or a known volume count in neither number.</dd>
<dt>Share of voice</dt><dd>Estimated clicks, as a percentage of those of all domains on the same pages.</dd>
<dt>Over time</dt><dd>Past dates use today's volumes, so that only ranks move a line. A line is interrupted where data is missing.</dd>
${competitors.some(({ isOwn }) => !isOwn) && html`<dt>Competitors</dt><dd>Searched on the pages that were read for our targets: a competitor that ranks only below these pages has no rank. The line of a competitor begins when it was added; <code>rankledger backfill derive</code> adds its ranks from stored pages.</dd>`}
<dt>Average rank</dt><dd>Over ranked keywords. “Incl. not found” counts each keyword that was not found as one below the last rank its depth can show.</dd>
</dl>`;
}
