// Own targets and competitors on one date, compared over the same checks, with their changes since the baseline.
import { html } from '../html.js';
import { number, percent, signed } from '../words.js';
import { Change, SortTable } from './sort-table.js';

/** @typedef {import('../../../report/html/data/page-data.ts').CompetitorSummary} Standing */

/** @param {{ address: import('../address.js').Address, standings: readonly Standing[] }} props */
export function StandingsTable({ address, standings }) {
  return html`<${SortTable} caption="Targets and competitors" columns=${columns} rows=${standings} address=${address}
    name="sort2" keyOf=${(/** @type {Standing} */ { target }) => target} />`;
}

/** @param {string} key @param {string} label @param {(of: Standing) => number | null} value */
function count(key, label, value, digits = 0) {
  return {
    ...{ key, label, value, numeric: true },
    cell: (/** @type {Standing} */ of) => number(value(of), digits),
  };
}

/** @param {string} key @param {string} label @param {(of: Standing) => number | null} value */
function share(key, label, value) {
  return { ...{ key, label, value, numeric: true }, cell: (/** @type {Standing} */ of) => percent(value(of)) };
}

/** @param {string} key @param {(of: Standing) => number | null} value */
function change(key, value) {
  return {
    ...{ key, label: 'Change', value, numeric: true },
    cell: (/** @type {Standing} */ of) => html`<${Change} value=${value(of)} text=${signed(value(of), 2)} />`,
  };
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
  share('visibility', 'Visibility', ({ visibility }) => visibility),
  change('visibilityChange', ({ visibilityChange }) => visibilityChange),
  share('share', 'Share of voice', ({ shareOfVoice }) => shareOfVoice),
  change('shareChange', ({ shareOfVoiceChange }) => shareOfVoiceChange),
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
  count('rank', 'Average rank', ({ averageRank }) => averageRank, 1),
  count('top3', 'Top 3', ({ top3 }) => top3),
  count('top10', 'Top 10', ({ top10 }) => top10),
  {
    key: 'ranked',
    label: 'Ranked',
    numeric: true,
    value: ({ ranked }) => ranked,
    cell: ({ ranked, checked }) => `${number(ranked)} of ${number(checked)}`,
  },
  count('wins', 'Wins', ({ wins }) => wins),
  count('losses', 'Losses', ({ losses }) => losses),
];
