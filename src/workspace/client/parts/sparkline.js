// A small line of a series, without axes. Gaps stay gaps.
import { html } from '../html.js';

const width = 160;
const height = 36;

/** @param {{ values: readonly (number | null)[], label: string }} props */
export function Sparkline({ values, label }) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return null;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const x = (/** @type {number} */ index) => ((index / (values.length - 1)) * (width - 4) + 2).toFixed(1);
  const y = (/** @type {number} */ value) =>
    (most === least ? height / 2 : height - 3 - ((value - least) / (most - least)) * (height - 6)).toFixed(1);
  let isDrawing = false;
  const path = values.map((value, index) => {
    if (value === null) {
      isDrawing = false;
      return '';
    }
    const step = `${isDrawing ? 'L' : 'M'}${x(index)} ${y(value)}`;
    isDrawing = true;
    return step;
  });
  return html`<svg class="sparkline" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label}>
    <path d=${path.join('')} />
  </svg>`;
}
