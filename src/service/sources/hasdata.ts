// HasData: result pages as JSON, in camel case. A response is a page only if its own status says `ok`.
import { Fields } from '../net/fields.ts';
import { keyInHeader } from './vendor-kit/client.ts';
import { defineVendor, vendorOptions } from './vendor-kit/define.ts';
import { creditPrice, vendorExample, webFacts } from './vendor-kit/facts.ts';
import { readGoogleForm } from './vendor-kit/google-form.ts';
import { engineQuery, languageParameter, locationParameters } from './vendor-kit/market.ts';
import { numberAt, wordsAt } from './vendor-kit/values.ts';

export const vendor = defineVendor({
  name: 'hasdata',
  facts: {
    ...webFacts,
    title: 'HasData',
    prices: [creditPrice(10, [80, 245], '2026-08')],
    failureCharge: 'no',
    failureRule: 'Only requests that succeed are charged.',
    emptyRule: 'An empty page says so: `totalResults` 0. Beyond page 1 an empty list alone proves nothing.',
    rate: { requestsPerSecond: 5, concurrency: 1 },
    example: vendorExample('hasdata', { apiKey: 'HASDATA_KEY' }),
  },
  options: vendorOptions,
  baseUrl: 'https://api.hasdata.com',
  proof: keyInHeader('x-api-key'),
  call: (asked) => ({
    path: '/scrape/google/serp',
    query: {
      ...engineQuery(asked),
      ...locationParameters(asked.location),
      hl: languageParameter(asked.language),
      deviceType: asked.mobile ? 'mobile' : 'desktop',
      start: asked.page === 1 ? undefined : (asked.page - 1) * 10,
    },
  }),
  complaint(root) {
    const status = wordsAt(root, 'requestMetadata.status');
    if (status === 'ok' || wordsAt(root, 'status') === 'ok') return undefined;
    return wordsAt(root, 'message', 'error') ?? (status === undefined ? undefined : `the request is ${status}`);
  },
  refusals: [
    { status: 403, words: /key|unauthori[sz]ed/i, means: 'bad_key' },
    { status: 403, means: 'out_of_credits' },
    { words: /credits|quota/i, means: 'out_of_credits' },
    { status: 200, means: 'failed' },
  ],
  // the page names its query and its market only in the address that the engine received
  echo: {
    address: 'requestMetadata.url',
    addressNames: ['place', 'market', 'query'],
    queries: ['searchInformation.queryDisplayed', 'searchInformation.showingResultsFor'],
  },
  read: (root) => readGoogleForm(new Fields(snakeForm(root.value()), 'page')),
  saysEmpty: (root) => numberAt(root, 'searchInformation.totalResults') === 0,
  list: 'organicResults',
  account: { path: '/user/me/usage', left: ['data.availableCredits'] },
});

/** Names of this vendor that are other words in the shared form. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['ad_results', 'ads'],
  ['snippet_highlited_words', 'snippet_highlighted_words'],
]);

function snakeForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeForm);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [snake(name), snakeForm(field)]));
}

function snake(name: string): string {
  const written = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return otherWords.get(written) ?? written;
}
