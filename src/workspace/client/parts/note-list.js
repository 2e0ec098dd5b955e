// The notes of a chart, numbered as its vertical lines are.
import { html } from '../html.js';
import { day } from '../words.js';

/** @param {{ notes: readonly { readonly date: string, readonly text: string }[] }} props */
export function NoteList({ notes }) {
  if (notes.length === 0) return null;
  return html`<ol class="notes" aria-label="Notes">
    ${notes.map(({ date, text }) => html`<li><time datetime=${date}>${day(date)}</time> <bdi>${text}</bdi></li>`)}
  </ol>`;
}
