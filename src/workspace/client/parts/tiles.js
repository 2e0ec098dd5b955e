// Headline numbers of the rows that are shown, each with its change. Some filter the table.
import { pathOf } from '../address.js';
import { changed } from '../filters.js';
import { html } from '../html.js';
import { direction, number, percent, signed } from '../words.js';

/** @typedef {import('../address.js').Address} Address */
/**
 * @typedef {object} Tile
 * @property {string} label
 * @property {string} value
 * @property {number | null} [change]
 * @property {number} [digits] of the change
 * @property {string | undefined} [note] small words below the value
 * @property {string} [bucket] rows that it filters by
 */

/** What tiles show of a summary. @typedef {import('../../../rows/sums.ts').Headline} Headline */

/**
 * `share`: the share of voice, where it is known.
 * @param {{ address: Address, summary: Headline, label?: string,
 *   share?: { readonly value: number | null, readonly change: number | null } }} props
 */
export function Tiles({ address, summary, share, label = 'Headline numbers' }) {
  const shareTile = { label: 'Share of voice', value: percent(share?.value), change: share?.change ?? null, digits: 2 };
  const tiles = share === undefined ? tilesOf(summary) : [...tilesOf(summary), shareTile];
  return html`<ul class="headline" aria-label=${label}>
    ${tiles.map((tile) => html`<li key=${tile.label}><${TileBox} address=${address} tile=${tile} /></li>`)}
  </ul>`;
}

/** @param {Headline} summary @returns {Tile[]} */
function tilesOf(summary) {
  return [
    {
      label: 'Checked',
      value: `${number(summary.checked)} of ${number(summary.total)}`,
      note: olderWords(summary),
      bucket: '!unknown',
    },
    { label: 'Average rank', value: number(summary.averageRank, 1), change: summary.averageRankChange, digits: 1 },
    { label: 'Top 3', value: number(summary.top3), change: summary.top3Change, bucket: '1|2-3' },
    { label: 'Top 10', value: number(summary.top10), change: summary.top10Change, bucket: '1|2-3|4-10' },
    { label: 'Visibility', value: percent(summary.visibility), change: summary.visibilityChange, digits: 2 },
    { label: 'Clicks a month', value: number(summary.estimatedClicks), change: summary.estimatedClicksChange },
  ];
}

/** How many ranks are older than the slot, and so in no number. @param {Headline} summary */
function olderWords({ older, olderDaysMax }) {
  return older === 0 ? undefined : `${number(older)} older, up to ${number(olderDaysMax)} d`;
}

/** @param {{ address: Address, tile: Tile }} props */
function TileBox({ address: { project, view, query }, tile }) {
  const { label, value, change, digits = 0, note, bucket } = tile;
  const content = html`<span class="tile-label">${label}</span> <span class="tile-value">${value}</span>
    ${change !== undefined && html` <span class=${`tile-change ${direction(change, digits)}`}>${signed(change, digits)}</span>`}
    ${note && html` <span class="tile-note">${note}</span>`}`;
  if (bucket === undefined) return html`<div class="tile">${content}</div>`;
  const isActive = query.get('bucket') === bucket;
  const next = changed(query, { bucket: isActive ? null : bucket });
  return html`<a class="tile" href=${pathOf(project, view, next)} aria-current=${isActive ? 'true' : null}
    title=${isActive ? 'Show all rows' : 'Show these rows'}>${content}</a>`;
}
