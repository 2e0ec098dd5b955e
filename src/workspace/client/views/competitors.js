// Competitors of a project.
import { html } from '../html.js';

/** @param {{ project: string, query: URLSearchParams }} props */
export function Competitors({ project }) {
  return html`<h1>Competitors of ${project}</h1>`;
}
