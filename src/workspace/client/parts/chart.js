// A chart of Chart.js in the colours of the page. It is drawn again when its data or the colour scheme changes.
import 'chart.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../html.js';
import { markLines } from './mark-lines.js';

/** @typedef {import('chart.js').ChartType} ChartType */
/** @typedef {import('chart.js').ChartData<any, any, any>} ChartData */
/** @typedef {import('chart.js').ChartOptions<any>} ChartOptions */
/** @typedef {import('./mark-lines.js').Mark} Mark */

/** The library has no module for browsers without a bundler: its file sets a global. */
const library = /** @type {{ Chart: typeof import('chart.js').Chart }} */ (/** @type {unknown} */ (globalThis)).Chart;

const seriesColours = 6;

/**
 * `label` says in words what the chart shows. Datasets without a colour take those of the style sheet, `--series-1` and
 * following; another colour is written as the name of its variable, `--up`.
 * `marks`: vertical lines at values of the x axis, with a short text.
 * @param {{ type: ChartType, data: ChartData, options?: ChartOptions, label: string, marks?: readonly Mark[] }} props
 */
export function Chart({ type, data, options = {}, label, marks = [] }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const scheme = useColourScheme();
  useEffect(() => {
    const { current } = canvas;
    if (current === null) return undefined;
    const colourOf = colourReader(current);
    const plugins = [markLines(marks, colourOf('--soft'))];
    const config = { type, data: coloured(data, colourOf), options: optionsOf(options, colourOf), plugins };
    const chart = new library(current, config);
    return () => chart.destroy();
    // callers make new objects at each render
  }, [type, scheme, JSON.stringify(data), JSON.stringify(options), JSON.stringify(marks)]);
  return html`<div class="chart"><canvas ref=${canvas} role="img" aria-label=${label}></canvas></div>`;
}

function useColourScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const [isDark, setIsDark] = useState(dark.matches);
  useEffect(() => {
    const read = () => setIsDark(dark.matches);
    dark.addEventListener('change', read);
    return () => dark.removeEventListener('change', read);
  }, []);
  return isDark;
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

/** @param {ChartOptions} options @param {(name: string) => string} colourOf @returns {ChartOptions} */
function optionsOf(options, colourOf) {
  const [soft, line] = [colourOf('--soft'), colourOf('--line')];
  const axis = (/** @type {{ grid?: object } | undefined} */ own) => ({
    ...own,
    grid: { color: line, ...own?.grid },
    border: { color: line },
  });
  const ticks = { color: soft, maxRotation: 0, autoSkipPadding: 16 };
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
    plugins: { legend: { labels: { color: soft, boxHeight: 2 } }, ...options.plugins },
  };
}
