// Own targets and competitors over time: lines with gaps where nothing is known, competitors dashed.

import { dayNumber, linePoints, pointRadii } from '../gaps.js';
import { html } from '../html.js';
import { number } from '../words.js';
import { Chart } from './chart.js';
import { timeScale, tooltipDay } from './time-axis.js';

/** Number of line colours in the style sheet. */
const seriesMax = 6;
/** Of competitors: another pattern each time the colours repeat. */
const dashes = [
  [6, 3],
  [2, 3],
  [10, 3, 2, 3],
];

/**
 * @typedef {object} TargetLine
 * @property {string} target
 * @property {boolean} isOwn
 * @property {readonly (number | null)[]} values percent, one per date
 * @property {readonly (number | null)[] | undefined} [over] number of rows of each value
 */

/**
 * @param {{ dates: readonly string[], lines: readonly TargetLine[], label: string, skipsDates?: boolean,
 *   notes?: readonly { readonly date: string }[] }} props `skipsDates`: some dates are not read; lines go on over them
 */
export function TargetChart({ dates, lines, label, skipsDates = false, notes = [] }) {
  const days = dates.map(dayNumber);
  const datasets = lines.map(({ target, isOwn, values }, index) => {
    const points = linePoints(values, days);
    return {
      label: target,
      data: points,
      spanGaps: skipsDates,
      borderWidth: isOwn ? 2.5 : 1.5,
      borderDash: isOwn ? [] : (dashes[Math.floor(index / seriesMax) % dashes.length] ?? []),
      pointRadius: pointRadii(points),
      pointBorderWidth: 0,
      pointHoverRadius: 4,
    };
  });
  const callbacks = {
    title: tooltipDay,
    label: (/** @type {any} */ { datasetIndex, parsed }) =>
      pointText(lines[datasetIndex], days.indexOf(parsed.x), parsed.y),
  };
  const options = {
    scales: { x: timeScale(days), y: { beginAtZero: true, title: { display: true, text: 'Percent' } } },
    plugins: { tooltip: { callbacks } },
  };
  const marks = notes.map(({ date }, index) => ({ at: dayNumber(date), label: `${index + 1}` }));
  return html`<${Chart} type="line" data=${{ datasets }} options=${options} marks=${marks} label=${label} />`;
}

/** @param {TargetLine | undefined} line @param {number} date @param {number | null} value */
function pointText(line, date, value) {
  if (line === undefined || value === null) return '';
  const rows = line.over?.[date] ?? null;
  return ` ${line.target}: ${number(value, 2)} %${rows === null ? '' : ` over ${number(rows)} keywords`}`;
}
