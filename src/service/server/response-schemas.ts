// Schemas of the responses: the specification's tables, and our shapes where it leaves them open. Tests use them.
import * as z from 'zod';
import type { UsageResponse } from '../access/credits.ts';
import { errorTable } from '../model/errors.ts';
import type { KeywordDataResponse, KeywordMetrics } from '../model/results/keyword-data.ts';

const text = z.string();

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
