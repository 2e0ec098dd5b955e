// What happened to a keyword within a period, as facts that its history proves: the page makes sentences of them.
import type { KeywordHistory, KeywordRow, RankPoint } from '../records.ts';
import { type FeatureState, featureTimeline } from './rank-history.ts';
import { counted, day, statusText } from './words.ts';

export type Event =
  /** Another of our pages ranks since the date. `turns`: how often the page changed in the period. */
  | { readonly kind: 'page'; readonly date: string; readonly from: string; readonly to: string; readonly turns: number }
  /** Compared on the first and the last date on which both ranked. */
  | { readonly kind: 'passed'; readonly date: string; readonly target: string; readonly isOurs: boolean }
  | {
      readonly kind: 'feature';
      readonly date: string;
      readonly feature: string;
      readonly change: 'won' | 'lost' | 'appeared' | 'vanished';
    }
  /** Dates on which a check did not show where we rank. */
  | {
      readonly kind: 'unread';
      readonly date: string;
      readonly dates: number;
      readonly status: RankPoint['status'];
      readonly note: string | null;
    };

/** The latest first. */
export function keywordEvents({ lines }: Pick<KeywordHistory, 'lines'>): Event[] {
  const [own, ...others] = lines;
  if (own === undefined) return [];
  const points = own.points.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  const rivals = others.filter(({ isOwn }) => !isOwn);
  return [
    ...pageEvents(points),
    ...rivals.flatMap(({ target, points: of }) => passEvents(target, points, of)),
    ...featureEvents(points),
    ...unreadEvents(points),
  ].sort((a, b) => (a.date < b.date ? 1 : -1));
}

function pageEvents(points: readonly RankPoint[]): Event[] {
  const pages = points.flatMap(({ date, url }) => (url === null ? [] : [{ date, url }]));
  const turns = pages.filter(({ url }, index) => index > 0 && url !== pages[index - 1]?.url);
  const last = turns.at(-1);
  if (last === undefined) return [];
  const before = pages[pages.indexOf(last) - 1]?.url ?? '';
  return [{ kind: 'page', date: last.date, from: before, to: last.url, turns: turns.length }];
}

function passEvents(target: string, points: readonly RankPoint[], others: readonly RankPoint[]): Event[] {
  const theirs = new Map(others.map(({ date, rank }) => [date, rank]));
  const both = points.flatMap(({ date, rank }) => {
    const their = theirs.get(date) ?? null;
    return rank === null || their === null || rank === their ? [] : [{ date, isOurs: rank < their }];
  });
  const [first, last] = [both[0], both.at(-1)];
  if (first === undefined || last === undefined || first.isOurs === last.isOurs) return [];
  const since = both[both.findLastIndex(({ isOurs }) => isOurs !== last.isOurs) + 1];
  return [{ kind: 'passed', target, date: since?.date ?? last.date, isOurs: last.isOurs }];
}

function featureEvents(points: readonly RankPoint[]): Event[] {
  const dates = points.map(({ date }) => date);
  return featureTimeline(points, dates).flatMap(({ feature, states }): Event[] => {
    const read = states.flatMap((state, index) => (state === 'unknown' ? [] : [{ state, date: dates[index] ?? '' }]));
    const [first, last] = [read[0], read.at(-1)];
    if (first === undefined || last === undefined || first.state === last.state) return [];
    const since = read[read.findLastIndex(({ state }) => state !== last.state) + 1]?.date ?? last.date;
    return [{ kind: 'feature', feature, date: since, change: changeOf(first.state, last.state) }];
  });
}

function changeOf(first: FeatureState, last: FeatureState): 'won' | 'lost' | 'appeared' | 'vanished' {
  if (last === 'owned') return 'won';
  if (first === 'owned') return 'lost';
  return last === 'shown' ? 'appeared' : 'vanished';
}

const unproven: readonly RankPoint['status'][] = ['failed', 'deferred', 'unknown_paid', 'incomplete'];

function unreadEvents(points: readonly RankPoint[]): Event[] {
  const unread = points.filter(({ status, rank }) => rank === null && unproven.includes(status));
  const last = unread.at(-1);
  if (last === undefined) return [];
  return [{ kind: 'unread', date: last.date, dates: unread.length, status: last.status, note: last.note }];
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
  const compared = previousDate === null ? 'the check before' : day(previousDate, date ?? undefined);
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
