// Serp of a project.
import { html } from '../html.js';

/** @param {{ project: string, query: URLSearchParams }} props */
export function Serp({ project }) {
  return html`<h1>Serp of ${project}</h1>`;
}
