// Zenserp: result pages as JSON. Its 404 means nothing found; its 403 a bad key, an empty account or a missing right.

import type { ReadPage } from '../model/results/serp.ts';
import { Fields } from '../net/fields.ts';
import { defineVendor, vendorExample, vendorOptions } from './vendor-kit/define.ts';
import { readGoogleForm } from './vendor-kit/google-form.ts';
import { languageParameter } from './vendor-kit/market.ts';
import { numberAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const nothingFound = /no (?:organic |search )?results|(?:not|n't) (?:find|return) any results|nothing found/i;

export const vendor = defineVendor({
  name: 'zenserp',
  facts: {
    title: 'Zenserp',
    prices: [
      { unit: 'credit', firstPage: 1, furtherPage: 1, unitMicroUsd: { least: 1000, most: 6000 }, asOf: '2026-08' },
    ],
    failureCharge: 'unknown',
    failureRule: 'The vendor does not state the charge for failures, so they count as unknown.',
    emptyRule:
      'An empty page says so: status 404, or words such as `no results`. Beyond page 1 an empty list alone proves nothing.',
    pageSize: 10,
    rate: { requestsPerSecond: 5, concurrency: 5 },
    devices: ['desktop', 'mobile'],
    hasCountries: true,
    locations: ['place'],
    hasLocalResults: true,
    example: vendorExample('zenserp', 'ZENSERP_KEY'),
  },
  options: vendorOptions,
  baseUrl: 'https://app.zenserp.com/api/v2',
  call: ({ keyword, country, language, mobile, page, location }, key) => ({
    method: 'GET',
    path: '/search',
    headers: { apikey: key },
    query: {
      q: keyword,
      gl: country,
      ...(location !== undefined && { location }),
      hl: languageParameter(language),
      device: mobile ? 'mobile' : 'desktop',
      start: page === 1 ? undefined : (page - 1) * 10,
    },
  }),
  complaint: errorWords,
  nothingFound,
  refusals: [
    { status: 404, means: 'failed' },
    { words: /not enough requests|quota|limit of requests|no.*requests left/i, means: 'out_of_credits' },
    { words: /api.?key|unauthori[sz]ed/i, means: 'bad_key' },
    { status: 403, means: 'forbidden' },
    { status: 200, means: 'failed' },
  ],
  echo: { places: ['query.location'], parameters: 'query', queries: ['query.q'] },
  read: readPage,
  saysEmpty: (root) => nothingFound.test(errorWords(root) ?? ''),
  listsNothing: (root, page) => page > 1 && listResults(root)?.length === 0,
  probe: {
    call: (key) => ({ method: 'GET', path: '/status', headers: { apikey: key } }),
    read: (root) => ({ creditsLeft: numberAt(root, 'remaining_requests') ?? null }),
  },
});

function errorWords(root: Fields): string | undefined {
  return (
    wordsAt(root, 'error', 'message') ?? wordsAt(objectsAt(root, 'errors')[0], 'message', 'title', 'detail', 'error')
  );
}

function listResults(root: Fields): readonly unknown[] | undefined {
  return root.array('organic_results') ?? root.array('organic');
}

/** Older answers list results as `organic`, among boxes of other kinds. */
function readPage(root: Fields): ReadPage {
  const results = listResults(root)?.filter((item) => !isBox(item));
  const names = root.names().filter((name) => name !== 'organic' && name !== 'organic_results');
  const shared = new Fields(
    {
      ...Object.fromEntries(names.map((name) => [name, root.raw(name)])),
      organic_results: results,
      ads: root.raw('paid_results'),
    },
    'page',
  );
  return readGoogleForm(shared);
}

/** A box of questions, videos or the like that stands among the results: it has neither a place nor an address. */
function isBox(item: unknown): boolean {
  return typeof item === 'object' && item !== null && !Object.hasOwn(item, 'url') && !Object.hasOwn(item, 'position');
}
