import { describe, expect, it } from 'vitest';
import { createSource } from '../../../src/service/index.ts';
import { sample } from '../../contract/sources/subject.ts';
import type { SeenRequest } from '../../contract/sources/vendor-server.ts';
import { openVendor } from './vendor-service.ts';

const { vendor, clock, options, ask } = await openVendor('brightdata', {}, 'ollama', Date.UTC(2025, 1, 18, 12));

const general = { query: 'ollama', results_cnt: 5 };
const organic = [{ rank: 1, title: 'A', link: 'https://a.example/' }];

describe('headers report the failure', () => {
  const failing = (headers: Record<string, string>, status = 200, body: unknown = '') => ask({ status, headers, body });

  it('of a query that has just failed: that query rests, and no other one', async () => {
    const headers = { 'x-brd-error-code': 'failed_query_rejected', 'x-brd-error': 'This query recently failed.' };
    for (const status of [200, 429, 502]) {
      await expect(failing(headers, status, 'This query recently failed.')).rejects.toMatchObject({
        code: 'SERP_FAILED',
        disposition: 'retry',
        charged: 'no',
        retryAfterMs: 15_000,
      });
    }
    expect((await ask({ body: { general, organic } })).serp.organic).toHaveLength(1);
  });

  it('of a page for another query: it is not sold, and costs nothing', async () => {
    const headers = { 'x-brd-error-code': 'unexpected_q', 'x-brd-error': 'Search query mismatch' };
    const failure = { code: 'SERP_FAILED', reason: 'wrong_query', charged: 'no', disposition: 'retry' };
    await expect(failing(headers, 502)).rejects.toMatchObject(failure);
  });

  it('of a page that the engine blocked, although HTTP has status 200', async () => {
    const blocked = { code: 'SERP_FAILED', reason: 'blocked', charged: 'no', disposition: 'retry' };
    await expect(failing({ 'x-brd-error-code': 'captcha', 'x-brd-status-code': '502' })).rejects.toMatchObject(blocked);
    await expect(failing({ 'x-brd-status-code': '429' })).rejects.toMatchObject({ ...blocked, status: 429 });
    await expect(failing({ 'x-brd-status-code': '403' }, 200, { general, organic })).rejects.toMatchObject(blocked);
  });

  it('of too many requests, with the time to wait', async () => {
    const headers = { 'x-brd-error-code': 'bucket_rate_limit', 'x-brd-rate-limit-period-ms': '8000' };
    const failure = { code: 'RATE_LIMIT_EXCEEDED', charged: 'no', retryAfterMs: 8000 };
    await expect(failing(headers, 429)).rejects.toMatchObject(failure);
    await clock.advance(8000);
    const account = {
      'x-brd-err-code': 'client_10110',
      'x-brd-err-msg': 'Your account exceeded the allowed rate limits.',
    };
    await expect(failing(account, 429)).rejects.toMatchObject({ ...failure, retryAfterMs: 60_000 });
    await clock.advance(60_000);
  });

  it('of an unknown zone: it halts and names the option', async () => {
    await expect(failing({}, 400, 'zone "serp_api1" not found')).rejects.toMatchObject({
      code: 'INVALID_API_KEY',
      disposition: 'halt',
      hint: 'Check the option zone, and its key.',
    });
    await clock.advance(60_000);
  });

  it('but headers of a good page change nothing', async () => {
    const page = await ask({ headers: { 'x-brd-status-code': '200' }, body: { general, organic } });
    expect(page.serp.organic).toHaveLength(1);
  });
});

it('Bright Data gets the URL of the page with the zone, and waits for an overview if configured', async () => {
  vendor.script = () => ({ body: { general, organic } });
  const source = await createSource(
    'brightdata' as string,
    { ...options, uule: 'Berlin,Germany', aiOverview: true },
    { clock },
  );
  const asked = { keyword: 'ollama', country: 'DE', language: 'de', mobile: true, page: 2 };
  await clock.advance(10);
  await source.serp?.fetchPage(asked, { signal: new AbortController().signal, at: 0 });
  const { json, path } = vendor.requests.at(-1) as SeenRequest;
  const { zone, format, url } = json as { zone: string; format: string; url: string };
  expect([path, zone, format]).toEqual(['/request', 'serp_api1', 'raw']);
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
    q: 'ollama',
    gl: 'de',
    hl: 'de',
    start: '10',
    nfpr: '1',
    brd_json: '1',
    brd_mobile: '1',
    brd_ai_overview: '2',
    uule: 'Berlin,Germany',
  });
  await source.serp?.close?.();
});

describe('a page', () => {
  it('is ordered by the numbers of all its elements, counted by us', async () => {
    const { serp } = await ask({ body: sample('brightdata-ollama.json') });
    expect(serp.organic?.map(({ global_rank }) => global_rank)).toEqual([1, 2, 10, 11]);
    expect(serp.people_also_ask?.map(({ global_rank }) => global_rank)).toEqual([3, 4, 5, 6]);
    // the first of nine is a carousel of six searches
    expect(serp.related?.map(({ global_rank }) => global_rank)).toEqual([
      ...Array.from({ length: 6 }, () => undefined),
      ...[16, 17, 18, 19, 20, 21, 22, 23],
    ]);
  });

  it('has no such order if one element lacks its number, or two share one', async () => {
    const two = [
      { rank: 1, global_rank: 4, title: 'A', link: 'https://a.example/' },
      { rank: 2, global_rank: 9, title: 'B', link: 'https://b.example/' },
    ];
    const places = async (more: object) => {
      const { serp } = await ask({ body: { general, organic: two, ...more } });
      return serp.organic?.map(({ global_rank }) => global_rank);
    };
    expect(await places({})).toEqual([1, 2]);
    expect(await places({ snack_pack: [{ rank: 1, global_rank: 7, name: 'Shop' }] })).toEqual([1, 3]);
    expect(await places({ ai_overview: { texts: [], global_rank: 1 } })).toEqual([2, 3]);
    expect(await places({ perspectives: [{ title: 'Talk' }] })).toEqual([1, 2]);
    expect(await places({ videos: [{ rank: 1, link: 'https://v.example/' }] })).toEqual([undefined, undefined]);
    expect(await places({ videos: [{ rank: 1, global_rank: 9 }] })).toEqual([undefined, undefined]);
  });

  it('with older names and with newer ones is read in the same way', async () => {
    const panel = { subtitle: 'Software', description: 'Runs models.', description_source: 'Wikipedia' };
    const older = {
      ...panel,
      name: 'Ollama',
      facts: [{ key: 'License', value: [{ text: 'MIT', link: 'https://mit.example/' }] }],
    };
    const newer = { ...panel, title: 'Ollama', facts: [{ predicate: 'x', title: 'License', value: 'MIT' }] };
    const expected = { ...panel, name: 'Ollama', facts: [{ key: 'License', value: [{ text: 'MIT' }] }] };
    for (const knowledge of [older, newer]) {
      expect((await ask({ body: { general, organic, knowledge } })).serp.knowledge).toEqual(expected);
    }
  });

  it('has answers of every kind, and generated ones', async () => {
    const answers = (answer: object) => [{ rank: 1, ...answer }];
    const questions = [
      {
        question: 'Text?',
        answer_link: 'https://t.example/#:~:text=x',
        answers: answers({ type: 'answer', value: { text: 'Yes.' } }),
      },
      {
        question: 'List?',
        answer_source: 'A site',
        answers: answers({ type: 'ordered_list', items: ['One', { text: 'Two' }] }),
      },
      {
        question: 'Table?',
        answers: answers({
          type: 'table',
          items: [
            [{ text: 'Size' }, { text: '42' }],
            [{ text: 'Price' }, { text: '9' }],
          ],
        }),
      },
      {
        question: 'Machine?',
        question_type: 'ai_overview',
        answers: [
          {
            texts: [
              { type: 'paragraph', snippet: 'It is.' },
              { type: 'list', title: 'Kinds', list: [{ type: 'paragraph', snippet: 'One' }] },
            ],
          },
        ],
      },
      { question: 'Closed?' },
    ].map((question, index) => ({ rank: index + 1, ...question }));
    const { serp } = await ask({ body: { general, organic, people_also_ask: questions } });
    expect(serp.people_also_ask).toEqual([
      {
        rank: 1,
        question: 'Text?',
        answer_source: 'https://t.example/',
        answers: [{ rank: 1, type: 'answer', value: { text: 'Yes.' } }],
      },
      {
        rank: 2,
        question: 'List?',
        answer_source: 'A site',
        answers: [{ rank: 1, type: 'ordered_list', value: { text: 'One\nTwo' } }],
      },
      { rank: 3, question: 'Table?', answers: [{ rank: 1, type: 'table', value: { text: 'Size 42\nPrice 9' } }] },
      { rank: 4, question: 'Machine?', answers: [{ rank: 1, type: 'answer', value: { text: 'It is.\nKinds\nOne' } }] },
      { rank: 5, question: 'Closed?' },
    ]);
  });

  it('has ads, tabs, an overview, and the features that the root object has no field for', async () => {
    const { serp, features } = await ask({
      body: {
        general,
        organic: [
          {
            ...organic[0],
            duration: '12:34',
            duration_sec: 754,
            image: 'data:image/jpeg;base64,AA',
            image_url: 'https://i.example/1.jpg',
            last_modified_date: 'Feb 3, 2025',
            extensions: [
              { type: 'site_link', text: 'Sale', link: 'https://a.example/sale', extended: true, rank: 1 },
              {
                type: 'site_link',
                text: 'More results from a.example »',
                link: 'https://www.google.com/search?q=x',
                rank: 2,
              },
              { type: 'fact', key: 'Rating', value: [{ text: '4.7' }], rank: 3 },
              { type: 'jump_to', text: 'Jump', link: 'https://a.example/#x', rank: 4 },
            ],
          },
        ],
        top_ads: [
          {
            title: 'Ad',
            link: 'https://ad.example/',
            referral_link: 'https://www.google.com/aclk?x',
            rank: 1,
            global_rank: 1,
          },
        ],
        bottom_ads: [{ title: 'Low', link: 'https://low.example/', rank: 1, global_rank: 9 }],
        navigation: [{ title: 'Shopping', href: 'https://www.google.com/search?q=ollama&udm=28' }],
        overview: { title: 'Ollama', kgmid: '/m/0663v', items: [] },
        ai_overview: {
          texts: [{ type: 'paragraph', snippet: 'It runs models.', reference_indexes: [0] }],
          references: [{ href: 'https://r.example/', title: 'R Opens in new tab.', source: 'R', index: 0 }],
        },
        featured_snippets: [{ type: 'paragraph', title: 'S', link: 'https://s.example/' }],
        snack_pack: [{ name: 'Shop', site: 'https://shop.example/' }],
        top_stories: { heading: 'Top stories', items: [{ title: 'N', link: 'https://news.example/' }] },
        forums: { items: [{ title: 'F', link: 'https://forum.example/', source: 'Forum' }] },
        top_pla: [{ title: 'P', link: 'https://pla.example/' }],
      },
    });
    expect(serp.organic?.[0]).toEqual({
      rank: 1,
      title: 'A',
      link: 'https://a.example/',
      extensions: [
        { rank: 1, type: 'site_link', text: 'Sale', link: 'https://a.example/sale' },
        { rank: 2, type: 'fact', text: 'Rating: 4.7' },
        { rank: 3, type: 'date', text: 'Feb 3, 2025' },
      ],
      image: 'https://i.example/1.jpg',
      duration: '12:34',
      duration_sec: 754,
    });
    expect([serp.top_ads, serp.bottom_ads?.length, serp.overview, serp.navigation?.length]).toEqual([
      [{ rank: 1, title: 'Ad', link: 'https://ad.example/', referral_link: 'https://www.google.com/aclk?x' }],
      1,
      { kgmid: '/m/0663v', title: 'Ollama' },
      1,
    ]);
    expect(serp.ai_overview).toEqual({
      texts: [{ type: 'paragraph', snippet: 'It runs models.', reference_indexes: [0] }],
      references: [{ index: 0, title: 'R', href: 'https://r.example/', source: 'R' }],
    });
    expect(Object.fromEntries(features.map(({ type, links }) => [type, links]))).toMatchObject({
      featured_snippet: ['https://s.example/'],
      local_pack: ['https://shop.example/'],
      top_stories: ['https://news.example/'],
      discussions_and_forums: ['https://forum.example/'],
      shopping: ['https://pla.example/'],
      paid: ['https://ad.example/', 'https://low.example/'],
      ai_overview: ['https://r.example/'],
      video: ['https://a.example/'],
    });
  });

  it('without organic results is empty only if the vendor counts none', async () => {
    const paid = { reason: 'no_organic_results', charged: 'yes' };
    await expect(ask({ body: { general } })).rejects.toMatchObject(paid);
    await expect(ask({ body: { general: { query: 'ollama' } } })).rejects.toMatchObject(paid);
    expect((await ask({ body: { general: { ...general, results_cnt: 0 } } })).serp).toEqual({});
    expect((await ask({ body: { general: { query: 'ollama', is_empty: true } } })).serp).toEqual({});
  });

  it('of a truncated query, or of one without results, is of another query', async () => {
    const other = { reason: 'wrong_query', charged: 'yes' };
    await expect(ask({ body: { general: { ...general, detected_query: 'llama' }, organic } })).rejects.toMatchObject(
      other,
    );
    await expect(ask({ body: { general, organic, spelling: { original_empty: true } } })).rejects.toMatchObject(other);
    const suggested = { general, organic, spelling: { suggested_text: 'llama' } };
    expect((await ask({ body: suggested })).serp.organic).toHaveLength(1);
  });
});
