// The keywords section: a plain table of the first rows, in whose place the script puts that of the workspace.

import { unpackRow } from '../../../rows/packed-rows.ts';
import type { PageData } from '../data/page-data.ts';
import { ofTable, type PageFacts } from '../data/page-facts.ts';
import { type Content, html, type Markup } from '../text/markup.ts';
import { delta, marketText, maybe, number, rankChange, rankText, siteText } from '../text/words.ts';
import { table } from './tables.ts';

/** Rows written as HTML, for readers without scripts. */
const writtenRows = 50;

export function keywordSection(facts: PageFacts): Markup {
  const { data, rowsTotal } = facts;
  const count = data.rows.keyword.length;
  const shown = Math.min(writtenRows, count);
  return html`${
    count < rowsTotal &&
    html`<p class="lead">The ${number(count)} keywords with the most estimated clicks, of ${number(rowsTotal)}${ofTable(facts, 'rank-changes', html`; all are in <a href="rank-changes.csv">rank-changes.csv</a>`)}.</p>`
  }
<div id="keyword-place">${changes(data, shown)}
<noscript><p class="lead">Without scripts, only the first ${shown} of ${number(rowsTotal)} keywords are shown${ofTable(facts, 'rank-changes', html`; all are in rank-changes.csv`)}.</p></noscript></div>
${ofTable(facts, 'rank-changes', html`<p class="print-only">All ${number(rowsTotal)} keywords are in rank-changes.csv.</p>`)}`;
}

/** Those of the table that have a plain form, by the names of a template. */
const columns = {
  rank: { title: 'Rank', isNumber: true },
  change: { title: 'Change', isNumber: true },
  bestRank: { title: 'Best', isNumber: true },
  volume: { title: 'Volume', isNumber: true },
  clicks: { title: 'Clicks', isNumber: true },
  clicksChange: { title: 'Δ clicks', isNumber: true },
  url: { title: 'Ranking URL', isLong: true },
};
type Name = keyof typeof columns;
const names = Object.keys(columns) as Name[]; // the keys of a literal are known

function changes(data: PageData, shown: number): Markup {
  const hasTargets = data.targets.length > 1;
  const chosen = names.filter((name) => data.project.columns?.includes(name) ?? name !== 'url');
  return table(
    'Keywords, by the size of their change in estimated clicks',
    [{ title: 'Keyword' }, ...chosen.map((name) => columns[name])],
    Array.from({ length: shown }, (_, index) => {
      const row = unpackRow(data, index);
      return [keywordCell(row, hasTargets), ...chosen.map((name) => cell(row, name))];
    }),
  );
}

type Row = ReturnType<typeof unpackRow>;

function keywordCell({ keyword, country, language, device, location, target }: Row, hasTargets: boolean): Markup {
  const market = marketText({
    country: country ?? '',
    language: language ?? '',
    device: device ?? '',
    location: location ?? undefined,
  });
  const shown = hasTargets && html` · <bdi>${siteText(target ?? '')}</bdi>`;
  return html`<bdi>${keyword}</bdi> <span class="sub">${market}${shown}</span>`;
}

function cell(row: Row, name: Name): Content {
  switch (name) {
    case 'rank':
      return rankText(row.status ?? 'deferred', row.rank, row.depth);
    case 'change':
      return rankChange(row.changeClass ?? 'not_comparable', row.change);
    case 'bestRank':
      return maybe(row.bestRank);
    case 'volume':
      return maybe(row.searchVolume);
    case 'clicks':
      return maybe(row.estimatedClicks);
    case 'clicksChange':
      return delta(row.estimatedClicksChange);
    case 'url':
      return html`<bdi>${row.url}</bdi>`;
  }
}
