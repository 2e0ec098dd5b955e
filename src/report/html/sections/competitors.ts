// The competitors section: all targets over the same complete checks.

import { mean } from '../../rows/sums.ts';
import type { CompetitorRow } from '../../tables/competitors.ts';
import type { CompetitorSummary, PageFacts } from '../data/page-facts.ts';
import { html, type Markup } from '../text/markup.ts';
import { delta, maybe, number, siteText } from '../text/words.ts';
import { difference, inTop } from './overview.ts';
import { table } from './tables.ts';

export function competitorSection({ competitors }: PageFacts): Markup | null {
  if (!competitors.some(({ isOwn }) => !isOwn)) return null;
  return html`<p class="lead">All sites are compared over the same complete checks; changes over those that prove the rank of the site in both. Wins are searches where our best target ranks better, losses where the competitor does. “Share over” is the number of searches behind the share. In brackets: searches whose pages were not read to the full depth and do not show the site, so it has no rank and no share of their clicks.</p>
${table(
  'Targets and competitors',
  [
    { title: 'Site' },
    { title: 'Visibility', isNumber: true },
    { title: 'Change', isNumber: true },
    { title: 'Share of voice', isNumber: true },
    { title: 'Change', isNumber: true },
    { title: 'Share over', isNumber: true },
    { title: 'Changes over', isNumber: true },
    { title: 'Average rank', isNumber: true },
    { title: 'Top 3', isNumber: true },
    { title: 'Top 10', isNumber: true },
    { title: 'Ranked', isNumber: true },
    { title: 'Wins', isNumber: true },
    { title: 'Losses', isNumber: true },
  ],
  competitors.map((line) => [
    html`<bdi>${siteText(line.target)}</bdi>${line.isOwn && html` <span class="tag">ours</span>`}`,
    maybe(line.visibility, 2, ' %'),
    delta(line.visibilityChange, { digits: 2, unit: ' pts' }),
    maybe(line.shareOfVoice, 2, ' %'),
    delta(line.shareOfVoiceChange, { digits: 2, unit: ' pts' }),
    `${number(line.shareCount)}${line.notFollowed > 0 ? ` (${number(line.notFollowed)})` : ''}`,
    `${number(line.comparable)} of ${number(line.checked)}`,
    maybe(line.averageRank, 1),
    maybe(line.top3),
    maybe(line.top10),
    `${number(line.ranked)} of ${number(line.checked)}`,
    maybe(line.wins),
    maybe(line.losses),
  ]),
)}`;
}

/** The project lines of competitors.csv. */
export function summariseCompetitors(rows: readonly CompetitorRow[]): CompetitorSummary[] {
  return rows
    .filter(({ scope }) => scope === 'project')
    .map(({ target, line: { sums, share, shareCount, notFollowed, shareNow, shareBefore, wins, losses } }) => {
      const isOwn = target.role === 'own';
      const isCompared = !isOwn && sums.checked + notFollowed > 0;
      return {
        target: target.value,
        isOwn,
        visibility: sums.visibility.percent(),
        visibilityChange: difference(sums.comparableNow.percent(), sums.comparableBefore.percent()),
        shareOfVoice: share.percent(),
        shareOfVoiceChange: difference(shareNow.percent(), shareBefore.percent()),
        shareCount,
        notFollowed,
        comparable: sums.comparable,
        averageRank: mean(sums.ranked),
        top3: inTop(sums, 3),
        top10: inTop(sums, 10),
        ranked: sums.ranked.count,
        checked: sums.checked,
        wins: isCompared ? wins : null,
        losses: isCompared ? losses : null,
      };
    });
}
