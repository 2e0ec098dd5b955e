// A page that the vendor's own echo shows to be of another market or page never becomes a rank.
import { expect, it } from 'vitest';
import { readAnswer } from './vendor-service.ts';

const results = [1, 2, 3].map((position) => ({
  position,
  title: `Shoes ${position}`,
  link: `https://shop${position}.example/`,
  url: `https://shop${position}.example/`,
}));

const read = (source: string, body: object, page = 1) =>
  readAnswer(source, 'shoes', body, { country: 'GB', start_page: page });

const answers: readonly (readonly [source: string, body: (echo: object) => object])[] = [
  ['serper', (echo) => ({ searchParameters: { q: 'shoes', ...echo }, organic: results })],
  ['serpapi', (echo) => ({ search_parameters: { q: 'shoes', ...echo }, organic_results: results })],
  ['searchapi', (echo) => ({ search_parameters: { q: 'shoes', ...echo }, organic_results: results })],
  ['valueserp', (echo) => ({ search_parameters: { q: 'shoes', ...echo }, organic_results: results })],
  ['zenserp', (echo) => ({ query: { q: 'shoes', ...echo }, organic: results })],
];

it.each(answers)('a page of %s that its echo gives to another market or page is refused', async (source, body) => {
  expect(await read(source, body({ gl: 'de' }))).toMatchObject({ code: 'SERP_FAILED', reason: 'wrong_location' });
  expect(await read(source, body({ device: 'mobile' }))).toMatchObject({ code: 'SERP_FAILED', reason: 'wrong_query' });
  for (const echo of [{ page: 2 }, { start: 10 }, { hl: 'de' }, { engine: 'bing' }, { tbm: 'isch' }, { type: 'news' }])
    expect(await read(source, body(echo))).toMatchObject({ code: 'SERP_FAILED', reason: 'wrong_query' });
});

it.each(answers)('a page of %s is read if its echo names the requested market, or none', async (source, body) => {
  for (const echo of [
    {},
    { gl: 'gb', device: 'desktop', page: 1 },
    { gl: 'GB', hl: 'en' },
    { hl: 'EN-gb' },
    { gl: 'uk', page: '1' },
    { start: '0', type: 'search', engine: 'google' },
  ]) {
    expect(await read(source, body(echo)), JSON.stringify(echo)).toMatchObject({ serp: { organic: { length: 3 } } });
  }
});

it.each(answers.filter(([source]) => source !== 'serper'))(
  'a page of %s that begins at another result than the requested page is refused',
  async (source, body) => {
    const other = { code: 'SERP_FAILED', reason: 'wrong_query' };
    expect(await read(source, body({ start: 10 }), 3)).toMatchObject(other);
    expect(await read(source, body({ start: '20' }), 3)).toMatchObject({ serp: { organic: { length: 3 } } });
  },
);

it.each(['serpapi', 'searchapi', 'valueserp'])(
  'a page of %s that its pagination numbers otherwise is refused',
  async (source) => {
    const body = (current: unknown) => ({ organic_results: results, pagination: { current } });
    expect(await read(source, body(1), 2)).toMatchObject({ code: 'SERP_FAILED', reason: 'wrong_query' });
    for (const current of [2, '2', null])
      expect(await read(source, body(current), 2), String(current)).toMatchObject({ serp: { organic: { length: 3 } } });
  },
);

/** Vendors with other names for what they say about the page; `wrong` and `right` are for page 2 of GB on a desktop. */
const otherNames: readonly {
  readonly source: string;
  readonly body: (said: object) => object;
  readonly wrong: readonly object[];
  readonly right: readonly object[];
}[] = [
  {
    source: 'brightdata',
    body: (said) => ({ organic: results, ...said }),
    wrong: [
      { general: { mobile: true } },
      { general: { is_mobile: true } },
      { general: { country_code: 'DE' } },
      { general: { search_engine: 'bing' } },
      { general: { search_type: 'news' } },
      { pagination: { current_page: 1 } },
      { input: { original_url: 'https://www.google.com/search?q=shoes&gl=gb&start=20' } },
    ],
    right: [
      { general: { mobile: false, country_code: 'GB', search_engine: 'google', search_type: 'text' } },
      { general: { mobile: null, country_code: 'uk' }, pagination: { current_page: 2 } },
      { input: { original_url: 'https://www.google.com/search?q=shoes&gl=gb&start=10' } },
      { input: { original_url: 'not an address' }, pagination: { next_page_start: 20 } },
    ],
  },
  {
    source: 'hasdata',
    body: (said) => ({ requestMetadata: { status: 'ok', ...said }, organicResults: results }),
    wrong: ['gl=de&start=10', 'gl=gb&hl=fr', 'gl=gb&start=0', 'gl=gb&tbm=nws'].map((query) => ({
      url: `https://www.google.com/search?q=shoes&${query}`,
    })),
    right: [{}, { url: 'https://www.google.com/search?q=shoes&gl=gb&start=10' }],
  },
  {
    source: 'dataforseo',
    body: ({ data = {}, ...said }: { data?: object }) => {
      const items = results.map((each) => ({ ...each, type: 'organic' }));
      const result = [{ keyword: 'shoes', items, ...said }];
      return { status_code: 20_000, tasks: [{ status_code: 20_000, cost: 0.002, data, result }] };
    },
    wrong: [
      { data: { device: 'mobile' } },
      { data: { language_code: 'de' } },
      { data: { location_code: 2276 } },
      { language_code: 'de' },
      { location_code: 2276 },
      { check_url: 'https://www.google.com/search?q=shoes&gl=DE' },
      { check_url: 'https://www.google.com/search?q=shoes&gl=GB&start=20' },
    ],
    right: [
      {
        data: { device: 'desktop', language_code: 'en', location_code: 2826 },
        check_url: 'https://www.google.com/search?q=shoes&gl=GB&start=10',
      },
      {},
    ],
  },
];

it.each(otherNames)('a page of $source that its own words give to another market or page is refused', async (form) => {
  for (const said of form.wrong)
    expect(await read(form.source, form.body(said), 2), JSON.stringify(said)).toMatchObject({ code: 'SERP_FAILED' });
  for (const said of form.right)
    expect(await read(form.source, form.body(said), 2), JSON.stringify(said)).toMatchObject({
      serp: { organic: { length: 3 } },
    });
});
