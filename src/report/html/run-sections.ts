// The sections about the run: its cost, its problems, notes, and what the numbers mean.

import { isAmountKnown, type SpendAmounts, type SpendRow } from '../tables/spend.ts';
import { html, type Markup } from './client/markup.js';
import { maybe, number, statusWords } from './client/words.js';
import type { PageFacts } from './page-facts.ts';
import { table } from './tables.ts';

const spendScopes: Readonly<Record<SpendRow['scope'], string>> = {
  project: 'This project',
  market: 'One market',
  other_projects: 'Other projects of the run',
  run: 'The whole run',
  source: 'One source of it',
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

export function spendSection({ spend }: PageFacts): Markup | null {
  if (spend.length === 0) return null;
  const amounts = Object.keys(amountTitles) as (keyof SpendAmounts)[];
  return html`<p class="lead">In SERP credits, and dollars for keyword data. Planned is every page to its full depth; what was not spent of it was saved, or not bought. <a href="spend.csv">spend.csv</a> says it line by line.</p>
${table(
  'Spend',
  [
    { title: 'Of' },
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

function spendName({ scope, country, language, device, source, requests }: SpendRow): string {
  if (scope === 'market') return `\u2003${country} ${language} ${device}`;
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
<dt>Rank</dt><dd>Place among the organic results over all pages that were read. Not found means not on those pages, down to the depth that is named.</dd>
<dt>Change</dt><dd>Taken between two complete checks only, at comparable depth and of the same source. Everything else is marked n/c: not comparable.</dd>
<dt>Estimated clicks</dt><dd>Monthly search volume times the click-through rate of the rank, after the curve ${ctrCurve}.</dd>
<dt>Visibility</dt><dd>Estimated clicks in percent of what rank 1 everywhere would bring. Rows without a complete check or a known volume are in neither.</dd>
<dt>Over time</dt><dd>Past dates are reckoned with today's volumes, so that ranks alone move a line. A line is interrupted where nothing is known.</dd>
${competitors.some(({ isOwn }) => !isOwn) && html`<dt>Competitors</dt><dd>Looked for on the pages that were read for us: one that ranks on a page below them counts as not found. The line of one that was added later begins then; <code>rankledger backfill derive</code> finds it on stored pages.</dd>`}
<dt>Average rank</dt><dd>Of the ranked rows; with absences each counts as one below the last rank its depth could show.</dd>
</dl>`;
}
