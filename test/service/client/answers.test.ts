import { describe, expect, it } from 'vitest';
import { failureOf } from '../../helpers/memory-source.ts';
import type { Fault } from '../../helpers/provider.ts';
import { setUpRemote } from '../../helpers/remote.ts';

const shoes = { keyword: 'shoes' };

describe('an unreadable answer', () => {
  it.each([
    ['truncated', 1],
    ['html', 1],
    [{ answer: '' }, 1],
    [{ answer: 'null' }, 1],
    [{ answer: '['.repeat(100_000) }, 1],
    [{ answer: [{ organic: [{ link: 'https://a.example/' }] }] }, 2],
    [{ answer: { organic: [{ link: 'https://a.example/' }] } }, 2],
    [{ answer: { error: 'Out of credits', code: 'OOPS' } }, 1],
  ] as [Fault, number][])('is kept: %j', async (fault, pages) => {
    const { client, provider } = await setUpRemote();
    provider.next(fault);
    const failure = await failureOf(client.serp({ ...shoes, end_page: pages }));
    expect(failure).toMatchObject({ code: 'UNREADABLE_RESPONSE', charged: 'unknown', requestId: 'provider-1' });
    expect(failure.body?.contentType).toBe(fault === 'html' ? 'text/html' : 'application/json');
    if (typeof fault === 'object' && 'answer' in fault) {
      expect(failure.body?.text).toBe(typeof fault.answer === 'string' ? fault.answer : JSON.stringify(fault.answer));
    }
  });

  it.each([
    [{ error: 'Out of credits', code: 'OOPS' }, 'OOPS: Out of credits'],
    [{ error: { message: 'bad key provider-password\nof user' } }, 'bad key *** of user'],
    [{ success: false, message: 'The feed is down' }, 'The feed is down'],
    [{ organic: [{ link: 'https://a.example/' }], error: 'Only 1 of 10 results' }, 'Only 1 of 10 results'],
    [{ organic: [{ link: 'https://a.example/' }], success: false, message: 'Cut off' }, 'Cut off'],
  ])('with an error in it says what the provider said, without secrets: %j', async (answer, words) => {
    const { client, provider } = await setUpRemote();
    provider.next({ answer }, { answer });
    const message = `The service answered 200 with an error: ${words}`;
    const hint = 'Ask the provider what it means; the answer is stored.';
    for (const call of [() => client.serp(shoes), () => client.keywordData(shoes)])
      expect(await failureOf(call())).toMatchObject({ code: 'UNREADABLE_RESPONSE', charged: 'unknown', message, hint });
    const stored = { contentType: 'application/json', text: JSON.stringify(answer) } as const;
    const request = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };
    expect(await failureOf(() => client.readPage(stored, request))).toMatchObject({ message, charged: 'no' });
  });

  it('with another status than 200 is not called stored', async () => {
    const { client, provider } = await setUpRemote();
    provider.next({ status: 206, error: 'in part' });
    expect(await failureOf(client.serp(shoes))).toMatchObject({
      code: 'UNREADABLE_RESPONSE',
      body: undefined,
      hint: 'Only an answer with status 200 is read. Ask the provider what it means.',
    });
  });

  it('is cut to an excerpt if it is too large', async () => {
    const { client, provider } = await setUpRemote();
    provider.next('huge');
    const failure = await failureOf(client.serp(shoes));
    expect(failure.code).toBe('UNREADABLE_RESPONSE');
    expect(failure.body?.text.length).toBeLessThanOrEqual(64 * 1024);
  });

  it('is not read beyond 16 MiB', async () => {
    const { client, provider } = await setUpRemote();
    provider.next({ answer: `{"organic": [{"link": "https://a.example/"}]}${' '.repeat(16 * 1024 * 1024)}` });
    expect((await failureOf(client.serp(shoes))).code).toBe('UNREADABLE_RESPONSE');
  });

  it.each([{ answer: '' }, { answer: '{"error": "no"}' }, { answer: 'nothing here', contentType: 'text/html' }])(
    'in raw format was sold: %j',
    async (fault) => {
      const { client, provider } = await setUpRemote();
      provider.next(fault);
      expect(await failureOf(client.serp({ ...shoes, format: 'raw' }))).toMatchObject({ code: 'UNREADABLE_RESPONSE' });
    },
  );

  it.each([[{ organic: [] }], [{ organic: [], related: [{ text: 'a' }] }], [{ organic: null, related: [] }]])(
    'without results was sold as a SERP: %j',
    async (answer) => {
      const { client, provider } = await setUpRemote();
      provider.next({ answer });
      const failure = await failureOf(client.serp(shoes));
      expect(failure).toMatchObject({
        code: 'SERP_FAILED',
        reason: 'no_organic_results',
        charged: 'yes',
        disposition: 'abandon',
      });
      expect(failure.body?.text).toBe(JSON.stringify(answer));
    },
  );

  it('is read again for free, and refused for free', async () => {
    const { client } = await setUpRemote();
    const request = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };
    for (const text of ['{}', '{', '<html>', '[]']) {
      const failure = await failureOf(() => client.readPage({ contentType: 'application/json', text }, request));
      expect(failure.charged).toBe('no');
    }
  });
});

describe('a page whose tabs name a query', () => {
  const withTabs = (...hrefs: string[]) => ({
    answer: {
      organic: [{ link: 'https://a.example/' }],
      navigation: hrefs.map((href) => ({ title: 'Tab', href })),
    },
  });

  it.each([
    ['the one asked', ['/search?q=shoes&udm=2', 'https://www.google.com/search?tbm=nws&q=shoes']],
    ['the one asked, written otherwise', ['https://www.google.com/search?q=+SHOES&udm=2']],
    ['the one asked, beside a corrected spelling', ['/search?q=shoos', '/search?q=shoes&tbm=vid']],
    ['refinements of it', ['/search?q=shoes+for+men&udm=2', '/search?q=running+shoes']],
    ['none, because they lead elsewhere', ['https://maps.google.com/maps?q=boots', '/imghp', 'javascript:void 0']],
    ['none, because it is empty', ['/search?q=&udm=2']],
  ])('%s, is accepted', async (_words, hrefs) => {
    const { client, provider } = await setUpRemote();
    provider.next(withTabs(...hrefs));
    const { pages } = await client.serp(shoes);
    expect(pages[0]?.serp.organic).toHaveLength(1);
  });

  it.each([
    [['/search?q=boots&udm=2', 'https://www.google.com/search?q=boots&tbm=nws']],
    [['https://www.bing.com/images/search?q=boots']],
    [['/search?q=boots', '/search?q=sandals']],
  ])('another one, is sold and is another page: %j', async (hrefs) => {
    const { client, provider } = await setUpRemote();
    provider.next(withTabs(...hrefs));
    const failure = await failureOf(client.serp(shoes));
    expect(failure).toMatchObject({
      code: 'SERP_FAILED',
      reason: 'wrong_query',
      charged: 'yes',
      disposition: 'abandon',
    });
    expect(failure.body?.text).toContain('boots');
    const request = { ...shoes, country: 'US', language: 'en', mobile: false, page: 1 };
    expect(() => client.readPage(failure.body!, request)).toThrow(/another query/);
  });
});
