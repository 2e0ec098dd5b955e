// What a view says before and beside its numbers: waiting, errors, simulated or suspect data.
import { html } from '../html.js';

/** @typedef {import('../../records.ts').ProjectOverview} ProjectOverview */

/**
 * Shows the children when the answer is there; before that, that it is on its way or why there is none.
 * @template Value
 * @param {{ answer: { value: Value | undefined, error: string | null, isLoading: boolean },
 *   what: string, show: (value: Value) => unknown }} props
 */
export function Answer({ answer: { value, error, isLoading }, what, show }) {
  if (error !== null) return html`<p class="problem" role="alert">${error}</p>`;
  if (value === undefined) return html`<p class="waiting" role="status">Reading ${what}…</p>`;
  return html`<div class="answer" aria-busy=${isLoading ? 'true' : 'false'}>${show(value)}</div>`;
}

/**
 * Says once that the numbers of a project are simulated or suspect.
 * @param {{ projects: { data: readonly ProjectOverview[] } | undefined, project: string }} props
 */
export function DataWarning({ projects, project }) {
  const overview = projects?.data.find((one) => one.project === project);
  if (overview === undefined) return null;
  return html`
    ${overview.isSimulated && html`<p class="mark">Simulated data: no search engine was queried.</p>`}
    ${overview.suspect !== null && html`<p class="problem">The newest run is suspect: ${overview.suspect}</p>`}
  `;
}

/** A link to a page of the web; text only, unless it is one. @param {{ url: string }} props */
export function WebLink({ url }) {
  if (!/^https?:\/\//i.test(url)) return html`<bdi>${url}</bdi>`;
  return html`<a href=${url} rel="noreferrer" target="_blank"><bdi>${url.replace(/^https?:\/\//i, '')}</bdi></a>`;
}
