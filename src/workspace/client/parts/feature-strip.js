// When a SERP feature was shown and owned, as a strip with one cell per date.
import { html } from '../html.js';

/** @param {{ states: readonly string[], label: string }} props */
export function FeatureStrip({ states, label }) {
  return html`<svg class="strip" viewBox=${`0 0 ${states.length} 1`} preserveAspectRatio="none" role="img" aria-label=${label}>
    ${states.map((state, index) => html`<rect class=${state} x=${index} y="0" width="0.9" height="1" />`)}
  </svg>`;
}
