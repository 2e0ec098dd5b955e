// Keywords of a project.
import { html } from '../html.js';

/** @param {{ project: string, query: URLSearchParams }} props */
export function Keywords({ project }) {
  return html`<h1>Keywords of ${project}</h1>`;
}
