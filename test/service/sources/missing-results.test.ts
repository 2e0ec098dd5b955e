// A page with only the elements that surround results proves nothing.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSearchDataService, createSource, ServiceError } from '../../../src/service/index.ts';
import { startVendorServer, type VendorServer } from '../../contract/sources/vendor-server.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

let vendor: VendorServer;
const clock = new FakeClock(Date.UTC(2026, 0, 15, 6));
const question = { question: 'Are they good?', link: 'https://answers.example/' };

beforeAll(async () => {
  vendor = await startVendorServer();
});

afterAll(async () => {
  await vendor.close();
});

async function read(source: string, body: object) {
  const key = { apiKey: 'first-key-123', ...(source === 'brightdata' && { zone: 'serp' }) };
  const options = { ...key, baseUrl: vendor.url, allowLoopback: true };
  const service = createSearchDataService({ source: await createSource(source, options, { clock }), clock });
  vendor.script = () => ({ body });
  try {
    return (await service.serp({ keyword: 'shoos' })).pages[0];
  } catch (error) {
    return error;
  } finally {
    await service.close();
  }
}

const pages: readonly (readonly [source: string, empty: object, questions: string, related: object])[] = [
  [
    'serper',
    { searchParameters: { q: 'shoos' }, organic: [] },
    'peopleAlsoAsk',
    { relatedSearches: [{ query: 'shoes' }] },
  ],
  [
    'serpapi',
    { search_parameters: { q: 'shoos' }, search_information: { organic_results_state: 'Fully empty' } },
    'related_questions',
    { related_searches: [{ query: 'shoes' }] },
  ],
  [
    'brightdata',
    { general: { query: 'shoos', results_cnt: 0 } },
    'people_also_ask',
    { related: [{ text: 'shoes', link: 'https://www.google.com/search?q=shoes' }] },
  ],
];

it.each(pages)(
  'an empty page of %s with questions on it does not prove that nothing was found',
  async (source, empty, questions) => {
    const error = await read(source, { ...empty, [questions]: [question] });
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'SERP_FAILED', reason: 'no_organic_results', charged: 'yes' });
  },
);

it.each(pages)(
  'a page of %s with related searches states that nothing was found',
  async (source, empty, _, related) => {
    expect(await read(source, { ...empty, ...related })).toMatchObject({ serp: { related: [{ text: 'shoes' }] } });
  },
);
