// The list of notes, numbered like the marks on the charts.
import { html } from './markup.js';
import { longDate } from './words.js';

/** @import { PageData } from '../data/page-data.ts' */

/** @param {PageData['marks']} marks */
export function noteList(marks) {
  if (marks.length === 0) return null;
  return html`<h3>Notes on the charts</h3><ol class="marks">${marks.map(
    ({ date, text }) => html`<li><time datetime="${date}">${longDate(date)}</time> <bdi>${text}</bdi></li>`,
  )}</ol>`;
}
