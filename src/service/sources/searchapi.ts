// SearchApi: result pages, ten results each, Google Maps, and AI answers, as JSON in SerpApi's format.
import type * as z from 'zod';
import type { AnswerEngine } from '../model/source.ts';
import { citationsIn, defineAnswers } from './vendor-kit/answers.ts';
import { bearer } from './vendor-kit/client.ts';
import { defineVendor, overviewOptions, vendorOptions } from './vendor-kit/define.ts';
import { mapMiddle, readMapPage } from './vendor-kit/elements.ts';
import { besideExample, creditPrice, mapFacts, vendorExample, webFacts } from './vendor-kit/facts.ts';
import { readGoogleForm, searchComplaint, searchedQueries } from './vendor-kit/google-form.ts';
import { engineQuery, locationParameters } from './vendor-kit/market.ts';
import type { RefusalRule } from './vendor-kit/refusals.ts';
import { isList, objectsAt, textsIn, wordsAt } from './vendor-kit/values.ts';

const name = 'searchapi';
const baseUrl = 'https://www.searchapi.io/api/v1';
const price = creditPrice(1, [1000, 4000], '2026-08');

const refusals: readonly RefusalRule[] = [
  { words: /searches for (?:the|this) month|run out|credits|upgrade your plan/i, means: 'out_of_credits' },
  { words: /api.?key/i, means: 'bad_key' },
  // the limit is one of the hour, and no answer says when it ends
  { status: 429, words: /hour/i, means: 'throttled', pauseMs: 300_000 },
  { status: 200, means: 'failed' },
];

/** What both kinds of pages have in common. */
const account = {
  baseUrl,
  proof: bearer,
  complaint: searchComplaint,
  nothingFound: /did(?:n't| not) return any results/i,
  refusals,
  account: { path: '/me', left: ['account.remaining_credits'] },
};

export const vendor = defineVendor({
  ...account,
  options: overviewOptions,
  name,
  facts: {
    ...webFacts,
    title: 'SearchApi',
    prices: [price, { ...price, mode: 'loadAiOverview: true', firstPage: 2 }],
    failureCharge: 'no',
    failureRule: 'Only searches that succeed are charged.',
    emptyRule: "An empty page says so: `error` with `didn't return any results`.",
    rate: { requestsPerSecond: 10, concurrency: 10 },
    example: vendorExample(name, { apiKey: 'SEARCHAPI_KEY' }),
  },
  call: (asked) => ({
    path: '/search',
    query: {
      engine: 'google',
      ...engineQuery(asked),
      ...locationParameters(asked.location),
      device: asked.mobile ? 'mobile' : 'desktop',
      page: asked.page,
      // the page of another keyword is of no use
      nfpr: 1,
    },
  }),
  echo: {
    places: ['search_information.detected_location'],
    parameters: 'search_parameters',
    page: 'pagination.current',
    queries: searchedQueries,
  },
  read: (root) => readGoogleForm(root),
  // the answer is the overview itself (the vendor's OpenAPI document, read in 2026-11)
  overviewPath: '/search',
});

/** Searches of Google Maps. Form: the vendor's OpenAPI document and public clients of it, read in 2026-11. */
export const maps = defineVendor({
  ...account,
  options: vendorOptions,
  name: 'searchapi-maps',
  facts: {
    ...vendor.facts,
    ...mapFacts,
    prices: [price],
    title: 'SearchApi, Google Maps',
    devices: ['desktop'],
    locations: ['coordinate'],
    example: vendorExample('searchapi-maps', { apiKey: 'SEARCHAPI_KEY' }),
  },
  call: (asked) => ({
    path: '/search',
    query: { engine: 'google_maps', ...engineQuery(asked), ll: mapMiddle(asked.location), page: asked.page },
  }),
  echo: {
    places: ['search_parameters.ll'],
    parameters: 'search_parameters',
    queries: ['search_parameters.q', 'search_information.query_displayed'],
  },
  read: (root) => readMapPage(objectsAt(root, 'local_results')),
  listsNothing: (root) => isList(root, 'local_results'),
});

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
    example: besideExample('answers', name, { apiKey: 'SEARCHAPI_KEY' }),
  },
  options: vendorOptions,
  baseUrl,
  proof: bearer,
  complaint: searchComplaint,
  refusals,
  call: ({ engine, prompt, country }) => ({
    path: '/search',
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
    return {
      text: wordsAt(root, 'markdown') ?? blocks.join('\n\n'),
      citations: citationsIn(objectsAt(root, 'reference_links')),
      prompt: wordsAt(root, 'search_parameters.q'),
    };
  },
});
