// The ranking of the invented world: the sites of a search on a day, best first.
import { computeSiteKey, createGround, createMoment, createSite, emptyField, gather } from './candidates.ts';
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

/**
 * A world: constant for a seed and the sites added to it. It keeps the last rankings, because pages of one are asked in
 * a row.
 */
export function createWorld(seed: number, extraHosts: readonly string[]): World {
  const ground = createGround(seed, extraHosts);
  const kept = new Map<string, Ranking>();

  function order(search: Search, day: number): Ranking {
    const { keyword, country, language, mobile } = search;
    const topic = findTopic(keyword);
    const place = search.area === undefined ? '' : `\n${search.area}`;
    const searchKey = hashText(`${country}\n${language}\n${keyword}${place}`, ground.seedKey);
    const moment = createMoment(searchKey, day, mobile);
    const field = isNonsense(keyword)
      ? emptyField()
      : gather(ground, { keyword, country, language, topic, searchKey, moment });
    const places = Array.from(field.scores.keys()).sort((a, b) => (field.scores[b] ?? 0) - (field.scores[a] ?? 0));
    return {
      search,
      day,
      searchKey,
      topic,
      length: places.length,
      at(index) {
        const place = places[index];
        const id = place === undefined ? undefined : field.sites[place];
        const key = place === undefined ? undefined : field.keys[place];
        if (place === undefined || id === undefined || key === undefined) return undefined;
        const copy = field.copies[place] ?? 0;
        return { site: createSite(ground, id), copy, key, siteKey: copy === 0 ? key : computeSiteKey(searchKey, id) };
      },
    };
  }

  return {
    rank(search, day) {
      const name = `${day}\n${search.country}\n${search.language}\n${search.mobile}\n${search.area ?? ''}\n${search.keyword}`;
      const before = kept.get(name);
      if (before !== undefined) return before;
      const ranking = order(search, day);
      const oldest = kept.size < rankingsKept ? undefined : kept.keys().next().value;
      if (oldest !== undefined) kept.delete(oldest);
      kept.set(name, ranking);
      return ranking;
    },
  };
}
