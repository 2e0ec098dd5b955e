// Schemas of the responses: the specification's tables, and our shapes where it leaves them open. Tests use them.
import * as z from 'zod';
import type { UsageResponse } from '../access/credits.ts';
import { errorTable } from '../model/errors.ts';
import type { KeywordDataResponse, KeywordMetrics } from '../model/results/keyword-data.ts';
import type { AiOverviewText, SerpPage } from '../model/results/serp.ts';

const rank = z.int().min(1);
const text = z.string();

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

const ad = z.strictObject({ rank, title: text, link: text, referral_link: text.exactOptional() });

const place = z.strictObject({
  rank,
  name: text,
  place_id: text.exactOptional(),
  cid: text.exactOptional(),
  rating: z.number().exactOptional(),
  reviews: z.int().exactOptional(),
  category: text.exactOptional(),
  address: text.exactOptional(),
  phone: text.exactOptional(),
  website: text.exactOptional(),
});

/** One page. A field is present only when data exists for it: never null, never an empty array. */
export const serpPageSchema = z.strictObject({
  organic: z.array(organicResult).min(1).exactOptional().describe('Main organic results.'),
  knowledge: knowledge.exactOptional().describe('Knowledge panel.'),
  people_also_ask: z.array(question).min(1).exactOptional().describe('Questions with answers.'),
  related: z
    .array(z.strictObject({ rank, global_rank: rank.exactOptional(), text, link: text }))
    .min(1)
    .exactOptional()
    .describe('Related searches at the bottom of the page.'),
  navigation: z
    .array(z.strictObject({ title: text, href: text }))
    .min(1)
    .exactOptional()
    .describe('Search type tabs.'),
  perspectives: z
    .array(z.strictObject({ title: text, author: text.exactOptional(), source: text.exactOptional() }))
    .min(1)
    .exactOptional()
    .describe('Social media and forum perspectives.'),
  ai_overview: aiOverview.exactOptional().describe('AI-generated overview.'),
  images: z
    .array(z.strictObject({ rank, title: text, link: text, image: text.exactOptional() }))
    .min(1)
    .exactOptional()
    .describe('Image carousel results.'),
  top_ads: z.array(ad).min(1).exactOptional().describe('Sponsored results at the top.'),
  bottom_ads: z.array(ad).min(1).exactOptional().describe('Sponsored results at the bottom.'),
  overview: z
    .strictObject({ kgmid: text.exactOptional(), title: text.exactOptional() })
    .exactOptional()
    .describe('Knowledge graph metadata.'),
  local_results: z.array(place).min(1).exactOptional().describe('An extension: unpaid places in the local pack.'),
}) satisfies z.ZodType<SerpPage>;

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

export const usageResponseSchema = z.strictObject({
  account: text,
  balance: z.strictObject({ serp_credits: z.int().min(0), usd: z.number().min(0) }),
  days: z
    .array(
      z.strictObject({
        date: text.describe('UTC, such as 2026-01-15.'),
        user: text.nullable().describe('API user; null for calls of the server itself.'),
        requests: z.int().min(0).describe('Requests that were charged and not refunded.'),
        serp_credits: z.int().min(0),
        usd: z.number().min(0),
      }),
    )
    .describe('Newest first; a day without requests has no line.'),
}) satisfies z.ZodType<UsageResponse>;

const publicCodes = Object.entries(errorTable).flatMap(([code, { status }]) => (status > 0 ? [code] : []));

export const errorBodySchema = z.strictObject({
  error: text.describe('Human-readable message.'),
  code: z.enum(publicCodes).describe('Machine-readable error code.'),
  request_id: text.describe('The same as in X-Request-Id.'),
});
