// The SERP features of one row by date, those shown and those owned: as a chart, a table, and text.
import { colour, markLabels, noteMarks, timeOptions } from './chart-frame.js';
import { html } from './markup.js';
import { decodeRank, pairSteps, rankCodes } from './trail.js';
import { featureWords } from './words.js';

/** @import { ChartConfiguration } from 'chart.js' */
/** @import { PageData, PageRow } from '../page-data.ts' */

/**
 * The features of one date.
 * @typedef {object} DatedFeatures
 * @property {readonly string[]} shown
 * @property {readonly string[]} owned Those in which the target was.
 */

/**
 * The dates of one feature.
 * @typedef {object} FeatureLane
 * @property {string} name
 * @property {readonly number[]} shown Indices of dates.
 * @property {readonly number[]} owned
 */

/**
 * Layout in pixels that charts on the same dates share.
 * @typedef {object} ChartRoom
 * @property {number} labelWidth The names beside them.
 * @property {number} aDate
 */

/**
 * One per date; null without a complete check, or without recorded features.
 * @param {PageData} data
 * @param {PageRow} row
 * @returns {(DatedFeatures | null)[]}
 */
export function featuresByDate({ axis, rows, featureSets }, { index, trail }) {
  const shown = pairSteps(rows.shownSteps[index] ?? []);
  const owned = pairSteps(rows.ownedSteps[index] ?? []);
  return axis.dates.map((_, date) => {
    const code = trail[date] ?? rankCodes.none;
    const set = inEffect(shown, date);
    // sets below -1 were not recorded, -1 is the empty set
    if (set < -1 || (decodeRank(code) === null && code !== rankCodes.notFound)) return null;
    return { shown: featureSets[set] ?? [], owned: featureSets[Math.max(-1, inEffect(owned, date))] ?? [] };
  });
}

/**
 * The set in effect on a date; below -1 if none.
 * @param {readonly (readonly [number, number])[]} steps
 * @param {number} date
 */
function inEffect(steps, date) {
  return steps.findLast(([from]) => from <= date)?.[1] ?? -2;
}

/**
 * Most frequent first.
 * @param {readonly (DatedFeatures | null)[]} dates
 * @returns {FeatureLane[]}
 */
export function featureLanes(dates) {
  /** @type {Map<string, { name: string, shown: number[], owned: number[] }>} */
  const lanes = new Map();
  for (const [date, known] of dates.entries()) {
    for (const name of new Set([...(known?.shown ?? []), ...(known?.owned ?? [])])) {
      const lane = lanes.get(name) ?? { name, shown: [], owned: [] };
      lanes.set(name, lane);
      lane.shown.push(date);
      if (known?.owned.includes(name) === true) lane.owned.push(date);
    }
  }
  return [...lanes.values()].sort((a, b) => b.shown.length - a.shown.length || (a.name < b.name ? -1 : 1));
}

/**
 * @param {readonly (DatedFeatures | null)[]} dates
 * @param {readonly FeatureLane[]} lanes
 */
export function featureSection(dates, lanes) {
  const known = dates.filter((date) => date !== null).length;
  if (known === 0) return html`<h3>SERP features</h3><p>No data on these dates.</p>`;
  const of = `${known} dates${known === dates.length ? '' : ` with data, of ${dates.length}`}`;
  if (lanes.length === 0) return html`<h3>SERP features</h3><p>None on the ${of}.</p>`;
  return html`<h3>SERP features</h3>
<div class="canvas" id="features-frame"><canvas id="features-chart" role="img" aria-label="${`SERP features on the ${of}: ${lanes.map((lane) => laneWords(lane)).join('; ')}`}"></canvas></div>
<details><summary>SERP features as a table</summary><div class="scroll" role="region" aria-label="SERP features" tabindex="0"><table><caption>Occurrences on the ${of}</caption>
<thead><tr><th scope="col">Feature</th><th scope="col" class="number">Shown</th><th scope="col" class="number">Ours</th></tr></thead>
<tbody>${lanes.map(({ name, shown, owned }) => html`<tr><th scope="row">${featureWords(name)}</th><td class="number">${shown.length}</td><td class="number">${owned.length}</td></tr>`)}</tbody></table></div></details>`;
}

/** @param {FeatureLane} lane */
function laneWords({ name, shown, owned }) {
  return `${featureWords(name)} on ${shown.length}${owned.length === 0 ? '' : `, ours on ${owned.length}`}`;
}

/**
 * The features of a date as text, owned ones marked.
 * @param {DatedFeatures | null} known
 */
export function datedWords(known) {
  if (known === null) return 'not known';
  const names = [...new Set([...known.shown, ...known.owned])];
  return names.map((name) => featureWords(name) + (known.owned.includes(name) ? ' (ours)' : '')).join(', ') || 'none';
}

const laneHeight = 22;
const frameHeight = 84;

/**
 * Height of the chart in pixels.
 * @param {readonly FeatureLane[]} lanes
 */
export function lanesHeight({ length }) {
  return frameHeight + laneHeight * length;
}

/**
 * One lane per feature, on the dates of the history chart above: hollow if shown, filled if owned, a dash if unknown.
 * @param {PageData} data
 * @param {readonly (DatedFeatures | null)[]} dates
 * @param {readonly FeatureLane[]} lanes
 * @param {ChartRoom} room
 * @returns {ChartConfiguration<'line', { x: number, y: number | null }[]>}
 */
export function featureConfig({ axis, marks }, dates, lanes, { aDate, labelWidth }) {
  const options = timeOptions(axis);
  /** @param {(lane: FeatureLane) => readonly number[]} datesOf */
  const points = (datesOf) => lanes.flatMap((lane, y) => datesOf(lane).map((date) => ({ x: axis.days[date] ?? 0, y })));
  const unknown = dates.flatMap((known, date) => (known === null ? [date] : []));
  const size = Math.max(1.5, Math.min(5, 0.35 * aDate));
  const ours = colour('series-3');
  const datasets = [
    {
      label: 'Shown',
      data: points(({ shown, owned }) => shown.filter((date) => !owned.includes(date))),
      pointStyle: 'rect',
      backgroundColor: colour('paper'),
      borderColor: colour('soft'),
      pointRadius: size,
    },
    {
      label: 'Shows the target',
      data: points(({ owned }) => owned),
      pointStyle: 'rect',
      backgroundColor: ours,
      borderColor: ours,
      pointRadius: size,
    },
    {
      label: 'Not known',
      data: points(() => unknown),
      pointStyle: 'line',
      backgroundColor: 'transparent',
      borderColor: colour('faint'),
      pointRadius: 3,
    },
  ]
    .filter(({ data }) => data.length > 0)
    .map((dataset) => ({ ...dataset, showLine: false, clip: 12 }));
  const ticks = { color: colour('soft'), autoSkip: false, callback: laneName };
  /** @param {string | number} value */
  function laneName(value) {
    return featureWords(lanes[Number(value)]?.name ?? '');
  }
  return {
    type: 'line',
    data: {
      datasets: /** @type {ChartConfiguration<'line', { x: number, y: number | null }[]>['data']['datasets']} */ (
        datasets
      ),
    },
    options: {
      ...options,
      interaction: { mode: 'nearest', intersect: true },
      plugins: {
        legend: {
          ...options.plugins?.legend,
          labels: markLabels,
        },
        tooltip: {
          callbacks: {
            ...options.plugins?.tooltip?.callbacks,
            label: ({ dataset, parsed }) => ` ${laneName(parsed.y ?? -1)}: ${(dataset.label ?? '').toLowerCase()}`,
          },
        },
      },
      scales: {
        x: { ...options.scales?.['x'] },
        y: {
          ...options.scales?.['y'],
          beginAtZero: false,
          reverse: true,
          min: -0.6,
          max: lanes.length - 0.4,
          ticks,
          afterBuildTicks: (scale) => {
            scale.ticks = lanes.map((_, value) => ({ value }));
          },
          afterFit: (scale) => {
            scale.width = labelWidth;
          },
        },
      },
    },
    plugins: [noteMarks(marks)],
  };
}
