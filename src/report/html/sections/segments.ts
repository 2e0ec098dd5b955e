// The segments section: a place for the tables of markets and tags.
import type { PageFacts } from '../data/page-facts.ts';
import { html, type Markup } from '../text/markup.ts';
import { number } from '../text/words.ts';

export function segmentSection({ summary, data: { project } }: PageFacts): Markup | null {
  const lines = summary.filter(({ scope }) => scope !== 'project').length;
  const shown = project.sums.filter(({ by }) => by !== 'project').length;
  if (lines < 2) return null;
  return html`${
    lines > shown &&
    html`<p class="lead">The first ${number(shown)} of ${number(lines)}; all are in <a href="summary.csv">summary.csv</a>.</p>`
  }<div id="segments-place"><p class="lead">All markets and tags are in <a href="summary.csv">summary.csv</a>.</p></div>`;
}
