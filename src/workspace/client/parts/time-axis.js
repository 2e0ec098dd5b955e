// The date axis that charts over time share: labels at even distances, and tooltips with the date.
import { dateOf } from '../gaps.js';
import { day } from '../words.js';

/** Width of a date label with its margin, in pixels. */
const labelWidth = 62;

/**
 * The labelled dates: the last one, and others at even distances before it, as far as their labels do not overlap.
 * @param {readonly number[]} days since 1970
 * @param {number} width pixels
 */
export function labelledDays(days, width) {
  const labelsMax = Math.max(2, Math.min(7, Math.floor(width / labelWidth)));
  const step = Math.max(1, Math.ceil((days.length - 1) / (labelsMax - 1)));
  const dayWidth = width / Math.max(1, (days.at(-1) ?? 0) - (days[0] ?? 0));
  /** @type {number[]} newest first */
  const labelled = [];
  for (let index = days.length - 1; index >= 0; index -= step) {
    const [date = 0, next = Number.POSITIVE_INFINITY] = [days[index], labelled.at(-1)];
    // dates of imports and of irregular checks may lie close together
    if ((next - date) * dayWidth >= labelWidth) labelled.push(date);
  }
  return labelled.reverse();
}

/**
 * The x scale. Bars need room beside the first and the last date.
 * @param {readonly number[]} days since 1970, ascending
 * @param {{ readonly hasBars?: boolean }} [options]
 */
export function timeScale(days, { hasBars = false } = {}) {
  const [first = 0, last = first] = [days[0], days.at(-1)];
  const half = (last - first) / Math.max(1, days.length - 1) / 2;
  const margin = first === last ? 1 : hasBars ? half : 0;
  return {
    type: 'linear',
    stacked: hasBars,
    min: first - margin,
    max: last + margin,
    offset: false,
    grid: { display: false, offset: false },
    ticks: { autoSkip: false, callback: (/** @type {number} */ value) => shortDay(value) },
    afterBuildTicks: (/** @type {{ ticks: { value: number }[], width: number }} */ scale) => {
      scale.ticks = labelledDays(days, scale.width).map((value) => ({ value }));
    },
  };
}

/** The title of a tooltip. @param {readonly { readonly parsed: { readonly x: number } }[]} items */
export function tooltipDay([item]) {
  return item === undefined ? '' : day(dateOf(item.parsed.x));
}

/** `20 Nov` @param {number} days since 1970 */
function shortDay(days) {
  return Number.isInteger(days) ? day(dateOf(days)).replace(/ \d{4}$/, '') : '';
}
