// The details dialog of one row: history as chart and table, ranking URLs, and SERP features by date.
import { library } from './chart-frame.js';
import {
  datedWords,
  featureConfig,
  featureLanes,
  featureSection,
  featuresByDate,
  lanesHeight,
} from './detail-features.js';
import { historyConfig } from './detail-history.js';
import { element, fill } from './elements.js';
import { marketText } from './keyword-row.js';
import { html, link } from './markup.js';
import { noteList } from './note-list.js';
import { rowAt } from './page-rows.js';
import { decodeRank, pairSteps, rankCodes } from './trail.js';
import { featureWords, longDate, maybe, rankChange, rankingWords, rankText } from './words.js';

/** @import { Chart as ChartKind } from 'chart.js' */
/** @import { PageData, PageRow } from '../page-data.ts' */
/** @import { DatedFeatures, FeatureLane } from './detail-features.js' */

/** @type {Readonly<Record<number, string>>} */
const codeWords = {
  [rankCodes.none]: 'not checked',
  [rankCodes.notFound]: 'not found',
  [rankCodes.incomplete]: 'incomplete check',
  [rankCodes.failed]: 'failed',
  [rankCodes.deferred]: 'deferred',
  [rankCodes.unknownPaid]: 'unknown',
  [rankCodes.notFollowed]: 'not followed',
};

/**
 * Returns a function that opens the details of a row.
 * @param {PageData} data
 */
export function startDetails(data) {
  const dialog = element('details', HTMLDialogElement);
  /** @type {ChartKind[]} */
  let charts = [];
  dialog.addEventListener('close', () => {
    for (const chart of charts) chart.destroy();
    charts = [];
    fill(dialog, html``);
  });
  dialog.addEventListener('click', (event) => {
    const isClose = event.target instanceof Element && event.target.closest('#details-close') !== null;
    if (isClose || event.target === dialog) dialog.close();
  });
  /** @param {number} index */
  return (index) => {
    const row = rowAt(data, index);
    const dates = featuresByDate(data, row);
    const lanes = featureLanes(dates);
    fill(dialog, renderDetails(data, row, dates, lanes));
    dialog.showModal();
    charts = drawnCharts(data, row, dates, lanes);
  };
}

/** Width of lane names, by screen width. */
const labelWidths = { wide: 150, narrow: 112 };
const narrowScreen = 560;

/**
 * Draws the history, and the features on the same dates below it.
 * @param {PageData} data
 * @param {PageRow} row
 * @param {readonly (DatedFeatures | null)[]} dates
 * @param {readonly FeatureLane[]} lanes
 */
function drawnCharts(data, row, dates, lanes) {
  const history = document.getElementById('details-chart');
  const features = document.getElementById('features-chart');
  const hasFeatures = features instanceof HTMLCanvasElement;
  const labelWidth = innerWidth < narrowScreen ? labelWidths.narrow : labelWidths.wide;
  const width = (history?.parentElement?.clientWidth ?? 0) - labelWidth;
  const room = { labelWidth, aDate: width / dates.length };
  /** @type {ChartKind[]} */
  const charts = [];
  if (history instanceof HTMLCanvasElement) {
    charts.push(new (library())(history, historyConfig(data, row, hasFeatures ? room : null)));
  }
  if (hasFeatures) {
    element('features-frame', HTMLElement).style.height = `${lanesHeight(lanes)}px`;
    charts.push(new (library())(features, featureConfig(data, dates, lanes, room)));
  }
  return charts;
}

/**
 * @param {PageData} data
 * @param {PageRow} row
 * @param {readonly (DatedFeatures | null)[]} dates
 * @param {readonly FeatureLane[]} lanes
 */
function renderDetails(data, row, dates, lanes) {
  const { axis, rows, urls } = data;
  const steps = pairSteps(rows.urlSteps[row.index] ?? []);
  return html`<div class="dialog-head"><div><h3 id="details-title"><bdi>${row.keyword}</bdi></h3>
<p class="facts">${marketText(row.market)} · <bdi>${row.target}</bdi>${row.tags.map((tag) => html` <span class="tag"><bdi>${tag}</bdi></span>`)}</p></div>
<button type="button" id="details-close">Close</button></div>
<dl class="pairs">
<div><dt>Rank</dt><dd>${rankText(row.status, row.rank, row.depth)}</dd></div>
<div><dt>Previous</dt><dd>${maybe(row.previousRank)}${row.previousCheckedAt !== null && html` <span class="faint">${longDate(row.previousCheckedAt)}</span>`}</dd></div>
<div><dt>Change</dt><dd>${rankChange(row.changeClass, row.change)}</dd></div>
<div><dt>Best rank</dt><dd>${maybe(row.bestRank)}</dd></div>
<div><dt>Volume</dt><dd>${maybe(row.volume)}</dd></div>
<div><dt>Estimated clicks</dt><dd>${maybe(row.clicks, (row.clicks ?? 0) < 100 ? 1 : 0)}</dd></div>
<div><dt>Checked</dt><dd>${row.checkedAt === null ? 'never' : `${row.checkedAt} UTC`}</dd></div>
${row.url !== null && html`<div class="wide"><dt>${rankingWords(row.url)}</dt><dd>${link(row.url)}</dd></div>`}
${row.previousUrl !== null && row.previousUrl !== row.url && html`<div class="wide"><dt>Previous ranking URL</dt><dd>${link(row.previousUrl)}</dd></div>`}
${row.features.length > 0 && html`<div class="wide"><dt>SERP features</dt><dd>${row.features.map((name) => html`<span class="tag">${featureWords(name)}${row.owned.includes(name) && ' (ours)'}</span> `)}</dd></div>`}
${row.note !== null && html`<div class="wide"><dt>Note</dt><dd>${row.note}</dd></div>`}
</dl>
${axis.dates.length > 0 && html`<div class="canvas"><canvas id="details-chart" role="img" aria-label="${`Rank history of ${row.keyword}: ${spoken(row)}`}"></canvas></div>`}
${steps.length > 1 && html`<h3>Ranking URLs</h3><ul>${steps.map(([date, url]) => html`<li>from ${longDate(axis.dates[date] ?? '')}: ${link(urls[url] ?? 'unknown')}</li>`)}</ul>`}
${axis.dates.length > 0 && featureSection(dates, lanes)}
<details><summary>History as a table</summary><div class="scroll" role="region" aria-label="History" tabindex="0"><table><caption>History</caption>
<thead><tr><th scope="col">Date</th><th scope="col" class="number">Rank</th><th scope="col">SERP features</th></tr></thead>
<tbody>${axis.dates.map((date, at) => html`<tr><th scope="row" class="date">${date}</th><td class="number">${decodeRank(row.trail[at] ?? 0) ?? codeWords[row.trail[at] ?? 0]}</td><td>${datedWords(dates[at] ?? null)}</td></tr>`).reverse()}</tbody></table></div></details>
${noteList(data.marks)}`;
}

/** @param {PageRow} row */
function spoken({ trail, bestRank }) {
  const ranks = trail.flatMap((code) => decodeRank(code) ?? []);
  if (ranks.length === 0) return 'never ranked on these dates';
  return `ranked on ${ranks.length} of ${trail.length} dates, first ${ranks[0]}, last ${ranks.at(-1)}, best ever ${bestRank ?? Math.min(...ranks)}`;
}
