// Maps of a project's grid: how its targets rank at each point, and how that changed.
import { useDocument } from '../api.js';
import { html } from '../html.js';
import { GridMaps } from '../parts/grid-maps.js';
import { Answer, DataWarning } from '../parts/state.js';
import { Toolbar } from '../parts/toolbar.js';
import { ViewTitle } from '../parts/view-title.js';

/** @typedef {import('../../records.ts').ProjectFacts} ProjectFacts */

/** @param {import('../address.js').Address & { project: string, projects: any }} address */
export function GridView(address) {
  const { project } = address;
  const facts = useDocument(`/v1/projects/${encodeURIComponent(project)}`);
  return html`
    <${ViewTitle}>Map of <bdi>${project}</bdi></${ViewTitle}>
    <${DataWarning} projects=${address.projects} project=${project} />
    <${Toolbar} address=${address} facts=${facts.value} />
    <${Answer} answer=${facts} what="the project" show=${(/** @type {ProjectFacts} */ { grid }) =>
      grid === undefined
        ? html`<p>This project has no grid. Write one into its market: <code>${'market: { grid: { center: "30.2672,-97.7431", size: 7, spacing: 1km } }'}</code></p>`
        : html`<${GridMaps} address=${address} />`} />
  `;
}
