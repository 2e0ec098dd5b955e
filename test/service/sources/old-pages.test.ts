// An old page in answer to a live request is refused, under each name that vendors have for its time.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSearchDataService, createSource } from '../../../src/service/index.ts';
import { startVendorServer, type VendorServer } from '../../contract/sources/vendor-server.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

let vendor: VendorServer;
const hourMs = 3_600_000;
const now = Date.UTC(2026, 0, 15, 6);
const results = [{ title: 'Shoes', link: 'https://shop.example/', url: 'https://shop.example/', type: 'organic' }];

beforeAll(async () => {
  vendor = await startVendorServer();
});
afterAll(async () => {
  await vendor.close();
});

const zoned = (at: number): string => new Date(at).toISOString();
const serpApiTime = (at: number): string => `${zoned(at).slice(0, 19).replace('T', ' ')} UTC`;
const taskTime = (at: number): string => `${zoned(at).slice(0, 19).replace('T', ' ')} +00:00`;
/** As Oxylabs writes it. */
const withoutZone = (at: number): string => zoned(at).slice(0, 19).replace('T', ' ');

const search = (created: string) => ({ search_metadata: { created_at: created }, organic_results: results });
const task = (datetime: string) => ({
  status_code: 20_000,
  tasks: [{ status_code: 20_000, result: [{ keyword: 'shoes', datetime, items: results }] }],
});
const job = (created: string) => ({
  results: [{ created_at: created, content: { parse_status_code: 12_000, results: { organic: results } } }],
});
const apiKey = { apiKey: 'key-123' };
const vendors: Readonly<Record<string, { readonly options: object; readonly answer: (at: number) => object }>> = {
  serpapi: { options: apiKey, answer: (at) => search(serpApiTime(at)) },
  searchapi: { options: apiKey, answer: (at) => search(zoned(at)) },
  valueserp: { options: apiKey, answer: (at) => search(zoned(at)) },
  brightdata: {
    options: { ...apiKey, zone: 'serp_api1' },
    answer: (at) => ({ general: { timestamp: zoned(at) }, organic: results }),
  },
  dataforseo: {
    options: { login: 'me@site.example', password: 'secret-123' },
    answer: (at) => task(taskTime(at)),
  },
  oxylabs: { options: { username: 'me', password: 'secret-123' }, answer: (at) => job(withoutZone(at)) },
};

it.each(Object.entries(vendors))(
  'a page of %s is refused if it was fetched more than a day from its request',
  async (name, of) => {
    const ask = async (age: number) => {
      const clock = new FakeClock(now);
      const options = { ...of.options, baseUrl: vendor.url, allowLoopback: true };
      const service = createSearchDataService({ source: await createSource(name, options, { clock }), clock });
      vendor.script = () => ({ body: of.answer(now - age) });
      try {
        return (await service.serp({ keyword: 'shoes' })).pages[0]?.observedAt;
      } finally {
        await service.close();
      }
    };
    for (const age of [25 * hourMs, 30 * 24 * hourMs, -25 * hourMs])
      await expect(ask(age)).rejects.toMatchObject({ code: 'SERP_FAILED', reason: 'stale_page', charged: 'yes' });
    // a clock that is ahead, and a time without a zone, date nothing
    expect(await ask(-2 * hourMs)).toBe(now);
    expect(await ask(2 * hourMs)).toBe(name === 'oxylabs' ? now : now - 2 * hourMs);
  },
);
