// Domains that rank for the same searches and are neither targets nor competitors.
import { takes } from '../api-path.js';
import { html } from '../html.js';
import { counted, number } from '../words.js';
import { CsvLink } from './download-link.js';
import { numberColumn, percentColumn } from './number-columns.js';
import { SortTable } from './sort-table.js';
import { WebLink } from './state.js';

/** @typedef {import('../../records.ts').DiscoveredDomain} DiscoveredDomain */

/** @param {{ rows: readonly DiscoveredDomain[], address: import('../address.js').Address }} props */
export function DiscoveredTable({ rows, address }) {
  if (rows.length === 0) return html`<p>No other domain was seen.</p>`;
  return html`<${SortTable} caption=${`${counted(rows.length, 'domain')}, by clicks a month`} columns=${columns} rows=${rows}
    address=${address} name="sort2" shownMax=${20} keyOf=${(/** @type {DiscoveredDomain} */ { domain }) => domain} />
    <${CsvLink} address=${address} resource="discovered" names=${takes.table} />`;
}

/** @type {readonly import('./sort-table.js').Column[]} */
const columns = [
  {
    key: 'domain',
    label: 'Domain',
    isHeader: true,
    value: ({ domain }) => domain,
    cell: ({ domain }) => html`<bdi>${domain}</bdi>`,
  },
  percentColumn('share', 'Share of voice', ({ shareOfVoice }) => shareOfVoice),
  numberColumn('clicks', 'Clicks a month', ({ estimatedClicks }) => estimatedClicks),
  numberColumn('keywords', 'Searches', ({ keywords }) => keywords),
  numberColumn('top3', 'Top 3', ({ top3 }) => top3),
  numberColumn('top10', 'Top 10', ({ top10 }) => top10),
  numberColumn('rank', 'Average rank', ({ averageRank }) => averageRank, 1),
  {
    key: 'example',
    label: 'Best search',
    value: ({ exampleKeyword }) => exampleKeyword,
    cell: ({ exampleKeyword, exampleMarket, exampleRank, exampleUrl }) =>
      html`<bdi>${exampleKeyword}</bdi>, ${exampleMarket}: ${number(exampleRank)}${exampleUrl !== null && html` <span class="url"><${WebLink} url=${exampleUrl} /></span>`}`,
  },
];
