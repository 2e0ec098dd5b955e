// Measured clicks of a project: why they changed, queries that are not tracked, keywords without impressions.
import { useDocument } from '../api.js';
import { apiPath } from '../api-path.js';
import { html } from '../html.js';
import { ClickChangesSection } from '../parts/click-changes.js';
import { ClicksNote } from '../parts/clicks.js';
import { CsvLink } from '../parts/download-link.js';
import { SortTable } from '../parts/sort-table.js';
import { Answer } from '../parts/state.js';
import { number } from '../words.js';

/** @typedef {import('../address.js').Address & { project: string }} Address */
/** @typedef {import('../../records.ts').ProjectFacts} ProjectFacts */
/** @typedef {import('../../click-records.ts').UntrackedQuery} UntrackedQuery */
/** @typedef {import('../../click-records.ts').SilentKeyword} SilentKeyword */

const none = new URLSearchParams();

/** @param {Address} address */
export function Clicks(address) {
  const { project } = address;
  const facts = useDocument(`/v1/projects/${encodeURIComponent(project)}`);
  return html`
    <h1>Measured clicks of <bdi>${project}</bdi></h1>
    <${Answer} answer=${facts} what="the project" show=${(/** @type {ProjectFacts} */ { clicks }) =>
      clicks === undefined
        ? html`<p>No final day of clicks is stored. Give the project access to Search Console, and run <code>rankledger backfill clicks</code>.</p>`
        : html`<${ClicksNote} facts=${clicks} />
            <${ClickChangesSection} address=${address} by="query" sort="sort" />
            <${Untracked} address=${address} /><${Silent} address=${address} />`} />
  `;
}

/** @param {{ address: Address }} props */
function Untracked({ address }) {
  const queries = useDocument(apiPath(address.project, 'untracked-queries', none, [], { limit: '1000' }));
  return html`<section class="panel"><h2>Queries that are not tracked</h2>
    <${Answer} answer=${queries} what="the queries" show=${(
      /** @type {{ data: UntrackedQuery[], total: number }} */ { data, total },
    ) =>
      data.length === 0
        ? html`<p>Every query with 10 impressions or more is tracked.</p>`
        : html`<${SortTable} caption=${`${number(total)} queries with impressions in 28 days, and what tracking them would cost`} columns=${untrackedColumns}
            rows=${data} address=${address} name="sort2" shownMax=${50} keyOf=${(/** @type {UntrackedQuery} */ { query, country }) => `${country} ${query}`} />
          <${CsvLink} address=${address} resource="untracked-queries" names=${[]} name="untracked-queries" />`} />
  </section>`;
}

/** @param {{ address: Address }} props */
function Silent({ address }) {
  const keywords = useDocument(apiPath(address.project, 'without-impressions', none, [], { limit: '1000' }));
  return html`<section class="panel"><h2>Tracked keywords without impressions</h2>
    <${Answer} answer=${keywords} what="the keywords" show=${(
      /** @type {{ data: SilentKeyword[], total: number }} */ { data, total },
    ) =>
      data.length === 0
        ? html`<p>Search Console reports impressions of every tracked keyword.</p>`
        : html`<${SortTable} caption=${`${number(total)} keywords for which nothing is reported in 28 days; rare queries are hidden`} columns=${silentColumns}
            rows=${data} address=${address} name="sort3" shownMax=${50} keyOf=${(/** @type {SilentKeyword} */ of) => `${of.country} ${of.language} ${of.keyword}`} />
          <${CsvLink} address=${address} resource="without-impressions" names=${[]} name="without-impressions" />`} />
  </section>`;
}

const count = (/** @type {string} */ key, /** @type {string} */ label, digits = 0) => ({
  key,
  label,
  numeric: true,
  value: (/** @type {any} */ row) => row[key],
  cell: (/** @type {any} */ row) => number(row[key], digits),
});
const market = {
  key: 'market',
  label: 'Market',
  value: (/** @type {SilentKeyword | UntrackedQuery} */ { country, language, devices }) =>
    `${country} ${language} ${devices.join(', ')}`,
};
const credits = count('creditsPerMonth', 'Credits a month');

/** @type {import('../parts/sort-table.js').Column[]} */
const untrackedColumns = [
  {
    key: 'query',
    label: 'Query',
    isHeader: true,
    value: ({ query }) => query,
    cell: ({ query, brand }) => html`<bdi>${query}</bdi>${brand && html` <span class="mark">brand</span>`}`,
  },
  market,
  count('impressions', 'Impressions'),
  count('clicks', 'Clicks'),
  count('averagePosition', 'Average position', 1),
  credits,
];

/** @type {import('../parts/sort-table.js').Column[]} */
const silentColumns = [
  {
    key: 'keyword',
    label: 'Keyword',
    isHeader: true,
    value: ({ keyword }) => keyword,
    cell: ({ keyword }) => html`<bdi>${keyword}</bdi>`,
  },
  market,
  credits,
];
