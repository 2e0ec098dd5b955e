// Names are interned once and read as written, even hostile ones.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinUrl, splitUrl } from '../../../db/connection/names.ts';
import { openStore, type Store } from '../../../db/store.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => store.close());

const hostile = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  "'; DROP TABLE runs; --",
  'a\0b',
  'ß',
  'ẞ',
  'é',
  'e\u0301',
  '走り靴',
  '🏃‍♀️',
  '\u202e',
  'NULL',
  '0',
  '-1',
];
const text = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'grapheme', maxLength: 40 }));

describe('a name', () => {
  it('has one id for each spelling, also after the cache is rebuilt', () => {
    fc.assert(
      fc.property(fc.uniqueArray(text, { minLength: 1, maxLength: 12 }), (names) => {
        const ids = store.transaction(() => names.map((name) => store.names.keywordId(name)));
        expect(new Set(ids).size).toBe(names.length);
        store.names.forget();
        expect(names.map((name) => store.names.keywordId(name))).toEqual(ids);
      }),
      { numRuns: 150 },
    );
  });

  it('that is hostile is stored as an ordinary name in every table', () => {
    for (const name of hostile) {
      const market = { service: name, country: name, language: name, device: 'desktop' } as const;
      const search = { keyword: name, market };
      const id = store.names.searchId(search);
      expect(store.names.knownSearchId(search)).toBe(id);
      expect(store.names.knownSearchIds([search])).toEqual([id]);
      expect(store.names.featureTypeName(store.names.featureTypeId(name))).toBe(name);
      expect(store.names.targetId({ identity: name, match: 'domain', value: name })).toBe(
        store.names.knownTargetId(name),
      );
      expect(store.names.projectId(name)).toBe(store.names.projectId(name));
    }
  });

  it('of a market includes all of its parts: markets whose joined parts are equal stay different', () => {
    const market = (service: string, country: string) =>
      store.names.marketId({ service, country, language: 'en', device: 'mobile' });
    expect(market('a', 'bc')).not.toBe(market('ab', 'c'));
  });
});

describe('a URL', () => {
  it('is stored with its host in lower case and nothing else changed', () => {
    const part = fc.string({ unit: 'grapheme', maxLength: 20 }).map((value) => value.replace(/[\uD800-\uDFFF]/g, ''));
    const url = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      part,
      fc.tuple(part, part).map(([host, rest]) => `https://${host}/${rest}`),
      fc.constantFrom(
        ...hostile,
        'https://',
        '://x',
        'mailto:a@b.example',
        '/search?q=a',
        'HTTPS://EXAMPLE.com/Path?Q=1#F',
        'https://example.com?x=//y',
        'https://a.example://b',
      ),
    );
    fc.assert(
      fc.property(url, (written) => {
        const { host } = splitUrl(written);
        const back = store.names.url(store.names.urlId(written));
        expect(back).toBe(joinUrl(splitUrl(written)));
        expect(back.toLowerCase()).toBe(host === '' ? written.toLowerCase() : back.toLowerCase());
        expect(store.names.urlId(back)).toBe(store.names.urlId(written));
      }),
      { numRuns: 400 },
    );
    expect(store.names.url(store.names.urlId('HTTPS://EXAMPLE.com/Path?Q=1#F'))).toBe('HTTPS://example.com/Path?Q=1#F');
  });

  it('stores its host once', () => {
    for (let page = 0; page < 5; page += 1) store.names.urlId(`https://www.acme.example/page/${page}`);
    expect(
      new Set([
        store.names.urlId('https://www.acme.example/page/0'),
        store.names.urlId('https://WWW.acme.example/page/0'),
      ]).size,
    ).toBe(1);
  });

  it('whose transaction failed is stored again', () => {
    expect(() =>
      store.transaction(() => {
        store.names.urlId('https://lost.example/');
        throw new Error('no');
      }),
    ).toThrow('no');
    const id = store.names.urlId('https://kept.example/');
    expect(store.names.url(id)).toBe('https://kept.example/');
    expect(store.names.url(store.names.urlId('https://lost.example/'))).toBe('https://lost.example/');
  });

  it('is found again after it left the cache', () => {
    const first = store.transaction(() => {
      const id = store.names.urlId('https://first.example/');
      for (let index = 0; index < 25_000; index += 1) store.names.keywordId(`k${index}`);
      for (let index = 0; index < 25_000; index += 1) store.names.urlId(`https://host.example/${index}`);
      return id;
    });
    expect(store.names.urlId('https://first.example/')).toBe(first);
  });
});
