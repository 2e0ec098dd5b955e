// One row of the keyword table as HTML, used both when the report is written and by its script.
import { html, link } from './markup.js';
import { sparkline } from './sparkline.js';
import { delta, maybe, rankChange, rankText, shortUrl, siteText } from './words.js';

/** @import { PageRow } from '../page-data.ts' */
/** @import { Axis } from './sparkline.js' */

/**
 * @typedef {object} RowShape
 * @property {Axis} axis
 * @property {boolean} hasMarkets More than one market is tracked, so that rows name theirs.
 * @property {boolean} hasTargets The same of targets.
 */

/**
 * @param {PageRow} row
 * @param {RowShape} shape
 */
export function keywordRow(row, { axis, hasMarkets, hasTargets }) {
  return html`<tr>
  <th scope="row"><button type="button" class="open" data-row="${row.index}"><bdi>${row.keyword}</bdi></button>${(hasMarkets || hasTargets) && html` <span class="sub narrow">${hasMarkets && marketText(row.market)}${hasMarkets && hasTargets && ' · '}${hasTargets && html`<bdi>${siteText(row.target)}</bdi>`}</span>`}${row.tags.map((tag) => html` <span class="tag"><bdi>${tag}</bdi></span>`)}</th>
  ${hasMarkets && html`<td class="market">${marketText(row.market)}</td>`}
  ${hasTargets && html`<td class="target"><bdi>${siteText(row.target)}</bdi></td>`}
  <td class="number">${rankText(row.status, row.rank, row.depth)}</td>
  <td class="number">${rankChange(row.changeClass, row.change)}</td>
  <td class="trend">${sparkline(row.trail, axis)}</td>
  <td class="number minor">${maybe(row.bestRank)}</td>
  <td class="number">${maybe(row.volume)}</td>
  <td class="number">${maybe(row.clicks)}</td>
  <td class="number">${delta(row.clicksChange)}</td>
  <td class="url minor">${row.url === null ? '' : link(row.url, shortUrl(row.url))}</td>
</tr>`;
}

/**
 * `US en desktop`
 * @param {{ readonly country: string, readonly language: string, readonly device: string }} market
 */
export function marketText({ country, language, device }) {
  return `${country} ${language} ${device}`;
}
