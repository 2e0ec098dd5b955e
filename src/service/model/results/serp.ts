// Schemas of a results page: the specification's root object, its elements, and our additions. Their types are derived.
import * as z from 'zod';

const rank = z.int().min(1);
const text = z.string();

// A field without a value is absent: never null, never an empty list.

/** An extension of an organic result: sitelinks, dates, ratings and the like. */
const extension = z.strictObject({
  type: z.enum(['site_link', 'date', 'text', 'rating', 'reviews', 'price', 'fact', 'list', 'question', 'missing']),
  text,
  link: text.exactOptional(),
  rank: rank.describe("1-based within the result's extensions."),
});

const organicResult = z.strictObject({
  rank: rank.describe('Position among organic results of this page, 1-indexed.'),
  global_rank: rank.exactOptional().describe('Position across all SERP elements of this page, 1-indexed.'),
  title: text,
  description: text.exactOptional().describe('Snippet.'),
  link: text.describe('Destination URL.'),
  destination_state: z
    .enum(['host_only', 'hidden'])
    .exactOptional()
    .describe(
      "Extension of the specification. Absent: `link` is the page itself. `host_only`: the engine hides the page, and `link` is the root of its site. `hidden`: `link` is the engine's redirect.",
    ),
  display_link: text.exactOptional().describe('URL formatted as displayed.'),
  source: text.exactOptional().describe('Website or source name.'),
  extensions: z.array(extension).min(1).exactOptional().describe('Site links, dates and other extensions.'),
  image: text.exactOptional().describe('Thumbnail URL (video results).'),
  duration: text.exactOptional().describe('Video duration, minutes:seconds.'),
  duration_sec: z.int().min(0).exactOptional().describe('Video duration in seconds.'),
});

const knowledge = z.strictObject({
  name: text.exactOptional(),
  subtitle: text.exactOptional(),
  description: text.exactOptional(),
  description_source: text.exactOptional(),
  facts: z
    .array(z.strictObject({ key: text, value: z.array(z.strictObject({ text })) }))
    .min(1)
    .exactOptional(),
});

const question = z.strictObject({
  rank,
  global_rank: rank.exactOptional(),
  question: text,
  answer_source: text.exactOptional(),
  answers: z
    .array(
      z.strictObject({
        rank,
        type: z.enum(['answer', 'ordered_list', 'unordered_list', 'table', 'video']),
        value: z.strictObject({ text }),
      }),
    )
    .min(1)
    .exactOptional()
    .describe('Absent where the answer is not on the page.'),
});

export type AiOverviewText =
  | { type: 'paragraph' | 'title'; snippet: string; reference_indexes?: number[] }
  | { type: 'list'; title?: string; list: AiOverviewText[] }
  | { type: 'code'; snippet: string };

/** Refers to itself, so that the documentation names it. */
export const aiTextSchema: z.ZodType<AiOverviewText> = z.union([
  z.strictObject({
    type: z.enum(['paragraph', 'title']),
    snippet: text,
    reference_indexes: z.array(z.int()).min(1).exactOptional(),
  }),
  z.strictObject({
    type: z.literal('list'),
    title: text.exactOptional(),
    get list() {
      return z.array(aiTextSchema).min(1);
    },
  }),
  z.strictObject({ type: z.literal('code'), snippet: text }),
]);

const aiOverview = z.strictObject({
  texts: z.array(aiTextSchema).min(1).exactOptional(),
  references: z
    .array(
      z.strictObject({
        index: z.int(),
        title: text,
        href: text,
        source: text.exactOptional(),
        subtitle: text.exactOptional(),
      }),
    )
    .min(1)
    .exactOptional(),
});

const related = z.strictObject({ rank, global_rank: rank.exactOptional(), text, link: text });
const tab = z.strictObject({ title: text, href: text });
const perspective = z.strictObject({ title: text, author: text.exactOptional(), source: text.exactOptional() });
const image = z.strictObject({ rank, title: text, link: text, image: text.exactOptional() });
const ad = z.strictObject({ rank, title: text, link: text, referral_link: text.exactOptional() });

/** A place in the list of local results; paid places are left out, and not counted. */
const place = z.strictObject({
  rank,
  name: text,
  /** Google's place id, `ChIJ...`. */
  place_id: text.exactOptional(),
  /** Google's number of the place. */
  cid: text.exactOptional(),
  rating: z.number().exactOptional(),
  reviews: z.int().exactOptional(),
  category: text.exactOptional(),
  address: text.exactOptional(),
  phone: text.exactOptional(),
  website: text.exactOptional(),
});

export const serpPageSchema = z.strictObject({
  organic: z.array(organicResult).min(1).exactOptional().describe('Main organic results.'),
  knowledge: knowledge.exactOptional().describe('Knowledge panel.'),
  people_also_ask: z.array(question).min(1).exactOptional().describe('Questions with answers.'),
  related: z.array(related).min(1).exactOptional().describe('Related searches at the bottom of the page.'),
  navigation: z.array(tab).min(1).exactOptional().describe('Search type tabs.'),
  perspectives: z.array(perspective).min(1).exactOptional().describe('Social media and forum perspectives.'),
  ai_overview: aiOverview.exactOptional().describe('AI-generated overview.'),
  images: z.array(image).min(1).exactOptional().describe('Image carousel results.'),
  top_ads: z.array(ad).min(1).exactOptional().describe('Sponsored results at the top.'),
  bottom_ads: z.array(ad).min(1).exactOptional().describe('Sponsored results at the bottom.'),
  overview: z
    .strictObject({ kgmid: text.exactOptional(), title: text.exactOptional() })
    .exactOptional()
    .describe('Knowledge graph metadata.'),
  local_results: z.array(place).min(1).exactOptional().describe('An extension: unpaid places in the local pack.'),
});

export type Extension = z.output<typeof extension>;
export type OrganicResult = z.output<typeof organicResult>;
export type DestinationState = NonNullable<OrganicResult['destination_state']>;
export type KnowledgePanel = z.output<typeof knowledge>;
export type PeopleAlsoAsk = z.output<typeof question>;
export type RelatedSearch = z.output<typeof related>;
export type NavigationTab = z.output<typeof tab>;
export type Perspective = z.output<typeof perspective>;
export type ImageResult = z.output<typeof image>;
export type Ad = z.output<typeof ad>;
export type LocalResult = z.output<typeof place>;
export type AiOverview = z.output<typeof aiOverview>;
/** The root object of one page. */
export type SerpPage = z.output<typeof serpPageSchema>;

/**
 * One SERP feature on one page, named in DataForSEO's snake_case (`featured_snippet`, `people_also_ask`, `ai_overview`,
 * `local_pack`, `knowledge_graph`, `top_stories`, `video`, `images`, `paid`, `related_searches`,
 * `discussions_and_forums`, ...).
 */
export interface PageFeature {
  readonly type: string;
  /** Destination URLs in the feature, in its order; empty if there are none. */
  readonly links: readonly string[];
}

/**
 * Why a parsed page may still be wrong. The parser cannot decide it, but a caller that knows earlier pages of the same
 * search can. Other callers treat a doubt as a failure with this reason.
 */
export type PageDoubt = 'decoy_page' | 'empty_unproven';

export type Device = 'desktop' | 'mobile';

/** A parsed page: the specification's root object, and its features, for some of which the root object has no field. */
export interface ReadPage {
  readonly serp: SerpPage;
  /** The device for which the page was made, by its own marks. Absent: it has none. */
  readonly device?: Device;
  /** Absent if there is none. */
  readonly doubts?: readonly PageDoubt[];
  readonly features: readonly PageFeature[];
}
