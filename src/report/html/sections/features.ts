// The SERP features section: on how many results pages each is shown, and how many show a target in it.

import type { PageFacts } from '../data/page-facts.ts';
import { html, type Markup } from '../text/markup.ts';
import { featureWords, maybe, number } from '../text/words.ts';
import { table } from './tables.ts';

export function featureSection({ features }: PageFacts): Markup | null {
  if (features.length === 0) return null;
  return html`<p class="lead">Keywords whose results pages show a feature, and those where the feature links to the target.</p>
${table(
  'Keywords by SERP feature',
  [
    { title: 'Feature' },
    { title: 'Shown', isNumber: true },
    { title: 'Share of keywords', isNumber: true },
    { title: 'Ours', isNumber: true },
    { title: 'Share of shown', isNumber: true },
  ],
  features.map(({ name, shown, owned, of }) => [
    featureWords(name),
    number(shown),
    share(shown, of),
    number(owned),
    share(owned, shown),
  ]),
  { hasTitle: false },
)}`;
}

function share(part: number, whole: number) {
  return maybe(whole === 0 ? null : (100 * part) / whole, 1, ' %');
}
