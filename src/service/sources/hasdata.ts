// HasData: result pages as JSON, in camel case. A response is a page only if its own status says `ok`.

import { rejectOtherQuery } from '../engines/page/query.ts';
import type { ReadPage } from '../model/results/serp.ts';
import type { PageRequest } from '../model/source.ts';
import { Fields } from '../net/fields.ts';
import { defineVendor, vendorExample, vendorOptions } from './vendor-kit/define.ts';
import { readGoogleForm } from './vendor-kit/google-form.ts';
import { languageParameter, locationParameters } from './vendor-kit/market.ts';
import { echoInAddress, rejectOtherMarket } from './vendor-kit/validator.ts';
import { isEmptyList, numberAt, objectAt, wordsAt } from './vendor-kit/values.ts';

export const vendor = defineVendor({
  name: 'hasdata',
  facts: {
    title: 'HasData',
    prices: [
      { unit: 'credit', firstPage: 10, furtherPage: 10, unitMicroUsd: { least: 80, most: 245 }, asOf: '2026-08' },
    ],
    failureCharge: 'no',
    failureRule: 'Only requests that succeed are charged.',
    emptyRule: 'An empty page says so: `totalResults` 0. Beyond page 1 an empty list alone proves nothing.',
    pageSize: 10,
    rate: { requestsPerSecond: 5, concurrency: 1 },
    devices: ['desktop', 'mobile'],
    hasCountries: true,
    locations: ['place', 'coordinate'],
    hasLocalResults: true,
    example: vendorExample('hasdata', 'HASDATA_KEY'),
  },
  options: vendorOptions,
  baseUrl: 'https://api.hasdata.com',
  call: ({ keyword, country, language, mobile, page, location }, key) => ({
    method: 'GET',
    path: '/scrape/google/serp',
    headers: { 'x-api-key': key },
    query: {
      q: keyword,
      gl: country.toLowerCase(),
      ...locationParameters(location),
      hl: languageParameter(language),
      deviceType: mobile ? 'mobile' : 'desktop',
      start: page === 1 ? undefined : (page - 1) * 10,
    },
  }),
  complaint(root) {
    const metadata = objectAt(root, 'requestMetadata');
    const status = wordsAt(metadata, 'status');
    if (status === 'ok' || wordsAt(root, 'status') === 'ok') return undefined;
    return wordsAt(root, 'message', 'error') ?? (status === undefined ? undefined : `the request is ${status}`);
  },
  refusals: [
    { status: 403, words: /key|unauthori[sz]ed/i, means: 'bad_key' },
    { status: 403, means: 'out_of_credits' },
    { words: /credits|quota/i, means: 'out_of_credits' },
    { status: 200, means: 'failed' },
  ],
  echo: {
    address: 'requestMetadata.url',
    queries: ['searchInformation.queryDisplayed', 'searchInformation.showingResultsFor'],
  },
  read: readPage,
  saysEmpty: (root) => numberAt(objectAt(root, 'searchInformation'), 'totalResults') === 0,
  listsNothing: (root, page) => page > 1 && isEmptyList(root, 'organicResults'),
  probe: {
    call: (key) => ({ method: 'GET', path: '/user/me/usage', headers: { 'x-api-key': key } }),
    read: (root) => ({ creditsLeft: numberAt(objectAt(root, 'data'), 'availableCredits') ?? null }),
  },
});

/** The page names its query and its market only in the address that the engine received. */
function readPage(root: Fields, asked: PageRequest): ReadPage {
  const echo = echoInAddress(wordsAt(objectAt(root, 'requestMetadata'), 'url'));
  rejectOtherMarket(asked, echo);
  rejectOtherQuery(asked.keyword, [wordsAt(echo, 'q')]);
  return readGoogleForm(snakeForm(root));
}

/** Names of this vendor that are other words in the shared form. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['ad_results', 'ads'],
  ['snippet_highlited_words', 'snippet_highlighted_words'],
]);

function snakeForm(root: Fields): Fields {
  return new Fields(Object.fromEntries(root.names().map((name) => [snake(name), snakeValue(root.raw(name))])), 'page');
}

function snakeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [snake(name), snakeValue(field)]));
}

function snake(name: string): string {
  const written = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return otherWords.get(written) ?? written;
}
