// The charts, drawn by Chart.js: lines over time that break where nothing is known, stacked bars of ranks, and notes as marks on their dates.
import { element } from './elements.js';
import { shortDay } from './words.js';

/** @import { Chart as ChartKind, ChartConfiguration, ChartOptions, Plugin } from 'chart.js' */
/** @import { Line, PageAxis, PageData, TargetLine } from '../page-data.ts' */

const bucketNames = ['Rank 1', '2 to 3', '4 to 10', '11 to 20', '21 to 50', '51 and lower', 'Not found', 'Unknown'];

/**
 * The library stands in a script of its own before this one.
 * @returns {typeof ChartKind}
 */
export function library() {
  return /** @type {{ Chart: typeof ChartKind }} */ (/** @type {unknown} */ (window)).Chart;
}

/**
 * A colour of the style sheet, as it is now.
 * @param {string} name
 */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/**
 * Values on their days; where runs are missing between two dates a point without a value interrupts the line.
 * @param {Line} values
 * @param {PageAxis} axis
 */
export function pointsOf(values, { days, breaks }) {
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
 * Vertical lines on the dates of notes, numbered as the list of notes is.
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

const ticksMax = 7;

/**
 * Dates that are written below a chart: the last one, and others at even distances before it.
 * @param {readonly number[]} days
 */
export function tickDays(days) {
  const step = Math.max(1, Math.ceil((days.length - 1) / (ticksMax - 1)));
  return days.filter((_, index) => (days.length - 1 - index) % step === 0);
}

/**
 * What all charts share: no motion, thin rules, dates below.
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
          scale.ticks = tickDays(axis.days).map((value) => ({ value }));
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
 * Draws the charts of the overview; returns a function that draws them again in the colours of now.
 * @param {PageData} data
 */
export function startCharts(data) {
  if (data.axis.dates.length === 0) return () => {};
  /** @type {Map<string, ChartKind>} */
  const drawn = new Map();
  /**
   * @param {string} id
   * @param {ChartConfiguration} config
   */
  const draw = (id, config) => {
    drawn.get(id)?.destroy();
    const canvas = element(id, HTMLCanvasElement);
    if (canvas.parentElement !== null) canvas.parentElement.hidden = false;
    drawn.set(id, new (library())(canvas, config));
  };
  return () => {
    draw('chart-visibility', linesConfig(data, data.charts.visibility));
    if (data.charts.shareOfVoice.length > 0) draw('chart-share', linesConfig(data, data.charts.shareOfVoice));
    draw('chart-distribution', distributionConfig(data));
  };
}

/**
 * @param {PageData} data
 * @param {readonly TargetLine[]} lines
 * @returns {ChartConfiguration<'line', { x: number, y: number | null }[]>}
 */
function linesConfig({ axis, marks }, lines) {
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
        const points = pointsOf(line.values, axis);
        const shade = colour(`series-${(index % 6) + 1}`);
        return {
          label: line.target,
          data: points,
          spanGaps: false,
          clip: 6,
          borderColor: shade,
          backgroundColor: shade,
          borderWidth: line.isOwn ? 2.5 : 1.5,
          borderDash: line.isOwn ? [] : [6, 3],
          pointRadius: radiiOf(points, radius),
          pointBorderWidth: 0,
          pointHoverRadius: 4,
        };
      }),
    },
    options: {
      ...options,
      plugins: { ...options.plugins, legend: { ...legend, labels: { ...legend.labels, generateLabels: lineLabels } } },
    },
    plugins: [noteMarks(marks)],
  };
}

/**
 * The legend shows each line as it is drawn: its colour, and whether it is dashed.
 * @param {ChartKind} chart
 */
function lineLabels(chart) {
  const labels = library().defaults.plugins.legend.labels.generateLabels(chart);
  return labels.map((label) => ({
    ...label,
    pointStyle: /** @type {const} */ ('line'),
    lineWidth: 2.5,
    fontColor: colour('soft'),
  }));
}

/**
 * A point between two gaps has no line to be seen by: it is drawn as a dot.
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
