import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSearchDataService, createSource, type SearchDataService } from '../../../src/service/index.ts';
import { startVendorServer, type VendorServer } from '../../contract/sources/vendor-server.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

let vendor: VendorServer;
let service: SearchDataService;
let clock: FakeClock;

beforeEach(async () => {
  vendor = await startVendorServer();
  clock = new FakeClock(Date.UTC(2026, 0, 15, 6));
  const options = { apiKey: 'first-key-123', baseUrl: vendor.url, allowLoopback: true, requestsPerSecond: 1000 };
  service = createSearchDataService({ source: await createSource('serpapi', options, { clock }), clock });
});

afterEach(async () => {
  await vendor.close();
  await service.close();
});

function answer(more: object, createdAt = '2026-01-15 05:20:00 UTC') {
  vendor.script = () => ({
    body: {
      search_metadata: { status: 'Success', created_at: createdAt },
      search_parameters: { q: 'shoos' },
      organic_results: [{ title: 'Shoes', link: 'https://shoes.example/' }],
      ...more,
    },
  });
}

async function ask() {
  await clock.advance(10);
  return (await service.serp({ keyword: 'shoos' })).pages[0];
}

it('a page from the cache of the last hour is an observation of its cached time, and any other time of a day around is ignored', async () => {
  answer({});
  expect((await ask())?.observedAt).toBe(Date.UTC(2026, 0, 15, 5, 20));
  for (const wrong of ['2026-01-16 05:20:00 UTC', 'yesterday']) {
    answer({}, wrong);
    expect((await ask())?.observedAt).toBe(clock.now());
  }
});

it('a page with a corrected spelling is of another query, and one with a mere suggestion is not', async () => {
  answer({
    search_information: { spelling_fix: 'shoes', organic_results_state: 'Empty showing fixed spelling results' },
  });
  await expect(ask()).rejects.toMatchObject({ reason: 'wrong_query', charged: 'yes' });
  answer({
    search_information: { organic_results_state: 'Some results for exact spelling but showing fixed spelling' },
  });
  await expect(ask()).rejects.toMatchObject({ reason: 'wrong_query', charged: 'yes' });
  answer({
    search_information: {
      spelling_fix: 'shoes',
      organic_results_state: 'Results for exact spelling',
      query_displayed: 'shoos',
    },
  });
  expect((await ask())?.serp.organic).toHaveLength(1);
});

it('the hourly limit is waited for, although no answer gives the time', async () => {
  vendor.script = () => ({ status: 429, body: { error: 'You have exceeded your hourly throughput limit.' } });
  await expect(ask()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 300_000, charged: 'no' });
});
