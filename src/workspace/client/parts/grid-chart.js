// A map of a grid without tiles: points at their places, with ranks in them, the center and a distance scale.
import { goTo, pathOf } from '../address.js';
import { pointLabel, pointMark, rankClasses } from '../grid-words.js';
import { html } from '../html.js';

/** @typedef {import('../../records.ts').GridMapAnswer} GridMapAnswer */
/** @typedef {import('../../records.ts').GridPoint} GridPoint */
/** @typedef {import('../grid-words.js').Measure} Measure */

/** Units of the drawing: between two points, and the radius of a point. */
const step = 48;
const radius = 18;
const scaleHeight = 34;

/**
 * `query`: dates of the address, for the pages of points.
 * @param {{ map: GridMapAnswer, measure: Measure, label: string, project: string, query: URLSearchParams }} props
 */
export function GridChart({ map: { grid, mapPoints }, measure, label, project, query }) {
  const side = grid.size * step;
  return html`<div class="scroll map-box" role="region" aria-label=${label} tabindex="0">
    <svg class="grid-map" viewBox=${`0 0 ${side} ${side + scaleHeight}`} style=${`--points: ${grid.size}`} role="group" aria-label=${label}>
      <${Center} at=${side / 2} />
      ${mapPoints.map((point) => html`<${Point} key=${point.id} point=${point} measure=${measure} project=${project} query=${query} />`)}
      <g class="scale" aria-hidden="true">
        <path d=${`M${step / 2} ${side + 6}v8h${step}v-8`} />
        <text x=${step} y=${side + 30}>${grid.spacing}</text>
        <path d=${`M${side - 16} ${side + 28}v-20m-5 6l5 -6l5 6`} />
        <text x=${side - 26} y=${side + 28} text-anchor="end">N</text>
      </g>
    </svg>
  </div>`;
}

/** A ring around the center, with four ticks. @param {{ at: number }} props */
function Center({ at }) {
  const ring = radius + 5;
  const tick = 6;
  const ticks = [
    `M${at} ${at - ring}v${-tick}`,
    `M${at} ${at + ring}v${tick}`,
    `M${at - ring} ${at}h${-tick}`,
    `M${at + ring} ${at}h${tick}`,
  ];
  return html`<g class="center" aria-hidden="true"><circle cx=${at} cy=${at} r=${ring} /><path d=${ticks.join('')} /></g>`;
}

/** @param {{ point: GridPoint, measure: Measure, project: string, query: URLSearchParams }} props */
function Point({ point, measure, project, query }) {
  const [text, kind] = pointMark(point, measure);
  const [x, y] = [(point.column - 0.5) * step, (point.row - 0.5) * step];
  const href = pointPath(project, point, query);
  const follow = (/** @type {MouseEvent} */ event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(href);
  };
  return html`<a href=${href} class=${`point ${kind}`} aria-label=${pointLabel(point)} onClick=${follow}>
    <title>${pointLabel(point)}</title>
    <circle cx=${x} cy=${y} r=${radius} /><text x=${x} y=${y} dy="0.35em">${text}</text></a>`;
}

/** The keyword page of a point. @param {string} project @param {GridPoint} point @param {URLSearchParams} query */
export function pointPath(project, { id }, query) {
  const dates = [...query].filter(([name]) => ['date', 'compare', 'from', 'to'].includes(name));
  return pathOf(project, 'keyword', new URLSearchParams([['id', id], ...dates]));
}

/** What the points mean. @param {{ measure: Measure, hasEstimates: boolean }} props */
export function GridLegend({ measure, hasEstimates }) {
  const entries =
    measure === 'change'
      ? [
          ['better', '+', 'better, or new'],
          ['worse', '−', 'worse, or lost'],
          ['same', '0', 'unchanged'],
          ['unknown', '?', 'not comparable'],
        ]
      : [
          ...rankClasses.map(([, kind, label]) => [kind, '', label]),
          ['absent', '–', 'not found'],
          ...(hasEstimates ? [['estimated', '~', 'not checked: estimated']] : []),
          ['unknown', '?', 'not known'],
        ];
  return html`<ul class="legend map-legend">${entries.map(
    ([
      kind,
      text,
      label,
    ]) => html`<li><svg class="grid-key" viewBox="0 0 24 24" aria-hidden="true"><g class=${`point ${kind}`}>
      <circle cx="12" cy="12" r="10" /><text x="12" y="12" dy="0.35em">${text}</text></g></svg> ${label}</li>`,
  )}</ul>`;
}
