// Shared parts of all charts: library, current colours, date axis, gaps, note marks, and the legend.
import { shortDay } from './words.js';

/** @import { Chart as ChartKind, ChartOptions, Plugin } from 'chart.js' */
/** @import { Series, PageAxis, PageData } from '../page-data.ts' */

/**
 * The library is in a separate script before this one.
 * @returns {typeof ChartKind}
 */
export function library() {
  return /** @type {{ Chart: typeof ChartKind }} */ (/** @type {unknown} */ (window)).Chart;
}

/** @type {{ surface: Element | null }} */
const palette = { surface: null };

/**
 * The current value of a colour in the style sheet: of the screen, or of the element that `withColoursOf` names.
 * @param {string} name
 */
export function colour(name) {
  return getComputedStyle(palette.surface ?? document.documentElement)
    .getPropertyValue(`--${name}`)
    .trim();
}

/**
 * Draws in the colours of an element. A chart without animation is drawn when it is made.
 * @param {Element} surface
 * @param {() => void} draw
 */
export function withColoursOf(surface, draw) {
  palette.surface = surface;
  try {
    draw();
  } finally {
    palette.surface = null;
  }
}

/**
 * Points of a line. Between two dates with missing runs, a point without a value interrupts the line.
 * @param {Series} values
 * @param {PageAxis} axis
 */
export function drawPoints(values, { days, breaks }) {
  /** @type {{ x: number, y: number | null }[]} */
  const points = [];
  for (const [index, value] of values.entries()) {
    const day = days[index] ?? 0;
    if (breaks.includes(index)) points.push({ x: (day + (days[index - 1] ?? day)) / 2, y: null });
    points.push({ x: day, y: value });
  }
  return points;
}

/**
 * Vertical lines on the dates of notes, numbered like the list of notes.
 * @param {PageData['marks']} marks
 * @returns {Plugin}
 */
export function noteMarks(marks) {
  const days = marks.map(({ date }) => Math.round(Date.parse(`${date}T00:00:00Z`) / 86_400_000));
  return {
    id: 'notes',
    afterDatasetsDraw({ ctx, chartArea, scales }) {
      const scale = scales['x'];
      if (scale === undefined) return;
      ctx.save();
      ctx.strokeStyle = colour('faint');
      ctx.fillStyle = colour('soft');
      ctx.font = '11px system-ui, sans-serif';
      ctx.setLineDash([3, 3]);
      for (const [index, day] of days.entries()) {
        if (day < scale.min || day > scale.max) continue;
        const x = scale.getPixelForValue(day);
        ctx.beginPath();
        ctx.moveTo(x, chartArea.top);
        ctx.lineTo(x, chartArea.bottom);
        ctx.stroke();
        ctx.fillText(`${index + 1}`, x + 3, chartArea.top + 10);
      }
      ctx.restore();
    },
  };
}

/** Width of a date label with its margin, in pixels. */
const tickWidth = 62;

/**
 * The labelled dates of a chart: the last one, and others at even distances before it.
 * @param {readonly number[]} days
 * @param {number} width pixels
 */
export function tickDays(days, width) {
  const ticksMax = Math.max(2, Math.min(7, Math.floor(width / tickWidth)));
  const step = Math.max(1, Math.ceil((days.length - 1) / (ticksMax - 1)));
  return days.filter((_, index) => (days.length - 1 - index) % step === 0);
}

/**
 * Shared options: no animation, thin grid lines, dates below.
 * @param {PageAxis} axis
 * @returns {ChartOptions<'line'>}
 */
export function timeOptions(axis) {
  const ink = colour('soft');
  const first = axis.days[0] ?? 0;
  const last = axis.days.at(-1) ?? first;
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    normalized: true,
    interaction: { mode: 'index', intersect: false },
    plugins: {
      legend: {
        position: 'bottom',
        align: 'start',
        labels: { color: ink, boxWidth: 12, boxHeight: 12, padding: 14, usePointStyle: false },
      },
      tooltip: { callbacks: { title: (items) => (items[0] === undefined ? '' : shortDay(Number(items[0].parsed.x))) } },
    },
    scales: {
      x: {
        type: 'linear',
        min: first === last ? first - 1 : first,
        max: first === last ? last + 1 : last,
        grid: { display: false },
        border: { color: colour('rule-strong') },
        ticks: { color: ink, maxRotation: 0, autoSkip: false, callback: (value) => shortDay(Number(value)) },
        afterBuildTicks: (scale) => {
          scale.ticks = tickDays(axis.days, scale.width).map((value) => ({ value }));
        },
      },
      y: {
        beginAtZero: true,
        border: { display: false },
        grid: { color: colour('rule') },
        ticks: { color: ink, maxTicksLimit: 6 },
      },
    },
  };
}

/**
 * Labels of the legend. They show each line as drawn, in its colour and dash pattern, and marks without a line as
 * marks.
 * @param {ChartKind} chart
 */
export function lineLabels(chart) {
  const labels = library().defaults.plugins.legend.labels.generateLabels(chart);
  return labels.map((label) => {
    const dataset = chart.data.datasets[label.datasetIndex ?? 0];
    if (dataset !== undefined && 'showLine' in dataset && dataset.showLine === false) {
      return { ...label, lineWidth: 1.5, fontColor: colour('soft') };
    }
    const line = { pointStyle: /** @type {const} */ ('line'), lineWidth: 2.5, lineDash: dashOf(dataset) };
    return { ...label, ...line, fontColor: colour('soft') };
  });
}

/**
 * @param {ChartKind['data']['datasets'][number] | undefined} dataset
 * @returns {number[]}
 */
function dashOf(dataset) {
  const dash = dataset !== undefined && 'borderDash' in dataset ? dataset.borderDash : [];
  return Array.isArray(dash) ? dash.filter((length) => typeof length === 'number') : [];
}

/** Legend labels of marks are square. */
export const markLabels = Object.freeze({
  usePointStyle: true,
  pointStyleWidth: 12,
  boxHeight: 8.5,
  padding: 14,
  generateLabels: lineLabels,
});
