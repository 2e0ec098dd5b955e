// Chooses the features of a results page and the number of results; both change over time.
import { derive, noise, unit } from '../world/random.ts';
import type { Ranking } from '../world/world.ts';

export type Feature =
  | 'top_ads'
  | 'bottom_ads'
  | 'ai_overview'
  | 'featured_snippet'
  | 'people_also_ask'
  | 'knowledge'
  | 'top_stories'
  | 'video'
  | 'images'
  | 'local_pack'
  | 'perspectives';

interface Habit {
  readonly feature: Feature;
  /** Share of searches that show it at a given time, desktop. */
  readonly share: number;
  /** The same on mobile. */
  readonly mobileShare: number;
}

const habits: readonly Habit[] = [
  { feature: 'top_ads', share: 0.38, mobileShare: 0.42 },
  { feature: 'bottom_ads', share: 0.18, mobileShare: 0.14 },
  { feature: 'ai_overview', share: 0.3, mobileShare: 0.26 },
  { feature: 'featured_snippet', share: 0.14, mobileShare: 0.14 },
  { feature: 'people_also_ask', share: 0.78, mobileShare: 0.74 },
  { feature: 'knowledge', share: 0.16, mobileShare: 0.16 },
  { feature: 'top_stories', share: 0.12, mobileShare: 0.15 },
  { feature: 'video', share: 0.3, mobileShare: 0.34 },
  { feature: 'images', share: 0.32, mobileShare: 0.36 },
  { feature: 'local_pack', share: 0.14, mobileShare: 0.18 },
  { feature: 'perspectives', share: 0.24, mobileShare: 0.28 },
];
/** How far, in shares, and how fast, in days, a search wanders into and out of a feature. */
const swing = 0.05;
const periodDays = 9;

/** Features of the first page of a ranking. Later pages show ads at most. */
export function chooseFeatures(ranking: Ranking, page: number): ReadonlySet<Feature> {
  const { searchKey, day, search } = ranking;
  const shown = new Set<Feature>();
  for (let i = 0; i < habits.length; i++) {
    const habit = habits[i];
    if (habit === undefined) break;
    if (page > 1 && habit.feature !== 'top_ads' && habit.feature !== 'bottom_ads') continue;
    const share = (search.mobile ? habit.mobileShare : habit.share) / (page > 1 ? 2 : 1);
    const key = derive(searchKey, 300 + i);
    if (unit(key) + swing * noise(derive(key, search.mobile ? 1 : 2), day / periodDays) < share)
      shown.add(habit.feature);
  }
  // The engine shows one answer above the results, not two.
  if (shown.has('ai_overview')) shown.delete('featured_snippet');
  return shown;
}

/** Where a page's organic results lie in the ranking: `end` is exclusive; an empty page is past the last one. */
export interface PageBounds {
  readonly start: number;
  readonly end: number;
  readonly isLast: boolean;
}

/** The results of a page (1-based): 7 to 10, less where features take their room. */
export function pageBounds(ranking: Ranking, page: number): PageBounds {
  let start = 0;
  for (let before = 1; before < page && start < ranking.length; before++) start += pageSize(ranking, before);
  const end = Math.min(ranking.length, start + pageSize(ranking, page));
  return { start: Math.min(start, ranking.length), end, isLast: end >= ranking.length };
}

function pageSize(ranking: Ranking, page: number): number {
  if (page === 1) return 10 - Math.min(3, Math.floor(chooseFeatures(ranking, 1).size / 2));
  return 10 - Math.floor(3 * unit(derive(ranking.searchKey, 400 + page)) ** 2);
}
