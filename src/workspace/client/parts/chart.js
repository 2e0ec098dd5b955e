// A chart of Chart.js in the colours of the page, and once more for paper. It is drawn again when its data changes.
import 'chart.js';
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../html.js';
import { useColourScheme } from '../theme.js';
import { legendLabels, legendLines } from './chart-legend.js';
import { markLines } from './mark-lines.js';

/** @typedef {import('chart.js').ChartType} ChartType */
/** @typedef {import('chart.js').ChartData<any, any, any>} ChartData */
/** @typedef {import('chart.js').ChartOptions<any>} ChartOptions */
/** @typedef {import('./mark-lines.js').Mark} Mark */

/** The library has no module for browsers without a bundler: its file sets a global. */
const library = /** @type {{ Chart: typeof import('chart.js').Chart }} */ (/** @type {unknown} */ (globalThis)).Chart;

const seriesColours = 6;
/** Paper: CSS pixels that the style sheet scales to its width, and pixels of the canvas to a CSS pixel. */
const paper = { width: 700, plotHeight: 190, pixels: 2.5 };

/**
 * `label` says in words what the chart shows. Datasets without a colour take those of the style sheet, `--series-1` and
 * following; another colour is written as the name of its variable, `--up`.
 * `marks`: vertical lines at values of the x axis, with a short text.
 * @param {{ type: ChartType, data: ChartData, options?: ChartOptions, label: string, marks?: readonly Mark[] }} props
 */
export function Chart({ type, data, options = {}, label, marks = [] }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const onPaper = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const scheme = useColourScheme();
  // callers make new objects at each render
  const written = JSON.stringify([type, data, options, marks]);
  useEffect(() => {
    const { current } = canvas;
    if (current === null) return undefined;
    const chart = new library(current, configOf({ type, data, options, marks }, colourReader(current)));
    return () => chart.destroy();
  }, [scheme, written]);
  useEffect(() => {
    const { current } = onPaper;
    if (current === null) return undefined;
    const chart = drawOnPaper(current, configOf({ type, data, options, marks }, colourReader(current)));
    return () => chart.destroy();
  }, [written]);
  return html`<div class="chart"><canvas ref=${canvas} role="img" aria-label=${label}></canvas></div>
    <div class="paper"><canvas ref=${onPaper} role="img" aria-label=${label}></canvas></div>`;
}

/**
 * @param {{ type: ChartType, data: ChartData, options: ChartOptions, marks: readonly Mark[] }} drawn
 * @param {(name: string) => string} colourOf
 */
function configOf({ type, data, options, marks }, colourOf) {
  const plugins = [markLines(marks, colourOf('--soft'))];
  return { type, data: coloured(data, colourOf), options: optionsOf(type, options, colourOf), plugins };
}

/**
 * Always light, of fixed width and with a legend of as many lines as it needs. What a browser lays out for print does
 * not resize a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {ReturnType<typeof configOf>} config
 */
function drawOnPaper(canvas, config) {
  canvas.width = paper.width;
  canvas.height = paper.plotHeight + legendLines(config.data, paper.width);
  const options = { ...config.options, responsive: false, devicePixelRatio: paper.pixels, events: [] };
  return new library(canvas, { ...config, options });
}

/**
 * Reads a colour of the style sheet as a canvas takes it: variables may hold `light-dark()`.
 * @param {HTMLElement} element
 * @returns {(name: string) => string}
 */
function colourReader(element) {
  return (name) => {
    element.style.color = `var(${name})`;
    return getComputedStyle(element).color;
  };
}

/** @param {ChartData} data @param {(name: string) => string} colourOf @returns {ChartData} */
function coloured(data, colourOf) {
  const read = (/** @type {unknown} */ colour, /** @type {number} */ index) => {
    const name = typeof colour === 'string' ? colour : `--series-${(index % seriesColours) + 1}`;
    return name.startsWith('--') ? colourOf(name) : name;
  };
  return {
    ...data,
    datasets: data.datasets.map((/** @type {any} */ dataset, /** @type {number} */ index) => ({
      pointRadius: data.labels && data.labels.length > 45 ? 0 : 2,
      spanGaps: false,
      clip: 8,
      maxBarThickness: 40,
      ...dataset,
      borderColor: read(dataset.borderColor, index),
      backgroundColor: read(dataset.backgroundColor ?? dataset.borderColor, index),
    })),
  };
}

/**
 * @param {ChartType} type
 * @param {ChartOptions} options
 * @param {(name: string) => string} colourOf
 * @returns {ChartOptions}
 */
function optionsOf(type, options, colourOf) {
  const [soft, line] = [colourOf('--soft'), colourOf('--line')];
  const axis = (/** @type {{ grid?: object } | undefined} */ own) => ({
    ...own,
    grid: { color: line, ...own?.grid },
    border: { color: line },
  });
  const ticks = { color: soft, maxRotation: 0, autoSkipPadding: 16 };
  const legend = { position: 'bottom', align: 'start', labels: legendLabels(type, soft, library) };
  return {
    responsive: true,
    maintainAspectRatio: false,
    animation: false,
    interaction: { mode: 'index', intersect: false },
    ...options,
    scales: {
      x: axis({ ...options.scales?.['x'], ticks: { ...ticks, ...options.scales?.['x']?.ticks } }),
      y: axis({ ...options.scales?.['y'], ticks: { ...ticks, ...options.scales?.['y']?.ticks } }),
    },
    plugins: { ...options.plugins, legend: { ...legend, ...options.plugins?.legend } },
  };
}
