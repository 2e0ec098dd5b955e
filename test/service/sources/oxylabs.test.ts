import { describe, expect, it } from 'vitest';
import { createSource } from '../../../src/service/index.ts';
import { sample } from '../../contract/sources/subject.ts';
import type { Reply } from '../../contract/sources/vendor-server.ts';
import { openVendor } from './vendor-service.ts';

const { vendor, clock, ask } = await openVendor('oxylabs', {}, 'gaming chair');
const user = { username: 'acme', password: 'secret 12' };

/** An answer whose job has that content. */
function content(fields: object, job: object = {}): Reply {
  return { body: { results: [{ content: { parse_status_code: 12_000, ...fields }, status_code: 200, ...job }] } };
}

const organic = [{ pos: 1, title: 'A', url: 'https://a.example/' }];
const page = (results: object) => content({ results: { organic, ...results } });

it('Oxylabs accepts one user or several, and nothing between', async () => {
  const make = (options: object) => createSource('oxylabs', options, { clock });
  for (const options of [{}, { username: 'acme' }, { password: 'x' }, { ...user, users: [user] }, { users: [] }]) {
    await expect(make(options)).rejects.toThrow(/^Source "oxylabs": /);
  }
  for (const options of [user, { users: [user, { username: 'other', password: 'a:b' }] }]) {
    expect((await make(options)).serp?.name).toBe('oxylabs');
  }
});

it('a refused user is reported with the option to check', async () => {
  const other = await openVendor('oxylabs');
  await expect(other.ask({ status: 401, body: { message: 'Unauthorized' } })).rejects.toMatchObject({
    code: 'INVALID_API_KEY',
    hint: 'Check username and password of the API user of oxylabs.',
  });
});

it('Oxylabs is asked for one page of a country in a language, with the locale that most of its speakers have', async () => {
  const asked = async (language: string, more: object = {}) => {
    await ask(page({}), { language, ...more });
    return vendor.requests.at(-1)?.json;
  };
  expect(await asked('de', { country: 'AT', mobile: true, start_page: 3 })).toEqual({
    source: 'google_search',
    query: 'gaming chair',
    geo_location: 'AT',
    locale: 'de-de',
    user_agent_type: 'mobile',
    start_page: 3,
    pages: 1,
    parse: true,
  });
  expect(vendor.requests.at(-1)?.headers.authorization).toBe(`Basic ${btoa('acme:secret 12')}`);
  expect(await asked('en')).toMatchObject({ locale: 'en-us' });
  expect(await asked('pt-PT')).toMatchObject({ locale: 'pt-pt' });
  expect(await asked('es-419')).toMatchObject({ locale: 'es-es' });
});

describe('the status of a job', () => {
  it('decides, not the HTTP status: free if the job failed, billed if the engine answered', async () => {
    const ended = (status: number) => ask({ body: { results: [{ content: '', status_code: status }] } });
    const failed = { code: 'SERP_FAILED', disposition: 'retry' };
    for (const status of [500, 612, 613]) {
      await expect(ended(status)).rejects.toMatchObject({ ...failed, status, charged: 'no' });
    }
    await expect(ended(429)).rejects.toMatchObject({ ...failed, reason: 'blocked', charged: 'no' });
    await expect(ended(404)).rejects.toMatchObject({ ...failed, reason: 'blocked', charged: 'yes' });
  });

  it('may be unknown: an unfinished job may still be billed', async () => {
    await expect(ask({ status: 204 })).rejects.toMatchObject({ code: 'TIMEOUT', charged: 'unknown' });
    await expect(ask({ status: 524, body: 'Timeout' })).rejects.toMatchObject({ code: 'TIMEOUT', charged: 'no' });
    await expect(ask({ status: 422, body: { message: 'Unprocessable' } })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      charged: 'no',
    });
  });

  it('may mean a page that was not parsed, or another page: it is paid, kept and not a SERP', async () => {
    const unreadable = { code: 'SERP_FAILED', reason: 'unparseable', charged: 'yes', disposition: 'abandon' };
    await expect(ask(content({ parse_status_code: 12_004, results: { organic } }))).rejects.toMatchObject(unreadable);
    await expect(ask(content({ results: { organic }, page: 2 }))).rejects.toMatchObject(unreadable);
    await expect(ask(content({}))).rejects.toMatchObject(unreadable);
    await expect(ask({ body: { results: [{ content: '<html></html>', status_code: 200 }] } })).rejects.toMatchObject(
      unreadable,
    );
  });
});

describe('a page', () => {
  it('is ordered by the positions of its boxes, each item counted', async () => {
    const { serp } = await ask({ body: sample('oxylabs-gaming-chair.json') });
    expect(serp.organic?.[0]).toMatchObject({ rank: 1, global_rank: 3, source: 'PC Gamer' });
    expect(serp.people_also_ask?.[0]?.global_rank).toBe(5);
    expect(serp.related?.map(({ global_rank }) => global_rank)).toEqual([6, 7, 8, 9, 10, 11]);
    const unplaced = page({ organic: [{ ...organic[0], pos_overall: 1 }], images: { items: [{ pos: 1 }] } });
    expect((await ask(unplaced)).serp.organic?.[0]?.global_rank).toBeUndefined();
  });

  it('has all its parts', async () => {
    const { serp, features } = await ask(
      page({
        organic: [
          {
            title: 'A',
            url: 'https://a.example/',
            desc: 'Words',
            url_shown: 'https://a.example› chairs',
            sitelinks: { inline: [{ title: 'Sale', url: 'https://a.example/sale' }] },
            pos_overall: 2,
          },
        ],
        paid: [
          { title: 'Top', url: 'https://top.example/', data_rw: 'https://www.google.com/aclk?x', pos_overall: 1 },
          { title: 'Low', url: 'https://low.example/', pos_overall: 3 },
        ],
        knowledge: {
          title: 'Chair',
          subtitle: 'Seat',
          description: 'To sit.',
          factoids: [{ title: 'Legs:', content: '4' }],
        },
        navigation: [{ pos: 1, title: 'Images', url: 'https://www.google.com/search?udm=2' }],
        images: {
          items: [{ alt: 'One', url: 'https://i.example/1.jpg', source: 'https://page.example/' }],
          pos_overall: 4,
        },
        ai_overviews: [
          {
            answer_text: [{ text: ['They help.', 'A little.'] }],
            bullet_list: [{ list_title: 'Kinds', points: ['Racing', 'Office'] }],
            source_panel: { items: [{ pos: 1, title: 'S', url: 'https://s.example/', source: 'S' }] },
            pos_overall: 5,
          },
          { answer_text: ['Of a question.'] },
        ],
        related_searches_categorized: [{ items: [{ title: 'Sofa', url: '/search?q=sofa' }], pos_overall: 6 }],
        featured_snippet: [{ url: 'https://f.example/', pos_overall: 0 }],
        local_pack: {
          items: [
            {
              title: 'Shop',
              links: [
                { title: 'Website', href: 'https://shop.example/' },
                { title: 'Directions', href: '/maps/dir/x?q=1' },
              ],
            },
          ],
        },
        top_stories: { items: [{ url: 'https://news.example/', title: 'N' }] },
        twitter: {},
      }),
    );
    expect(serp).toEqual({
      organic: [
        {
          rank: 1,
          global_rank: 3,
          title: 'A',
          description: 'Words',
          link: 'https://a.example/',
          display_link: 'https://a.example› chairs',
          extensions: [{ rank: 1, type: 'site_link', text: 'Sale', link: 'https://a.example/sale' }],
        },
      ],
      knowledge: {
        name: 'Chair',
        subtitle: 'Seat',
        description: 'To sit.',
        facts: [{ key: 'Legs', value: [{ text: '4' }] }],
      },
      related: [{ rank: 1, global_rank: 7, text: 'Sofa', link: '/search?q=sofa' }],
      navigation: [{ title: 'Images', href: 'https://www.google.com/search?udm=2' }],
      ai_overview: {
        texts: [
          { type: 'paragraph', snippet: 'They help.' },
          { type: 'paragraph', snippet: 'A little.' },
          {
            type: 'list',
            title: 'Kinds',
            list: [
              { type: 'paragraph', snippet: 'Racing' },
              { type: 'paragraph', snippet: 'Office' },
            ],
          },
        ],
        references: [{ index: 0, title: 'S', href: 'https://s.example/', source: 'S' }],
      },
      images: [{ rank: 1, title: 'One', link: 'https://page.example/', image: 'https://i.example/1.jpg' }],
      top_ads: [
        { rank: 1, title: 'Top', link: 'https://top.example/', referral_link: 'https://www.google.com/aclk?x' },
      ],
      bottom_ads: [{ rank: 1, title: 'Low', link: 'https://low.example/' }],
    });
    expect(Object.fromEntries(features.map(({ type, links }) => [type, links]))).toEqual({
      knowledge_graph: [],
      related_searches: [],
      ai_overview: ['https://s.example/'],
      images: ['https://page.example/'],
      paid: ['https://top.example/', 'https://low.example/'],
      featured_snippet: ['https://f.example/'],
      top_stories: ['https://news.example/'],
      local_pack: ['https://shop.example/'],
    });
  });

  it('without organic results is empty if that is counted or stated, and beyond the first page', async () => {
    const none = (search_information: object, more: object = {}) =>
      content({ results: { organic: [], search_information, ...more } });
    await expect(ask(none({}))).rejects.toMatchObject({ reason: 'no_organic_results', charged: 'yes' });
    expect((await ask(none({ total_results_count: 0 }))).serp).toEqual({});
    expect((await ask(none({ no_results_for_original_query: true }))).serp).toEqual({});
    expect((await ask(none({}), { start_page: 4 })).serp).toEqual({});
  });

  it('for a query without results lists results of another one', async () => {
    const other = page({ search_information: { query: 'gaming chair', no_results_for_original_query: true } });
    await expect(ask(other)).rejects.toMatchObject({ reason: 'wrong_query', charged: 'yes' });
  });
});
