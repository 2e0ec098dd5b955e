// The cells of the keyword table.
import { html } from '../html.js';
import { day, direction, number, plain, signed, statusText } from '../words.js';
import { RankTrend } from './rank-trend.js';

/** @typedef {import('../../records.ts').KeywordRow} KeywordRow */

const missing = '–';

/**
 * By the name of the column; the keyword itself is a link that the table makes.
 * @type {Record<string, (row: KeywordRow) => unknown>}
 */
const cells = {
  market: ({ country, language, location }) => [country, language, location].filter(Boolean).join(' '),
  device: ({ device }) => device,
  target: ({ target }) => html`<bdi>${target}</bdi>`,
  rank: rankCell,
  change: changeCell,
  significance: ({ significance, bandBest, bandWorst }) =>
    significance === null
      ? missing
      : `${significance}${bandBest === null ? '' : ` (usually ${bandBest}–${bandWorst})`}`,
  previous: ({ previousRank }) => number(previousRank),
  trend: ({ trend }) => (trend === undefined ? missing : html`<${RankTrend} trend=${trend} />`),
  best: ({ bestRank }) => number(bestRank),
  'days-in-top-10': ({ daysInTop10 }) => number(daysInTop10),
  volume: ({ searchVolume }) => number(searchVolume),
  clicks: ({ estimatedClicks }) => number(estimatedClicks),
  'clicks-change': ({ estimatedClicksChange: change }) =>
    html`<span class=${direction(change)}>${signed(change)}</span>`,
  measured: ({ measuredClicks }) => number(measuredClicks),
  impressions: ({ impressions }) => number(impressions),
  position: ({ averagePosition }) => number(averagePosition, 1),
  cpc: ({ cpc }) => (cpc === null ? missing : `$${cpc.toFixed(2)}`),
  competition: ({ competition }) => number(competition, 2),
  intent: ({ intent }) => intent ?? missing,
  features: featureList,
  url: ({ url, urlIsPreferred }) => urlCell(url, urlIsPreferred === false),
  preferred: ({ preferredUrl }) => urlCell(preferredUrl, false),
  tags: ({ tags }) => (tags.length === 0 ? missing : html`<bdi>${tags.join(', ')}</bdi>`),
  status: ({ status }) => statusText(status),
  checked: ({ date }) => day(date),
  compared: ({ previousDate }) => day(previousDate),
  source: ({ source }) => source ?? missing,
  note: ({ note }) => (note === null ? missing : html`<bdi>${note}</bdi>`),
};

/** @param {string} column @param {KeywordRow} row */
export function cellOf(column, row) {
  return cells[column]?.(row) ?? missing;
}

/** A rank of an earlier slot says so: it never passes for one of this slot. @param {KeywordRow} row */
function rankCell({ rank, status, last }) {
  if (rank !== null) return html`<b>${rank}</b>`;
  if (last === undefined) return html`<span class="flat">${statusText(status)}</span>`;
  return html`<span class="flat" title=${`not checked in this slot; last on ${last.date}`}>${last.rank ?? statusText('not_found')}, ${last.ageDays} d ago</span>`;
}

/** Classes without a number of ranks. */
const changeWords = /** @type {Record<string, string>} */ ({
  entered: 'new',
  dropped: 'lost',
  first_check: 'first check',
  not_comparable: 'not comparable',
});

/** @param {KeywordRow} row */
function changeCell({ change, changeClass, significance }) {
  const noise =
    significance === 'noise' && html` <span class="mark" title="within the usual ranks of this keyword">noise</span>`;
  const word = changeWords[changeClass];
  if (word !== undefined) {
    const tone = changeClass === 'entered' ? 'up' : changeClass === 'dropped' ? 'down' : 'flat';
    return html`<span class=${tone}>${word}</span>${noise}`;
  }
  const arrow = change === null || change === 0 ? '' : change > 0 ? '▲ ' : '▼ ';
  return html`<span class=${direction(change)}><span aria-hidden="true">${arrow}</span>${signed(change)}</span>${noise}`;
}

/** @param {KeywordRow} row */
function featureList({ serpFeatures, ownedFeatures, lostFeatures }) {
  if (serpFeatures.length + lostFeatures.length === 0) return missing;
  return html`<ul class="shown-features">${serpFeatures.map((feature) =>
    ownedFeatures.includes(feature)
      ? html`<li class="owned" title="shows the target">${plain(feature)}<span class="unseen"> (own)</span></li>`
      : html`<li>${plain(feature)}</li>`,
  )}${lostFeatures.map((feature) => html`<li class="lost" title="showed the target in the compared check"><s>${plain(feature)}</s><span class="unseen"> (lost)</span></li>`)}</ul>`;
}

/** The path of a URL, whole on hover. @param {string | null} url @param {boolean} isOther than the preferred one */
function urlCell(url, isOther) {
  if (url === null) return missing;
  const short = url.replace(/^https?:\/\/(www\.)?/i, '');
  return html`<bdi class="cell-url" title=${url}>${short}</bdi>${isOther && html` <span class="mark">not the preferred URL</span>`}`;
}
