// The options of a sandbox as a person writes them: its world, how it fails and lies, and the events planted in it.
import * as z from 'zod';
import type { PageRange } from '../../model/source.ts';

const hostName = z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/u, 'a lower-case host name, such as shop.example.com');

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
const eventForm = z
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

/** Each may be left out. */
export const sandboxOptions = z.strictObject({
  seed: z.int().min(0).max(0x7fffffff).default(1).describe('Number of the world; each number gives another world.'),
  sites: z.array(hostName).max(200).default([]).describe('Hosts to add to the world; each ranks for most keywords.'),
  /**
   * Share of pages that come as a captcha, 0 to 1. The same page of the same search is blocked all day in every
   * request, and may succeed on the next.
   */
  blockedShare: z.number().min(0).max(1).default(0).describe('Share of pages that come as a captcha, 0 to 1.'),
  atOnceCredits: z
    .int()
    .min(1)
    .max(10)
    .optional()
    .describe('Also sells pages 1 to 10 at once, as some vendors do, for so many credits. Default: single pages only.'),
  lie: z
    .enum(['stale', 'frozen', 'place', 'device', 'featureless', 'padded', 'shuffled', 'partial'])
    .optional()
    .describe(
      'Sells wrong pages, to try how `mode: best` finds such a source. stale: of a week ago; frozen: of the first such day; place: of another country; device: of the other device; featureless: without features; padded: with invented results; shuffled: in another order; partial: shuffled for half of the keywords. Default: none.',
    ),
  lieFrom: z.iso.date().optional().describe('Date in UTC from which `lie` holds. Default: always.'),
  events: z
    .array(eventForm)
    .max(1000)
    .optional()
    .describe(
      'Events to plant: sites that enter, pass, leave, show another page or title; features, updates, demand. Default: none.',
    ),
});

export type SandboxOptions = z.output<typeof sandboxOptions>;

/** What it sells besides single pages. */
export function atOnceRange({ atOnceCredits }: SandboxOptions): PageRange | undefined {
  return atOnceCredits === undefined ? undefined : { pagesMax: 10, credits: () => atOnceCredits };
}
