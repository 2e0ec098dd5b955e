// The rank buckets with their rows; each filters the table, and is the legend of the chart.
import { pathOf } from '../address.js';
import { buckets, bucketText, changed, parseChoice } from '../filters.js';
import { html } from '../html.js';
import { number } from '../words.js';

/** @typedef {import('../address.js').Address} Address */

/** @param {{ address: Address, counts: Readonly<Record<string, number>> }} props */
export function BucketLegend({ address: { project, view, query }, counts }) {
  const { any } = parseChoice(query.getAll('bucket'));
  return html`<ul class="buckets" aria-label="Rows by rank">${buckets.map((bucket, index) => {
    const isChosen = any.includes(bucket);
    const others = isChosen ? any.filter((other) => other !== bucket) : [...any, bucket];
    const path = pathOf(project, view, changed(query, { bucket: others.join('|') || null }));
    return html`<li><a href=${path} aria-current=${isChosen ? 'true' : null}>
      <span class="swatch swatch-${index + 1}" aria-hidden="true"></span>${bucketText(bucket)}
      <b>${number(counts[bucket] ?? 0)}</b></a></li>`;
  })}</ul>`;
}
