// Events that a config plants in the invented world, so that the true cause of a rank change is known.

import * as z from 'zod';
import { keywordKey } from '../../model/results/keyword-data.ts';
import { dayMs } from '../../model/time/clock.ts';
import { derive, hashText } from './random.ts';
import { type PlantedText, withoutWww } from './sites.ts';

/** The beginning of all keywords of updates. */
const updatePart = 5;

export const hostName = z
  .string()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/u, 'a lower-case host name, such as shop.example.com');

const date = z.iso.date('a date, such as 2026-05-01');
const rank = z.int().min(1).max(100);

const period = {
  on: date.describe('First UTC day on which the event holds, such as 2026-05-01.'),
  until: date.optional().describe('First UTC day on which it no longer holds. Default: it holds from then on.'),
  keywords: z
    .array(z.string().min(1).max(2048))
    .min(1)
    .max(10_000)
    .optional()
    .describe('Keywords that the event is about. Default: all.'),
};
const ranking = {
  ...period,
  device: z.enum(['desktop', 'mobile']).optional().describe('Device that the event is about. Default: both.'),
};
const site = hostName.describe('Host of the site, with or without www.; it may be new to the world.');
const rankThen = rank.optional().describe('Exact organic rank at which it then stands. Default: as without the event.');

/** Features that events may plant, by the names in reports. */
export const plantedFeatures = [
  'paid',
  'ai_overview',
  'featured_snippet',
  'local_pack',
  'knowledge_graph',
  'top_stories',
  'video',
  'perspectives',
  'images',
  'people_also_ask',
] as const;
export type PlantedFeature = (typeof plantedFeatures)[number];

/** One event as a person writes it. */
export const eventForm = z
  .discriminatedUnion('event', [
    z.strictObject({
      event: z.literal('enters').describe('A site ranks on these days only, and is absent on all others.'),
      ...ranking,
      site,
      rank: rank.describe('Exact organic rank, over all pages.'),
    }),
    z.strictObject({
      event: z.literal('passes').describe('A site stands at a rank on these days, be it a rise or a fall.'),
      ...ranking,
      site,
      rank: rank.describe('Exact organic rank, over all pages.'),
    }),
    z.strictObject({
      event: z.literal('leaves').describe('A site has no result on these days.'),
      ...ranking,
      site,
      page: z
        .literal('first')
        .optional()
        .describe('Only the first result of the site is gone; its second page stays, if it has one. Default: all.'),
    }),
    z.strictObject({
      event: z.literal('page').describe('Another page of a site, with another URL, ranks instead of its first result.'),
      ...ranking,
      site,
      rank: rankThen,
    }),
    z.strictObject({
      event: z.literal('title').describe('The first result of a site has another title and snippet.'),
      ...ranking,
      site,
      rank: rankThen,
      sitelinks: z.boolean().optional().describe('Whether it then has sitelinks. Default: as before.'),
      thumbnail: z.boolean().optional().describe('Whether it then has the thumbnail of a video. Default: as before.'),
    }),
    z.strictObject({
      event: z.literal('feature').describe('A feature is on page 1 on these days only.'),
      ...ranking,
      feature: z.enum(plantedFeatures).describe('Name of the feature as reports print it.'),
      shown: z
        .boolean()
        .optional()
        .describe('false: the feature is gone on these days and on page 1 on all others. Default: true.'),
    }),
    z.strictObject({
      event: z.literal('update').describe('The engine scores all results anew, so that many ranks move at once.'),
      ...ranking,
      strength: z.number().gt(0).max(10).optional().describe('How far results move; 1 moves most of them. Default: 1.'),
    }),
    z.strictObject({
      event: z.literal('demand').describe('The search volume is multiplied, from the month of `on`.'),
      ...period,
      factor: z.number().min(0).max(1000).describe('Factor of the search volume.'),
    }),
  ])
  .refine(({ on, until }) => until === undefined || until > on, { path: ['until'], error: 'a date after `on`' });

export type PlantedEvent = z.infer<typeof eventForm>;

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
