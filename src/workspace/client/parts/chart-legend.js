// The legend of a chart: each line as drawn, in its colour and dash pattern, and marks without a line as marks.

/** @typedef {import('chart.js').Chart} ChartKind */
/** @typedef {import('chart.js').LegendItem} LegendItem */

/** Height of a line of the legend, width of a letter, and of a mark with the room around it, in pixels. */
const [lineHeight, letterWidth, markWidth] = [24, 7, 46];

/**
 * @param {import('chart.js').ChartType} type
 * @param {string} ink
 * @param {typeof import('chart.js').Chart} library
 */
export function legendLabels(type, ink, library) {
  if (type !== 'line') return { color: ink, boxWidth: 12, boxHeight: 12, padding: 14 };
  return {
    color: ink,
    usePointStyle: true,
    pointStyleWidth: 26,
    padding: 14,
    generateLabels: (/** @type {ChartKind} */ chart) => lineLabels(chart, ink, library),
  };
}

/** Pixels that the legend of fixed width needs. @param {import('chart.js').ChartData} data @param {number} width */
export function legendLines({ datasets }, width) {
  const used = datasets.reduce((sum, { label = '' }) => sum + label.length * letterWidth + markWidth, 0);
  return Math.ceil(used / (width - 2 * markWidth)) * lineHeight;
}

/**
 * @param {ChartKind} chart
 * @param {string} ink
 * @param {typeof import('chart.js').Chart} library
 * @returns {LegendItem[]}
 */
function lineLabels(chart, ink, library) {
  const labels = library.defaults.plugins.legend.labels.generateLabels(chart);
  return labels.map((label) => {
    const dataset = chart.data.datasets[label.datasetIndex ?? 0];
    if (dataset !== undefined && 'showLine' in dataset && dataset.showLine === false)
      return { ...label, lineWidth: 1.5, fontColor: ink };
    const dash = dataset !== undefined && 'borderDash' in dataset ? dataset.borderDash : [];
    const lineDash = Array.isArray(dash) ? dash.filter((length) => typeof length === 'number') : [];
    return { ...label, pointStyle: /** @type {const} */ ('line'), lineWidth: 2.5, lineDash, fontColor: ink };
  });
}
