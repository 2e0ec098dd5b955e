// What is known of one row, in a dialog: its history as a chart and as a table, the pages that ranked, and the SERP features that showed the target.
import { colour, library, noteMarks, pointsOf, timeOptions } from './charts.js';
import { element, fill } from './elements.js';
import { marketText } from './keyword-row.js';
import { html, link } from './markup.js';
import { rowAt } from './page-rows.js';
import { places, rankOf } from './trail.js';
import { featureWords, longDate, maybe, rankChange, rankText } from './words.js';

/** @import { Chart as ChartKind, ChartConfiguration } from 'chart.js' */
/** @import { PageData, PageRow } from '../page-data.ts' */

/** @type {Readonly<Record<number, string>>} */
const placeWords = {
  [places.none]: 'not checked',
  [places.notFound]: 'not found',
  [places.incomplete]: 'incomplete check',
  [places.failed]: 'failed',
  [places.deferred]: 'deferred',
  [places.unknownPaid]: 'unknown',
};

/**
 * Returns a function that opens the details of a row.
 * @param {PageData} data
 */
export function startDetails(data) {
  const dialog = element('details', HTMLDialogElement);
  /** @type {ChartKind | null} */
  let chart = null;
  dialog.addEventListener('close', () => {
    chart?.destroy();
    chart = null;
    fill(dialog, html``);
  });
  dialog.addEventListener('click', (event) => {
    const isClose = event.target instanceof Element && event.target.closest('#details-close') !== null;
    if (isClose || event.target === dialog) dialog.close();
  });
  /** @param {number} index */
  return (index) => {
    const row = rowAt(data, index);
    fill(dialog, detailsOf(data, row));
    dialog.showModal();
    const canvas = document.getElementById('details-chart');
    if (canvas instanceof HTMLCanvasElement) chart = new (library())(canvas, historyConfig(data, row));
  };
}

/**
 * @param {PageData} data
 * @param {PageRow} row
 */
function detailsOf(data, row) {
  const { axis, rows, urls, featureSets } = data;
  const steps = stepsOf(rows.urlSteps[row.index] ?? []);
  const ownedSteps = stepsOf(rows.ownedSteps[row.index] ?? []);
  return html`<div class="dialog-head"><div><h3 id="details-title"><bdi>${row.keyword}</bdi></h3>
<p class="facts">${marketText(row.market)} · <bdi>${row.target}</bdi>${row.tags.map((tag) => html` <span class="tag"><bdi>${tag}</bdi></span>`)}</p></div>
<button type="button" id="details-close">Close</button></div>
<dl class="pairs">
<div><dt>Rank</dt><dd>${rankText(row.status, row.rank, row.depth)}</dd></div>
<div><dt>Before</dt><dd>${maybe(row.previousRank)}${row.previousCheckedAt !== null && html` <span class="faint">${longDate(row.previousCheckedAt)}</span>`}</dd></div>
<div><dt>Change</dt><dd>${rankChange(row.changeClass, row.change)}</dd></div>
<div><dt>Best rank</dt><dd>${maybe(row.bestRank)}</dd></div>
<div><dt>Volume</dt><dd>${maybe(row.volume)}</dd></div>
<div><dt>Estimated clicks</dt><dd>${maybe(row.clicks, 1)}</dd></div>
<div><dt>Checked</dt><dd>${row.checkedAt === null ? 'never' : `${row.checkedAt} UTC`}</dd></div>
${row.url !== null && html`<div class="wide"><dt>Page that ranks</dt><dd>${link(row.url)}</dd></div>`}
${row.previousUrl !== null && row.previousUrl !== row.url && html`<div class="wide"><dt>Page that ranked before</dt><dd>${link(row.previousUrl)}</dd></div>`}
${row.features.length > 0 && html`<div class="wide"><dt>SERP features</dt><dd>${row.features.map((name) => html`<span class="tag">${featureWords(name)}${row.owned.includes(name) && ' (ours)'}</span> `)}</dd></div>`}
${row.note !== null && html`<div class="wide"><dt>Note</dt><dd>${row.note}</dd></div>`}
</dl>
${axis.dates.length > 0 && html`<div class="canvas"><canvas id="details-chart" role="img" aria-label="${`Rank history of ${row.keyword}: ${spoken(row)}`}"></canvas></div>`}
${steps.length > 1 && html`<h3>Pages that ranked</h3><ul>${steps.map(([date, url]) => html`<li>from ${longDate(axis.dates[date] ?? '')}: ${link(urls[url] ?? 'unknown')}</li>`)}</ul>`}
${ownedSteps.length > 0 && html`<h3>Features that showed the target</h3><ul>${ownedSteps.map(([date, set]) => html`<li>from ${longDate(axis.dates[date] ?? '')}: ${(featureSets[set] ?? []).map(featureWords).join(', ') || 'none'}</li>`)}</ul>`}
<details><summary>History as a table</summary><div class="scroll" role="region" aria-label="History" tabindex="0"><table><caption>History</caption>
<thead><tr><th scope="col">Date</th><th scope="col" class="number">Rank</th></tr></thead>
<tbody>${axis.dates.map((date, at) => html`<tr><th scope="row">${date}</th><td class="number">${rankOf(row.trail[at] ?? 0) ?? placeWords[row.trail[at] ?? 0]}</td></tr>`).reverse()}</tbody></table></div></details>`;
}

/** @param {PageRow} row */
function spoken({ trail, bestRank }) {
  const ranks = trail.flatMap((place) => rankOf(place) ?? []);
  if (ranks.length === 0) return 'never ranked on these dates';
  return `ranked on ${ranks.length} of ${trail.length} dates, ${ranks[0]} at first, ${ranks.at(-1)} last, best ever ${bestRank ?? Math.min(...ranks)}`;
}

/**
 * Pairs of date and number.
 * @param {readonly number[]} flat
 */
function stepsOf(flat) {
  /** @type {[number, number][]} */
  const steps = [];
  for (let at = 0; at + 1 < flat.length; at += 2) steps.push([flat[at] ?? 0, flat[at + 1] ?? 0]);
  return steps;
}

/**
 * Rank 1 on top. Absences stand as crosses on the floor of the chart, changes of page as diamonds, and no line crosses what is not known.
 * @param {PageData} data
 * @param {PageRow} row
 * @returns {ChartConfiguration<'line', { x: number, y: number | null }[]>}
 */
function historyConfig({ axis, marks, rows }, row) {
  const ranks = row.trail.map(rankOf);
  const worst = Math.max(10, ...ranks.map((rank) => rank ?? 0));
  const floor = Math.ceil(worst * 1.08) + 1;
  const options = timeOptions(axis);
  /** @param {(index: number) => number | null} valueAt */
  const dots = (valueAt) =>
    axis.days.flatMap((x, index) => (valueAt(index) === null ? [] : [{ x, y: valueAt(index) }]));
  const urlChanges = new Set(
    stepsOf(rows.urlSteps[row.index] ?? [])
      .slice(1)
      .map(([date]) => date),
  );
  const owned = ownedDates(stepsOf(rows.ownedSteps[row.index] ?? []), axis.dates.length);
  const datasets = [
    {
      label: 'Rank',
      data: pointsOf(ranks, axis),
      spanGaps: false,
      borderColor: colour('series-1'),
      backgroundColor: colour('series-1'),
      borderWidth: 2,
      pointRadius: 2,
    },
    {
      label: 'Not found',
      data: dots((index) => (row.trail[index] === places.notFound ? floor : null)),
      showLine: false,
      pointStyle: 'crossRot',
      borderColor: colour('bad'),
      pointRadius: 4,
    },
    {
      label: 'Another page ranks',
      data: dots((index) => (urlChanges.has(index) ? (ranks[index] ?? null) : null)),
      showLine: false,
      pointStyle: 'rectRot',
      borderColor: colour('series-2'),
      backgroundColor: colour('series-2'),
      pointRadius: 6,
    },
    {
      label: 'In a SERP feature',
      data: dots((index) => (owned.has(index) ? (ranks[index] ?? null) : null)),
      showLine: false,
      pointStyle: 'circle',
      borderColor: colour('series-3'),
      backgroundColor: 'transparent',
      borderWidth: 2,
      pointRadius: 7,
    },
    {
      label: 'Best rank',
      data:
        row.bestRank === null ? [] : [axis.days[0] ?? 0, axis.days.at(-1) ?? 0].map((x) => ({ x, y: row.bestRank })),
      borderColor: colour('faint'),
      backgroundColor: colour('faint'),
      borderDash: [4, 4],
      borderWidth: 1,
      pointRadius: 0,
    },
  ]
    .filter(({ data }) => data.some(({ y }) => y !== null))
    // marks on the edge of the chart are shown whole
    .map((dataset) => ({ ...dataset, clip: 12 }));
  /** @param {string | number} value */
  const tick = (value) => (Number(value) >= floor ? '' : `${value}`);
  const ticks = { color: colour('soft'), precision: 0, maxTicksLimit: 8, callback: tick };
  const scale = { ...options.scales?.['y'], reverse: true, min: 1, max: floor, beginAtZero: false, ticks };
  const labels = { color: colour('soft'), usePointStyle: true, padding: 14 };
  return {
    type: 'line',
    data: {
      datasets: /** @type {ChartConfiguration<'line', { x: number, y: number | null }[]>['data']['datasets']} */ (
        datasets
      ),
    },
    options: {
      ...options,
      interaction: { mode: 'nearest', axis: 'x', intersect: false },
      plugins: { ...options.plugins, legend: { ...options.plugins?.legend, labels } },
      scales: { ...options.scales, y: scale },
    },
    plugins: [noteMarks(marks)],
  };
}

/**
 * The dates on which a SERP feature showed the target.
 * @param {readonly (readonly [number, number])[]} steps
 * @param {number} dateCount
 */
function ownedDates(steps, dateCount) {
  /** @type {Set<number>} */
  const dates = new Set();
  for (const [index, [from, set]] of steps.entries()) {
    const until = steps[index + 1]?.[0] ?? dateCount;
    for (let date = from; set >= 0 && date < until; date += 1) dates.add(date);
  }
  return dates;
}
