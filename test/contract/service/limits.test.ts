// Every rule of the specification's limits, responses and charges, quoted, for each kind of access to the service.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/service/index.ts';
import { pageOf } from '../../helpers/memory-source.ts';
import { type Subject, subjects } from './subjects.ts';

const shoes = { keyword: 'shoes' };

describe.each(subjects)('the service %s', (_, open) => {
  let subject: Subject;
  beforeEach(async () => {
    subject = await open();
  });
  afterEach(() => subject.close());

  it('1. SERP credits: each page from start_page to end_page costs one credit; a request for pages 1 to 3 costs 3 credits.', async () => {
    expect(await subject.ask('serp', { ...shoes, end_page: 3 })).toMatchObject({ charged: 3, remaining: 97 });
    expect(await subject.ask('serp', { ...shoes, start_page: 5 })).toMatchObject({ charged: 1, remaining: 96 });
  });

  it.each([
    [1, 0.01],
    [33, 0.01],
    [34, 0.0102],
    [50, 0.015],
    [100, 0.03],
    [150, 0.045],
    [200, 0.06],
  ])('2. Keyword Data cost in USD: max(0.01, (result_count / 100) x 0.03): %i results cost %d.', async (limit, usd) => {
    const reply = await subject.ask('keyword-data', { ...shoes, limit });
    expect(reply).toMatchObject({ charged: usd, remaining: Number((1 - usd).toFixed(6)) });
    expect(reply.data?.cost).toBe(usd);
  });

  it('3. Keyword Data credits are charged upfront, before processing, based on the expected result count.', async () => {
    let during = 0;
    const watched = await open({
      metrics: async () => {
        during = (await watched.accounts.find('acme')).microUsd;
        return [];
      },
    });
    expect(await watched.ask('keyword-data', { ...shoes, limit: 200 })).toMatchObject({
      charged: 0.01,
      remaining: 0.99,
    });
    expect(during).toBe(940_000);
    await watched.close();
  });

  it('4. When the balance is insufficient, the response is 402 INSUFFICIENT_CREDITS.', async () => {
    expect((await subject.ask('serp', { ...shoes, end_page: 10 })).status).toBe(200);
    await subject.accounts.credit('acme', { serpCredits: -81, microUsd: 0 });
    expect(await subject.ask('serp', { ...shoes, end_page: 10 })).toMatchObject({
      status: 402,
      code: 'INSUFFICIENT_CREDITS',
    });
    expect(await subject.ask('serp', { ...shoes, end_page: 9 })).toMatchObject({ status: 200, remaining: 0 });
  });

  it('5. Keyword Data limit defaults to 100 results; its maximum value: 1000.', async () => {
    expect(await subject.ask('keyword-data', shoes)).toMatchObject({ charged: 0.03 });
    expect(await subject.ask('keyword-data', { ...shoes, limit: 1000 })).toMatchObject({ charged: 0.3 });
    expect((await subject.ask('keyword-data', { ...shoes, limit: 1001 })).status).toBe(400);
  });

  it('6. Requests are rate limited; exceeding the limit gives 429 RATE_LIMIT_EXCEEDED.', async () => {
    const slow = await open({}, { requestRate: { count: 3, windowMs: 60_000 } });
    const statuses: number[] = [];
    for (let index = 0; index < 4; index++) statuses.push((await slow.ask('serp', shoes)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await slow.accounts.find('acme')).serpCredits).toBe(97);
    await slow.close();
  });

  it('7. Maximum page span of one SERP request: 10.', async () => {
    expect((await subject.ask('serp', { ...shoes, start_page: 2, end_page: 11 })).pages).toHaveLength(10);
    expect((await subject.ask('serp', { ...shoes, start_page: 2, end_page: 12 })).code).toBe('INVALID_REQUEST');
  });

  it('Response 200, multi-page: one per page, in page order; all or nothing', async () => {
    const { pages } = await subject.ask('serp', { ...shoes, start_page: 2, end_page: 4 });
    expect(pages?.map(({ organic }) => organic?.[0]?.title)).toEqual([2, 3, 4].map((page) => `shoes on page ${page}`));
    const failing = await open({
      page: (request) => {
        if (request.page === 3) throw new ServiceError('SERP_FAILED', 'Blocked.');
        return pageOf(request);
      },
    });
    expect((await failing.ask('serp', { ...shoes, end_page: 3 })).status).toBe(502);
    expect((await failing.accounts.find('acme')).serpCredits).toBe(100);
    await failing.close();
  });

  it('Response 200, `format` = `raw`: the raw HTML of the results page; several: an array of HTML strings', async () => {
    const page = await open({ page: (request) => ({ ...pageOf(request), html: '<p>' }) as never });
    const one = await page.ask('serp', { ...shoes, format: 'raw' });
    expect(one.html).toHaveLength(1);
    expect(one.html?.[0]).toContain('<p>');
    expect((await page.ask('serp', { ...shoes, format: 'raw', end_page: 3 })).html).toHaveLength(3);
    await page.close();
  });

  it('a page on which the engine says that it found nothing is an object without `organic`', async () => {
    const empty = await open({
      page: () => ({ serp: { related: [{ rank: 1, text: 'boots', link: 'https://a.example/' }] }, features: [] }),
    });
    const { pages } = await empty.ask('serp', shoes);
    expect(pages).toEqual([{ related: [{ rank: 1, text: 'boots', link: 'https://a.example/' }] }]);
    await empty.close();
  });

  it('no known metrics: `success: true, result_count: 0, data: []`, cost 0.01', async () => {
    const empty = await open({ metrics: () => [] });
    const { data } = await empty.ask('keyword-data', shoes);
    expect(data).toEqual({ success: true, result_count: 0, cost: 0.01, data: [] });
    await empty.close();
  });

  it('the same Idempotency-Key and body are paid once; another body is refused (the issue, point 5)', async () => {
    const asked = { key: 'slot-7' };
    const first = await subject.ask('serp', { ...shoes, end_page: 2 }, asked);
    const again = await subject.ask('serp', { ...shoes, start_page: 1, end_page: 2 }, asked);
    expect(again.pages).toEqual(first.pages);
    expect([first.charged, again.charged ?? 0]).toEqual([2, 0]);
    expect(await subject.ask('serp', { keyword: 'boots' }, asked)).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
    });
    expect((await subject.accounts.find('acme')).serpCredits).toBe(98);
  });

  it('keywords that are names of object internals are ordinary keywords', async () => {
    for (const keyword of ['__proto__', 'constructor', 'toString']) {
      expect((await subject.ask('serp', { keyword })).status).toBe(200);
      expect((await subject.ask('keyword-data', { keyword, limit: 1 })).data?.data[0]?.keyword).toBe(keyword);
    }
  });
});
