import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseSerpRequest } from '../../../src/service/core/requests.ts';
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
