// What report.html says without its script: the headline numbers, and the rows that changed most.
import { unpackRow } from '../../rows/packed-rows.ts';
import type { PageFacts } from './data/page-facts.ts';
import { html, type Markup } from './text/markup.ts';
import { table } from './text/tables.ts';
import { delta, longDate, marketText, maybe, number, rankChange, rankText } from './text/words.ts';

const rowsMax = 50;

export function plainReport({ project, run, warning, data, rowsTotal }: PageFacts): Markup {
  const count = Math.min(rowsMax, data.rows.keyword.length);
  return html`<main class="report"><h1><bdi>${project}</bdi>, ${longDate(run.slot)}</h1>
${warning !== null && html`<p><strong>Please note:</strong> ${warning}.</p>`}
${headlineTable(data.project.sums)}
${table(
  `Without scripts, only ${number(count)} of ${number(rowsTotal)} keywords are shown: those that changed most`,
  [
    { title: 'Keyword' },
    ...['Rank', 'Change', 'Best', 'Searches', 'Clicks', 'Clicks gained'].map((title) => ({ title, isNumber: true })),
  ],
  Array.from({ length: count }, (_, index) => keywordCells(data, index)),
)}</main>`;
}

function headlineTable(sums: PageFacts['data']['project']['sums']): Markup {
  const cell = (value: number | null, change: number | null, digits = 0, unit = '') =>
    html`${maybe(value, digits, unit)} ${change !== null && delta(change, { digits })}`;
  const columns = ['Visibility', 'Clicks a month', 'Average rank', 'Top 3', 'Top 10', 'Checked'];
  return table(
    'Headline numbers',
    [{ title: 'Target' }, ...columns.map((title) => ({ title, isNumber: true }))],
    sums
      .filter(({ by }) => by === 'project')
      .map((of) => [
        html`<bdi>${of.target}</bdi>`,
        cell(of.visibility, of.visibilityChange, 2, ' %'),
        cell(of.estimatedClicks, of.estimatedClicksChange),
        cell(of.averageRank, of.averageRankChange, 1),
        cell(of.top3, of.top3Change),
        cell(of.top10, of.top10Change),
        `${number(of.checked)} of ${number(of.total)}`,
      ]),
  );
}

function keywordCells(data: PageFacts['data'], index: number) {
  const row = unpackRow(data, index);
  const { keyword, country, language, device, location, status, rank, depth, changeClass, change } = row;
  const market = marketText({
    country: country ?? '',
    language: language ?? '',
    device: device ?? '',
    location: location ?? undefined,
  });
  return [
    html`<bdi>${keyword}</bdi> <span class="aside">${market}</span>`,
    rankText(status ?? 'deferred', rank, depth),
    rankChange(changeClass ?? 'not_comparable', change),
    maybe(row.bestRank),
    maybe(row.searchVolume),
    maybe(row.estimatedClicks),
    delta(row.estimatedClicksChange),
  ];
}
