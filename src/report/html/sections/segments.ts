// The segments section: a place for the tables of markets and tags.
import { ofTable, type PageFacts } from '../data/page-facts.ts';
import { html, type Markup } from '../text/markup.ts';
import { number } from '../text/words.ts';

export function segmentSection(facts: PageFacts): Markup | null {
  const { summary, data } = facts;
  const { project } = data;
  const lines = summary.filter(({ scope }) => scope !== 'project').length;
  const shown = project.sums.filter(({ by }) => by !== 'project').length;
  if (lines < 2) return null;
  return html`${
    lines > shown &&
    html`<p class="lead">The first ${number(shown)} of ${number(lines)}${ofTable(facts, 'summary', html`; all are in <a href="summary.csv">summary.csv</a>`)}.</p>`
  }<div id="segments-place">${ofTable(facts, 'summary', html`<p class="lead">All markets and tags are in <a href="summary.csv">summary.csv</a>.</p>`)}</div>`;
}
