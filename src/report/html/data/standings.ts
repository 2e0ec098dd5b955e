// Own targets and competitors over the same complete checks.
import { changeOver, difference, numbers } from '../../../rows/sums.ts';
import type { CompetitorRow } from '../../tables/competitors.ts';
import type { CompetitorSummary } from './page-data.ts';

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
        visibility: numbers.visibility(sums),
        visibilityChange: changeOver(sums, numbers.visibilityChange(sums)),
        shareOfVoice: share.percent(),
        shareOfVoiceChange: changeOver(sums, difference(shareNow.percent(), shareBefore.percent())),
        shareCount,
        notFollowed,
        comparable: sums.comparable,
        averageRank: numbers.averageRank(sums),
        top3: numbers.top3(sums),
        top10: numbers.top10(sums),
        ranked: sums.ranked.count,
        checked: sums.checked,
        wins: isCompared ? wins : null,
        losses: isCompared ? losses : null,
      };
    });
}
