// SearchApi: result pages as JSON in SerpApi's format, ten results per page.

import { rejectOtherPlace } from '../engines/page/other-place.ts';
import { rejectOtherQuery } from '../engines/page/other-query.ts';
import type { ReadPage } from '../model/results/serp.ts';
import type { PageRequest } from '../model/source.ts';
import type { Fields } from '../net/fields.ts';
import { languageParameter } from './vendor-kit/language.ts';
import { locationParameters } from './vendor-kit/location-support.ts';
import { defineVendor, vendorExample, vendorOptions } from './vendor-kit/pages/define.ts';
import { readGoogleForm } from './vendor-kit/pages/google-form.ts';
import { noResults } from './vendor-kit/pages/proof.ts';
import { numberAt, objectAt, wordsAt } from './vendor-kit/values.ts';

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
    locations: ['place', 'coordinate'],
    hasLocalResults: true,
    example: vendorExample('searchapi', 'SEARCHAPI_KEY'),
  },
  options: vendorOptions,
  baseUrl: 'https://www.searchapi.io/api/v1',
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

function readPage(root: Fields, asked: PageRequest): ReadPage {
  const { keyword } = asked;
  rejectOtherPlace(asked, [wordsAt(objectAt(root, 'search_information'), 'detected_location')], { shownIn: 'echo' });
  const information = objectAt(root, 'search_information');
  rejectOtherQuery(keyword, [
    wordsAt(objectAt(root, 'search_parameters'), 'q'),
    wordsAt(information, 'query_displayed'),
    wordsAt(information, 'showing_results_for'),
  ]);
  const read = readGoogleForm(root);
  if (read.serp.organic === undefined && !nothingFound.test(wordsAt(root, 'error') ?? '')) throw noResults();
  return read;
}
