// The charts of the overview, drawn by Chart.js: lines over time with gaps, and stacked bars of ranks.
import { colour, drawPoints, library, lineLabels, noteMarks, timeOptions, withColoursOf } from './chart-frame.js';
import { element } from './elements.js';
import { number } from './words.js';

/** @import { Chart as ChartKind, ChartConfiguration, ChartOptions } from 'chart.js' */
/** @import { PageAxis, PageData, TargetSeries } from '../page-data.ts' */

/** Number of line colours in the style sheet. */
const seriesMax = 6;
const bucketNames = ['Rank 1', '2 to 3', '4 to 10', '11 to 20', '21 to 50', '51 and lower', 'Not found', 'Unknown'];

/**
 * Draws the charts of the overview. Returns a function that redraws them in the current colours.
 * @param {PageData} data
 */
export function startCharts(data) {
  if (data.axis.dates.length === 0) return () => {};
  /** @type {Map<string, ChartKind>} */
  const drawn = new Map();
  return () => {
    for (const [id, config] of chartConfigs(data)) {
      drawn.get(id)?.destroy();
      const canvas = element(id, HTMLCanvasElement);
      if (canvas.parentElement !== null) canvas.parentElement.hidden = false;
      drawn.set(id, new (library())(canvas, config));
    }
  };
}

/**
 * @param {PageData} data
 * @returns {[id: string, config: ChartConfiguration][]}
 */
function chartConfigs(data) {
  const { visibility, shareOfVoice } = data.charts;
  return [
    ['chart-visibility', linesConfig(data, visibility)],
    ...(shareOfVoice.length > 0
      ? [/** @type {[string, ChartConfiguration]} */ (['chart-share', linesConfig(data, shareOfVoice)])]
      : []),
    ['chart-distribution', distributionConfig(data)],
  ];
}

/** CSS pixels: the style sheet scales it to the width of the paper. */
const paperWidth = 700;
const paperPlotHeight = 190;
const paperLegendLine = 24;
/** Of a letter in the legend, and of its mark with the room around it. */
const [letterWidth, markWidth] = [7, 46];
/** Pixels of the canvas to a CSS pixel: paper is finer than most screens. */
const paperPixels = 2.5;

/**
 * Draws the same charts for paper, once: always light, of fixed width and with a legend of as many lines as it needs.
 * What a browser lays out for print does not resize a canvas, and knows nothing of print styles before it.
 * @param {PageData} data
 */
export function drawPaperCharts(data) {
  if (data.axis.dates.length === 0) return;
  const [surface] = document.getElementsByClassName('paper');
  if (surface === undefined) return;
  withColoursOf(surface, () => {
    for (const [id, config] of chartConfigs(data)) drawOnPaper(element(`${id}-paper`, HTMLCanvasElement), config);
  });
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {ChartConfiguration} config
 */
function drawOnPaper(canvas, config) {
  const labels = config.data.datasets.map(({ label = '' }) => label.length * letterWidth + markWidth);
  const legendLines = Math.ceil(labels.reduce((sum, width) => sum + width, 0) / (paperWidth - 2 * markWidth));
  canvas.width = paperWidth;
  canvas.height = paperPlotHeight + legendLines * paperLegendLine;
  if (canvas.parentElement !== null) canvas.parentElement.hidden = false;
  const options = { ...config.options, responsive: false, devicePixelRatio: paperPixels, events: [] };
  new (library())(canvas, { ...config, options });
}

/** Competitors are dashed, with another pattern each time the colours repeat. */
const dashes = [
  [6, 3],
  [2, 3],
  [10, 3, 2, 3],
];

/**
 * @param {boolean} isOwn
 * @param {number} index
 */
function dashOfLine(isOwn, index) {
  return isOwn ? [] : (dashes[Math.floor(index / seriesMax) % dashes.length] ?? []);
}

/**
 * @param {PageData} data
 * @param {readonly TargetSeries[]} lines
 * @returns {ChartConfiguration<'line', { x: number, y: number | null }[]>}
 */
function linesConfig({ axis, marks, charts }, lines) {
  const options = timeOptions(axis);
  const radius = axis.dates.length > 40 ? 0 : 2;
  const legend = {
    ...options.plugins?.legend,
    labels: { color: colour('soft'), usePointStyle: true, pointStyleWidth: 26, padding: 14 },
  };
  return {
    type: 'line',
    data: {
      datasets: lines.map((line, index) => {
        const points = drawPoints(line.values, axis);
        const shade = colour(`series-${(index % seriesMax) + 1}`);
        return {
          label: line.target,
          data: points,
          spanGaps: false,
          clip: 6,
          borderColor: shade,
          backgroundColor: shade,
          borderWidth: line.isOwn ? 2.5 : 1.5,
          borderDash: dashOfLine(line.isOwn, index),
          pointRadius: radiiOf(points, radius),
          pointBorderWidth: 0,
          pointHoverRadius: 4,
        };
      }),
    },
    options: {
      ...options,
      plugins: {
        legend: { ...legend, labels: { ...legend.labels, generateLabels: lineLabels } },
        tooltip: {
          callbacks: {
            ...options.plugins?.tooltip?.callbacks,
            label: (item) => lineWords(lines, axis, charts.total, item),
          },
        },
      },
    },
    plugins: [noteMarks(marks)],
  };
}

/**
 * The tooltip of a point: its value, and its number of rows.
 * @param {readonly TargetSeries[]} lines
 * @param {PageAxis} axis
 * @param {number} total
 * @param {{ readonly datasetIndex: number, readonly parsed: { readonly x: number | null, readonly y: number | null } }}
 * item
 */
function lineWords(lines, { days }, total, { datasetIndex, parsed }) {
  const line = lines[datasetIndex];
  const of = line?.of[days.indexOf(parsed.x ?? -1)] ?? null;
  if (line === undefined || of === null) return '';
  return ` ${line.target}: ${number(parsed.y ?? 0, 2)} % over ${number(of)} of ${number(total)} keywords`;
}

/**
 * A point between two gaps has no line, so it is drawn as a dot.
 * @param {readonly { readonly y: number | null }[]} points
 * @param {number} otherwise
 */
function radiiOf(points, otherwise) {
  return points.map(({ y }, index) => {
    const isAlone = (points[index - 1]?.y ?? null) === null && (points[index + 1]?.y ?? null) === null;
    return y !== null && isAlone ? 2.5 : otherwise;
  });
}

/**
 * @param {PageData} data
 * @returns {ChartConfiguration<'bar', { x: number, y: number | null }[]>}
 */
function distributionConfig({ axis, charts, marks }) {
  const shared = timeOptions(axis);
  const { scales = {} } = shared;
  const half = axis.days.length < 2 ? 1 : ((axis.days.at(-1) ?? 0) - (axis.days[0] ?? 0)) / (axis.days.length - 1) / 2;
  const x = {
    ...scales['x'],
    stacked: true,
    min: (axis.days[0] ?? 0) - half,
    max: (axis.days.at(-1) ?? 0) + half,
    offset: false,
  };
  const options = { ...shared, scales: { x, y: { ...scales['y'], stacked: true } } };
  return {
    type: 'bar',
    data: {
      datasets: charts.distribution.map((line, index) => ({
        label: bucketNames[index] ?? '',
        data: line.map((y, date) => ({ x: axis.days[date] ?? 0, y })),
        backgroundColor: colour(`bucket-${index + 1}`),
        barPercentage: 1,
        categoryPercentage: 0.92,
        borderWidth: 0,
      })),
    },
    options: /** @type {ChartOptions<'bar'>} */ (/** @type {unknown} */ (options)),
    plugins: [noteMarks(marks)],
  };
}
