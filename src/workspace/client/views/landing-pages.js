// The own pages that rank, with their keywords, and keywords for which another page ranks than the preferred one.
import { pathOf, withChanges } from '../address.js';
import { isFile, useDocument } from '../api.js';
import { apiPath, exactUrl, sharedQuery, takes } from '../api-path.js';
import { html } from '../html.js';
import { ClickChangesSection } from '../parts/click-changes.js';
import { ClicksNote } from '../parts/clicks.js';
import { CsvLink } from '../parts/download-link.js';
import { changeColumn, numberColumn } from '../parts/number-columns.js';
import { PageTurns } from '../parts/page-turns.js';
import { Change, SortTable } from '../parts/sort-table.js';
import { Answer, DataWarning } from '../parts/state.js';
import { Toolbar } from '../parts/toolbar.js';
import { ViewTitle } from '../parts/view-title.js';
import { counted, marketName, number } from '../words.js';

/** @typedef {import('../../records.ts').LandingPage} LandingPage */
/** @typedef {import('../../records.ts').KeywordRow} KeywordRow */

/** @param {import('../address.js').Address & { project: string, projects: any }} address */
export function LandingPages(address) {
  const { project, query } = address;
  const facts = useDocument(`/v1/projects/${encodeURIComponent(project)}`);
  const pages = useDocument(apiPath(project, 'landing-pages', query, takes.table, { limit: '10000' }));
  const others = useDocument(apiPath(project, 'keywords', query, takes.table, { otherUrl: 'true', limit: '1000' }));
  const turns = useDocument(apiPath(project, 'cannibalization', query, takes.chart));
  return html`
    <${ViewTitle}>Landing pages of <bdi>${project}</bdi></${ViewTitle}>
    <${DataWarning} projects=${address.projects} project=${project} />
    <${Toolbar} address=${address} facts=${facts.value} />
    <${Answer} answer=${pages} what="the landing pages" show=${(/** @type {{ data: LandingPage[] }} */ { data }) =>
      data.length === 0
        ? html`<p>No page ranks for these keywords.</p>`
        : html`<${SortTable} caption=${`${counted(data.length, 'ranking page')}`} columns=${pageColumns(project, query, facts.value?.clicks !== undefined)} rows=${data}
          address=${address} initial="-clicks" keyOf=${(/** @type {LandingPage} */ page) => `${page.target} ${page.url}`} />
          <${ClicksNote} facts=${facts.value?.clicks} />
          <${CsvLink} address=${address} resource="landing-pages" names=${takes.table} />`} />
    <${Answer} answer=${others} what="other URLs" show=${(/** @type {{ data: KeywordRow[] }} */ { data }) =>
      data.length > 0 &&
      html`<section><h2>Another page ranks than the preferred one</h2>
        <${SortTable} caption="Keywords with a preferred page that does not rank" columns=${notPreferredColumns(project)} rows=${data}
          address=${address} name="sort2" keyOf=${(/** @type {KeywordRow} */ row) => row.id} /></section>`} />
    ${facts.value?.clicks !== undefined && !isFile() && html`<${ClickChangesSection} address=${address} by="page" sort="sort4" />`}
    <section class="panel"><h2>Pages that take turns</h2>
      <${Answer} answer=${turns} what="the pages by date" show=${(
        /** @type {import('../../records.ts').CannibalizationAnswer} */ answer,
      ) => html`<${PageTurns} address=${address} answer=${answer} />`} />
    </section>
  `;
}

/**
 * @param {string} project
 * @param {URLSearchParams} query
 * @param {boolean} hasClicks whether the project has measured clicks
 * @returns {import('../parts/sort-table.js').Column[]}
 */
function pageColumns(project, query, hasClicks) {
  const toKeywords = (/** @type {LandingPage} */ { url, target }, /** @type {Record<string, string>} */ more = {}) =>
    pathOf(project, 'keywords', withChanges(sharedQuery(query), { url: exactUrl(url), target, ...more }));
  return [
    {
      key: 'url',
      label: 'Page',
      isHeader: true,
      value: ({ url }) => url,
      cell: (page) =>
        html`<a class="url" href=${toKeywords(page)}><bdi>${page.url.replace(/^https?:\/\//i, '')}</bdi></a>`,
    },
    { key: 'target', label: 'Target', value: ({ target }) => target, cell: ({ target }) => html`<bdi>${target}</bdi>` },
    numberColumn('keywords', 'Keywords', ({ keywords }) => keywords),
    numberColumn('clicks', 'Clicks', ({ estimatedClicks }) => estimatedClicks),
    ...(hasClicks
      ? [
          numberColumn('measured', 'Measured clicks', ({ measuredClicks }) => measuredClicks),
          numberColumn('impressions', 'Impressions', ({ impressions }) => impressions),
        ]
      : []),
    numberColumn('volume', 'Volume', ({ searchVolume }) => searchVolume),
    numberColumn('rank', 'Average rank', ({ averageRank }) => averageRank, 1),
    numberColumn('top10', 'Top 10', ({ top10 }) => top10),
    changeColumn('improved', 'Improved', ({ improved }) => improved),
    {
      key: 'declined',
      label: 'Declined',
      numeric: true,
      value: ({ declined }) => declined,
      cell: ({ declined }) => html`<${Change} value=${-declined} text=${number(declined)} />`,
    },
    {
      key: 'other',
      label: 'Not preferred',
      numeric: true,
      value: ({ notPreferred }) => notPreferred,
      cell: (page) =>
        page.notPreferred === 0
          ? '0'
          : html`<a href=${toKeywords(page, { otherUrl: 'true' })}>${number(page.notPreferred)}</a>`,
    },
  ];
}

/** @param {string} project @returns {import('../parts/sort-table.js').Column[]} */
function notPreferredColumns(project) {
  const url = (/** @type {string} */ key, /** @type {string} */ label, /** @type {'url' | 'preferredUrl'} */ name) => ({
    key,
    label,
    value: (/** @type {KeywordRow} */ row) => row[name],
    cell: (/** @type {KeywordRow} */ row) => html`<bdi class="url">${row[name]}</bdi>`,
  });
  return [
    {
      key: 'keyword',
      label: 'Keyword',
      isHeader: true,
      value: ({ keyword }) => keyword,
      cell: ({ id, keyword }) => html`<a href=${pathOf(project, 'keyword', { id })}><bdi>${keyword}</bdi></a>`,
    },
    { key: 'market', label: 'Market', value: (row) => marketName(row) },
    numberColumn('rank', 'Rank', ({ rank }) => rank),
    url('ranks', 'Ranking page', 'url'),
    url('preferred', 'Preferred page', 'preferredUrl'),
  ];
}
