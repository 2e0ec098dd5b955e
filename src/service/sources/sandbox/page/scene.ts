// The inputs of all parts of a results page: ranking, language and time.
import type { Phrases } from '../phrases/phrases.ts';
import { findPhrases, type PhraseValues, titleCase } from '../phrases/text.ts';
import type { Ranking } from '../world/world.ts';

/** Everything a page's parts are made of. */
export interface Scene {
  readonly ranking: Ranking;
  readonly phrases: Phrases;
  readonly title: string;
  readonly year: number;
  readonly key: number;
}

/** The scene of a ranking. */
export function createScene(ranking: Ranking): Scene {
  return {
    ranking,
    phrases: findPhrases(ranking.search.language),
    title: titleCase(ranking.search.keyword),
    year: new Date(ranking.day * 86_400_000).getUTCFullYear(),
    key: ranking.searchKey,
  };
}

/** A phrase's filling for one part of the page. */
export function filling(scene: Scene, key: number): PhraseValues {
  return { keyword: scene.title, key, year: scene.year };
}
