// Chooses the sites that compete for a search on a day, and scores each.
import { computeVolatility, driftAt, isPresent, type Moment, renewedOn } from './drift.ts';
import { below, derive, exponential, hashText, unit } from './random.ts';
import {
  configuredSite,
  homeBonus,
  type KnownSite,
  knownSites,
  numberedSite,
  numberedSites,
  type Site,
  siteAuthority,
  siteHost,
  sitesPerNiche,
} from './sites.ts';
import type { Topic } from './topics.ts';

const outsiders = 30;
/** A search for a brand's name is answered by the brand. */
const brandBonus = 3;
/**
 * How far a named site that leads stands above its rivals. Of the ranks 1 in the measured export, 89 % were 1 again
 * after 6 and after 14 days; with this lead it is 88 and 84 % in the calibration panel, without it 68 and 48 %.
 */
const leaderLead = 0.6;
/** Where the parts of a search's key begin that belong to sites. */
const firstSiteKey = 2000;
const firstNamedKey = 1_000_000;
const secondPageShare = 0.05;

/** What is constant in a world. */
export interface Ground {
  readonly seedKey: number;
  /** Sites that are known by name; their ids follow those of the numbered ones. */
  readonly named: readonly KnownSite[];
  readonly authorities: Float64Array;
  readonly homes: readonly string[];
}

/** The ground of a world with these hosts besides its own. */
export function createGround(seed: number, extraHosts: readonly string[]): Ground {
  const seedKey = derive(seed, 1);
  const configured = new Set(extraHosts.map(withoutWww));
  return {
    seedKey,
    // a site of both lists would compete with itself
    named: [...knownSites.filter(({ host }) => !configured.has(withoutWww(host))), ...extraHosts.map(configuredSite)],
    authorities: Float64Array.from({ length: numberedSites }, (_, site) => siteAuthority(seedKey, site)),
    homes: Array.from({ length: numberedSites }, (_, site) => siteHost(seedKey, site)),
  };
}

function withoutWww(host: string): string {
  return host.replace(/^www\./u, '');
}

/** The site of an id in a field. */
export function createSite(ground: Ground, id: number): Site {
  return ground.named[id - numberedSites] ?? numberedSite(ground.seedKey, id);
}

/** The key that all pages of a numbered site share in a search. */
export function computeSiteKey(searchKey: number, id: number): number {
  return derive(searchKey, firstSiteKey + id);
}

/** A search on one day, as far as candidates depend on it. */
export interface Contest {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly topic: Topic;
  readonly searchKey: number;
  readonly moment: Moment;
}

/** What all results of a search share on a day. */
export function createMoment(searchKey: number, day: number, mobile: boolean): Moment {
  return { day, renewed: renewedOn(searchKey, day), volatility: computeVolatility(searchKey), mobile };
}

/** Every candidate of a search that is in the index, in no order. */
export function gather(ground: Ground, contest: Contest): Field {
  const field = emptyField();
  const constants = addNumbered(field, ground, contest);
  addNamed(field, ground, contest, constants);
  return field;
}

/** Sites of the topic's niche and some outsiders. Returns their constant qualities, best first. */
function addNumbered(field: Field, ground: Ground, contest: Contest): number[] {
  const { searchKey, moment, topic } = contest;
  const constants: number[] = [];
  const presentShare = 0.55 + 0.35 * unit(derive(searchKey, 1));
  const first = topic.niche * sitesPerNiche;
  for (let i = 0; i < sitesPerNiche + outsiders; i++) {
    const isStranger = i >= sitesPerNiche;
    const site = isStranger ? below(derive(searchKey, 1000 + i), numberedSites) : first + i;
    if (isStranger && (Math.floor(site / sitesPerNiche) === topic.niche || field.sites.includes(site))) continue;
    const key = computeSiteKey(searchKey, site);
    if (!isPresent(key, isStranger ? presentShare / 2 : presentShare, moment.renewed)) continue;
    const quality =
      0.3 * (ground.authorities[site] ?? 0) +
      exponential(derive(key, 20)) +
      homeBonus(ground.homes[site] ?? '', contest.country, contest.language);
    constants.push(quality);
    add(field, site, 0, key, quality + driftAt(key, moment));
    if (unit(derive(key, 21)) < secondPageShare) {
      const second = derive(key, 22);
      add(field, site, 1, second, quality - 0.2 - exponential(second) / 2 + driftAt(second, moment));
    }
  }
  return constants.sort(descending);
}

/** The larger number first. The result is a sign, because V8 allocates memory for a fraction, at every comparison. */
export function descending(a: number, b: number): number {
  return Number(b > a) - Number(b < a);
}

/** Sites known by name take the quality of the rank they tend to, among the constant qualities of the others. */
function addNamed(field: Field, ground: Ground, contest: Contest, constants: readonly number[]): void {
  const { searchKey, moment, topic } = contest;
  ground.named.forEach((site, index) => {
    const key = derive(searchKey, firstNamedKey + hashText(site.host));
    const isBrand = hasWords(contest.keyword, site.name.toLowerCase());
    if (!isBrand && !isPresent(key, topicCoverage(site, topic), moment.renewed)) return;
    const rank = isBrand ? 1 : rankAt(site.rankDeciles, unit(derive(key, 20)));
    const quality = qualityAt(constants, rank) + (isBrand ? brandBonus : 0);
    add(field, numberedSites + index, 0, key, quality + driftAt(key, moment));
  });
}

/** Candidates of one search, column by column: a hundred objects less for every page. */
export interface Field {
  readonly sites: number[];
  readonly copies: (0 | 1)[];
  readonly keys: number[];
  readonly scores: number[];
}

/** No candidates. */
export function emptyField(): Field {
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

function topicCoverage(site: KnownSite, topic: Topic): number {
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

/** The quality that stands at a rank (1-based, with fractions) among `qualities`, best first. */
function qualityAt(qualities: readonly number[], rank: number): number {
  const index = Math.min(rank, qualities.length) - 1;
  const above = qualities[Math.floor(index)] ?? 0;
  const under = qualities[Math.floor(index) + 1] ?? above;
  const lead = leaderLead * Math.max(0, 1 - index);
  return above + (under - above) * (index - Math.floor(index)) + lead;
}
