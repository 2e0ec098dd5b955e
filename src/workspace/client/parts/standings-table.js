// Own targets and competitors on one date, compared over the same checks, with their changes since the baseline.
import { html } from '../html.js';
import { number } from '../words.js';
import { changeColumn, numberColumn, percentColumn } from './number-columns.js';
import { SortTable } from './sort-table.js';

/** @typedef {import('../../../report/html/data/page-data.ts').CompetitorSummary} Standing */

/** @param {{ address: import('../address.js').Address, standings: readonly Standing[] }} props */
export function StandingsTable({ address, standings }) {
  return html`<${SortTable} caption="Targets and competitors" columns=${columns} rows=${standings} address=${address}
    name="sort2" keyOf=${(/** @type {Standing} */ { target }) => target} />`;
}

/** @type {readonly import('./sort-table.js').Column[]} */
const columns = [
  {
    key: 'target',
    label: 'Site',
    isHeader: true,
    value: ({ target }) => target,
    cell: ({ target, isOwn }) => html`<bdi>${target}</bdi>${isOwn && html` <small>ours</small>`}`,
  },
  percentColumn('visibility', 'Visibility', ({ visibility }) => visibility),
  changeColumn('visibilityChange', 'Change', ({ visibilityChange }) => visibilityChange, 2),
  percentColumn('share', 'Share of voice', ({ shareOfVoice }) => shareOfVoice),
  changeColumn('shareChange', 'Change', ({ shareOfVoiceChange }) => shareOfVoiceChange, 2),
  {
    key: 'shareOver',
    label: 'Share over',
    numeric: true,
    value: ({ shareCount }) => shareCount,
    cell: ({ shareCount, notFollowed }) => `${number(shareCount)}${notFollowed > 0 ? ` (${number(notFollowed)})` : ''}`,
  },
  {
    key: 'over',
    label: 'Changes over',
    numeric: true,
    value: ({ comparable }) => comparable,
    cell: ({ comparable, checked }) => `${number(comparable)} of ${number(checked)}`,
  },
  numberColumn('rank', 'Average rank', ({ averageRank }) => averageRank, 1),
  numberColumn('top3', 'Top 3', ({ top3 }) => top3),
  numberColumn('top10', 'Top 10', ({ top10 }) => top10),
  {
    key: 'ranked',
    label: 'Ranked',
    numeric: true,
    value: ({ ranked }) => ranked,
    cell: ({ ranked, checked }) => `${number(ranked)} of ${number(checked)}`,
  },
  numberColumn('wins', 'Wins', ({ wins }) => wins),
  numberColumn('losses', 'Losses', ({ losses }) => losses),
];
