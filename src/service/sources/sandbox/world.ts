// The world's order of results: which sites answer a search on a day, best first. Their titles, addresses and pages are for others.
import { driftAt, isPresent, type Moment, renewedOn, volatilityOf } from './drift.ts';
import { below, derive, exponential, hashText, unit } from './random.ts';
import {
  authorityOf,
  configuredSite,
  homeBonus,
  homeOf,
  type KnownSite,
  knownSites,
  numberedSite,
  numberedSites,
  type Site,
  sitesPerNiche,
} from './sites.ts';
import { isNonsense, type Topic, topicOf } from './topics.ts';

/** A search as the world sees it: the keyword is normalized. */
export interface Search {
  readonly keyword: string;
  /** ISO 3166-1, upper case. */
  readonly country: string;
  readonly language: string;
  readonly mobile: boolean;
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

const strangers = 30;
/** A search for a brand's name is answered by the brand. */
const brandBonus = 3;
/** Where the parts of a search's key begin that belong to sites. */
const firstSiteKey = 2000;
const secondPageShare = 0.05;
const rankingsKept = 64;

/** A world: constant for a seed and the sites added to it. It keeps the last rankings, because pages of one are asked in a row. */
export function createWorld(seed: number, extraHosts: readonly string[]): World {
  const seedKey = derive(seed, 1);
  const named = [...knownSites, ...extraHosts.map(configuredSite)];
  const authorities = Float64Array.from({ length: numberedSites }, (_, site) => authorityOf(seedKey, site));
  const homes = Array.from({ length: numberedSites }, (_, site) => homeOf(seedKey, site));
  const kept = new Map<string, Ranking>();

  function rank(search: Search, day: number): Ranking {
    const name = `${day}\n${search.country}\n${search.language}\n${search.mobile}\n${search.keyword}`;
    const before = kept.get(name);
    if (before !== undefined) return before;
    const ranking = order(search, day);
    const oldest = kept.size < rankingsKept ? undefined : kept.keys().next().value;
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(name, ranking);
    return ranking;
  }

  function order(search: Search, day: number): Ranking {
    const topic = topicOf(search.keyword);
    const searchKey = hashText(`${search.country}\n${search.language}\n${search.keyword}`, seedKey);
    const field = isNonsense(search.keyword) ? emptyField() : gather(search, topic, searchKey, day);
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
        const siteKey = copy === 0 ? key : derive(searchKey, firstSiteKey + id);
        return { site: named[id - numberedSites] ?? numberedSite(seedKey, id), copy, key, siteKey };
      },
    };
  }

  function gather(search: Search, topic: Topic, searchKey: number, day: number): Field {
    const moment: Moment = {
      day,
      renewed: renewedOn(searchKey, day),
      volatility: volatilityOf(searchKey),
      mobile: search.mobile,
    };
    const field = emptyField();
    const constants: number[] = [];
    const presentShare = 0.55 + 0.35 * unit(derive(searchKey, 1));
    const first = topic.niche * sitesPerNiche;
    for (let i = 0; i < sitesPerNiche + strangers; i++) {
      const site = i < sitesPerNiche ? first + i : below(derive(searchKey, 1000 + i), numberedSites);
      const isGuest = i >= sitesPerNiche;
      if (isGuest && (Math.floor(site / sitesPerNiche) === topic.niche || field.sites.includes(site))) continue;
      const key = derive(searchKey, firstSiteKey + site);
      if (!isPresent(key, isGuest ? presentShare / 2 : presentShare, moment.renewed)) continue;
      const quality =
        0.3 * (authorities[site] ?? 0) +
        exponential(derive(key, 20)) +
        homeBonus(homes[site] ?? '', search.country, search.language);
      constants.push(quality);
      add(field, site, 0, key, quality + driftAt(key, moment));
      if (unit(derive(key, 21)) < secondPageShare) {
        const second = derive(key, 22);
        add(field, site, 1, second, quality - 0.2 - exponential(second) / 2 + driftAt(second, moment));
      }
    }
    constants.sort((a, b) => b - a);
    named.forEach((site, index) => {
      const key = derive(searchKey, 1_000_000 + hashText(site.host));
      const isBrand = hasWords(search.keyword, site.name.toLowerCase());
      if (!isBrand && !isPresent(key, coverageOf(site, topic), moment.renewed)) return;
      const rank = isBrand ? 1 : rankAt(site.rankDeciles, unit(derive(key, 20)));
      const quality = qualityAt(constants, rank) + (isBrand ? brandBonus : 0);
      add(field, numberedSites + index, 0, key, quality + driftAt(key, moment));
    });
    return field;
  }

  return { rank };
}

/** Candidates of one search, column by column: a hundred objects less for every page. */
interface Field {
  readonly sites: number[];
  readonly copies: (0 | 1)[];
  readonly keys: number[];
  readonly scores: number[];
}

function emptyField(): Field {
  return { sites: [], copies: [], keys: [], scores: [] };
}

function add(field: Field, site: number, copy: 0 | 1, key: number, score: number): void {
  field.sites.push(site);
  field.copies.push(copy);
  field.keys.push(key);
  field.scores.push(score);
}

/** Whether `words` stand in the keyword as whole words. */
function hasWords(keyword: string, words: string): boolean {
  return ` ${keyword} `.includes(` ${words} `);
}

function coverageOf(site: KnownSite, topic: Topic): number {
  const isAtHome = site.topics === null || (topic.name !== null && site.topics.includes(topic.name));
  return isAtHome ? site.coverage : site.coverageElsewhere;
}

/** The rank, with fractions, that a share of a site's keywords does not reach: geometric between its deciles. */
function rankAt(deciles: readonly number[], share: number): number {
  const at = share * (deciles.length - 1);
  const from = deciles[Math.floor(at)] ?? 1;
  const to = deciles[Math.floor(at) + 1] ?? from;
  return from * (to / from) ** (at - Math.floor(at));
}

/** The quality that would stand at a rank (1-based, with fractions) among `qualities`, best first. */
function qualityAt(qualities: readonly number[], rank: number): number {
  const index = Math.min(rank, qualities.length) - 1;
  const above = qualities[Math.floor(index)] ?? 0;
  const under = qualities[Math.floor(index) + 1] ?? above;
  return above + (under - above) * (index - Math.floor(index));
}
