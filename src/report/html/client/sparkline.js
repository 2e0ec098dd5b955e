// A rank history as a small SVG: a line with gaps where ranks are unknown, and ticks at the bottom for "not found".
import { html, trusted } from './markup.js';
import { decodeRank, rankCodes } from './trail.js';

const width = 96;
const height = 24;
const margin = 3;
/** Least end of the scale, so that a move from 1 to 2 does not fill the drawing. */
const worstRankMin = 20;

/**
 * @typedef {object} Axis
 * @property {readonly number[]} days Days since 1970 of each date of a trail, oldest first.
 * @property {readonly number[]} breaks Dates before which a line is interrupted: runs are missing there.
 */

/**
 * @param {readonly number[]} trail
 * @param {Axis} axis
 */
export function sparkline(trail, axis) {
  const { line, absences, end } = drawPaths(trail, axis);
  if (line === '' && absences === '') return html`<span class="faint">no history</span>`;
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true" focusable="false">
    ${absences !== '' && html`<path class="spark-absent" d="${trusted(absences)}"/>`}
    ${line !== '' && html`<path class="spark-line" d="${trusted(line)}"/>`}
    ${end !== null && html`<circle class="spark-end" cx="${end.x}" cy="${end.y}" r="2"/>`}
  </svg>`;
}

/**
 * @param {readonly number[]} trail
 * @param {Axis} axis
 */
export function drawPaths(trail, { days, breaks }) {
  const first = days[0] ?? 0;
  const span = Math.max(1, (days.at(-1) ?? 0) - first);
  const worst = Math.max(worstRankMin, ...trail.map((code) => decodeRank(code) ?? 0));
  let line = '';
  let absences = '';
  let isOpen = false;
  /** @type {{ x: number, y: number } | null} */
  let end = null;
  for (const [index, code] of trail.entries()) {
    const rank = decodeRank(code);
    const x = tenth(margin + ((width - 2 * margin) * ((days[index] ?? first) - first)) / span);
    if (rank === null) {
      isOpen = false;
      if (code === rankCodes.notFound) absences += `M${x} ${height - 3}v2`;
      continue;
    }
    const y = tenth(margin + ((height - 8) * Math.log(rank)) / Math.log(worst));
    // a single point is a line of length zero, which round caps make visible
    line += isOpen && !breaks.includes(index) ? `L${x} ${y}` : `M${x} ${y}h0`;
    isOpen = true;
    end = index === trail.length - 1 ? { x, y } : null;
  }
  return { line, absences, end };
}

/** @param {number} value */
function tenth(value) {
  return Math.round(value * 10) / 10;
}
