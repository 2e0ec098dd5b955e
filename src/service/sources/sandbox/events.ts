// Events that a config plants in the invented world, so that the true cause of a rank change is known.

import { keywordKey } from '../../model/results/keyword-data.ts';
import { dayMs } from '../../model/time/clock.ts';
import type { PlantedEvent, PlantedFeature } from './options.ts';
import { derive, hashText } from './random.ts';
import { type PlantedText, withoutWww } from './sites.ts';

/** The beginning of all keywords of updates. */
const updatePart = 5;

/** What events do to one site in one search on one day. */
export interface PlantedSite {
  /** Organic rank, 1-based, and the number of the event that demands it: the later event wins a rank. */
  rank?: number;
  rankedBy: number;
  gone?: 'all' | 'first';
  /** Number of the other page among those of its site, 0-based. */
  page?: number;
  text?: PlantedText;
}

/** What events do to one search on one day. */
export interface Planted {
  /** By host, without www. */
  readonly sites: ReadonlyMap<string, PlantedSite>;
  readonly features: ReadonlyMap<PlantedFeature, boolean>;
  readonly updates: readonly { readonly key: number; readonly strength: number }[];
}

function dayOf(written: string): number {
  return Date.parse(written) / dayMs;
}

/** Months since 1970-01, of a UTC day. */
function monthOf(written: string): number {
  return (Number(written.slice(0, 4)) - 1970) * 12 + Number(written.slice(5, 7)) - 1;
}

/** Reads events once: the result says what they do to a search, whose keyword is normalized, on a day. */
export function readEvents(
  events: readonly PlantedEvent[],
  seed: number,
): (search: { readonly keyword: string; readonly mobile: boolean }, day: number) => Planted {
  const counts = new Map<string, number>();
  const all = events.flatMap((event, order) => {
    if (event.event === 'demand') return [];
    const host = 'site' in event ? withoutWww(event.site) : '';
    const number = counts.get(`${event.event} ${host}`) ?? 0;
    counts.set(`${event.event} ${host}`, number + 1);
    const from = dayOf(event.on);
    const to = event.until === undefined ? Number.POSITIVE_INFINITY : dayOf(event.until);
    return [{ event, order, host, number, from, to, keywords: keywordsOf(event) }];
  });
  return ({ keyword, mobile }, day) => {
    const sites = new Map<string, PlantedSite>();
    const features = new Map<PlantedFeature, boolean>();
    const updates: { key: number; strength: number }[] = [];
    const holding = new Set<string>();
    const device = mobile ? 'mobile' : 'desktop';
    const found = all.filter(
      ({ event, keywords }) => (event.device ?? device) === device && (keywords === undefined || keywords.has(keyword)),
    );
    for (const { event, order, host, number, from, to } of found) {
      const holds = from <= day && day < to;
      if (event.event === 'feature') {
        const isShown = event.shown ?? true;
        // until one of its events holds, the first says what was before
        if (holds) features.set(event.feature, isShown);
        else if (!features.has(event.feature)) features.set(event.feature, !isShown);
        continue;
      }
      if (!holds) continue;
      if (event.event === 'update') {
        updates.push({ key: derive(hashText(event.on, seed), updatePart), strength: event.strength ?? 1 });
        continue;
      }
      const state: PlantedSite = sites.get(host) ?? { rankedBy: order };
      sites.set(host, state);
      if (event.event === 'enters') holding.add(host);
      if (event.event === 'leaves') {
        state.gone = event.page ?? 'all';
        state.rank = undefined;
        continue;
      }
      if (event.event === 'page') state.page = number;
      if (event.event === 'title') state.text = { number, sitelinks: event.sitelinks, thumbnail: event.thumbnail };
      if (event.event === 'page' || event.rank !== undefined) state.gone = undefined;
      if (event.rank === undefined) continue;
      state.rank = event.rank;
      state.rankedBy = order;
    }
    for (const { event, host } of found)
      if (event.event === 'enters' && !holding.has(host)) sites.set(host, { rankedBy: 0, gone: 'all' });
    return { sites, features, updates };
  };
}

/** By how much events multiply the search volume of a normalized keyword in a month, counted from 1970-01. */
export function readDemand(events: readonly PlantedEvent[]): (keyword: string, month: number) => number {
  const all = events.flatMap((event) => {
    if (event.event !== 'demand') return [];
    const to = event.until === undefined ? Number.POSITIVE_INFINITY : monthOf(event.until);
    return [{ factor: event.factor, from: monthOf(event.on), to, keywords: keywordsOf(event) }];
  });
  return (keyword, month) =>
    all
      .filter(({ from, to, keywords }) => from <= month && month < to && (keywords?.has(keyword) ?? true))
      .reduce((product, { factor }) => product * factor, 1);
}

function keywordsOf({ keywords }: PlantedEvent): ReadonlySet<string> | undefined {
  return keywords && new Set(keywords.map(keywordKey));
}
