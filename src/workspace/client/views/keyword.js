// Keyword of a project.
import { html } from '../html.js';

/** @param {{ project: string, query: URLSearchParams }} props */
export function Keyword({ project }) {
  return html`<h1>Keyword of ${project}</h1>`;
}
