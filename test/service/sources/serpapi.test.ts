import { beforeEach, expect, it } from 'vitest';
import { openVendor } from './vendor-service.ts';

let opened: Awaited<ReturnType<typeof openVendor>>;

beforeEach(async () => {
  opened = await openVendor('serpapi', {}, 'shoos');
});

function answer(more: object, createdAt = '2026-01-15 05:20:00 UTC') {
  opened.vendor.script = () => ({
    body: {
      search_metadata: { status: 'Success', created_at: createdAt },
      search_parameters: { q: 'shoos' },
      organic_results: [{ title: 'Shoes', link: 'https://shoes.example/' }],
      ...more,
    },
  });
}

const ask = () => opened.ask();

it('a page from the cache of the last hour is an observation of its cached time, and any other time of a day around is ignored', async () => {
  answer({});
  expect((await ask()).observedAt).toBe(Date.UTC(2026, 0, 15, 5, 20));
  for (const wrong of ['2026-01-16 05:20:00 UTC', 'yesterday']) {
    answer({}, wrong);
    expect((await ask()).observedAt).toBe(opened.clock.now());
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
  expect((await ask()).serp.organic).toHaveLength(1);
});

it('the hourly limit is waited for, although no answer gives the time', async () => {
  opened.vendor.script = () => ({ status: 429, body: { error: 'You have exceeded your hourly throughput limit.' } });
  await expect(ask()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 300_000, charged: 'no' });
});
