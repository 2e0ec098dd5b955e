// Segments of a project.
import { html } from '../html.js';

/** @param {{ project: string, query: URLSearchParams }} props */
export function Segments({ project }) {
  return html`<h1>Segments of ${project}</h1>`;
}
