// What the server answers, as schemas: the specification's response tables with the shapes of decisions.md. They document, and tests hold answers against them.
import * as z from 'zod';
import { errorTable } from '../errors.ts';
import type { KeywordDataResponse, KeywordMetrics } from '../keyword-data.ts';
import type { AiOverviewText, SerpPage } from '../serp.ts';

const rank = z.int().min(1);
const text = z.string();

const extension = z.strictObject({
  type: z.enum(['site_link', 'date', 'text', 'rating', 'reviews', 'price', 'fact', 'list', 'question', 'missing']),
  text,
  link: text.optional(),
  rank: rank.describe("1-based within the result's extensions."),
});

const organicResult = z.strictObject({
  rank: rank.describe('Position among organic results of this page, 1-indexed.'),
  global_rank: rank.optional().describe('Position across all SERP elements of this page, 1-indexed.'),
  title: text,
  description: text.optional().describe('Snippet.'),
  link: text.describe('Destination URL.'),
  display_link: text.optional().describe('URL formatted as displayed.'),
  source: text.optional().describe('Website or source name.'),
  extensions: z.array(extension).min(1).optional().describe('Site links, dates and other extensions.'),
  image: text.optional().describe('Thumbnail URL (video results).'),
  duration: text.optional().describe('Video duration, minutes:seconds.'),
  duration_sec: z.int().min(0).optional().describe('Video duration in seconds.'),
});

const knowledge = z.strictObject({
  name: text.optional(),
  subtitle: text.optional(),
  description: text.optional(),
  description_source: text.optional(),
  facts: z
    .array(z.strictObject({ key: text, value: z.array(z.strictObject({ text })).optional() }))
    .min(1)
    .optional(),
});

const question = z.strictObject({
  rank,
  global_rank: rank.optional(),
  question: text,
  answer_source: text.optional(),
  answers: z
    .array(
      z.strictObject({
        rank,
        type: z.enum(['answer', 'ordered_list', 'unordered_list', 'table', 'video']),
        value: z.strictObject({ text }),
      }),
    )
    .min(1)
    .optional()
    .describe('Absent where the answer is not on the page.'),
});

const aiText: z.ZodType<AiOverviewText> = z.union([
  z.strictObject({
    type: z.enum(['paragraph', 'title']),
    snippet: text,
    reference_indexes: z.array(z.int()).min(1).exactOptional(),
  }),
  z.strictObject({
    type: z.literal('list'),
    title: text.exactOptional(),
    get list() {
      return z.array(aiText).min(1);
    },
  }),
  z.strictObject({ type: z.literal('code'), snippet: text }),
]);

const aiOverview = z.strictObject({
  texts: z.array(aiText).min(1).optional(),
  references: z
    .array(
      z.strictObject({
        index: z.int(),
        title: text,
        href: text,
        source: text.optional(),
        subtitle: text.optional(),
      }),
    )
    .min(1)
    .optional(),
});

const ad = z.strictObject({ rank, title: text, link: text, referral_link: text.optional() });

/** One page. A field is present only when data exists for it: never null, never an empty array. */
export const serpPageSchema = z.strictObject({
  organic: z.array(organicResult).min(1).optional().describe('Main organic results.'),
  knowledge: knowledge.optional().describe('Knowledge panel.'),
  people_also_ask: z.array(question).min(1).optional().describe('Questions with answers.'),
  related: z
    .array(z.strictObject({ rank, global_rank: rank.optional(), text, link: text }))
    .min(1)
    .optional()
    .describe('Related searches at the bottom of the page.'),
  navigation: z
    .array(z.strictObject({ title: text, href: text }))
    .min(1)
    .optional()
    .describe('Search type tabs.'),
  perspectives: z
    .array(z.strictObject({ title: text, author: text.optional(), source: text.optional() }))
    .min(1)
    .optional()
    .describe('Social media and forum perspectives.'),
  ai_overview: aiOverview.optional().describe('AI-generated overview.'),
  images: z
    .array(z.strictObject({ rank, title: text, link: text, image: text.optional() }))
    .min(1)
    .optional()
    .describe('Image carousel results.'),
  top_ads: z.array(ad).min(1).optional().describe('Sponsored results at the top.'),
  bottom_ads: z.array(ad).min(1).optional().describe('Sponsored results at the bottom.'),
  overview: z
    .strictObject({ kgmid: text.optional(), title: text.optional() })
    .optional()
    .describe('Knowledge graph metadata.'),
});

const metrics = z.strictObject({
  keyword: text.describe('Keyword term.'),
  search_volume: z.int().min(0).nullable().describe('Monthly search volume; null where unknown.'),
  cpc: z.number().min(0).nullable().describe('Advertising cost per click, USD.'),
  competition: z.int().min(0).max(100).nullable().describe('Competition on a 0 to 100 scale.'),
  competition_level: z.enum(['low', 'medium', 'high']).nullable(),
  country: text.describe('Country code, lower case.'),
  language: text.describe('Language code.'),
  intent: z.enum(['commercial', 'informational', 'navigational', 'transactional']).nullable(),
  related_keywords: z.array(text).min(1).nullable().describe('Null when unavailable.'),
}) satisfies z.ZodType<KeywordMetrics>;

export const keywordDataResponseSchema = z.strictObject({
  success: z.literal(true),
  result_count: z.int().min(0).describe('Number of keywords returned.'),
  cost: z.number().min(0.01).describe('Cost in USD of this request.'),
  data: z.array(metrics).describe('By search volume, highest first; ties by keyword.'),
}) satisfies z.ZodType<KeywordDataResponse>;

const toldCodes = Object.entries(errorTable).flatMap(([code, { status }]) => (status > 0 ? [code] : []));

export const errorBodySchema = z.strictObject({
  error: text.describe('Human-readable message.'),
  code: z.enum(toldCodes).describe('Machine-readable error code.'),
  request_id: text.describe('The same as in X-Request-Id.'),
});

/** Whether the schema and the type of a page say the same. */
export type SerpPageBody =
  z.infer<typeof serpPageSchema> extends Partial<Record<keyof SerpPage, unknown>>
    ? z.infer<typeof serpPageSchema>
    : never;
