// The ranking of the invented world: which sites compete for a search, and how their order drifts from day to day.
import { type Planted, type PlantedSite, readEvents } from './events.ts';
import { findTopic, isNonsense, type Topic } from './keywords.ts';
import type { PlantedEvent, PlantedFeature } from './options.ts';
import { below, derive, exponential, hashText, noise, normal, unit } from './random.ts';
import {
  configuredSite,
  homeBonus,
  type KnownSite,
  knownSites,
  numberedSite,
  numberedSites,
  type Result,
  siteAuthority,
  siteHome,
  sitesPerNiche,
  withoutWww,
} from './sites.ts';

/** Degrees from the middle of the area. */
export interface Spot {
  readonly north: number;
  readonly east: number;
}

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
  readonly spot?: Spot;
}

export interface Ranking {
  readonly search: Search;
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  /** The same on every day and device. */
  readonly searchKey: number;
  readonly topic: Topic;
  readonly length: number;
  /** Whether events show or hide a feature. */
  readonly features: ReadonlyMap<PlantedFeature, boolean>;
  /** The result at a rank, 0-based; undefined past the end. */
  at(index: number): Result | undefined;
}

export interface World {
  rank(search: Search, day: number): Ranking;
}

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
const rankingsKept = 64;
/**
 * Spread of what an update of strength 1 adds to scores: about 7 of 10 added sites, and 6 of 10 results of the first
 * two pages, then move by more than two ranks overnight; without an update it is 1 of 17.
 */
const updateSpread = 0.8;

/** A page that competes for a search. Numbers of sites that are known by name follow those of the others. */
interface Candidate {
  readonly site: number;
  readonly copy: 0 | 1;
  readonly key: number;
  readonly score: number;
  /** What events change of it. */
  readonly planted?: PlantedSite;
}

/**
 * A world: constant for a seed, the sites added to it and the events planted in it. It keeps the last rankings, because
 * pages of one are asked in a row.
 */
export function createWorld(seed: number, extraHosts: readonly string[], events: readonly PlantedEvent[] = []): World {
  const seedKey = derive(seed, 1);
  const configured = new Set(extraHosts.map(withoutWww));
  // a site of both lists would compete with itself
  const unnamed = knownSites.filter(({ host }) => !configured.has(withoutWww(host)));
  const named = [...unnamed, ...extraHosts.map(configuredSite)];
  const numbered = Array.from({ length: numberedSites }, (_, site) => ({
    authority: siteAuthority(seedKey, site),
    home: siteHome(seedKey, site),
  }));
  const plantedOn = readEvents(events, seedKey);
  const planted = plantedSites(events, named, seedKey);
  const sites = [...named, ...planted.foreign];
  const kept: { readonly name: string; readonly ranking: Ranking }[] = [];

  function order(search: Search, day: number): Ranking {
    const { keyword, country, language, area } = search;
    const topic = findTopic(keyword);
    const place = area === undefined ? '' : `\n${area}`;
    const searchKey = hashText(`${country}\n${language}\n${keyword}${place}`, seedKey);
    const plan = plantedOn(search, day);
    const found = isNonsense(keyword) ? [] : compete(search, topic, searchKey, day);
    const scored = rescore(found, plan.updates).sort((a, b) => b.score - a.score);
    const ranked = scored.length === 0 ? scored : plantSites(scored, plan.sites, searchKey);
    return {
      search,
      day,
      searchKey,
      topic,
      length: ranked.length,
      features: plan.features,
      at(index) {
        const found = ranked[index];
        if (found === undefined) return undefined;
        const { site, copy, key } = found;
        const siteKey = copy === 0 ? key : derive(searchKey, firstSiteKey + site);
        const host = sites[site - numberedSites] ?? numberedSite(seedKey, site);
        const { page, text } = found.planted ?? {};
        const pageKey = page === undefined ? key : derive(siteKey, 70 + page);
        return { site: host, copy, key: pageKey, siteKey, page, text };
      },
    };
  }

  /** The order of a day as events change it: sites are taken out, others stand at the ranks that events name. */
  function plantSites(ranked: Candidate[], states: Planted['sites'], searchKey: number): Candidate[] {
    const bySite = new Map([...states].map(([host, state]) => [planted.numbers.get(host) ?? -1, state]));
    const seen = new Set<number>();
    const free: Candidate[] = [];
    for (const each of ranked) {
      const state = bySite.get(each.site);
      const isFirst = !seen.has(each.site);
      seen.add(each.site);
      if (state === undefined) free.push(each);
      else if (state.gone === 'all' || (state.gone === 'first' && isFirst)) continue;
      else if (state.rank === undefined) free.push(isFirst ? { ...each, planted: state } : each);
      else if (each.copy === 1) free.push(each);
    }
    const pins = new Map<number, Candidate>();
    const waiting = new Set<number>();
    for (const [site, state] of [...bySite].sort(([, a], [, b]) => b.rankedBy - a.rankedBy)) {
      let { rank } = state;
      if (rank === undefined) continue;
      while (pins.has(rank)) rank++;
      const host = sites[site - numberedSites]?.host;
      const part = host === undefined ? firstSiteKey + site : firstNamedKey + hashText(host);
      pins.set(rank, { site, copy: 0, key: derive(searchKey, part), score: 0, planted: state });
      waiting.add(site);
    }
    const ordered: Candidate[] = [];
    const standPinned = (): boolean => {
      const pin = pins.get(ordered.length + 1);
      if (pin === undefined) return false;
      ordered.push(pin);
      pins.delete(ordered.length);
      waiting.delete(pin.site);
      return true;
    };
    for (const each of free) {
      while (standPinned());
      // the second page of a planted site never stands above the first
      if (!waiting.has(each.site)) ordered.push(each);
    }
    while (standPinned());
    return [...ordered, ...[...pins].sort(([a], [b]) => a - b).map(([, pin]) => pin)];
  }

  /** Every candidate of a search that is in the index: sites of the topic's niche, some outsiders, and named ones. */
  function compete(search: Search, topic: Topic, searchKey: number, day: number): Candidate[] {
    const moment = createMoment(search, searchKey, day);
    const found: Candidate[] = [];
    const qualities: number[] = [];
    const presentShare = 0.55 + 0.35 * unit(derive(searchKey, 1));
    for (let i = 0; i < sitesPerNiche + outsiders; i++) {
      const isOutsider = i >= sitesPerNiche;
      const site = isOutsider ? below(derive(searchKey, 1000 + i), numberedSites) : topic.niche * sitesPerNiche + i;
      if (isOutsider && (Math.floor(site / sitesPerNiche) === topic.niche || found.some((each) => each.site === site)))
        continue;
      const key = derive(searchKey, firstSiteKey + site);
      if (!isPresent(key, isOutsider ? presentShare / 2 : presentShare, moment.renewed)) continue;
      const { authority = 0, home = '' } = numbered[site] ?? {};
      const quality = 0.3 * authority + exponential(derive(key, 20)) + homeBonus(home, search.country, search.language);
      qualities.push(quality);
      found.push({ site, copy: 0, key, score: quality + driftAt(key, moment) });
      if (unit(derive(key, 21)) >= secondPageShare) continue;
      const second = derive(key, 22);
      const score = quality - 0.2 - exponential(second) / 2 + driftAt(second, moment);
      found.push({ site, copy: 1, key: second, score });
    }
    qualities.sort((a, b) => b - a);
    named.forEach((site, index) => {
      const key = derive(searchKey, firstNamedKey + hashText(site.host));
      const isBrand = ` ${search.keyword} `.includes(` ${site.name.toLowerCase()} `);
      if (!isBrand && !isPresent(key, coverageOf(site, topic), moment.renewed)) return;
      // it takes the quality of the rank it tends to among the others
      const rank = isBrand ? 1 : rankAt(site.rankDeciles, unit(derive(key, 20)));
      const quality = qualityAt(qualities, rank) + (isBrand ? brandBonus : 0);
      found.push({ site: numberedSites + index, copy: 0, key, score: quality + driftAt(key, moment) });
    });
    return found;
  }

  return {
    rank(search, day) {
      const { country, language, mobile, area, spot, keyword } = search;
      const name = [day, country, language, mobile, area, spot?.north, spot?.east, keyword].join('\n');
      const before = kept.find((each) => each.name === name);
      if (before !== undefined) return before.ranking;
      const ranking = order(search, day);
      if (kept.length >= rankingsKept) kept.shift();
      kept.push({ name, ranking });
      return ranking;
    },
  };
}

/** The numbers of the sites that events name, by host without www., and those of them that the world does not have. */
function plantedSites(events: readonly PlantedEvent[], named: readonly KnownSite[], seedKey: number) {
  const hosts = new Map(
    events.flatMap((event) => ('site' in event ? [[withoutWww(event.site), event.site] as const] : [])),
  );
  const numbers = new Map<string, number>();
  const note = (host: string, site: number): void => {
    if (hosts.has(withoutWww(host))) numbers.set(withoutWww(host), site);
  };
  for (let site = 0; hosts.size > 0 && site < numberedSites; site++) note(numberedSite(seedKey, site).host, site);
  for (const [index, { host }] of named.entries()) note(host, numberedSites + index);
  const foreign = [...hosts].filter(([host]) => !numbers.has(host)).map(([, host]) => configuredSite(host));
  for (const [index, { host }] of foreign.entries()) note(host, numberedSites + named.length + index);
  return { numbers, foreign };
}

/** Adds what engine updates change. */
function rescore(found: readonly Candidate[], updates: Planted['updates']): Candidate[] {
  const changeOf = (key: number) =>
    updates.reduce((sum, update) => sum + update.strength * updateSpread * normal(derive(key, update.key)), 0);
  return found.map((each) => ({ ...each, score: each.score + changeOf(each.key) }));
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

/** The quality that stands at a rank (1-based, with fractions) among `qualities`, best first. */
function qualityAt(qualities: readonly number[], rank: number): number {
  const index = Math.min(rank, qualities.length) - 1;
  const above = qualities[Math.floor(index)] ?? 0;
  const under = qualities[Math.floor(index) + 1] ?? above;
  const lead = leaderLead * Math.max(0, 1 - index);
  return above + (under - above) * (index - Math.floor(index)) + lead;
}

/**
 * Amplitudes are in units of static quality, where the gap between ranks k and k + 1 is about 1 / k; periods are days.
 * All are fitted to the measured export (six and fourteen days, mobile and desktop); the calibration test prints how
 * close.
 */
const slow = { amplitude: 0.33, period: 33 };
const medium = { amplitude: 0.26, period: 5.2 };
const jitter = 0.005;
/**
 * Spread between devices of the same result, constant and drifting; desktop pages moved a little more in the export.
 */
const device = { constant: 0.15, mobile: 0.12, desktop: 0.16, period: 9 };
/** Whether a page is in the index at all: share of the unit interval that the threshold wanders over, and how fast. */
const presence = { swing: 0.08, period: 20 };
/** Share of days on which an engine's view of one search is renewed; in between it stands still but for jitter. */
const renewalShare = 0.22;
const renewalDaysMax = 30;
/** Some searches are restless and most are calm: spread of the logarithm of a search's volatility, and its limit. */
const volatilitySpread = 1.15;
const volatilityMax = 3;
/** A result now and then leaps, stays for a while and falls back: share of its periods, and their length in days. */
const leap = { share: 0.03, period: 12, height: 0.4 };
/** Results are better near where they are at home: what a degree of distance costs, and how far homes are spread. */
const distancePenalty = 8;
const homeDegrees = 0.25;

/** What all results of a search share on one day. */
interface Moment {
  readonly day: number;
  /** The day whose view of the search is still shown. */
  readonly renewed: number;
  /** How restless the search is: median 1. */
  readonly volatility: number;
  readonly mobile: boolean;
  readonly spot?: Spot;
}

function createMoment({ mobile, spot }: Search, searchKey: number, day: number): Moment {
  const renewals = derive(searchKey, 101);
  let back = 0;
  while (back < renewalDaysMax && unit(derive(renewals, day - back)) >= renewalShare) back++;
  const volatility = Math.min(volatilityMax, Math.exp(volatilitySpread * normal(derive(searchKey, 102))));
  return { day, renewed: day - back, volatility, mobile, spot };
}

/** What a result's quality differs by, on this day and device, from its constant part. */
function driftAt(key: number, { day, renewed, volatility, mobile, spot }: Moment): number {
  const wander =
    slow.amplitude * noise(derive(key, 1), renewed / slow.period) +
    medium.amplitude * noise(derive(key, 2), renewed / medium.period);
  const deviceKey = derive(key, mobile ? 3 : 4);
  const ofDevice =
    device.constant * (unit(deviceKey) - 0.5) +
    (mobile ? device.mobile : device.desktop) * noise(deviceKey, renewed / device.period);
  const today = jitter * (unit(derive(derive(key, 5), day)) - 0.5);
  const home = (part: number): number => homeDegrees * (unit(derive(key, part)) - 0.5);
  const away = spot === undefined ? 0 : distancePenalty * Math.hypot(home(9) - spot.north, home(10) - spot.east);
  return volatility * (wander + ofDevice) + today + leapAt(key, renewed) - away;
}

function leapAt(resultKey: number, day: number): number {
  const key = derive(resultKey, 6);
  const shifted = day / leap.period + unit(key);
  const cellKey = derive(key, Math.floor(shifted));
  if (unit(cellKey) >= leap.share) return 0;
  const at = shifted - Math.floor(shifted);
  return leap.height * exponential(derive(cellKey, 1)) * 4 * at * (1 - at);
}

/** Whether a result is in the index on this day, where it is for `share` of its time. */
function isPresent(resultKey: number, share: number, day: number): boolean {
  const level = unit(derive(resultKey, 7)) * (1 - 2 * presence.swing) + presence.swing;
  return level + presence.swing * noise(derive(resultKey, 8), day / presence.period) < share;
}
