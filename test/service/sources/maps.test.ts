// Google Maps: requests for locations, wrong locations, ids of places, and the invented map of the sandbox.
import { describe, expect, it } from 'vitest';
import { createSearchDataService, createSource, type SerpPage } from '../../../src/service/index.ts';
import type { SeenRequest } from '../../contract/sources/vendor-server.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { requestFor } from './vendor-service.ts';

const austin = 'Austin,Texas,United States';
const point = '@30.27,-97.74,15z';
const clock = new FakeClock(Date.UTC(2026, 10, 20));

const key = { apiKey: 'key-12345' };
const options: Record<string, object> = {
  'dataforseo-maps': { login: 'acme', password: 'secret' },
  'brightdata-maps': { ...key, zone: 'serp' },
};

const parameters = (names: readonly string[]) => (seen: SeenRequest) => names.map((name) => seen.query.get(name));
const task = ({ json }: SeenRequest) => (json as Record<string, unknown>[])[0];

describe('each source of maps gets a location in its own form', () => {
  it.each([
    ['serpapi-maps', point, parameters(['engine', 'll', 'location', 'z']), ['google_maps', point, null, null]],
    ['serpapi-maps', austin, parameters(['ll', 'location', 'z']), [null, austin, '14']],
    ['searchapi-maps', point, parameters(['engine', 'll']), ['google_maps', point]],
    ['serper-maps', point, ({ path, json }: SeenRequest) => [path, (json as { ll: string }).ll], ['/maps', point]],
    ['dataforseo-maps', point, task, { location_coordinate: '30.27,-97.74,15z', depth: 20 }],
    ['dataforseo-maps', austin, task, { location_name: austin }],
    [
      'brightdata-maps',
      point,
      ({ json }: SeenRequest) => (json as { url: string }).url,
      `https://www.google.com/maps/search/dentist/${point}?hl=en&gl=us&brd_json=1`,
    ],
  ])('%s, %s', async (source, location, read, expected) => {
    const seen = await requestFor(source, { location });
    if (Array.isArray(expected) || typeof expected === 'string') expect(read(seen)).toEqual(expected);
    else expect(read(seen)).toMatchObject(expected);
  });

  it.each(['serper-maps', 'searchapi-maps', 'brightdata-maps'])('%s refuses a place', async (source) => {
    const refusal = { code: 'INVALID_REQUEST', charged: 'no' };
    await expect(requestFor(source, { location: austin })).rejects.toMatchObject(refusal);
  });
});

async function read(source: string, body: object, location = point): Promise<SerpPage> {
  const { serp } = await createSource(source, options[source] ?? key, { clock });
  if (serp === undefined) expect.fail('the source has pages');
  const asked = { keyword: 'dentist', country: 'US', language: 'en', mobile: false, page: 1, location };
  try {
    return serp.readPage({ contentType: 'application/json', text: JSON.stringify(body) }, asked).serp;
  } finally {
    await serp.close?.();
  }
}

const address = (middle: string) => `https://www.google.com/maps/search/dentist/${middle},15z?hl=en`;
const place = { title: 'Dentist' };
const answers: readonly (readonly [string, (middle: string) => object])[] = [
  ['serpapi-maps', (middle) => ({ search_metadata: { google_maps_url: address(middle) }, local_results: [place] })],
  ['serper-maps', (middle) => ({ searchParameters: { q: 'dentist', ll: `${middle},15z` }, places: [place] })],
  ['searchapi-maps', (middle) => ({ search_parameters: { ll: `${middle},15z` }, local_results: [place] })],
  ['brightdata-maps', (middle) => ({ input: { original_url: address(middle) }, organic: [place] })],
  [
    'dataforseo-maps',
    (middle) => ({
      tasks: [{ result: [{ check_url: address(middle), items: [{ type: 'maps_search', ...place }] }] }],
    }),
  ],
];

it.each(answers)('a map of %s with another middle is the failure wrong_location', async (source, answer) => {
  expect((await read(source, answer('@30.2700001,-97.74'))).local_results).toHaveLength(1);
  await expect(read(source, answer('@30.28,-97.74'))).rejects.toMatchObject({ reason: 'wrong_location' });
});

it('a place has its number from either half of its ids', async () => {
  // the numbers of a recorded answer of SerpApi
  const map_id = '0x89c259a8e1682bf5:0xea388e8841a2955e';
  const encoded = 'ChIJ9Sto4ahZwokRXpWiQYiOOOo';
  const listed = [{ ...place, map_id, map_id_encoded: encoded, link: 'https://grace.example/' }];
  expect((await read('brightdata-maps', { organic: listed })).local_results).toEqual([
    { rank: 1, name: 'Dentist', place_id: encoded, cid: '16877396319438804318', website: 'https://grace.example/' },
  ]);
});

it('a search that fits one business alone is a list of one', async () => {
  const body = { search_metadata: { status: 'Success' }, place_results: { title: 'Dentist', data_cid: '123456789' } };
  expect((await read('serpapi-maps', body)).local_results).toEqual([{ rank: 1, name: 'Dentist', cid: '123456789' }]);
});

describe('the sandbox has a map of the same world', () => {
  const ask = async (location: string | undefined, day = 0, blockedShare = 0) => {
    const source = await createSource('sandbox-maps', { sites: ['acme.com'], blockedShare }, { clock });
    const service = createSearchDataService({ source, clock });
    const at = clock.now() + day * 86_400_000;
    const asked = { keyword: 'dentist', ...(location !== undefined && { location }) };
    const [page] = (await service.serp(asked, { at })).pages;
    return page?.serp;
  };

  it('with 20 places, other ones elsewhere, and the same again in the same place', async () => {
    const here = await ask(austin);
    expect(here?.organic).toBeUndefined();
    expect(here?.local_results?.map(({ rank }) => rank)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(new Set(here?.local_results?.map(({ cid }) => cid)).size).toBe(20);
    expect(await ask(austin)).toEqual(here);
    expect(await ask('Dallas,Texas,United States')).not.toEqual(here);
    expect((await ask(point))?.local_results).toHaveLength(20);
    expect((await ask(undefined))?.local_results).toHaveLength(20);
  });

  it('that is blocked as often as its pages are', async () => {
    await expect(ask(austin, 0, 1)).rejects.toMatchObject({ code: 'SERP_FAILED', reason: 'blocked' });
  });
});
