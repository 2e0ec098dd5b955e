// DataForSEO, live: codes and their costs, requests for one page, and the elements of a page.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  canonicalCountry,
  countryCodes,
  createSearchDataService,
  createSource,
  type SearchDataService,
  type ServiceError,
} from '../../../src/service/index.ts';
import { itemTypes } from '../../../src/service/sources/dataforseo/page.ts';
import { locationCode } from '../../../src/service/sources/vendor-kit/market.ts';
import { sample } from '../../contract/sources/subject.ts';
import { done, envelope, results, taskIn } from '../../contract/sources/subjects/dataforseo.ts';
import { startVendorServer, type VendorServer } from '../../contract/sources/vendor-server.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const clock = new FakeClock(Date.UTC(2026, 0, 15, 6));
let vendor: VendorServer;
let service: SearchDataService;

beforeEach(async () => {
  vendor = await startVendorServer();
  await open({});
});
afterEach(async () => {
  await service.close();
});

async function open(more: Record<string, unknown>): Promise<void> {
  const access = { login: 'me@agency.example', password: 'first-key-123' };
  const options = { ...access, baseUrl: vendor.url, allowLoopback: true, requestsPerSecond: 1000, ...more };
  service = createSearchDataService({ source: await createSource('dataforseo', options, { clock }), clock });
}

async function ask(page = 1, keyword = 'shoes') {
  await clock.advance(10);
  const { pages } = await service.serp({ keyword, start_page: page });
  return pages[0] ?? expect.fail('there is no page');
}

async function failure(page = 1): Promise<ServiceError> {
  return await ask(page).then(
    () => expect.fail('the page was sold'),
    (error: unknown) => error as ServiceError,
  );
}

const shops = ['https://a.example/', 'https://b.example/'];

describe('a code', () => {
  const inTask = (status_code: number, cost: number | undefined) =>
    envelope({ status_code, status_message: 'Words.', cost, result: null });
  const inCall = (status_code: number) => ({ status_code, status_message: 'Words.', cost: 0, tasks: null });

  it.each([
    [40101, 0.002, 'SERP_FAILED', 'retry', 'yes'],
    [40101, 0, 'SERP_FAILED', 'retry', 'no'],
    [40103, 0, 'SERP_FAILED', 'retry', 'no'],
    [50000, 0.002, 'SERP_FAILED', 'retry', 'yes'],
    [50301, 0, 'SERP_FAILED', 'retry', 'no'],
    [50401, 0, 'TIMEOUT', 'retry', 'no'],
    [40501, 0, 'INVALID_REQUEST', 'abandon', 'no'],
    [40506, 0, 'INVALID_REQUEST', 'abandon', 'no'],
    [40000, 0, 'INVALID_REQUEST', 'abandon', 'no'],
    [40205, 0, 'INVALID_REQUEST', 'abandon', 'no'],
    [40200, 0, 'INSUFFICIENT_CREDITS', 'halt', 'no'],
    [40203, 0, 'INSUFFICIENT_CREDITS', 'halt', 'no'],
    [40210, 0, 'INSUFFICIENT_CREDITS', 'halt', 'no'],
    [40100, 0, 'INVALID_API_KEY', 'halt', 'no'],
    [40104, 0, 'IP_NOT_WHITELISTED', 'halt', 'no'],
    [40201, 0, 'IP_NOT_WHITELISTED', 'halt', 'no'],
    [40207, 0, 'IP_NOT_WHITELISTED', 'halt', 'no'],
    [40402, 0, 'NOT_FOUND', 'halt', 'no'],
    [40202, 0, 'RATE_LIMIT_EXCEEDED', 'wait', 'no'],
    [40209, 0, 'RATE_LIMIT_EXCEEDED', 'wait', 'no'],
    [60000, 0.002, 'SERP_FAILED', 'retry', 'yes'],
  ])('%i with a cost of %d is %s, to %s, charged %s', async (code, cost, expected, disposition, charged) => {
    vendor.script = () => ({ body: inTask(code, cost) });
    expect(await failure()).toMatchObject({ code: expected, disposition, charged });
    expect(vendor.requests).toHaveLength(1);
  });

  it('of the whole call counts as well, and without a cost a failure may have been charged', async () => {
    vendor.script = () => ({ body: inCall(40202) });
    expect(await failure()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 20_000, charged: 'no' });
    await clock.advance(20_000);
    vendor.script = () => ({ body: { status_code: 50000, status_message: 'Internal Error.' } });
    expect(await failure()).toMatchObject({ code: 'SERP_FAILED', charged: 'unknown' });
  });

  it('for "nothing found" is a page, even the first one', async () => {
    vendor.script = () => ({ body: inTask(40102, 0.002) });
    expect((await ask()).serp).toEqual({});
  });
});

describe('a page', () => {
  it('that lists a result twice is refused', async () => {
    const items = results(shops);
    vendor.script = () => ({ body: done('shoes', [...items, { ...items[0], rank_group: 43 }]) });
    await expect(ask()).rejects.toMatchObject({ reason: 'unparseable', charged: 'yes' });
  });

  it('is requested alone: one page of ten, beginning at its first result', async () => {
    vendor.script = (request) => ({ body: done(decodeURIComponent(taskIn(request).keyword ?? ''), results(shops)) });
    await ask(1);
    await ask(4, '100% c++');
    expect(vendor.requests.map(taskIn)).toEqual([
      {
        keyword: 'shoes',
        location_code: 2840,
        language_code: 'en',
        device: 'desktop',
        depth: 10,
        max_crawl_pages: 1,
      },
      {
        keyword: '100%25 c%2B%2B',
        location_code: 2840,
        language_code: 'en',
        device: 'desktop',
        depth: 10,
        max_crawl_pages: 1,
        search_param: '&start=30',
      },
    ]);
  });

  it('whose keyword is returned in the form for the vendor is of that keyword', async () => {
    vendor.script = () => ({ body: done('c%2B%2B', results(shops)) });
    expect((await ask(1, 'c++')).serp.organic).toHaveLength(2);
  });

  it('that begins elsewhere is another page, and a URL without a start is accepted', async () => {
    const at = (address: string) => ({ body: done('shoes', results(shops), { check_url: address }) });
    vendor.script = () => at('https://www.google.com/search?q=shoes&start=0');
    expect(await failure(2)).toMatchObject({ reason: 'wrong_query', charged: 'yes' });
    vendor.script = () => at('https://www.google.com/search?q=shoes&start=10');
    expect((await ask(2)).serp.organic).toHaveLength(2);
    vendor.script = () => at('https://www.google.com/search?q=shoes');
    expect((await ask(2)).serp.organic).toHaveLength(2);
  });

  it('of another spelling is of another query, and one with a mere suggestion is not', async () => {
    const spelt = (type: string) => ({ body: done('shoes', results(shops), { spell: { keyword: 'shows', type } }) });
    for (const type of ['showing_results_for', 'no_results_found_for']) {
      vendor.script = () => spelt(type);
      expect(await failure()).toMatchObject({ reason: 'wrong_query' });
    }
    for (const type of ['did_you_mean', 'including_results_for']) {
      vendor.script = () => spelt(type);
      expect((await ask()).serp.organic).toHaveLength(2);
    }
  });

  it('without elements is the end of the results, but not as the first one', async () => {
    vendor.script = () => ({ body: done('shoes', []) });
    expect((await ask(3)).serp.organic).toBeUndefined();
    expect(await failure(1)).toMatchObject({ reason: 'no_organic_results', charged: 'yes' });
  });

  it('is an observation of the time of the search, unless that is later or unknown', async () => {
    const at = (datetime: string) => ({ body: done('shoes', results(shops), { datetime }) });
    vendor.script = () => at('2026-01-15 05:20:00 +00:00');
    expect((await ask()).observedAt).toBe(Date.UTC(2026, 0, 15, 5, 20));
    for (const wrong of ['2026-01-16 05:20:00 +00:00', 'yesterday']) {
      vendor.script = () => at(wrong);
      expect((await ask()).observedAt).toBe(clock.now());
    }
  });

  it('with an overview that is loaded later is waited for if configured', async () => {
    await service.close();
    await open({ loadAiOverview: true });
    vendor.script = () => ({ body: done('shoes', results(shops)) });
    await ask();
    expect(vendor.requests[0]?.json).toMatchObject([{ load_async_ai_overview: true }]);
  });
});

describe('ranks over all elements', () => {
  const element = (type: string, rank_absolute: number, more: object = {}) => ({
    type,
    rank_absolute,
    position: 'left',
    title: type,
    url: `https://${type}.example/${rank_absolute}`,
    ...more,
  });

  it('count all ranked elements, part by part, in the order of the numbers and not by their values', async () => {
    const questions = [{ title: 'Why?' }, { title: 'Who?' }];
    vendor.script = () => ({
      body: done('shoes', [
        element('knowledge_graph', 31, { position: 'right' }),
        element('paid', 32),
        element('organic', 35),
        element('people_also_ask', 38, { items: questions }),
        element('local_pack', 39),
        element('organic', 40),
        element('related_searches', 44, { items: ['red shoes', 'blue shoes'] }),
      ]),
    });
    const { serp } = await ask();
    expect(serp.organic?.map(({ rank, global_rank }) => [rank, global_rank])).toEqual([
      [1, 2],
      [2, 5],
    ]);
    expect(serp.people_also_ask?.map(({ rank, global_rank }) => [rank, global_rank])).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(serp.related?.map(({ text, global_rank }) => [text, global_rank])).toEqual([
      ['red shoes', 6],
      ['blue shoes', 7],
    ]);
    expect(serp.top_ads).toHaveLength(1);
  });

  it('are omitted if the numbers give no order', async () => {
    vendor.script = () => ({ body: done('shoes', [element('organic', 3), element('paid', 3), element('organic', 4)]) });
    const { serp } = await ask();
    expect(serp.organic?.map(({ global_rank }) => global_rank)).toEqual([undefined, undefined]);
    expect(serp.bottom_ads).toHaveLength(1);
  });
});

describe("the elements of the vendor's documentation", () => {
  const elements = sample('dataforseo-elements.json')['items'] as Record<string, unknown>[];

  it('are all in the table of kinds, and the table has no others', () => {
    expect([...new Set(elements.map(({ type }) => type))].sort()).toEqual([...itemTypes.keys()].sort());
  });

  it('are read into the fields of the root object', async () => {
    vendor.script = () => ({ body: done('shoes', elements) });
    const { serp } = await ask();
    expect(Object.keys(serp).sort()).toEqual(
      [
        'ai_overview',
        'bottom_ads',
        'images',
        'knowledge',
        'organic',
        'local_results',
        'overview',
        'people_also_ask',
        'perspectives',
        'related',
      ].sort(),
    );
    expect(serp.organic?.[0]).toMatchObject({
      title: 'Apple iPhone 12 Pro 5G | 4 colors in 512GB, 256GB & 128GB',
      display_link: 'https://www.t-mobile.com › Phones › Apple',
      source: 'T-Mobile',
    });
    expect(serp.organic?.[0]?.extensions).toMatchObject([
      { type: 'site_link', link: 'https://www.t-mobile.com/cell-phone/apple-iphone-12' },
      { type: 'rating', text: '4' },
      { type: 'reviews', text: '231' },
      { type: 'price', text: 'US$30.00 to US$899.99' },
    ]);
    expect(serp.knowledge).toMatchObject({
      name: 'Eminem',
      subtitle: 'American rapper',
      description_source: 'Wikipedia',
    });
    expect(serp.knowledge?.facts?.[0]).toEqual({
      key: 'Born',
      value: [{ text: 'October 17, 1972 (age 48 years), Saint Joseph, MO' }],
    });
    expect(serp.overview).toEqual({ kgmid: '/m/01vsgrn', title: 'Eminem' });
    expect(serp.people_also_ask?.[0]).toMatchObject({
      question: 'What are the symptoms of HIDS disease?',
      answer_source: 'https://rarediseases.org/rare-diseases/hyper-igd-syndrome/',
      answers: [{ rank: 1, type: 'answer' }],
    });
    expect(serp.people_also_ask?.[1]?.answers?.[0]?.value.text).toContain('The BMW M4 F82');
    expect(serp.related?.[0]?.text).toBe('iphone xr');
    expect(serp.perspectives?.map(({ title }) => title)).toContain('The best October Prime Day deals under $25');
    expect(serp.images?.[0]?.title).toBe('Image result for google pixel 5');
  });

  it('include an overview: its texts refer to the pages that it names', async () => {
    vendor.script = () => ({ body: done('shoes', elements) });
    const { ai_overview: overview } = (await ask()).serp;
    expect(overview?.references?.map(({ index, source }) => [index, source])).toEqual([
      [0, 'autoevolution'],
      [1, 'PistonHeads'],
    ]);
    expect(overview?.texts?.[0]).toMatchObject({ type: 'paragraph', reference_indexes: [0, 1] });
    expect(overview?.texts?.[1]).toMatchObject({
      type: 'list',
      title: 'Step 4: Calculate Springfield Division sales for Quarter 2',
    });
    const table = overview?.texts?.[2];
    expect(
      table?.type === 'list' && table.list.map((row) => ('snippet' in row ? row.snippet.slice(0, 18) : '')),
    ).toEqual(expect.arrayContaining(['Aspect | Sanity Te', 'Scope | Narrow and']));
  });

  it('are features by their own names, with the URLs that they show', async () => {
    vendor.script = () => ({ body: done('shoes', [...elements, { type: 'new_thing', items: [{ url: shops[0] }] }]) });
    const { features } = await ask();
    const linksOf = (type: string) => features.find((feature) => feature.type === type)?.links;
    expect(linksOf('new_thing')).toEqual(['https://a.example/']);
    expect(linksOf('featured_snippet')).toEqual(['https://www.rome.net/metro']);
    expect(linksOf('math_solver')?.[0]).toContain('https://www.tiger-algebra.com/');
    expect(linksOf('mention_carousel')?.[0]).toContain('https://www.fitrated.com/');
    expect(linksOf('ai_overview')).toHaveLength(2);
    expect(linksOf('top_stories')?.[0]).toContain('https://news.sky.com/');
    expect(linksOf('local_pack')).toEqual([]);
    expect(linksOf('jobs')).toEqual([]);
    expect(features.some(({ type }) => type === 'organic')).toBe(false);
  });
});

describe('the options', () => {
  const refused = (options: Record<string, unknown>) => expect(createSource('dataforseo', options, { clock })).rejects;

  it('name one account or several, and not both', async () => {
    const one = { login: 'me', password: 'secret' };
    await refused({}).toThrow('login and password');
    await refused({ login: 'me' }).toThrow('login and password');
    await refused({ ...one, accounts: [one] }).toThrow('login and password');
    await refused({ ...one, login: 'me:too' }).toThrow('login');
    const { serp } = await createSource('dataforseo', { accounts: [one, { ...one, login: 'you' }] }, { clock });
    await serp?.close?.();
  });
});

it('every country has a number, as ISO 3166-1 assigns it', () => {
  expect([...countryCodes].filter((code) => locationCode(code) === undefined)).toEqual([]);
  const known = { US: 2840, GB: 2826, DE: 2276, FR: 2250, ES: 2724, IT: 2380, CA: 2124, AU: 2036, IN: 2356, BR: 2076 };
  for (const [code, number] of Object.entries(known)) {
    expect(locationCode(canonicalCountry(code) ?? ''), code).toBe(number);
  }
  expect(new Set([...countryCodes].map(locationCode)).size).toBe(countryCodes.size);
});
