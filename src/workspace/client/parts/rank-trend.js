// A rank history as a small drawing: a line with gaps where ranks are unknown, and ticks at the bottom for "not found".
import { breaksIn, dayNumber } from '../gaps.js';
import { html } from '../html.js';

/** @typedef {import('../../records.ts').RankTrend} RankTrend */

const width = 96;
const height = 24;
const margin = 3;
/** Least end of the scale, so that a move from 1 to 2 does not fill the drawing. */
const worstRankMin = 20;

/** @param {{ trend: RankTrend }} props */
export function RankTrend({ trend }) {
  const { line, absences, end } = drawPaths(trend);
  if (line === '' && absences === '') return html`<span class="flat">no history</span>`;
  return html`<svg class="rank-trend" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} aria-hidden="true" focusable="false">
    ${absences !== '' && html`<path class="absent" d=${absences} />`}
    ${line !== '' && html`<path class="line" d=${line} />`}
    ${end !== null && html`<circle cx=${end.x} cy=${end.y} r="2" />`}
  </svg>`;
}

/** @param {RankTrend} trend */
export function drawPaths({ dates, ranks }) {
  const days = dates.map(dayNumber);
  const breaks = new Set(breaksIn(days));
  const first = days[0] ?? 0;
  const span = Math.max(1, (days.at(-1) ?? 0) - first);
  const worst = Math.max(worstRankMin, ...ranks.filter((rank) => typeof rank === 'number'));
  let line = '';
  let absences = '';
  let isOpen = false;
  /** @type {{ x: number, y: number } | null} */
  let end = null;
  for (const [index, rank] of ranks.entries()) {
    const x = tenth(margin + ((width - 2 * margin) * ((days[index] ?? first) - first)) / span);
    if (typeof rank !== 'number') {
      isOpen = false;
      if (rank === 'not_found') absences += `M${x} ${height - 3}v2`;
      continue;
    }
    const y = tenth(margin + ((height - 8) * Math.log(rank)) / Math.log(worst));
    // a single point is a line of length zero, which round caps make visible
    line += isOpen && !breaks.has(index) ? `L${x} ${y}` : `M${x} ${y}h0`;
    isOpen = true;
    end = index === ranks.length - 1 ? { x, y } : null;
  }
  return { line, absences, end };
}

/** @param {number} value */
function tenth(value) {
  return Math.round(value * 10) / 10;
}
