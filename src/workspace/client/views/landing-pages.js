// LandingPages of a project.
import { html } from '../html.js';

/** @param {{ project: string, query: URLSearchParams }} props */
export function LandingPages({ project }) {
  return html`<h1>LandingPages of ${project}</h1>`;
}
