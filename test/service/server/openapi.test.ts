import { describe, expect, it } from 'vitest';
import { parseKeywordDataRequest, parseSerpRequest } from '../../../src/service/core/requests.ts';
import { errorTable } from '../../../src/service/index.ts';
import { serpPageSchema } from '../../../src/service/model/results/serp.ts';
import { docsPage } from '../../../src/service/server/docs-page.ts';
import {
  errorBodySchema,
  examples,
  keywordDataResponseSchema,
  openApiDocument,
} from '../../../src/service/server/openapi.ts';

const document = JSON.parse(JSON.stringify(openApiDocument()));

/** Every value of a field of that name, at any depth. */
function valuesOf(name: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap((field) => valuesOf(name, field));
  return Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name], ...inside] : inside;
}

describe('the OpenAPI document', () => {
  it('is 3.1, and every reference in it resolves', () => {
    expect(document.openapi).toBe('3.1.0');
    const references = valuesOf('$ref', document) as string[];
    expect(references.length).toBeGreaterThan(50);
    for (const reference of new Set(references)) {
      const path = reference.replace(/^#\//, '').split('/');
      expect(
        path.reduce((place, name) => place?.[name], document),
        reference,
      ).toBeDefined();
    }
  });

  it('has the fields and defaults of the requests', () => {
    const [SerpRequest, KeywordDataRequest] = ['/v1/serp', '/v1/keyword-data'].map(
      (path) => document.paths[path].post.requestBody.content['application/json'].schema,
    );
    const defaultsOf = (schema: { properties: Record<string, { default?: unknown }> }) =>
      Object.entries(schema.properties).map(([name, field]) => [name, field.default]);
    expect(defaultsOf(SerpRequest)).toEqual([
      ['keyword', undefined],
      ['language', 'en'],
      ['country', 'US'],
      ['format', 'json'],
      ['mobile', false],
      ['start_page', 1],
      ['end_page', undefined],
      ['location', undefined],
    ]);
    expect(defaultsOf(KeywordDataRequest)).toEqual([
      ['keyword', undefined],
      ['country', 'US'],
      ['language', 'en'],
      ['limit', 100],
    ]);
    expect(SerpRequest.required).toEqual(['keyword']);
    expect(KeywordDataRequest.properties.limit).toMatchObject({ minimum: 1, maximum: 1000 });
  });

  it('lists the statuses of the specification for each operation', () => {
    const statusesOf = (path: string) => Object.keys(document.paths[path].post.responses).map(Number);
    expect(statusesOf('/v1/serp')).toEqual([200, 400, 401, 402, 413, 429, 500, 502, 504]);
    expect(statusesOf('/v1/keyword-data')).toEqual([200, 400, 401, 402, 403, 413, 429, 500, 502, 504]);
    const text = JSON.stringify(document.paths['/v1/keyword-data']);
    for (const code of ['INVALID_FORMAT', 'SERP_FAILED']) expect(text).not.toContain(code);
    for (const code of ['INVALID_CREDENTIALS', 'IP_NOT_WHITELISTED', 'WORKER_FAILED']) {
      expect(text).toContain(code);
      expect(JSON.stringify(document.paths['/v1/serp'])).not.toContain(code);
    }
    const clientSide = Object.entries(errorTable).filter(([, { status }]) => status === 0);
    for (const [code] of clientSide) expect(JSON.stringify(document)).not.toContain(code);
  });

  it('names every operation, its licence and its server, and gives each request the patterns of its codes', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods as object));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(operations.length);
    expect(ids).not.toContain(undefined);
    expect(document.info.license).toEqual({ name: 'MIT', identifier: 'MIT' });
    expect(document.servers).toMatchObject([{ url: '/' }]);
    const { country, language } =
      document.paths['/v1/serp'].post.requestBody.content['application/json'].schema.properties;
    for (const code of ['US', 'gb']) expect(code).toMatch(new RegExp(country.pattern));
    for (const tag of ['en', 'pt-BR', 'es-419']) expect(tag).toMatch(new RegExp(language.pattern));
    for (const other of ['USA', 'U1']) expect(other).not.toMatch(new RegExp(country.pattern));
    expect(operations.every(({ responses }) => Object.keys(responses).some((status) => status.startsWith('4')))).toBe(
      true,
    );
  });

  it('has examples that the schemas accept', () => {
    expect(parseSerpRequest(examples.serpRequest)).toMatchObject({ country: 'GB', mobile: true });
    expect(parseSerpRequest(examples.serpRequestOfPages)).toMatchObject({ end_page: 3 });
    expect(parseSerpRequest(examples.serpRequestRaw)).toMatchObject({ format: 'raw' });
    expect(parseKeywordDataRequest(examples.keywordDataRequest)).toMatchObject({ limit: 33 });
    serpPageSchema.parse(examples.serpPage);
    keywordDataResponseSchema.parse(examples.keywordDataResponse);
    const errors = valuesOf('value', document.paths).filter((value) => Object.hasOwn(value as object, 'request_id'));
    expect(errors.length).toBeGreaterThan(15);
    for (const error of errors) errorBodySchema.parse(error);
  });
});

describe('the documentation page', () => {
  const { body: text, headers } = docsPage();

  it('shows both operations, every field and every code', () => {
    for (const word of ['POST /v1/serp', 'POST /v1/keyword-data', 'start_page', 'limit', 'Idempotency-Key', 'curl ']) {
      expect(text).toContain(word);
    }
    for (const [code, { status }] of Object.entries(errorTable)) {
      const isOperations = status > 0 && !['NOT_FOUND', 'METHOD_NOT_ALLOWED'].includes(code);
      if (isOperations) expect(text).toContain(`<code>${code}</code>`);
    }
  });

  it('loads nothing and runs nothing: its policy allows its one style only', () => {
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    expect(text).not.toMatch(/<script|<img|<link|\son\w+=|style="|https?:\/\/(?!\w+\.example)/);
  });
});
