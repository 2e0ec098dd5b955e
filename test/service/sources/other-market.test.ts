// A page that the vendor's own echo shows to be of another market or page never becomes a rank.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSearchDataService, createSource } from '../../../src/service/index.ts';
import { startVendorServer, type VendorServer } from '../../contract/sources/vendor-server.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

let vendor: VendorServer;
const clock = new FakeClock(Date.UTC(2026, 0, 15, 6));
const results = [1, 2, 3].map((position) => ({
  position,
  title: `Shoes ${position}`,
  link: `https://shop${position}.example/`,
  url: `https://shop${position}.example/`,
}));

beforeAll(async () => {
  vendor = await startVendorServer();
});

afterAll(async () => {
  await vendor.close();
});

async function read(source: string, body: object) {
  const options = { apiKey: 'first-key-123', baseUrl: vendor.url, allowLoopback: true };
  const service = createSearchDataService({ source: await createSource(source, options, { clock }), clock });
  vendor.script = () => ({ body });
  try {
    return (await service.serp({ keyword: 'shoes', country: 'GB' })).pages[0];
  } catch (error) {
    return error;
  } finally {
    await service.close();
  }
}

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
  for (const echo of [{ page: 2 }, { start: 10 }, { engine: 'bing' }, { tbm: 'isch' }, { type: 'news' }])
    expect(await read(source, body(echo))).toMatchObject({ code: 'SERP_FAILED', reason: 'wrong_query' });
});

it.each(answers)('a page of %s is read if its echo names the requested market, or none', async (source, body) => {
  for (const echo of [
    {},
    { gl: 'gb', device: 'desktop', page: 1 },
    { gl: 'GB' },
    { gl: 'uk', page: '1' },
    { start: '0', type: 'search', engine: 'google' },
  ]) {
    expect(await read(source, body(echo)), JSON.stringify(echo)).toMatchObject({ serp: { organic: { length: 3 } } });
  }
});
