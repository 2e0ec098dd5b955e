// SerpApi: result pages and Google Maps as JSON, fresh or from its cache of the last hour, which is free.

import type * as z from 'zod';
import { rejectOtherQuery } from '../engines/page/query.ts';
import { parseLocation } from '../model/results/location.ts';
import type { ReadPage } from '../model/results/serp.ts';
import type { PageRequest, SourceFacts } from '../model/source.ts';
import type { Fields } from '../net/fields.ts';
import { defineVendor, overviewOptions, type VendorForm, vendorExample, vendorOptions } from './vendor-kit/define.ts';
import { mapMiddle, readMapPage } from './vendor-kit/elements.ts';
import { mapFacts } from './vendor-kit/facts.ts';
import { readGoogleForm } from './vendor-kit/google-form.ts';
import { languageParameter } from './vendor-kit/market.ts';
import { numberAt, objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const nothingFound = /hasn't returned any results/i;

const price = {
  unit: 'credit',
  firstPage: 1,
  furtherPage: 1,
  unitMicroUsd: { least: 10_000, most: 15_000 },
  asOf: '2026-08',
} as const;

const charges = {
  prices: [price],
  failureCharge: 'no',
  failureRule: 'Only searches that succeed are counted.',
  rate: { requestsPerSecond: 5, concurrency: 10 },
} as const satisfies Partial<SourceFacts>;

/** What both kinds of pages have in common. */
const account = {
  options: vendorOptions,
  baseUrl: 'https://serpapi.com',
  complaint(root) {
    const status = wordsAt(objectAt(root, 'search_metadata'), 'status') ?? 'Success';
    return wordsAt(root, 'error') ?? (status === 'Success' ? undefined : `the search is ${status}`);
  },
  nothingFound,
  refusals: [
    { words: /run out of searches/i, means: 'out_of_credits' },
    { words: /invalid api key|api_key/i, means: 'bad_key' },
    // the limit is one of the hour, and no answer says when it ends
    { status: 429, means: 'throttled', pauseMs: 300_000 },
    { status: 410, means: 'failed' },
    { status: 200, means: 'failed' },
  ],
  probe: {
    call: (key) => ({ method: 'GET', path: '/account.json', query: { api_key: key } }),
    read: (root) => ({
      creditsLeft: numberAt(root, 'total_searches_left') ?? null,
      plan: wordsAt(root, 'plan_name'),
    }),
  },
} as const satisfies Partial<VendorForm<z.output<typeof vendorOptions>>>;

export const vendor = defineVendor({
  ...account,
  options: overviewOptions,
  name: 'serpapi',
  facts: {
    ...charges,
    prices: [price, { ...price, mode: 'loadAiOverview: true', firstPage: 2 }],
    title: 'SerpApi',
    emptyRule:
      "An empty page says so: `error` with `hasn't returned any results`, or `organic_results_state` `Fully empty`.",
    pageSize: 10,
    devices: ['desktop', 'mobile'],
    hasCountries: true,
    locations: ['place', 'coordinate'],
    hasLocalResults: true,
    example: vendorExample('serpapi', 'SERPAPI_KEY'),
  },
  call: ({ keyword, country, language, mobile, page, location }, key) => ({
    method: 'GET',
    path: '/search.json',
    query: {
      engine: 'google',
      q: keyword,
      gl: country.toLowerCase(),
      hl: languageParameter(language).toLowerCase(),
      ...placeParameters(location),
      device: mobile ? 'mobile' : 'desktop',
      start: page === 1 ? undefined : (page - 1) * 10,
      // the page of another keyword is of no use
      nfpr: 1,
      api_key: key,
    },
  }),
  echo: {
    places: ['search_parameters.location_used'],
    parameters: 'search_parameters',
    page: 'pagination.current',
    queries: ['search_parameters.q', 'search_information.query_displayed', 'search_information.showing_results_for'],
  },
  read: readPage,
  saysEmpty: (root) => saysEmpty(root, 'organic_results_state'),
  // the token is valid for minutes (the vendor's documentation, read in 2026-11)
  overviewCall(root: Fields, key: string) {
    const token = wordsAt(objectAt(root, 'ai_overview'), 'page_token');
    const query = { engine: 'google_ai_overview', page_token: token, api_key: key };
    return token === undefined ? undefined : { method: 'GET', path: '/search.json', query };
  },
});

/** Searches of Google Maps. Form: the vendor's documentation, and an answer in it of 2024-10-31. */
export const maps = defineVendor({
  ...account,
  name: 'serpapi-maps',
  facts: {
    ...charges,
    ...mapFacts,
    title: 'SerpApi, Google Maps',
    emptyRule:
      "An empty page says so: `error` with `hasn't returned any results`, or `local_results_state` `Fully empty`.",
    devices: ['desktop'],
    locations: ['place', 'coordinate'],
    example: vendorExample('serpapi-maps', 'SERPAPI_KEY'),
  },
  call: ({ keyword, country, language, page, location }, key) => ({
    method: 'GET',
    path: '/search.json',
    query: {
      engine: 'google_maps',
      type: 'search',
      q: keyword,
      gl: country.toLowerCase(),
      hl: languageParameter(language).toLowerCase(),
      ...mapParameters(location),
      start: page === 1 ? undefined : (page - 1) * mapFacts.pageSize,
      api_key: key,
    },
  }),
  echo: {
    address: 'search_metadata.google_maps_url',
    parameters: 'search_parameters',
    queries: ['search_parameters.q', 'search_information.query_displayed'],
  },
  read(root) {
    // a search that fits one business alone shows it in place of a list
    const only = objectAt(root, 'place_results');
    return readMapPage(only === undefined ? objectsAt(root, 'local_results') : [only], {
      saysEmpty: saysEmpty(root, 'local_results_state'),
      hasList: root.array('local_results') !== undefined,
    });
  },
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

/** An answer may be of a corrected spelling without naming it among the queries. */
function readPage(root: Fields, { keyword }: PageRequest): ReadPage {
  const information = objectAt(root, 'search_information');
  if (/fixed spelling/i.test(wordsAt(information, 'organic_results_state') ?? ''))
    rejectOtherQuery(keyword, [wordsAt(information, 'spelling_fix') ?? 'another spelling']);
  return readGoogleForm(root);
}

/** `state`: the field of the search's information that says so in its own way. */
function saysEmpty(root: Fields, state: string): boolean {
  const isStated = wordsAt(objectAt(root, 'search_information'), state) === 'Fully empty';
  return isStated || nothingFound.test(wordsAt(root, 'error') ?? '');
}
