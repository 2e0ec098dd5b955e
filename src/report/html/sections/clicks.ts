// The section of measured clicks: why they changed, in total and for the largest changes; the script adds the rest.
import type { ClickChanges } from '../../../tracker/clicks/clicks.ts';
import { ofTable, type PageFacts } from '../data/page-facts.ts';
import { html, type Markup } from '../text/markup.ts';
import { delta, maybe, number } from '../text/words.ts';
import { table } from './tables.ts';

/** Queries in the plain table. */
const shownMax = 20;

export function clickSection(facts: PageFacts): Markup | null {
  const { clicks } = facts.data;
  if (clicks === undefined) return null;
  const { query } = clicks.changes;
  const { period, previous, total } = query;
  return html`<div id="clicks-place"><p class="lead">${period.from} to ${period.to} against ${previous.from} to ${previous.to}: ${number(total.clicks)} clicks, before ${number(total.previousClicks)}. Demand + rank + rate = change, in every line.${ofTable(facts, 'click-changes', html` All changes are in <a href="click-changes.csv">click-changes.csv</a>.`)}</p>${changeTable(query)}</div>`;
}

function changeTable({ total, rows, hiddenChange }: ClickChanges): Markup {
  const columns = ['Query', 'Clicks', 'Change', 'Demand', 'Rank', 'Rate'];
  const cells = ({ clicks, change, demand, rank, rate }: ClickChanges['total']) => [
    number(clicks),
    ...[change, demand, rank, rate].map((effect) => delta(effect, { digits: 1 })),
  ];
  const unknown = maybe(null);
  return table(
    'Clicks gained and lost, by query',
    columns.map((title, index) => ({ title, isNumber: index > 0 })),
    [
      ['All shown queries', ...cells(total)],
      ['Hidden queries, unknown impressions', unknown, delta(hiddenChange), unknown, unknown, unknown],
      ...rows.slice(0, shownMax).map((row) => [html`<bdi>${row.name}</bdi>`, ...cells(row)]),
    ],
  );
}
