// The movers section: winners and losers by estimated clicks, and rankings that entered or dropped out.
import type { MoverClass, MoverRow } from '../../tables/movers.ts';
import { ofTable, type PageFacts } from '../data/page-facts.ts';
import { html, type Markup } from '../text/markup.ts';
import { delta, marketText, maybe, rankChange, siteText } from '../text/words.ts';
import { table } from './tables.ts';

const shownMax = 10;

const titles: Readonly<Record<MoverClass, string>> = {
  winner: 'Winners',
  loser: 'Losers',
  entered: 'Entered',
  dropped: 'Dropped',
};

export function moverSection(facts: PageFacts): Markup {
  const { movers, data } = facts;
  if (movers.length === 0) return html`<p>No comparable keyword changed its rank.</p>`;
  const hasTargets = data.targets.length > 1;
  const classes = (Object.keys(titles) as MoverClass[]).map((name) =>
    movers.filter((line) => line.moverClass === name),
  );
  return html`<p class="lead">The ${shownMax} largest changes of each kind, by estimated clicks; those within the noise of a keyword come last.${ofTable(facts, 'movers', html` <a href="movers.csv">movers.csv</a> has a hundred of each.`)}</p>
<div class="pair">${classes.map((lines) => moverTable(lines, hasTargets))}</div>`;
}

function moverTable(lines: readonly MoverRow[], hasTargets: boolean): Markup | null {
  const [first] = lines;
  if (first === undefined) return null;
  return table(
    titles[first.moverClass],
    [
      { title: 'Keyword' },
      { title: 'Rank', isNumber: true },
      { title: 'Previous', isNumber: true },
      { title: 'Change', isNumber: true },
      { title: 'Clicks', isNumber: true },
    ],
    lines
      .slice(0, shownMax)
      .map(({ row }) => [
        html`<bdi>${row.keyword}</bdi> <span class="sub">${marketText(row)}${hasTargets && html` · <bdi>${siteText(row.target)}</bdi>`}</span>`,
        maybe(row.rank),
        maybe(row.previousRank),
        rankChange(row.changeClass, row.change),
        delta(row.estimatedClicksChange),
      ]),
  );
}
