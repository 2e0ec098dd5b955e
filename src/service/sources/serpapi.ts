// SerpApi: result pages and Google Maps as JSON, fresh or from its cache of the last hour, which is free.
import { parseLocation } from '../model/results/location.ts';
import type { PageRequest } from '../model/source.ts';
import { keyInQuery } from './vendor-kit/client.ts';
import { defineVendor, overviewOptions, vendorOptions } from './vendor-kit/define.ts';
import { mapMiddle, readMapPage } from './vendor-kit/elements.ts';
import { creditPrice, mapFacts, vendorExample, webFacts } from './vendor-kit/facts.ts';
import { readGoogleForm, searchComplaint, searchedQueries } from './vendor-kit/google-form.ts';
import { engineQuery } from './vendor-kit/market.ts';
import type { RefusalRule } from './vendor-kit/refusals.ts';
import { boxesAt, isList, objectsAt, wordsAt } from './vendor-kit/values.ts';

const price = creditPrice(1, [10_000, 15_000], '2026-08');

/** What both kinds of pages have in common. */
const account = {
  baseUrl: 'https://serpapi.com',
  proof: keyInQuery('api_key'),
  complaint: searchComplaint,
  nothingFound: /hasn't returned any results/i,
  refusals: [
    { words: /run out of searches/i, means: 'out_of_credits' },
    { words: /invalid api key|api_key/i, means: 'bad_key' },
    // the limit is one of the hour, and no answer says when it ends
    { status: 429, means: 'throttled', pauseMs: 300_000 },
    { status: 410, means: 'failed' },
    { status: 200, means: 'failed' },
  ] satisfies RefusalRule[],
  account: { path: '/account.json', left: ['total_searches_left'], plan: 'plan_name' },
};

export const vendor = defineVendor({
  ...account,
  options: overviewOptions,
  name: 'serpapi',
  facts: {
    ...webFacts,
    prices: [price, { ...price, mode: 'loadAiOverview: true', firstPage: 2 }],
    failureCharge: 'no',
    failureRule: 'Only searches that succeed are counted.',
    rate: { requestsPerSecond: 5, concurrency: 10 },
    title: 'SerpApi',
    emptyRule:
      "An empty page says so: `error` with `hasn't returned any results`, or `organic_results_state` `Fully empty`.",
    example: vendorExample('serpapi', { apiKey: 'SERPAPI_KEY' }),
  },
  call: (asked) => ({
    path: '/search.json',
    query: {
      engine: 'google',
      ...engineQuery(asked),
      ...placeParameters(asked.location),
      device: asked.mobile ? 'mobile' : 'desktop',
      start: asked.page === 1 ? undefined : (asked.page - 1) * 10,
      // the page of another keyword is of no use
      nfpr: 1,
    },
  }),
  echo: {
    places: ['search_parameters.location_used'],
    parameters: 'search_parameters',
    page: 'pagination.current',
    queries: searchedQueries,
  },
  // an answer may be of a corrected spelling without naming it among the queries
  searchedInstead: (root) =>
    /fixed spelling/i.test(wordsAt(root, 'search_information.organic_results_state') ?? '')
      ? (wordsAt(root, 'search_information.spelling_fix') ?? 'another spelling')
      : undefined,
  read: (root) => readGoogleForm(root),
  saysEmpty: (root) => wordsAt(root, 'search_information.organic_results_state') === 'Fully empty',
  // the token is valid for minutes (the vendor's documentation, read in 2026-11)
  overviewPath: '/search.json',
});

/** An engine whose answers have the form of Google's. `query`: the search in the engine's own parameters. */
function otherEngine(
  engine: string,
  title: string,
  facts: Partial<typeof vendor.facts>,
  query: (asked: PageRequest) => Readonly<Record<string, string | number | undefined>>,
) {
  const { hasLocalResults: _, locations: __, ...common } = vendor.facts;
  return defineVendor({
    ...account,
    options: vendorOptions,
    name: `serpapi-${engine}`,
    facts: {
      ...common,
      prices: [price],
      title: `SerpApi, ${title}`,
      example: vendorExample(`serpapi-${engine}`, { apiKey: 'SERPAPI_KEY' }),
      ...facts,
    },
    call: (asked) => ({ path: '/search.json', query: { engine, ...query(asked) } }),
    echo: {
      parameters: { engine: ['search_parameters.engine'], device: ['search_parameters.device'] },
      engine: new RegExp(`^${engine}$`),
      queries: ['q', 'p', 'text'].map((name) => `search_parameters.${name}`),
    },
    searchedInstead: (root) => wordsAt(root, 'search_information.showing_results_for'),
    read: (root) => readGoogleForm(root),
    saysEmpty: (root) => wordsAt(root, 'search_information.organic_results_state') === 'Fully empty',
  });
}

/** The first result of a page, from 1; page 1 is what the engine shows without it. */
const firstOf = ({ page }: PageRequest): number | undefined => (page === 1 ? undefined : (page - 1) * 10 + 1);
const deviceOf = ({ mobile }: PageRequest): string => (mobile ? 'mobile' : 'desktop');
const primary = ({ language }: PageRequest): string => (language.split('-')[0] ?? language).toLowerCase();

/** Parameters of these engines: the vendor's documentation, read in 2026-11. */
export const bing = otherEngine('bing', 'Bing', { locations: ['place', 'coordinate'] }, (asked) => ({
  q: asked.keyword,
  mkt: `${primary(asked)}-${asked.country}`,
  ...placeParameters(asked.location),
  device: deviceOf(asked),
  first: firstOf(asked),
}));

export const yahoo = otherEngine('yahoo', 'Yahoo', {}, (asked) => ({
  p: asked.keyword,
  vc: asked.country.toLowerCase(),
  vl: `lang_${primary(asked)}`,
  device: deviceOf(asked),
  b: firstOf(asked),
}));

/** Yandex distinguishes countries by a number, and only in Russia and Turkey. */
const yandexCountries: ReadonlyMap<string, { readonly yandex_domain: string; readonly lr: number }> = new Map([
  ['RU', { yandex_domain: 'yandex.ru', lr: 225 }],
  ['TR', { yandex_domain: 'yandex.com.tr', lr: 983 }],
]);

export const yandex = otherEngine(
  'yandex',
  'Yandex (international results outside RU and TR)',
  { devices: ['desktop'] },
  (asked) => ({
    text: asked.keyword,
    ...yandexCountries.get(asked.country),
    lang: primary(asked),
    p: asked.page === 1 ? undefined : asked.page - 1,
  }),
);

/** Searches of Google Maps. Form: the vendor's documentation, and an answer in it of 2024-10-31. */
export const maps = defineVendor({
  ...account,
  options: vendorOptions,
  name: 'serpapi-maps',
  facts: {
    ...vendor.facts,
    ...mapFacts,
    prices: [price],
    title: 'SerpApi, Google Maps',
    devices: ['desktop'],
    emptyRule:
      "An empty page says so: `error` with `hasn't returned any results`, or `local_results_state` `Fully empty`.",
    example: vendorExample('serpapi-maps', { apiKey: 'SERPAPI_KEY' }),
  },
  call: (asked) => ({
    path: '/search.json',
    query: {
      engine: 'google_maps',
      type: 'search',
      ...engineQuery(asked),
      ...mapParameters(asked.location),
      start: asked.page === 1 ? undefined : (asked.page - 1) * mapFacts.pageSize,
    },
  }),
  echo: {
    address: 'search_metadata.google_maps_url',
    addressNames: ['place'],
    parameters: 'search_parameters',
    queries: ['search_parameters.q', 'search_information.query_displayed'],
  },
  read(root) {
    // a search that fits one business alone shows it in place of a list
    const only = boxesAt(root, 'place_results');
    return readMapPage(only.length > 0 ? only : objectsAt(root, 'local_results'));
  },
  saysEmpty: (root) => wordsAt(root, 'search_information.local_results_state') === 'Fully empty',
  listsNothing: (root) => isList(root, 'local_results'),
});

/** `location` needs the zoom beside it; a coordinate has its own. */
function mapParameters(location: string | undefined): Record<string, string | number> {
  const middle = mapMiddle(location);
  if (location === undefined) return {};
  return middle === undefined ? { location, z: 14 } : { ll: middle };
}

/** `lat` and `lon` since March 2026, by the vendor's changelog; `location` takes the canonical names of places. */
function placeParameters(location: string | undefined): Record<string, string | number> {
  if (location === undefined) return {};
  const asked = parseLocation(location);
  return asked.kind === 'place' ? { location: asked.name } : { lat: asked.latitude, lon: asked.longitude };
}
