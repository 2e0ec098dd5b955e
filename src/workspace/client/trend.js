// What the chart above the keyword table draws: one measure of the series over time.
import { buckets, bucketText } from './filters.js';
import { day, number, percent } from './words.js';

/** @typedef {import('../records.ts').SeriesAnswer} SeriesAnswer */
/** @typedef {{ readonly label: string, readonly colour: string, readonly values: readonly (number | null)[] }} Line */

/** @param {number | null} value */
const whole = (value) => number(value);
/** @param {number | null} value */
const tenths = (value) => number(value, 1);

export const measures = Object.freeze({
  visibility: { label: 'Visibility', text: percent },
  rank: { label: 'Average rank', text: tenths },
  clicks: { label: 'Estimated clicks', text: whole },
  buckets: { label: 'Rank buckets', text: whole },
});
/** @typedef {keyof typeof measures} Measure */

/**
 * The measure of the address, else visibility, or the average rank of rows that have none, such as places.
 * @param {string | null} written
 * @param {SeriesAnswer} series
 * @returns {Measure}
 */
export function measureOf(written, series) {
  if (written !== null && Object.hasOwn(measures, written)) return /** @type {Measure} */ (written);
  return !hasValues('visibility', series) && hasValues('rank', series) ? 'rank' : 'visibility';
}

/** @param {Measure} measure @param {SeriesAnswer} series */
export function hasValues(measure, series) {
  return trendLines(measure, series).some(({ values }) => values.some((value) => value !== null));
}

/** @param {Measure} measure @param {SeriesAnswer} series @returns {Line[]} */
export function trendLines(measure, series) {
  const { label } = measures[measure];
  if (measure !== 'buckets') {
    const { visibility, averageRank: rank, estimatedClicks: clicks } = series;
    return [{ label, colour: '--series-1', values: { visibility, rank, clicks }[measure] }];
  }
  return buckets.map((bucket, index) => ({
    label: bucketText(bucket),
    colour: `--bucket-${index + 1}`,
    values: series.buckets[/** @type {keyof SeriesAnswer['buckets']} */ (bucket)] ?? [],
  }));
}

/** The chart in words. @param {Measure} measure @param {SeriesAnswer} series */
export function trendText(measure, series) {
  const { label, text } = measures[measure];
  const [first, last] = [series.dates[0], series.dates.at(-1)];
  if (first === undefined || last === undefined) return `${label}: no checks in this range`;
  const range = first === last ? `on ${day(first)}` : `from ${day(first)} to ${day(last)}`;
  if (measure === 'buckets') return `${label} ${range}: rows in each bucket`;
  const values = trendLines(measure, series)[0]?.values ?? [];
  return `${label} ${range}: ${text(values[0] ?? null)} first, ${text(values.at(-1) ?? null)} last`;
}
