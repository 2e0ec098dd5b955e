// SearchApi: result pages, ten results each, and Google Maps, as JSON in SerpApi's format.
import type * as z from 'zod';
import type { AiAnswer, AnswerEngine } from '../model/source.ts';
import { type Fields, present } from '../net/fields.ts';
import { answersExample, citationsIn, defineAnswers } from './vendor-kit/answers.ts';
import { defineVendor, overviewOptions, type VendorForm, vendorExample, vendorOptions } from './vendor-kit/define.ts';
import { mapMiddle, readMapPage } from './vendor-kit/elements.ts';
import { mapFacts } from './vendor-kit/facts.ts';
import { readGoogleForm } from './vendor-kit/google-form.ts';
import { languageParameter, locationParameters } from './vendor-kit/market.ts';
import { numberAt, objectAt, objectsAt, textsIn, wordsAt } from './vendor-kit/values.ts';

const nothingFound = /did(?:n't| not) return any results/i;

const saysEmpty = (root: Fields): boolean => nothingFound.test(wordsAt(root, 'error') ?? '');

const price = {
  unit: 'credit',
  firstPage: 1,
  furtherPage: 1,
  unitMicroUsd: { least: 1000, most: 4000 },
  asOf: '2026-08',
} as const;

/** What both kinds of pages have in common. */
const account = {
  options: vendorOptions,
  baseUrl: 'https://www.searchapi.io/api/v1',
  complaint(root) {
    const status = wordsAt(objectAt(root, 'search_metadata'), 'status') ?? 'Success';
    return wordsAt(root, 'error') ?? (status === 'Success' ? undefined : `the search is ${status}`);
  },
  nothingFound,
  refusals: [
    { words: /searches for (?:the|this) month|run out|credits|upgrade your plan/i, means: 'out_of_credits' },
    { words: /api.?key/i, means: 'bad_key' },
    // the limit is one of the hour, and no answer says when it ends
    { status: 429, words: /hour/i, means: 'throttled', pauseMs: 300_000 },
    { status: 200, means: 'failed' },
  ],
  probe: {
    call: (key) => ({ method: 'GET', path: '/me', headers: { authorization: `Bearer ${key}` } }),
    read: (root) => ({ creditsLeft: numberAt(objectAt(root, 'account'), 'remaining_credits') ?? null }),
  },
} as const satisfies Partial<VendorForm<z.output<typeof vendorOptions>>>;

export const vendor = defineVendor({
  ...account,
  options: overviewOptions,
  name: 'searchapi',
  facts: {
    title: 'SearchApi',
    prices: [price, { ...price, mode: 'loadAiOverview: true', firstPage: 2 }],
    failureCharge: 'no',
    failureRule: 'Only searches that succeed are charged.',
    emptyRule: "An empty page says so: `error` with `didn't return any results`.",
    pageSize: 10,
    rate: { requestsPerSecond: 10, concurrency: 10 },
    devices: ['desktop', 'mobile'],
    hasCountries: true,
    locations: ['place', 'coordinate'],
    hasLocalResults: true,
    example: vendorExample('searchapi', 'SEARCHAPI_KEY'),
  },
  call: ({ keyword, country, language, mobile, page, location }, key) => ({
    method: 'GET',
    path: '/search',
    headers: { authorization: `Bearer ${key}` },
    query: {
      engine: 'google',
      q: keyword,
      gl: country.toLowerCase(),
      ...locationParameters(location),
      hl: languageParameter(language).toLowerCase(),
      device: mobile ? 'mobile' : 'desktop',
      page,
      // the page of another keyword is of no use
      nfpr: 1,
    },
  }),
  echo: {
    places: ['search_information.detected_location'],
    parameters: 'search_parameters',
    page: 'pagination.current',
    queries: ['search_parameters.q', 'search_information.query_displayed', 'search_information.showing_results_for'],
  },
  read: readGoogleForm,
  saysEmpty,
  // the answer is the overview itself (the vendor's OpenAPI document, read in 2026-11)
  overviewCall(root, key) {
    const token = wordsAt(objectAt(root, 'ai_overview'), 'page_token');
    const query = { engine: 'google_ai_overview', page_token: token };
    const headers = { authorization: `Bearer ${key}` };
    return token === undefined ? undefined : { method: 'GET', path: '/search', query, headers };
  },
});

/** Searches of Google Maps. Form: the vendor's OpenAPI document and public clients of it, read in 2026-11. */
export const maps = defineVendor({
  ...account,
  name: 'searchapi-maps',
  facts: {
    ...vendor.facts,
    prices: [price],
    ...mapFacts,
    title: 'SearchApi, Google Maps',
    devices: ['desktop'],
    locations: ['coordinate'],
    example: vendorExample('searchapi-maps', 'SEARCHAPI_KEY'),
  },
  call: ({ keyword, country, language, page, location }, key) => ({
    method: 'GET',
    path: '/search',
    headers: { authorization: `Bearer ${key}` },
    query: {
      engine: 'google_maps',
      q: keyword,
      gl: country.toLowerCase(),
      hl: languageParameter(language).toLowerCase(),
      ll: mapMiddle(location),
      page,
    },
  }),
  echo: {
    places: ['search_parameters.ll'],
    parameters: 'search_parameters',
    queries: ['search_parameters.q', 'search_information.query_displayed'],
  },
  read: (root) =>
    readMapPage(objectsAt(root, 'local_results'), {
      saysEmpty: saysEmpty(root),
      hasList: root.array('local_results') !== undefined,
    }),
});

const name = 'searchapi';

const engines: Readonly<Partial<Record<AnswerEngine, string>>> = {
  'ai-mode': 'google_ai_mode',
  copilot: 'bing_copilot',
};

/** English names of countries are locations that the vendor takes. */
const countryNames = new Intl.DisplayNames('en', { type: 'region' });

export const answers = defineAnswers<z.output<typeof vendorOptions>>({
  name,
  facts: {
    title: 'SearchApi',
    engines: [
      {
        engine: 'ai-mode',
        microUsdMax: 4_000,
        asOf: '2026-08',
        format: 'www.searchapi.io/openapi/google_ai_mode.yaml, read 2026-11',
      },
      {
        engine: 'copilot',
        microUsdMax: 4_000,
        asOf: '2026-08',
        format: 'www.searchapi.io/openapi/bing_copilot.yaml, read 2026-11: the engine takes no country',
      },
    ],
    failureCharge: 'no',
    failureRule: 'Only searches that succeed are charged.',
    rate: { requestsPerSecond: 5, concurrency: 5 },
    example: answersExample(name, { apiKey: 'SEARCHAPI_KEY' }),
  },
  options: vendorOptions,
  baseUrl: 'https://www.searchapi.io/api/v1',
  keysOf: ({ apiKey }) => (typeof apiKey === 'string' ? [apiKey] : apiKey),
  complaint(root) {
    const status = wordsAt(objectAt(root, 'search_metadata'), 'status') ?? 'Success';
    return wordsAt(root, 'error') ?? (status === 'Success' ? undefined : `the search is ${status}`);
  },
  refusals: [
    { words: /searches for (?:the|this) month|run out|credits|upgrade your plan/i, means: 'out_of_credits' },
    { words: /api.?key/i, means: 'bad_key' },
    { status: 429, words: /hour/i, means: 'throttled', pauseMs: 300_000 },
    { status: 200, means: 'failed' },
  ],
  call: ({ engine, prompt, country }, key) => ({
    method: 'GET',
    path: '/search',
    headers: { authorization: `Bearer ${key}` },
    query: {
      engine: engines[engine],
      q: prompt,
      location: engine === 'ai-mode' ? countryNames.of(country) : undefined,
    },
  }),
  read(root) {
    const blocks = objectsAt(root, 'text_blocks').flatMap((block) =>
      textsIn(block.raw('answer') ?? block.raw('snippet')),
    );
    return present<AiAnswer>({
      text: wordsAt(root, 'markdown') ?? blocks.join('\n\n'),
      citations: citationsIn(objectsAt(root, 'reference_links')),
      prompt: wordsAt(objectAt(root, 'search_parameters'), 'q'),
    });
  },
});
