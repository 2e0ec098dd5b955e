// What happened to a keyword, in sentences that its history proves.
import type { KeywordHistory, KeywordRow, RankPoint } from '../../read/records.ts';
import type { FeatureState } from './rank-history.ts';
import { counted, day, statusText } from './words.ts';

const unproven: readonly RankPoint['status'][] = ['failed', 'deferred', 'unknown_paid', 'incomplete'];

/** The dates on which a check did not show where we rank, in a sentence with its full stop; null: none. */
export function unreadSentence({ lines }: Pick<KeywordHistory, 'lines'>): string | null {
  const unread = (lines[0]?.points ?? [])
    .filter(({ status, rank }) => rank === null && unproven.includes(status))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
  const last = unread.at(-1);
  if (last === undefined) return null;
  const earlier = unread.length === 1 ? '' : ` and ${counted(unread.length - 1, 'earlier date')}`;
  return `No rank on ${day(last.date)}${earlier}: ${statusText(last.status)}${last.note === null ? '' : `, ${last.note}`}.`;
}

/** Of a feature that we had: the date on which it first stands without us is lost. */
export function withLosses(states: readonly FeatureState[]): (FeatureState | 'lost')[] {
  let wasOwned = false;
  return states.map((state) => {
    const isLost = wasOwned && state === 'shown';
    if (state !== 'unknown') wasOwned = state === 'owned';
    return isLost ? 'lost' : state;
  });
}

/** What the rank did since the check that it is compared with, in a sentence without its full stop. */
export function rankSentence(row: KeywordRow): string {
  const { rank, previousRank, previousDate, date, changeClass, status, depth, last } = row;
  const compared = previousDate === null ? 'the check before' : day(previousDate, date);
  const absent = depth === null ? 'not found' : `not found in ${counted(depth, 'page')}`;
  if (last !== undefined && rank === null)
    return `Not checked on ${day(date)}: ${counted(last.ageDays, 'day')} before it ${last.rank === null ? 'was not found' : `ranked ${last.rank}`}`;
  switch (changeClass) {
    case 'improved':
      return `Rose ${previousRank} → ${rank} since ${compared}${certainty(row)}`;
    case 'declined':
      return `Fell ${previousRank} → ${rank} since ${compared}${certainty(row)}`;
    case 'entered':
      return `Entered at ${rank}: it was not found on ${compared}`;
    case 'dropped':
      return `Dropped out from ${previousRank}: ${absent}, ranked on ${compared}`;
    case 'unchanged':
      return rank === null ? `Still ${absent}, as on ${compared}` : `Stayed at ${rank} since ${compared}`;
    case 'first_check':
      return rank === null ? `First checked: ${absent}` : `First checked: ranks ${rank}`;
    default: {
      const now =
        rank !== null ? `Ranks ${rank}` : status === 'not_found' ? sentence(absent) : sentence(statusText(status));
      return previousDate === null ? now : `${now}, not comparable with ${compared}`;
    }
  }
}

function certainty({ significance, bandBest, bandWorst }: KeywordRow): string {
  const band = bandBest === null || bandWorst === null ? null : bandText(bandBest, bandWorst);
  if (significance === 'noise') return band === null ? ', no more than noise' : `, inside its usual ${band}`;
  if (significance === null) return '';
  const usually = band === null ? '' : `, usually ${band}`;
  return significance === 'certain' ? `: certain${usually}` : `: likely a real move${usually}`;
}

/** Where a keyword usually stands: `5–9`. */
export function bandText(best: number, worst: number): string {
  return best === worst ? `${best}` : `${best}–${worst}`;
}

export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
