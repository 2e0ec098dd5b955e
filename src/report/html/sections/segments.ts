// The segments section: the market and tag lines of summary.csv.

import { mean } from '../../rows/sums.ts';
import type { SummaryRow } from '../../tables/summary.ts';
import type { PageFacts } from '../data/page-facts.ts';
import { html, type Markup } from '../text/markup.ts';
import { delta, maybe, number } from '../text/words.ts';
import { clicksChange, difference, inTop } from './overview.ts';
import { table } from './tables.ts';

/** The page lists at most this many tags; summary.csv has them all. */
const linesMax = 200;

export function segmentSection({ summary }: PageFacts): Markup | null {
  const lines = summary.filter(({ scope }) => scope !== 'project');
  if (lines.length < 2) return null;
  const hasTargets = new Set(summary.map(({ target }) => target)).size > 1;
  return html`${
    lines.length > linesMax &&
    html`<p class="lead">The first ${linesMax} of ${number(lines.length)}; all are in <a href="summary.csv">summary.csv</a>.</p>`
  }
${[...Map.groupBy(lines.slice(0, linesMax), ({ target }) => target)].map(([target, own]) =>
  segmentTable(own, hasTargets ? target : null),
)}`;
}

/** `target`: null if there is only one, which needs no name. */
function segmentTable(lines: readonly SummaryRow[], target: string | null): Markup {
  return table(
    target ?? 'Markets and tags',
    [
      { title: 'Segment' },
      { title: 'Visibility', isNumber: true },
      { title: 'Change', isNumber: true },
      { title: 'Clicks', isNumber: true },
      { title: 'Change', isNumber: true },
      { title: 'Average rank', isNumber: true },
      { title: 'Top 3', isNumber: true },
      { title: 'Top 10', isNumber: true },
      { title: 'Checked', isNumber: true },
    ],
    lines.map(renderCells),
    { hasTitle: target !== null },
  );
}

function renderCells({ scope, country, language, device, tag, sums }: SummaryRow) {
  const name = scope === 'tag' ? html`<span class="tag"><bdi>${tag}</bdi></span>` : `${country} ${language} ${device}`;
  return [
    name,
    maybe(sums.visibility.percent(), 2, ' %'),
    delta(difference(sums.comparableNow.percent(), sums.comparableBefore.percent()), { digits: 2, unit: ' pts' }),
    maybe(sums.visibility.count() === 0 ? null : sums.visibility.clicks()),
    delta(clicksChange(sums)),
    maybe(mean(sums.ranked), 1),
    maybe(inTop(sums, 3)),
    maybe(inTop(sums, 10)),
    `${number(sums.checked)} of ${number(sums.total)}`,
  ];
}
