// The section of competitors: every target and competitor over the same complete checks.
import { html, type Markup } from './client/markup.js';
import { delta, maybe, number } from './client/words.js';
import type { PageFacts } from './page-facts.ts';
import { table } from './tables.ts';

export function competitorSection({ competitors }: PageFacts): Markup | null {
  if (!competitors.some(({ isOwn }) => !isOwn)) return null;
  return html`<p class="lead">Over the same complete checks. Wins and losses count the searches where one stands above or below the first of our targets.</p>
${table(
  'Targets and competitors',
  [
    { title: 'Site' },
    { title: 'Visibility', isNumber: true },
    { title: 'Change', isNumber: true },
    { title: 'Share of voice', isNumber: true },
    { title: 'Average rank', isNumber: true },
    { title: 'Top 3', isNumber: true },
    { title: 'Top 10', isNumber: true },
    { title: 'Ranked', isNumber: true },
    { title: 'Wins', isNumber: true },
    { title: 'Losses', isNumber: true },
  ],
  competitors.map((line) => [
    html`<bdi>${line.target}</bdi>${line.isOwn && html` <span class="tag">ours</span>`}`,
    maybe(line.visibility, 2, ' %'),
    delta(line.visibilityChange, { digits: 2, unit: ' pts' }),
    maybe(line.shareOfVoice, 2, ' %'),
    maybe(line.averageRank, 1),
    number(line.top3),
    number(line.top10),
    `${number(line.ranked)} of ${number(line.checked)}`,
    maybe(line.wins),
    maybe(line.losses),
  ]),
)}`;
}
