// SearchApi: result pages as JSON in the form that SerpApi made common, ten results a page.
import type { Fields } from '../http/fields.ts';
import type { ReadPage } from '../serp.ts';
import type { PageRequest } from './source.ts';
import { defineVendor, exampleOf, vendorOptions } from './vendor/define.ts';
import { readGoogleForm } from './vendor/google-form.ts';
import { languageParameter } from './vendor/language.ts';
import { noResults, refuseOtherQuery } from './vendor/proof.ts';
import { numberAt, objectAt, wordsAt } from './vendor/values.ts';

const nothingFound = /did(?:n't| not) return any results/i;

export const vendor = defineVendor({
  name: 'searchapi',
  facts: {
    title: 'SearchApi',
    prices: [
      { unit: 'credit', firstPage: 1, furtherPage: 1, unitMicroUsd: { least: 1000, most: 4000 }, asOf: '2026-08' },
    ],
    failureCharge: 'no',
    failureRule: 'Only searches that succeed are charged.',
    emptyRule: "An empty page says so: `error` with `didn't return any results`.",
    pageSize: 10,
    rate: { requestsPerSecond: 10, concurrency: 10 },
    devices: ['desktop', 'mobile'],
    hasCountries: true,
    example: exampleOf('searchapi', 'SEARCHAPI_KEY'),
  },
  options: vendorOptions,
  baseUrl: 'https://www.searchapi.io/api/v1',
  call: ({ keyword, country, language, mobile, page }, key) => ({
    method: 'GET',
    path: '/search',
    headers: { authorization: `Bearer ${key}` },
    query: {
      engine: 'google',
      q: keyword,
      gl: country.toLowerCase(),
      hl: languageParameter(language).toLowerCase(),
      device: mobile ? 'mobile' : 'desktop',
      page,
      // the page of another keyword is of no use
      nfpr: 1,
    },
  }),
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
  read: readPage,
  probe: {
    call: (key) => ({ method: 'GET', path: '/me', headers: { authorization: `Bearer ${key}` } }),
    read: (root) => ({ creditsLeft: numberAt(objectAt(root, 'account'), 'remaining_credits') ?? null }),
  },
});

function readPage(root: Fields, { keyword }: PageRequest): ReadPage {
  const told = objectAt(root, 'search_information');
  refuseOtherQuery(
    keyword,
    wordsAt(objectAt(root, 'search_parameters'), 'q'),
    wordsAt(told, 'query_displayed'),
    wordsAt(told, 'showing_results_for'),
  );
  const read = readGoogleForm(root);
  if (read.serp.organic === undefined && !nothingFound.test(wordsAt(root, 'error') ?? '')) throw noResults();
  return read;
}
