// The ranking of the invented world: the sites of a search on a day, best first.
import {
  computeSiteKey,
  createGround,
  createMoment,
  createSite,
  descending,
  emptyField,
  type Field,
  type Ground,
  gather,
} from './candidates.ts';
import type { Spot } from './drift.ts';
import { hashText } from './random.ts';
import type { Site } from './sites.ts';
import { findTopic, isNonsense, type Topic } from './topics.ts';

/** A search as the world sees it: the keyword is normalized. */
export interface Search {
  readonly keyword: string;
  /** ISO 3166-1, upper case. */
  readonly country: string;
  readonly language: string;
  readonly mobile: boolean;
  /** Where inside the country; absent: the country as a whole. */
  readonly area?: string;
  /** Where in the area, of a coordinate. */
  readonly spot?: Spot | undefined;
}

/** One result in its place. `key` is its own for all time, `copy` 1 is a site's second page for the same search. */
export interface Result {
  readonly site: Site;
  readonly copy: 0 | 1;
  readonly key: number;
  /** The same for both pages of a site, so that their addresses differ. */
  readonly siteKey: number;
}

export interface Ranking {
  readonly search: Search;
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  /** The same on every day and device. */
  readonly searchKey: number;
  readonly topic: Topic;
  readonly length: number;
  /** The result at a rank, 0-based; undefined past the end. */
  at(index: number): Result | undefined;
}

export interface World {
  rank(search: Search, day: number): Ranking;
}

const rankingsKept = 64;

/** Apart from what made it: a closure keeps all that functions beside it use. */
function ranking(
  ground: Ground,
  facts: Pick<Ranking, 'search' | 'day' | 'searchKey' | 'topic'>,
  ranked: Int32Array,
): Ranking {
  return {
    ...facts,
    length: ranked.length / 3,
    at(index) {
      const [id, key, copy] = ranked.subarray(3 * index, 3 * index + 3);
      if (id === undefined || key === undefined) return undefined;
      const site = createSite(ground, id);
      return copy === 1
        ? { site, copy, key, siteKey: computeSiteKey(facts.searchKey, id) }
        : { site, copy: 0, key, siteKey: key };
    },
  };
}

/**
 * Site, key and copy of each place in a row. Rankings are kept for a while: as arrays, V8 would take them for lasting,
 * and collect each of them late.
 */
function packed({ sites, keys, copies }: Field, places: readonly number[]): Int32Array {
  const ranked = new Int32Array(3 * places.length);
  places.forEach((place, index) => {
    ranked[3 * index] = sites[place] ?? 0;
    ranked[3 * index + 1] = keys[place] ?? 0;
    ranked[3 * index + 2] = copies[place] ?? 0;
  });
  return ranked;
}

/**
 * A world: constant for a seed and the sites added to it. It keeps the last rankings, because pages of one are asked in
 * a row.
 */
export function createWorld(seed: number, extraHosts: readonly string[]): World {
  const ground = createGround(seed, extraHosts);
  /** A ring: a Map that entries enter and leave keeps them all in memory until V8 collects its old tables. */
  const kept: { readonly name: string; readonly ranking: Ranking }[] = [];
  let next = 0;

  function order(search: Search, day: number): Ranking {
    const { keyword, country, language, mobile } = search;
    const topic = findTopic(keyword);
    const place = search.area === undefined ? '' : `\n${search.area}`;
    const searchKey = hashText(`${country}\n${language}\n${keyword}${place}`, ground.seedKey);
    const moment = { ...createMoment(searchKey, day, mobile), spot: search.spot };
    const field = isNonsense(keyword)
      ? emptyField()
      : gather(ground, { keyword, country, language, topic, searchKey, moment });
    const { scores } = field;
    const places = scores.map((_, place) => place).sort((a, b) => descending(scores[a] ?? 0, scores[b] ?? 0));
    return ranking(ground, { search, day, searchKey, topic }, packed(field, places));
  }

  return {
    rank(search, day) {
      const name = `${day}\n${search.country}\n${search.language}\n${search.mobile}\n${search.area ?? ''}\n${search.spot?.north ?? ''}\n${search.spot?.east ?? ''}\n${search.keyword}`;
      const before = kept.find((each) => each.name === name);
      if (before !== undefined) return before.ranking;
      const made = order(search, day);
      kept[next] = { name, ranking: made };
      next = (next + 1) % rankingsKept;
      return made;
    },
  };
}
