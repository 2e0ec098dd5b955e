// The section of the map: a place for the maps of the grid.
import { ofTable, type PageFacts } from '../data/page-facts.ts';
import { html, type Markup } from '../text/markup.ts';

export function gridSection(facts: PageFacts): Markup | null {
  const { data, rowsTotal } = facts;
  const { project, rows } = data;
  if (project.grid === undefined) return null;
  const { center, size, spacing } = project.grid;
  return html`${
    rows.keyword.length < rowsTotal &&
    html`<p class="lead">Maps lack the points of rows that this file leaves out${ofTable(facts, 'grid', html`; grid.csv has all`)}.</p>`
  }<div id="map-place"><p class="lead">${size} x ${size} points, ${spacing} apart, around ${center}.${ofTable(facts, 'grid-summary', html` The sums of all maps are in <a href="grid-summary.csv">grid-summary.csv</a>.`)}${ofTable(facts, 'grid', html` Their points are in <a href="grid.csv">grid.csv</a>.`)}</p></div>`;
}
