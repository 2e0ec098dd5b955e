import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  keywordDataRequestSchema,
  parseKeywordDataRequest,
  parseSerpRequest,
  serpRequestSchema,
} from '../../../src/service/core/requests.ts';
import { canonicalCountry, canonicalLanguage, countryCodes, ServiceError } from '../../../src/service/index.ts';

function codeOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
  return 'accepted';
}

describe('a SERP request body', () => {
  it('gets the defaults of the specification', () => {
    expect(parseSerpRequest({ keyword: 'shoes' })).toEqual({
      keyword: 'shoes',
      language: 'en',
      country: 'US',
      format: 'json',
      mobile: false,
      start_page: 1,
      end_page: 1,
    });
  });

  it('is converted to canonical form', () => {
    const request = { keyword: '\t running  shoes \n', country: 'gB', language: 'PT-br', start_page: 3 };
    expect(parseSerpRequest(request)).toMatchObject({
      keyword: 'running  shoes',
      country: 'GB',
      language: 'pt-BR',
      start_page: 3,
      end_page: 3,
    });
  });

  it('may contain unknown fields', () => {
    expect(parseSerpRequest({ keyword: 'shoes', colour: 'red' })).not.toHaveProperty('colour');
  });

  it.each([
    ['nothing', {}],
    ['undefined', { keyword: undefined }],
    ['null', { keyword: null }],
    ['an empty keyword', { keyword: '' }],
    ['blanks', { keyword: ' \t\u00a0\n' }],
    ['a bad format and no keyword', { format: 'xml' }],
  ])('needs a keyword: %s', (_, body) => {
    expect(codeOf(() => parseSerpRequest(body))).toBe('KEYWORD_REQUIRED');
  });

  it.each(['xml', 'JSON', '', null, 1, ['json']])('has format json or raw, not %j', (format) => {
    expect(codeOf(() => parseSerpRequest({ keyword: 'shoes', format }))).toBe('INVALID_FORMAT');
  });

  it.each([
    null,
    undefined,
    'shoes',
    7,
    [],
    [{ keyword: 'shoes' }],
    { keyword: 7 },
    { keyword: ['shoes'] },
    { keyword: {} },
    { keyword: 'x'.repeat(401) },
    { keyword: 'a\u0000b' },
    { keyword: 'a\tb' },
    { keyword: 'a\u0085b' },
    { keyword: 'a\ud800b' },
    { keyword: 'shoes', country: 'UK' },
    { keyword: 'shoes', country: 'USA' },
    { keyword: 'shoes', country: 'XX' },
    { keyword: 'shoes', country: '' },
    { keyword: 'shoes', country: null },
    { keyword: 'shoes', country: 'ſt' },
    { keyword: 'shoes', language: 'english' },
    { keyword: 'shoes', language: 'en_US' },
    { keyword: 'shoes', language: 'zh-Hant' },
    { keyword: 'shoes', language: '' },
    { keyword: 'shoes', mobile: 'true' },
    { keyword: 'shoes', mobile: 1 },
    { keyword: 'shoes', start_page: 0 },
    { keyword: 'shoes', start_page: 1.5 },
    { keyword: 'shoes', start_page: '1' },
    { keyword: 'shoes', start_page: Number.MAX_VALUE },
    { keyword: 'shoes', start_page: 2, end_page: 1 },
    { keyword: 'shoes', start_page: 101 },
    { keyword: 'shoes', start_page: 95, end_page: 101 },
    { keyword: 'shoes', start_page: 1, end_page: 11 },
    { keyword: 'shoes', end_page: null },
  ])('is refused: %j', (body) => {
    expect(codeOf(() => parseSerpRequest(body))).toBe('INVALID_REQUEST');
  });

  it('may ask for ten pages and 400 characters', () => {
    expect(parseSerpRequest({ keyword: '🥾'.repeat(400), start_page: 5, end_page: 14 }).end_page).toBe(14);
    expect(codeOf(() => parseSerpRequest({ keyword: '🥾'.repeat(401) }))).toBe('INVALID_REQUEST');
  });

  it('has all its problems reported at once', () => {
    expect(() => parseSerpRequest({ keyword: 'shoes', country: 'UK', mobile: 'yes' })).toThrow(/country .*; mobile /);
  });

  it('takes nothing from a prototype', () => {
    const own = JSON.parse('{"__proto__": {"keyword": "stolen", "format": "xml"}}');
    expect(codeOf(() => parseSerpRequest(own))).toBe('KEYWORD_REQUIRED');
    expect(codeOf(() => parseSerpRequest(Object.assign({}, own)))).toBe('KEYWORD_REQUIRED');
    expect(parseSerpRequest({ __proto__: { mobile: true }, keyword: '__proto__' })).toMatchObject({
      keyword: '__proto__',
      mobile: false,
    });
    expect(({} as Record<string, unknown>)['keyword']).toBeUndefined();
  });
});

describe('a keyword data request body', () => {
  it('gets the defaults of the specification', () => {
    const expected = { keyword: 'shoes', country: 'US', language: 'en', limit: 100 };
    expect(parseKeywordDataRequest({ keyword: 'shoes' })).toEqual(expected);
  });

  it('has no format', () => {
    expect(codeOf(() => parseKeywordDataRequest({ keyword: 'shoes', format: 'xml' }))).toBe('accepted');
  });

  it.each([0, 1001, 1.5, '10', null, -1])('with a limit of %j is refused', (limit) => {
    expect(codeOf(() => parseKeywordDataRequest({ keyword: 'shoes', limit }))).toBe('INVALID_REQUEST');
  });

  it('may ask for 1 and for 1000 results', () => {
    expect(parseKeywordDataRequest({ keyword: 'shoes', limit: 1 }).limit).toBe(1);
    expect(parseKeywordDataRequest({ keyword: 'shoes', limit: 1000 }).limit).toBe(1000);
  });
});

describe('the schemas', () => {
  it('can be exported as JSON Schema', () => {
    const serp = z.toJSONSchema(serpRequestSchema, { io: 'input' });
    expect(serp.required).toEqual(['keyword']);
    expect(Object.keys(serp.properties ?? {})).toEqual([
      'keyword',
      'language',
      'country',
      'format',
      'mobile',
      'start_page',
      'end_page',
      'location',
    ]);
    const keywordData = z.toJSONSchema(keywordDataRequestSchema, { io: 'input' });
    expect(keywordData.properties?.['limit']).toMatchObject({ minimum: 1, maximum: 1000, default: 100 });
  });
});

describe('countries and languages', () => {
  it('are those in the time zone data of this machine', ({ skip }) => {
    const file = '/usr/share/zoneinfo/iso3166.tab';
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      skip('no time zone data on this machine');
      return;
    }
    const codes = text
      .split('\n')
      .filter((line) => /^[A-Z]{2}\t/.test(line))
      .map((line) => line.slice(0, 2));
    expect([...countryCodes].sort()).toEqual(codes.sort());
  });

  it('have one spelling', () => {
    expect(countryCodes.size).toBe(249);
    expect([canonicalCountry('de'), canonicalCountry('De'), canonicalCountry('uk')]).toEqual(['DE', 'DE', undefined]);
    expect(['EN', 'es-419', 'pt-br', 'fil', 'e', 'en-', 'en-USA'].map(canonicalLanguage)).toEqual([
      'en',
      'es-419',
      'pt-BR',
      'fil',
      undefined,
      undefined,
      undefined,
    ]);
  });
});
