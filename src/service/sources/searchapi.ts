// SearchApi: result pages, ten results each, Google Maps, and AI answers, as JSON in SerpApi's format.
import * as z from 'zod';
import type { AnswerEngine, PageRequest } from '../model/source.ts';
import { Fields, ShapeError } from '../net/fields.ts';
import { citationsIn, defineAnswers } from './vendor-kit/answers.ts';
import { bearer } from './vendor-kit/client.ts';
import { defineVendor, overviewOptions, vendorOptions } from './vendor-kit/define.ts';
import { destinationAt, mapMiddle, readMapPage } from './vendor-kit/elements.ts';
import { besideExample, creditPrice, mapFacts, vendorExample, webFacts } from './vendor-kit/facts.ts';
import { readGoogleForm, searchComplaint, searchedQueries } from './vendor-kit/google-form.ts';
import { engineQuery, locationParameters } from './vendor-kit/market.ts';
import type { RefusalRule } from './vendor-kit/refusals.ts';
import { rejectCutPage } from './vendor-kit/validator.ts';
import { isList, objectAt, objectsAt, textsIn, wordsAt } from './vendor-kit/values.ts';

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

const [resultsOfPage, pagesMax] = [10, 10];

const options = overviewOptions.extend({
  wholeDepth: z
    .boolean()
    .default(false)
    .describe(
      'Buys pages 1 to 10 with two searches, page 1 as ever and the others as the list of rank tracking, where single pages are expected to cost more. Default: page by page.',
    ),
});

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
  options,
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
      ...searchQuery(asked),
      page: asked.through === undefined ? asked.page : 1,
      // the page of another keyword is of no use
      nfpr: 1,
    },
  }),
  range: ({ wholeDepth, loadAiOverview }) =>
    wholeDepth ? { pagesMax, credits: () => (loadAiOverview ? 3 : 2) } : undefined,
  furtherCall: (asked) => ({
    path: '/search',
    query: { engine: rankTracking, ...searchQuery(asked), num: resultsOfPage * (asked.through ?? 1) },
  }),
  pageIn,
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

function searchQuery(asked: PageRequest) {
  return {
    ...engineQuery(asked),
    ...locationParameters(asked.location),
    device: asked.mobile ? 'mobile' : 'desktop',
  };
}

/**
 * Up to 100 results in one search, and nothing besides. It takes no `nfpr`. Sources, read in 2026-11: the vendor's own
 * node for n8n (github.com/SearchApi/n8n-nodes-searchapi, google_rank_tracking.ts), which refers to
 * www.searchapi.io/docs/google-rank-tracking-api, and public clients of it.
 */
const rankTracking = 'google_rank_tracking';

/**
 * Page 1 is that of the engine, with its features. The others go on in the list of rank tracking, without the results
 * that page 1 has: a moment later, one of them may stand below it.
 */
function pageIn(root: Fields, { page }: PageRequest): Fields {
  const further = objectAt(root, 'further_pages');
  if (page === 1 || further === undefined) return root;
  if (further.raw('organic_results') === undefined) throw new ShapeError(`it has no page ${page}`);
  const linkOf = (item: Fields) => destinationAt(item, 'link') ?? '';
  const first = new Set(objectsAt(root, 'organic_results').map(linkOf));
  const all = objectsAt(further, 'organic_results');
  const others = all.filter((item) => !first.has(linkOf(item)));
  // a list of another query has other results
  if (2 * (all.length - others.length) < first.size) throw new ShapeError(`page ${page} is not of the same search`);
  const parameters = objectAt(further, 'search_parameters');
  const engine = wordsAt(parameters, 'engine');
  const results = others.slice((page - 2) * resultsOfPage, (page - 1) * resultsOfPage);
  const isFull = results.length === resultsOfPage;
  rejectCutPage(page, { last: 1 + Math.ceil(others.length / resultsOfPage), asked: pagesMax, isFull });
  return new Fields(
    {
      search_metadata: further.raw('search_metadata'),
      search_information: further.raw('search_information'),
      search_parameters: {
        ...(parameters?.value() as object | undefined),
        ...(engine === rankTracking && { engine: 'google' }),
        page,
      },
      organic_results: results.map((item) => item.value()),
    },
    'page',
  );
}

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
