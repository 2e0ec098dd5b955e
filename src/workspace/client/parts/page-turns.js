// Cannibalization over time: how often another own page ranked than before, and the pages of each row by date.
import { pathOf } from '../address.js';
import { sharedQuery, takes } from '../api-path.js';
import { html } from '../html.js';
import { day, marketName, number } from '../words.js';
import { Chart } from './chart.js';
import { CsvLink } from './download-link.js';
import { numberColumn } from './number-columns.js';
import { SortTable } from './sort-table.js';
import { WebLink } from './state.js';

/** @typedef {import('../../records.ts').CannibalizationAnswer} CannibalizationAnswer */
/** @typedef {import('../../records.ts').PageTurns} Turns */
/** @typedef {import('../address.js').Address} Address */

/** Pages with a colour. */
const coloursMax = 6;

/** @param {{ address: Address & { project: string }, answer: CannibalizationAnswer }} props */
export function PageTurns({ address, answer }) {
  const { dates, flips, ranked, total, rows } = answer;
  if (dates.length < 2) return html`<p>There are too few dates to compare.</p>`;
  if (total === 0) return html`<p>No keyword changed its page from ${day(dates[0])} to ${day(dates.at(-1))}.</p>`;
  const data = { labels: dates.map(day), datasets: [{ label: 'Changes of page', data: flips }] };
  const options = {
    plugins: { legend: { display: false } },
    scales: { y: { beginAtZero: true, ticks: { precision: 0 }, title: { display: true, text: 'Changes of page' } } },
  };
  const sum = flips.reduce((all, one) => all + one, 0);
  return html`
    <p>${number(total)} of ${number(ranked.at(-1))} ranking rows changed their page, ${number(sum)} times in all.</p>
    <${Chart} type="bar" data=${data} options=${options} label=${`Changes of page from ${day(dates[0])} to ${day(dates.at(-1))}: ${sum}`} />
    <${SortTable} caption=${captionOf(answer)} columns=${columns(address, dates)} rows=${rows} address=${address}
      name="sort3" shownMax=${20} keyOf=${(/** @type {Turns} */ { id }) => id} />
    <${CsvLink} address=${address} resource="cannibalization/pages" names=${takes.chart} name="cannibalization" />`;
}

/** @param {CannibalizationAnswer} answer */
function captionOf({ total, rows }) {
  const some = rows.length < total ? `, ${number(rows.length)} with the most changes of page` : '';
  return `${number(total)} keywords with several pages${some}; each colour is a page`;
}

/**
 * @param {Address & { project: string }} address
 * @param {readonly string[]} dates
 * @returns {import('./sort-table.js').Column[]}
 */
function columns({ project, query }, dates) {
  const hrefOf = (/** @type {Turns} */ { id }) => pathOf(project, 'keyword', withId(query, id));
  return [
    {
      key: 'keyword',
      label: 'Keyword',
      isHeader: true,
      value: ({ keyword }) => keyword,
      cell: (of) => html`<a href=${hrefOf(of)}><bdi>${of.keyword}</bdi></a> <small>${marketName(of)}</small>`,
    },
    numberColumn('rank', 'Rank', ({ rank }) => rank),
    numberColumn('volume', 'Searches a month', ({ searchVolume }) => searchVolume),
    numberColumn('flips', 'Changes', ({ flips }) => flips),
    {
      key: 'count',
      label: 'Pages by date',
      value: ({ pages }) => pages.length,
      cell: (of) => html`<${TurnStrip} of=${of} dates=${dates} />`,
    },
    {
      key: 'pages',
      label: 'Pages',
      value: ({ pages }) => pages[0]?.url,
      cell: (of) => html`<${PageList} of=${of} />`,
    },
  ];
}

/** @param {URLSearchParams} query @param {string} id */
function withId(query, id) {
  const next = sharedQuery(query);
  next.set('id', id);
  return next;
}

/** One cell per date, in the colour of its page. @param {{ of: Turns, dates: readonly string[] }} props */
function TurnStrip({ of: { keyword, pages, turns }, dates }) {
  const label = `${keyword}: ${pages.length} pages from ${day(dates[0])} to ${day(dates.at(-1))}`;
  return html`<svg class="strip" viewBox=${`0 0 ${turns.length} 1`} preserveAspectRatio="none" role="img" aria-label=${label}>
    ${turns.map((page, at) => page !== null && html`<rect class=${colourOf(page)} x=${at} y="0" width="0.9" height="1"><title>${day(dates[at])}: ${pages[page]?.url}</title></rect>`)}
  </svg>`;
}

/** @param {{ of: Turns }} props */
function PageList({ of: { pages, preferredUrl } }) {
  return html`<ul class="plain turns">${pages.slice(0, coloursMax).map(
    ({ url, dates, bestRank }, page) => html`<li>
      <svg class="key" viewBox="0 0 1 1" aria-hidden="true"><rect class=${colourOf(page)} width="1" height="1" /></svg>
      <span class="url"><${WebLink} url=${url} /></span>
      <small>${number(dates)} ${dates === 1 ? 'date' : 'dates'}, best ${number(bestRank)}${url === preferredUrl && ', preferred'}</small></li>`,
  )}${pages.length > coloursMax && html`<li>and ${number(pages.length - coloursMax)} more</li>`}</ul>`;
}

/** @param {number} page */
function colourOf(page) {
  return page < coloursMax ? `page-${page + 1}` : 'page-other';
}
