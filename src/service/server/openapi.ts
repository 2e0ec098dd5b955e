// The OpenAPI 3.1 document of the service, made from the schemas that validate requests and document responses.

import * as z from 'zod';
import { type UsageResponse, usageDaysDefault, usageDaysMax } from '../access/credits.ts';
import type { KeywordDataRequestInput, SerpRequestInput } from '../core/calls.ts';
import {
  keywordDataRequestSchema,
  parseKeywordDataRequest,
  parseSerpRequest,
  serpRequestSchema,
} from '../core/requests.ts';
import { type ErrorCode, errorTable } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import type { OperationName } from '../model/ports.ts';
import type { KeywordDataResponse, KeywordMetrics } from '../model/results/keyword-data.ts';
import { aiTextSchema, type SerpPage, serpPageSchema } from '../model/results/serp.ts';
import { possibleCodes } from './responses.ts';

type Json = Readonly<Record<string, unknown>>;

export interface OpenApiDocument extends Json {
  readonly paths: Readonly<Record<string, Json>>;
}

export const info = {
  title: 'Search Data Service',
  version: '1',
  license: { name: 'MIT', identifier: 'MIT' },
  description:
    'Results pages of a search engine as JSON or HTML, and metrics of keywords. Metered in SERP credits (one a page) and in USD (keyword data).',
};

let made: OpenApiDocument | undefined;

/** The same object at every call. */
export function openApiDocument(): OpenApiDocument {
  made ??= {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/', description: 'The server of this document' }],
    security: [{ user: [], password: [] }],
    paths: {
      ...Object.fromEntries(operations().map((facts) => [`/v1/${facts.name}`, { post: operation(facts) }])),
      '/v1/usage': { get: usageOperation() },
      '/healthz': { get: page('health', 'Whether the service is up', 'application/json', { status: 'ok' }) },
      '/readyz': { get: readiness() },
      '/openapi.json': { get: page('openApi', 'This document', 'application/json') },
      '/docs': { get: page('docs', 'This documentation as a web page', 'text/html') },
    },
    components: {
      securitySchemes: {
        user: { type: 'apiKey', in: 'header', name: 'SERVICE-API-USER' },
        password: { type: 'apiKey', in: 'header', name: 'SERVICE-API-PASSWORD' },
      },
      schemas: schemas(),
      headers: headerObjects(),
    },
  };
  return made;
}

function schemas(): unknown {
  const responses = z.registry<{ id: string }>();
  responses.add(serpPageSchema, { id: 'SerpPage' });
  responses.add(aiTextSchema, { id: 'AiOverviewText' });
  responses.add(keywordDataResponseSchema, { id: 'KeywordDataResponse' });
  responses.add(errorBodySchema, { id: 'Error' });
  responses.add(usageResponseSchema, { id: 'Usage' });
  const uri = (id: string) => `#/components/schemas/${id}`;
  return Object.fromEntries(
    Object.entries(z.toJSONSchema(responses, { uri }).schemas).map(([name, schema]) => [name, bare(schema)]),
  );
}

/**
 * A request's schema is inlined where it is used: generated clients can then omit fields with a default. zod omits the
 * default of a transformed field: parsing a request without the field yields it.
 */
function requestSchema(schema: z.ZodType, filled: object): RequestSchema {
  const { $schema: _, properties = {}, required = [], ...made } = z.toJSONSchema(schema, { io: 'input' });
  const fields = Object.entries(properties as Record<string, Record<string, unknown>>).map(([name, field]) => {
    const fallback = ['keyword', 'end_page'].includes(name)
      ? undefined
      : Object.entries(filled).find(([key]) => key === name);
    return [name, fallback === undefined ? field : { ...field, default: fallback[1] }];
  });
  return { ...made, properties: Object.fromEntries(fields), required };
}

/** The document states dialect and address once: repeating them would be noise. */
function bare({ $schema: _, $id: __, id: ___, ...schema }: Record<string, unknown>): Json {
  return schema;
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

interface RequestSchema extends Json {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
}

/** An operation of the specification, for the document and for the page. */
export interface OperationFacts {
  readonly name: OperationName;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly request: RequestSchema;
  readonly examples: Readonly<Record<string, { readonly value: object }>>;
  readonly answer: Json;
  readonly answered: Readonly<Record<string, { readonly value: object }>>;
}

export function operations(): readonly OperationFacts[] {
  const page = reference('SerpPage');
  const several = [
    { type: 'array', items: page, minItems: 2, description: 'format json, several pages, in page order' },
    { type: 'array', items: { type: 'string' }, minItems: 2, description: 'format raw, several pages' },
  ];
  return [
    {
      name: 'serp',
      operationId: 'serp',
      summary: 'Results pages of a keyword',
      description: `One credit per page, charged before work starts and refunded in full if the request fails. At most ${limits.pagesPerRequestMax} pages.`,
      request: requestSchema(serpRequestSchema, parseSerpRequest({ keyword: 'any' })),
      examples: {
        'one page': { value: examples.serpRequest },
        'three pages': { value: examples.serpRequestOfPages },
        'raw HTML': { value: examples.serpRequestRaw },
      },
      answer: { oneOf: [{ ...page, description: 'format json, one page' }, ...several] },
      answered: { 'one page': { value: examples.serpPage }, 'two pages': { value: [examples.serpPage, {}] } },
    },
    {
      name: 'keyword-data',
      operationId: 'keywordData',
      summary: 'Metrics of a keyword and of related keywords',
      description:
        'Costs max(0.01, (result_count / 100) x 0.03) USD. The cost of `limit` results is charged before work starts, and the unused part is refunded.',
      request: requestSchema(keywordDataRequestSchema, parseKeywordDataRequest({ keyword: 'any' })),
      examples: { keyword: { value: examples.keywordDataRequest } },
      answer: reference('KeywordDataResponse'),
      answered: { keyword: { value: examples.keywordDataResponse } },
    },
  ];
}

function usageOperation(): Json {
  const headers = describeHeaders('X-Request-Id', 'Cache-Control', 'RateLimit-Policy', 'RateLimit');
  const days = { type: 'integer', minimum: 1, maximum: usageDaysMax, default: usageDaysDefault };
  return {
    operationId: 'usage',
    summary: "Balance of the caller's account, and its usage by day and user",
    description: 'Costs nothing, and counts as a request. Days are UTC, newest first.',
    parameters: [{ name: 'days', in: 'query', required: false, description: 'Days up to today.', schema: days }],
    responses: {
      200: { description: 'The answer', headers, content: { 'application/json': { schema: reference('Usage') } } },
      ...errors('usage', headers),
    },
  };
}

function operation(facts: OperationFacts): Json {
  const { name, operationId, summary, description, request, answer, answered } = facts;
  const headers = describeHeaders('X-Request-Id', 'Cache-Control', 'RateLimit-Policy', 'RateLimit');
  const charged = { ...headers, ...describeHeaders('X-Credits-Charged', 'X-Credits-Remaining', 'Idempotent-Replayed') };
  const body = { 'application/json': { schema: request, examples: facts.examples } };
  const content = {
    'application/json': { schema: answer, examples: answered },
    ...(name === 'serp' && { 'text/html': { schema: { type: 'string', description: 'format raw, one page' } } }),
  };
  return {
    operationId,
    summary,
    description,
    security: [{ user: [], password: [] }],
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description:
          'Requests with the same key and body within 24 hours are paid once: later ones get the stored answer. With another body, the request is rejected.',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
      },
    ],
    requestBody: { required: true, content: body },
    responses: { 200: { description: 'The answer', headers: charged, content }, ...errors(name, headers) },
  };
}

/** One response per status, with its codes and their conditions in words. */
function errors(name: OperationName | 'usage', headers: Json): Json {
  const byStatus = new Map<number, ErrorCode[]>(name === 'usage' ? [] : [[413, ['INVALID_REQUEST']]]);
  for (const code of possibleCodes[name]) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const more =
        status === 401 ? describeHeaders('WWW-Authenticate') : status === 429 ? describeHeaders('Retry-After') : {};
      const schema = { allOf: [reference('Error'), { properties: { code: { enum: codes } } }] };
      const content = { 'application/json': { schema, examples: errorExamples(codes) } };
      return [status, { description: codes.join(', '), headers: { ...headers, ...more }, content }];
    }),
  );
}

function errorExamples(codes: readonly ErrorCode[]): Json {
  return Object.fromEntries(
    codes.map((code) => [code, { value: { error: errorTable[code].hint, code, request_id: examples.requestId } }]),
  );
}

function tooMany(headers: Json): Json {
  const content = {
    'application/json': { schema: reference('Error'), examples: errorExamples(['RATE_LIMIT_EXCEEDED']) },
  };
  return { description: 'RATE_LIMIT_EXCEEDED', headers: { ...headers, ...describeHeaders('Retry-After') }, content };
}

function page(operationId: string, summary: string, type: string, example?: unknown) {
  const headers = describeHeaders('X-Request-Id', 'Cache-Control', 'RateLimit-Policy', 'RateLimit');
  const schema = { type: type === 'application/json' ? 'object' : 'string' };
  const media = { schema, ...(example !== undefined && { examples: { answer: { value: example } } }) };
  const answer = { description: summary, headers, content: { [type]: media } };
  return { operationId, summary, security: [], responses: { 200: answer, 429: tooMany(headers) } };
}

function readiness(): Json {
  const summary = 'Whether accounts can be charged now';
  const operation = page('readiness', summary, 'application/json', { status: 'ready' });
  const busy = page('readiness', 'They cannot be charged, or the server is stopping', 'application/json', {
    status: 'busy',
  });
  return { ...operation, responses: { ...operation.responses, 503: busy.responses[200] } };
}

const headerWords: Readonly<Record<string, string>> = {
  'X-Request-Id': 'Id of this request, in every answer and error.',
  'Cache-Control': 'no-store.',
  'RateLimit-Policy': 'Quota and window in seconds: "requests";q=600;w=60.',
  RateLimit: 'Requests left in the window, and seconds until there are more: "requests";r=599;t=1.',
  'X-Credits-Charged': 'Cost of this request: SERP credits, or USD for keyword data.',
  'Idempotent-Replayed':
    'true if an earlier request with the same key paid for the answer; X-Credits-Charged is then 0.',
  'X-Credits-Remaining': 'What is left on the account.',
  'WWW-Authenticate': 'The two headers with the credentials of the caller.',
  'Retry-After': 'Seconds to wait.',
};

function describeHeaders(...names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function headerObjects(): Json {
  return Object.fromEntries(
    Object.entries(headerWords).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

const serpRequest: SerpRequestInput = { keyword: 'running shoes', country: 'GB', language: 'en', mobile: true };

const serpPage: SerpPage = {
  organic: [
    {
      rank: 1,
      global_rank: 2,
      title: 'Running shoes for every distance',
      description: 'Light shoes for the road, sturdy ones for the trail.',
      link: 'https://shop.example/running-shoes',
      display_link: 'https://shop.example > running-shoes',
      source: 'Shop Example',
      extensions: [{ type: 'site_link', text: 'Trail', link: 'https://shop.example/trail', rank: 1 }],
    },
  ],
  people_also_ask: [
    {
      rank: 1,
      global_rank: 3,
      question: 'How long do running shoes last?',
      answers: [{ rank: 1, type: 'answer', value: { text: 'About 700 km.' } }],
    },
  ],
  top_ads: [{ rank: 1, title: 'Shoes on sale', link: 'https://sale.example/' }],
};

const keywordDataRequest: KeywordDataRequestInput = { keyword: 'running shoes', country: 'US', limit: 33 };

const keywordDataResponse: KeywordDataResponse = {
  success: true,
  result_count: 1,
  cost: 0.01,
  data: [
    {
      keyword: 'running shoes',
      search_volume: 165000,
      cpc: 1.34,
      competition: 87,
      competition_level: 'high',
      country: 'us',
      language: 'en',
      intent: 'commercial',
      related_keywords: ['trail running shoes', 'running shoes for women'],
    },
  ],
};

/** A test validates each against its schema. */
export const examples = {
  serpRequest,
  serpRequestOfPages: { keyword: 'running shoes', start_page: 1, end_page: 3 } satisfies SerpRequestInput,
  serpRequestRaw: { keyword: 'running shoes', format: 'raw' } satisfies SerpRequestInput,
  serpPage,
  keywordDataRequest,
  keywordDataResponse,
  requestId: '6f1c2b0e-9d53-4c61-8a77-3f0e5b1d2c4a',
} as const;

// Schemas of the responses: the specification's tables, and our shapes where it leaves them open. Tests use them.

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

const usageResponseSchema = z.strictObject({
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
