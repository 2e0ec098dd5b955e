// Measured clicks of a project: why they changed, queries that are not tracked, keywords without impressions.
import { useDocument } from '../api.js';
import { apiPath } from '../api-path.js';
import { html } from '../html.js';
import { ClickChangesSection } from '../parts/click-changes.js';
import { ClicksNote } from '../parts/clicks.js';
import { CsvLink } from '../parts/download-link.js';
import { numberColumn } from '../parts/number-columns.js';
import { SortTable } from '../parts/sort-table.js';
import { Answer } from '../parts/state.js';
import { ViewTitle } from '../parts/view-title.js';
import { counted } from '../words.js';

/** @typedef {import('../address.js').Address & { project: string }} Address */
/** @typedef {import('../../records.ts').ProjectFacts} ProjectFacts */
/** @typedef {import('../../records.ts').UntrackedQuery} UntrackedQuery */
/** @typedef {import('../../records.ts').SilentKeyword} SilentKeyword */

const none = new URLSearchParams();

/** @param {Address} address */
export function Clicks(address) {
  const { project } = address;
  const facts = useDocument(`/v1/projects/${encodeURIComponent(project)}`);
  const untracked = useDocument(apiPath(project, 'untracked-queries', none, [], { limit: '1000' }));
  return html`
    <${ViewTitle}>Measured clicks of <bdi>${project}</bdi></${ViewTitle}>
    <${Answer} answer=${facts} what="the project" show=${(/** @type {ProjectFacts} */ { clicks }) =>
      clicks === undefined && untracked.error !== null
        ? html`<p>No clicks are stored. Give the project access to Search Console and run <code>rankledger backfill clicks</code>, or import an export with <code>--file</code>.</p>`
        : html`<${Stored} address=${address} clicks=${clicks} untracked=${untracked} />`} />
  `;
}

/**
 * An export has sums of its period: without days there are no changes to explain.
 * @param {{ address: Address, clicks: ProjectFacts['clicks'], untracked: any }} props
 */
function Stored({ address, clicks, untracked }) {
  const period = clicks === undefined ? 'in the newest export' : 'in 28 days';
  return html`
    ${
      clicks === undefined
        ? html`<p class="soft">Only an export is stored: it has no clicks by day.</p>`
        : html`<${ClicksNote} facts=${clicks} /><${ClickChangesSection} address=${address} by="query" sort="sort" />`
    }
    <${Untracked} address=${address} queries=${untracked} period=${period} />
    <${Silent} address=${address} period=${period} />
  `;
}

/** @param {{ address: Address, queries: any, period: string }} props */
function Untracked({ address, queries, period }) {
  return html`<section class="panel"><h2>Queries that are not tracked</h2>
    <${Answer} answer=${queries} what="the queries" show=${(
      /** @type {{ data: UntrackedQuery[], total: number }} */ { data, total },
    ) =>
      data.length === 0
        ? html`<p>Every query with 10 impressions or more is tracked.</p>`
        : html`<${SortTable} caption=${`${counted(total, 'query', 'queries')} with impressions ${period}, and what tracking them would cost`} columns=${untrackedColumns}
            rows=${data} address=${address} name="sort2" shownMax=${50} keyOf=${(/** @type {UntrackedQuery} */ { query, country }) => `${country} ${query}`} />
          <${CsvLink} address=${address} resource="untracked-queries" names=${[]} name="untracked-queries" />`} />
  </section>`;
}

/** @param {{ address: Address, period: string }} props */
function Silent({ address, period }) {
  const keywords = useDocument(apiPath(address.project, 'without-impressions', none, [], { limit: '1000' }));
  return html`<section class="panel"><h2>Tracked keywords without impressions</h2>
    <${Answer} answer=${keywords} what="the keywords" show=${(
      /** @type {{ data: SilentKeyword[], total: number }} */ { data, total },
    ) =>
      data.length === 0
        ? html`<p>Search Console reports impressions of every tracked keyword.</p>`
        : html`<${SortTable} caption=${`${counted(total, 'keyword')} for which nothing is reported ${period}; rare queries are hidden`} columns=${silentColumns}
            rows=${data} address=${address} name="sort3" shownMax=${50} keyOf=${(/** @type {SilentKeyword} */ of) => `${of.country} ${of.language} ${of.keyword}`} />
          <${CsvLink} address=${address} resource="without-impressions" names=${[]} name="without-impressions" />`} />
  </section>`;
}

const market = {
  key: 'market',
  label: 'Market',
  value: (/** @type {SilentKeyword | UntrackedQuery} */ { country, language, devices }) =>
    `${country} ${language} ${devices.join(', ')}`,
};
const credits = numberColumn('creditsPerMonth', 'Credits a month', ({ creditsPerMonth }) => creditsPerMonth);

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
  numberColumn('impressions', 'Impressions', ({ impressions }) => impressions),
  numberColumn('clicks', 'Clicks', ({ clicks }) => clicks),
  numberColumn('averagePosition', 'Average position', ({ averagePosition }) => averagePosition, 1),
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
