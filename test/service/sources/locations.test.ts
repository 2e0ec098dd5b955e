import { describe, expect, it } from 'vitest';
import { searchRequest } from '../../../src/service/engines/google/urls.ts';
import { isOtherPlace } from '../../../src/service/engines/page/other-market.ts';
import { createSearchDataService, createSource, parseLocation, sourceLocations } from '../../../src/service/index.ts';
import { canonicalLocation, decodeUule, encodeUule } from '../../../src/service/model/results/location.ts';
import type { SeenRequest } from '../../contract/sources/vendor-server.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { readAnswer, requestFor } from './vendor-service.ts';

const austin = 'Austin,Texas,United States';
const point = '@30.27,-97.74,14z';
const clock = new FakeClock(Date.UTC(2026, 10, 20));

const key = { apiKey: 'key-12345' };
const options: Record<string, object> = {
  oxylabs: { username: 'acme', password: 'secret' },
  dataforseo: { login: 'acme', password: 'secret' },
  brightdata: { ...key, zone: 'serp' },
};

const field = (name: string) => (seen: SeenRequest) => (seen.json as Record<string, unknown>)[name];
const parameter = (name: string) => (seen: SeenRequest) => seen.query.get(name);
const task = (seen: SeenRequest) => {
  const { location_code, location_name, location_coordinate } = (seen.json as Record<string, unknown>[])[0] ?? {};
  return { location_code, location_name, location_coordinate };
};
const uule = (seen: SeenRequest) => new URL(String(field('url')(seen))).searchParams.get('uule');

describe('each source gets a location in its own form', () => {
  it.each([
    ['serpapi', austin, parameter('location'), austin],
    ['serpapi', point, (seen: SeenRequest) => [seen.query.get('lat'), seen.query.get('lon')], ['30.27', '-97.74']],
    ['searchapi', austin, parameter('location'), austin],
    ['valueserp', austin, parameter('location'), austin],
    ['hasdata', austin, parameter('location'), austin],
    ['zenserp', austin, parameter('location'), austin],
    ['serper', austin, field('location'), austin],
    ['oxylabs', austin, field('geo_location'), austin],
    ['oxylabs', point, field('geo_location'), 'lat: 30.27, lng: -97.74, rad: 25000'],
    ['oxylabs', undefined, field('geo_location'), 'US'],
    ['dataforseo', austin, task, { location_name: austin }],
    ['dataforseo', point, task, { location_coordinate: '30.27,-97.74,200' }],
    ['dataforseo', undefined, task, { location_code: 2840 }],
    ['searchapi', point, parameter('uule'), encodeUule(point)],
    ['hasdata', point, parameter('uule'), encodeUule(point)],
    ['hasdata', point, parameter('location'), null],
    ['brightdata', austin, uule, encodeUule(austin)],
    ['brightdata', point, uule, encodeUule(point)],
    ['thordata', austin, uule, encodeUule(austin)],
    ['thordata', point, uule, encodeUule(point)],
  ])('%s, %s', async (source, location, read, expected) => {
    expect(read(await requestFor(source, location === undefined ? {} : { location }))).toEqual(expected);
  });
});

it.each(['serper', 'valueserp', 'zenserp'])('%s refuses a coordinate before anything is sent', async (source) => {
  const refusal = { code: 'INVALID_REQUEST', charged: 'no' };
  await expect(requestFor(source, { location: point })).rejects.toMatchObject(refusal);
});

it('a chain takes the locations that all of its parts take', async () => {
  const sources = (...names: string[]) => ({ sources: names.map((source) => ({ source })) });
  expect(await sourceLocations('chain', sources('serpapi', 'oxylabs'))).toEqual(['place', 'coordinate']);
  expect(await sourceLocations('chain', sources('serpapi', 'serper'))).toEqual(['place']);
  expect(await sourceLocations('chain', sources('serpapi', 'bing'))).toEqual([]);
  expect(await sourceLocations('replay', {})).toEqual([]);
});

it('a request without a location is the same as before there were locations', () => {
  const asked = { keyword: 'dentist', country: 'US', language: 'en', mobile: false, page: 1 };
  expect(searchRequest(asked).url).toBe('https://www.google.com/search?q=dentist&hl=en&gl=us&pws=0&nfpr=1');
  expect(new URL(searchRequest({ ...asked, location: austin }).url).searchParams.get('uule')).toBe(encodeUule(austin));
});

describe('the parameter uule', () => {
  /** Captured addresses of others: a name, a coordinate of 2025, a cookie of 2022, and a number that we cannot read. */
  const captured = {
    name: 'w+CAIQICIFcGFyaXM',
    coordinate:
      'a+cm9sZToxCnByb2R1Y2VyOjEyCnByb3ZlbmFuY2U6Ngp0aW1lc3RhbXA6MTczODM0MTQ5NzU4NjAwMApsYXRsbmd7CmxhdGl0dWRlX2U3OjM3MDkwMjQwMApsb25naXR1ZGVfZTc6LTk1NzEyODkxMAp9CnJhZGl1czo5MzAwMA==',
    spaced:
      'a cm9sZTogMQpwcm9kdWNlcjogMTIKdGltZXN0YW1wOiAxNjU3NTIxNjE0NDAxMDAwCmxhdGxuZyB7CiAgbGF0aXR1ZGVfZTc6IDQwNDEzNDA2OAogIGxvbmdpdHVkZV9lNzogLTM3MDY2MDE3Cn0KcmFkaXVzOiA4MTE4LjkwMDAwMDAwMDAwMQpwcm92ZW5hbmNlOiA2Cg==',
    number: 'w+CAIQIFISCQs2MuSEtepUEUK33kOSuTsc',
  };

  it('has the form of captured addresses', () => {
    expect(encodeUule('paris')).toBe(captured.name);
    expect(encodeUule('x'.repeat(130))).toMatch(/^w\+CAIQICKCAX/);
    const text = (uule: string) => Buffer.from(uule.slice(2), 'base64').toString().trim();
    expect(text(encodeUule('@37.09024,-95.712891,14z'))).toBe(text(captured.coordinate));
  });

  it('is read back, and is nothing where it names no location', () => {
    expect(decodeUule(captured.name)).toBe('paris');
    expect(decodeUule(captured.coordinate)).toBe('@37.09024,-95.712891,14z');
    expect(decodeUule(captured.spaced)).toBe('@40.413407,-3.706602,14z');
    for (const location of [austin, point, 'x'.repeat(130)]) expect(decodeUule(encodeUule(location))).toBe(location);
    for (const text of [captured.number, '', 'w+', 'a+AAAA', 'x+abc']) expect(decodeUule(text)).toBeUndefined();
  });
});

it.each([
  ['Austin, Texas , United States', austin],
  ['30.27,-97.74', point],
  ['@30.2700,-97.74,14z', point],
  ['@91,0,14z', undefined],
  ['@30.27', undefined],
  ['Austin,,United States', undefined],
  ['  ', undefined],
])('"%s" is spelled %s', (written, canonical) => {
  expect(canonicalLocation(written)).toBe(canonical);
  if (canonical !== undefined) expect(canonicalLocation(canonical)).toBe(canonical);
});

it('a coordinate keeps its numbers', () => {
  expect(parseLocation('@-33.86,151.2,17z')).toEqual({
    kind: 'coordinate',
    latitude: -33.86,
    longitude: 151.2,
    zoom: 17,
  });
});

describe('a page for another place is the failure wrong_location', () => {
  it.each([
    [austin, 'Austin, Texas', false],
    [austin, 'Downtown, Austin, TX', false],
    [austin, '78701, Austin', false],
    [austin, 'Boulder, Colorado', true],
    [austin, 'Dallas, Texas', true],
    [austin, 'United States', true],
    [austin, 'Unknown', false],
    ['Texas,United States', 'Austin, Texas', false],
    ['Texas,United States', 'Denver, Colorado', true],
    ['Texas,United States', 'Austin, TX', false],
    ['78701,Texas,United States', '78701, Austin', false],
    ['São Paulo,State of Sao Paulo,Brazil', 'Sao Paulo', false],
  ])('asked for %s, it names %s', (asked, named, isOther) => {
    expect(isOtherPlace(asked, named)).toBe(isOther);
  });

  it('the echo of a vendor proves it, and the money is counted', async () => {
    const ask = (used: string) => {
      const body = {
        search_metadata: { status: 'Success' },
        search_parameters: { q: 'dentist', location_used: used },
        organic_results: [{ title: 'Dentist', link: 'https://dentist.example/' }],
      };
      return readAnswer('serpapi', 'dentist', body, { location: austin });
    };
    expect(await ask('Dallas,Texas,United States')).toMatchObject({
      code: 'SERP_FAILED',
      reason: 'wrong_location',
      charged: 'yes',
    });
    expect(await ask(austin)).toMatchObject({ serp: { organic: { length: 1 } } });
  });

  const elsewhere = encodeUule('@32.77,-96.79,14z');
  const nearby = encodeUule('@30.27002,-97.74001,14z');
  const dataForSeoAnswer = (uule: string) => ({
    status_code: 20_000,
    tasks: [
      {
        status_code: 20_000,
        result: [
          {
            keyword: 'dentist',
            check_url: `https://www.google.com/search?q=dentist&uule=${uule}`,
            items: [{ type: 'organic', title: 'Dentist', url: 'https://dentist.example/' }],
          },
        ],
      },
    ],
  });
  const hasDataAnswer = (uule: string) => ({
    requestMetadata: { status: 'ok', url: `https://www.google.com/search?q=dentist&uule=${uule}` },
    organicResults: [{ title: 'Dentist', link: 'https://dentist.example/' }],
  });
  it.each([
    ['dataforseo', austin, dataForSeoAnswer(encodeUule('Dallas,Texas,United States')), true],
    ['dataforseo', austin, dataForSeoAnswer(encodeUule(austin)), false],
    ['dataforseo', austin, dataForSeoAnswer('w+CAIQIFISCQs2MuSEtepUEUK33kOSuTsc'), false],
    ['dataforseo', point, dataForSeoAnswer(elsewhere), true],
    ['dataforseo', point, dataForSeoAnswer(nearby), false],
    ['hasdata', point, hasDataAnswer(elsewhere), true],
    ['hasdata', point, hasDataAnswer(nearby), false],
    ['hasdata', austin, hasDataAnswer(encodeUule('Texas,United States')), true],
    ['hasdata', austin, hasDataAnswer(nearby), false],
  ])('the address that %s fetched for %s proves it', async (source, location, body, isOther) => {
    const { serp } = await createSource(source, options[source] ?? key, { clock });
    const asked = { keyword: 'dentist', country: 'US', language: 'en', mobile: false, page: 1, location };
    const read = () => serp?.readPage({ contentType: 'application/json', text: JSON.stringify(body) }, asked);
    if (isOther) expect(read).toThrow(expect.objectContaining({ reason: 'wrong_location' }));
    else expect(read()?.serp.organic).toHaveLength(1);
    await serp?.close?.();
  });

  it('the footer of a page proves it, in English', async () => {
    const { serp } = await createSource('sandbox', {}, { clock });
    if (serp === undefined) expect.fail('the sandbox has pages');
    const asked = { keyword: 'dentist', country: 'US', language: 'en', mobile: false, page: 1, location: austin };
    const { body } = await serp.fetchPage(asked, { signal: new AbortController().signal, at: clock.now() });
    expect(serp.readPage(body, asked).serp.organic?.length).toBeGreaterThan(3);
    const dallas = { ...asked, location: 'Dallas,Texas,United States' };
    expect(() => serp.readPage(body, dallas)).toThrow(/It names "Austin, Texas" instead of "Dallas/);
    // names of places are translated in other languages
    expect(serp.readPage(body, { ...dallas, language: 'de' }).serp.organic?.length).toBeGreaterThan(3);
  });
});

it('the sandbox shows other results in other places, and the same again in the same one', async () => {
  const service = createSearchDataService({
    source: await createSource('sandbox', { sites: ['acme.com'] }, { clock }),
    clock,
  });
  const links = async (location?: string) => {
    const { pages } = await service.serp({ keyword: 'dentist', ...(location !== undefined && { location }) });
    return pages[0]?.serp.organic?.map(({ link }) => link);
  };
  const [country, here, there, again] = [
    await links(),
    await links(austin),
    await links('Dallas,Texas,United States'),
    await links(austin),
  ];
  expect(here).toEqual(again);
  expect(here).not.toEqual(country);
  expect(here).not.toEqual(there);
});
