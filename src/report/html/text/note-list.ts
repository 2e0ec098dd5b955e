// The list of notes, numbered like the marks on the charts.
import type { PageData } from '../data/page-data.ts';
import { html, type Markup } from './markup.ts';
import { longDate } from './words.ts';

export function noteList(marks: PageData['marks']): Markup | null {
  if (marks.length === 0) return null;
  return html`<h3>Notes on the charts</h3><ol class="marks">${marks.map(
    ({ date, text }) => html`<li><time datetime="${date}">${longDate(date)}</time> <bdi>${text}</bdi></li>`,
  )}</ol>`;
}
