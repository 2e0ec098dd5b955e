// Keywords Everywhere only: related keywords on demand, a hundred keywords per call, currencies.
import { afterEach, expect, it } from 'vitest';
import { createMetricsSource, type MetricsSource, type ServiceError, systemClock } from '../../../src/service/index.ts';
import { type Script, startVendorServer, type VendorServer } from '../../contract/sources/vendor-server.ts';

let vendor: VendorServer;
let source: MetricsSource;

afterEach(async () => {
  await source.close?.();
});

async function start(script: Script, more: object = {}) {
  vendor = await startVendorServer();
  vendor.script = script;
  const options = { apiKey: 'key-of-ke', baseUrl: vendor.url, allowLoopback: true, requestsPerSecond: 1000, ...more };
  source = await createMetricsSource('keywords-everywhere', options, { clock: systemClock });
}

const ask = (limit: number) =>
  source.fetchMetrics(
    { keyword: 'shoes', country: 'US', language: 'en', limit },
    { signal: new AbortController().signal, at: 0 },
  );

const wantedIn = (text: string) => new URLSearchParams(text).getAll('kw[]');

it('related keywords are requested only on demand, with any limit', async () => {
  await start(() => ({ body: { data: [{ keyword: 'shoes', vol: 10, cpc: { currency: '$', value: '1.50' } }] } }));
  expect(await ask(100)).toMatchObject([{ keyword: 'shoes', search_volume: 10, cpc: 1.5, related_keywords: null }]);
  expect(vendor.requests.map(({ path }) => path)).toEqual(['/get_keyword_data']);
  expect(vendor.requests[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(vendor.requests[0]?.text).toBe('kw%5B%5D=shoes&country=us&currency=usd&dataSource=gkp');
});

it('metrics of many keywords are requested by the hundred', async () => {
  const names = Array.from({ length: 249 }, (_, nth) => `shoes ${nth}`);
  await start(
    ({ path, text }) =>
      path === '/get_related_keywords'
        ? { body: { data: [...names, 'Shoes', '', 7] } }
        : { body: { data: wantedIn(text).map((keyword) => ({ keyword, vol: 5 })) } },
    { related: true },
  );
  expect(await ask(250)).toHaveLength(250);
  const counts = vendor.requests.map(({ text }) => wantedIn(text).length);
  expect(counts).toEqual([0, 100, 100, 50]);
});

it('a plan without related keywords is reported with the remedy', async () => {
  const body = { message: '402 Gold or Platinum subscription required', description: 'A Gold plan is required.' };
  await start(() => ({ status: 402, body }), { related: true });
  const error = await ask(10).catch((thrown: unknown) => thrown as ServiceError);
  expect(error).toMatchObject({ disposition: 'halt', charged: 'no', hint: expect.stringContaining('`related`') });
});

it('a cost in another currency than the requested one is unknown', async () => {
  const cpc = { currency: '€', value: '1.50' };
  await start(() => ({ body: { data: [{ keyword: 'shoes', vol: 10, cpc, competition: 0.335 }] } }));
  expect(await ask(1)).toMatchObject([{ cpc: null, competition: 34, competition_level: null }]);
});

it('a keyword whose numbers are all 0 is unknown: none of them was counted', async () => {
  const row = (value: string) => ({
    keyword: 'shoes',
    vol: 0,
    cpc: { currency: '$', value },
    competition: 0,
    trend: [],
  });
  await start(() => ({ body: { data: [row('0.00')] } }));
  expect(await ask(1)).toEqual([]);
  vendor.script = () => ({ body: { data: [row('0.40')] } });
  expect(await ask(1)).toMatchObject([{ search_volume: 0, cpc: 0.4, competition: 0 }]);
});
