// The history of a keyword as a chart, a feature timeline and a list of URLs need it.

import type { KeywordHistory, RankPoint } from '../../read/records.ts';
import { isOtherPage } from '../../tracker/targets/target.ts';

/** Checks that read the pages, so that a missing feature or rank means something. */
const readStatuses: readonly string[] = ['ranked', 'not_found', 'not_followed'];

/** The dates of all lines, ascending. */
export function datesOf({ lines }: Pick<KeywordHistory, 'lines'>): string[] {
  return [...new Set(lines.flatMap(({ points }) => points.map(({ date }) => date)))].sort();
}

/** One rank per date; null: none. The last check of a date counts. */
export function ranksOn(points: readonly RankPoint[], dates: readonly string[]): (number | null)[] {
  const ranks = new Map(points.map(({ date, rank }) => [date, rank]));
  return dates.map((date) => ranks.get(date) ?? null);
}

/** `unknown`: the pages were not read. */
export type FeatureState = 'owned' | 'shown' | 'absent' | 'unknown';

interface FeatureLine {
  readonly feature: string;
  /** One a date. */
  readonly states: readonly FeatureState[];
  readonly owned: number;
  readonly shown: number;
  /** Dates on which it is known. */
  readonly read: number;
}

/** The features of the pages by date: those shown most often come first. */
export function featureTimeline(points: readonly RankPoint[], dates: readonly string[]): FeatureLine[] {
  const byDate = new Map(points.map((point) => [point.date, point]));
  const features = [
    ...new Set(points.flatMap(({ serpFeatures, ownedFeatures }) => [...serpFeatures, ...ownedFeatures])),
  ];
  return features
    .map((feature) => {
      const states = dates.map((date) => featureState(byDate.get(date), feature));
      const count = (state: FeatureState) => states.filter((one) => one === state).length;
      return {
        feature,
        states,
        owned: count('owned'),
        shown: count('owned') + count('shown'),
        read: states.length - count('unknown'),
      };
    })
    .sort((a, b) => b.shown - a.shown);
}

function featureState(point: RankPoint | undefined, feature: string): FeatureState {
  if (point?.ownedFeatures.includes(feature)) return 'owned';
  if (point?.serpFeatures.includes(feature)) return 'shown';
  if (point === undefined || point.featuresKnown === false) return 'unknown';
  return readStatuses.includes(point.status) ? 'absent' : 'unknown';
}

interface UrlStretch {
  readonly url: string;
  readonly from: string;
  readonly to: string;
  readonly checks: number;
  readonly best: number | null;
}

/** Where the ranking URL changed, newest first. Dates without a rank neither end nor begin a stretch. */
export function urlStretches(points: readonly RankPoint[]): UrlStretch[] {
  const stretches: UrlStretch[] = [];
  for (const { date, url, rank } of points.toSorted((a, b) => (a.date < b.date ? -1 : 1))) {
    if (url === null) continue;
    const last = stretches.at(-1);
    const isSame = last !== undefined && isOtherPage(last.url, url) !== true;
    if (isSame) stretches.pop();
    stretches.push(
      isSame
        ? {
            ...last,
            to: date,
            checks: last.checks + 1,
            best: rank === null ? last.best : Math.min(rank, last.best ?? rank),
          }
        : { url, from: date, to: date, checks: 1, best: rank },
    );
  }
  return stretches.reverse();
}
