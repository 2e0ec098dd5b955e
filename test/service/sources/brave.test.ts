import { describe, expect, it } from 'vitest';
import type { Reply } from '../../contract/sources/vendor-server.ts';
import { openVendor } from './vendor-service.ts';

const { vendor, clock, ask } = await openVendor('brave');

const query = { original: 'shoes', more_results_available: true };
const results = [
  { title: 'A', url: 'https://a.example/' },
  { title: 'B', url: 'https://b.example/' },
];
const page = (more: object): Reply => ({ body: { type: 'search', query, web: { results }, ...more } });

it('Brave is asked for ten results of a market, without cache and with the keyword as written', async () => {
  const asked = async (language: string, more: object = {}) => {
    await ask(page({}), { language, ...more });
    const seen = vendor.requests.at(-1);
    expect(seen?.headers['cache-control']).toBe('no-cache');
    return Object.fromEntries(seen?.query ?? []);
  };
  expect(await asked('de-AT', { country: 'AT', start_page: 3 })).toEqual({
    q: 'shoes',
    country: 'AT',
    search_lang: 'de',
    count: '10',
    offset: '2',
    text_decorations: 'false',
    spellcheck: 'false',
  });
  const names = [];
  for (const language of ['en-GB', 'en-US', 'ja', 'zh', 'zh-TW', 'pt', 'pt-BR', 'no']) {
    names.push((await asked(language))['search_lang']);
  }
  expect(names).toEqual(['en-gb', 'en', 'jp', 'zh-hans', 'zh-hant', 'pt-pt', 'pt-br', 'nb']);
});

it('Brave has ten pages: later ones are not requested and not charged', async () => {
  await ask(page({}), { start_page: 10 });
  expect(vendor.requests.at(-1)?.query.get('offset')).toBe('9');
  const before = vendor.requests.length;
  await expect(ask(page({}), { start_page: 11 })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    charged: 'no',
    disposition: 'abandon',
  });
  expect(vendor.requests).toHaveLength(before);
});

describe('a 429', () => {
  const limited = (headers: Record<string, string>) =>
    ask({
      status: 429,
      headers,
      body: { type: 'ErrorResponse', error: { code: 'RATE_LIMITED', detail: 'Request rate limit exceeded for plan.' } },
    });

  it('of the second is waited for as long as the headers say', async () => {
    const headers = {
      'x-ratelimit-limit': '1, 2000',
      'x-ratelimit-remaining': '0, 1985',
      'x-ratelimit-reset': '1, 14197',
    };
    await expect(limited(headers)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 1000 });
    await clock.advance(1000);
  });

  it('of the month halts: no credits are left', async () => {
    const headers = {
      'x-ratelimit-limit': '1, 2000',
      'x-ratelimit-remaining': '1, 0',
      'x-ratelimit-reset': '1, 14197',
    };
    await expect(limited(headers)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS', charged: 'no' });
    await clock.advance(60_000);
  });

  it('of a plan without a monthly limit is one of the second, and so is one with unreadable headers', async () => {
    const endless = { 'x-ratelimit-limit': '50, 0', 'x-ratelimit-remaining': '0, 0', 'x-ratelimit-reset': '1, 14197' };
    const unreadable = { 'x-ratelimit-limit': 'x', 'x-ratelimit-remaining': ',' };
    for (const headers of [endless, unreadable, {}] as Record<string, string>[]) {
      await expect(limited(headers)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 1000 });
      await clock.advance(1000);
    }
  });
});

it('an error in the older and in the newer form has a reason', async () => {
  const error = { code: 'SUBSCRIPTION_NOT_FOUND', detail: 'No subscription found.' };
  for (const body of [{ error }, { errors: [error] }]) {
    await expect(ask({ status: 404, body })).rejects.toMatchObject({ code: 'INVALID_API_KEY', charged: 'no' });
    await clock.advance(60_000);
  }
  const invalid = { error: { code: 'VALIDATION', detail: 'Unable to validate request parameter(s)' } };
  await expect(ask({ status: 422, body: invalid })).rejects.toMatchObject({ code: 'INVALID_REQUEST', charged: 'no' });
  const plan = { error: { code: 'OPTION_NOT_IN_PLAN', detail: 'The option is not in your plan.' } };
  await expect(ask({ status: 400, body: plan })).rejects.toMatchObject({ disposition: 'halt', charged: 'no' });
});

describe('a page', () => {
  it('without results is the end only if it states that there are no more', async () => {
    const end = { ...query, more_results_available: false };
    expect((await ask({ body: { query: end } }, { start_page: 4 })).serp).toEqual({});
    expect((await ask({ body: { query: end, web: { results: [] } } })).serp).toEqual({});
    await expect(ask({ body: { query, web: { results: [] } } })).rejects.toMatchObject({
      reason: 'no_organic_results',
    });
    await expect(ask({ body: { query: { original: 'shoes' } } })).rejects.toMatchObject({ charged: 'yes' });
  });

  it('is ordered as its sections are mixed, if the mix has every result', async () => {
    const sections = {
      faq: { results: [{ question: 'Why?', answer: 'So.', title: 'W', url: 'https://w.example/' }] },
      videos: {
        results: [
          { title: 'V', url: 'https://v.example/' },
          { title: 'W', url: 'https://w.example/v' },
        ],
      },
      news: { results: [{ title: 'N', url: 'https://n.example/' }] },
    };
    const main = [
      { type: 'web', index: 0, all: false },
      { type: 'news', all: true },
      { type: 'videos', all: true },
      { type: 'faq', index: 0, all: false },
      { type: 'web', index: 1, all: false },
    ];
    const placesOf = async (mixed: object) => {
      const { serp } = await ask(page({ ...sections, mixed }));
      return [...(serp.organic ?? []), ...(serp.people_also_ask ?? [])].map(({ global_rank }) => global_rank);
    };
    expect(await placesOf({ main })).toEqual([1, 5, 4]);
    expect(await placesOf({ top: [{ type: 'faq', all: true }], main })).toEqual([2, 5, 1]);
    expect(await placesOf({ main: main.slice(0, 4) })).toEqual([undefined, undefined, undefined]);
    expect(await placesOf({ main: [{ type: 'web', index: 7 }, { type: 'web' }] })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has its sections as features, and a panel', async () => {
    const { serp, features } = await ask(
      page({
        web: {
          results: [
            {
              title: 'A',
              url: 'https://a.example/shoes',
              description: 'Words',
              age: 'January 2, 2026',
              profile: { name: 'Site A' },
              meta_url: { netloc: 'a.example', path: '› shoes' },
              thumbnail: { src: 'https://imgs.example/p', original: 'https://a.example/1.jpg' },
              video: { duration: '1:02:03' },
              rating: { ratingValue: 4.5, bestRating: 5, reviewCount: 12 },
              deep_results: { buttons: [{ type: 'button_generic', title: 'Sale', url: 'https://a.example/sale' }] },
            },
          ],
        },
        infobox: {
          type: 'graph',
          results: [
            {
              title: 'Shoe',
              category: 'Clothing',
              long_desc: 'Worn on feet.',
              attributes: [['Made of', '<a href="/x">Leather</a>'], ['odd']],
              providers: [{ name: 'Wikipedia' }],
              website_url: 'https://shoe.example/',
            },
          ],
        },
        discussions: {
          results: [
            { title: 'T', url: 'https://forum.example/1', data: { title: 'Which shoes?', forum_name: 'Forum' } },
          ],
        },
        locations: { results: [{ title: 'Shop', url: 'https://shop.example/' }] },
        news: { results: [{ title: 'N', url: 'https://news.example/' }] },
        faq: { results: [{ question: 'Why?', answer: 'So.', title: 'W', url: 'https://why.example/' }] },
        videos: { results: [{ title: 'V', url: 'https://video.example/' }] },
      }),
    );
    expect(serp).toEqual({
      organic: [
        {
          rank: 1,
          title: 'A',
          description: 'Words',
          link: 'https://a.example/shoes',
          display_link: 'a.example › shoes',
          source: 'Site A',
          extensions: [
            { rank: 1, type: 'site_link', text: 'Sale', link: 'https://a.example/sale' },
            { rank: 2, type: 'date', text: 'January 2, 2026' },
            { rank: 3, type: 'rating', text: '4.5' },
            { rank: 4, type: 'reviews', text: '12' },
          ],
          image: 'https://a.example/1.jpg',
          duration: '1:02:03',
          duration_sec: 3723,
        },
      ],
      knowledge: {
        name: 'Shoe',
        subtitle: 'Clothing',
        description: 'Worn on feet.',
        description_source: 'Wikipedia',
        facts: [{ key: 'Made of', value: [{ text: 'Leather' }] }],
      },
      people_also_ask: [
        {
          rank: 1,
          question: 'Why?',
          answer_source: 'https://why.example/',
          answers: [{ rank: 1, type: 'answer', value: { text: 'So.' } }],
        },
      ],
      perspectives: [{ title: 'Which shoes?', source: 'Forum' }],
    });
    expect(Object.fromEntries(features.map(({ type, links }) => [type, links]))).toEqual({
      knowledge_graph: ['https://shoe.example/'],
      people_also_ask: ['https://why.example/'],
      discussions_and_forums: ['https://forum.example/1'],
      video: ['https://a.example/shoes', 'https://video.example/'],
      top_stories: ['https://news.example/'],
      local_pack: ['https://shop.example/'],
    });
  });
});
