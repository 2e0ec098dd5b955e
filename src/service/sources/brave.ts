// Brave Search, a separate index: desktop only, ten pages deep. Headers report the rest per second and month.
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../model/errors.ts';
import { readPageForm } from './brave/page.ts';
import type { OutOfBandError } from './vendor-kit/client/vendor-client.ts';
import { defineVendor, vendorExample, vendorOptions } from './vendor-kit/pages/define.ts';
import { objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

/**
 * Up to 20 are sold for the same; ten make a page as deep as everywhere else, so that depths can be compared and
 * sources stand in one chain.
 */
const pageSize = 10;

const pagesMax = 10;

export const vendor = defineVendor({
  name: 'brave',
  facts: {
    title: 'Brave Search (a separate index)',
    prices: [
      { unit: 'micro_usd', firstPage: 5000, furtherPage: 5000, unitMicroUsd: { least: 1, most: 1 }, asOf: '2026-09' },
    ],
    failureCharge: 'no',
    failureRule: 'Only successful requests are counted and billed.',
    emptyRule:
      'Brave does not say that nothing was found: an empty list with `more_results_available` false alone proves nothing.',
    pageSize,
    rate: { requestsPerSecond: 10, concurrency: 10 },
    devices: ['desktop'],
    hasCountries: true,
    example: vendorExample('brave', 'BRAVE_KEY'),
  },
  options: vendorOptions,
  baseUrl: 'https://api.search.brave.com',
  call({ keyword, country, language, page }, key) {
    if (page > pagesMax) {
      throw new ServiceError('INVALID_REQUEST', `brave has no page ${page}: it shows ${pagesMax} pages.`, {
        hint: `Use a depth of ${pagesMax} at most.`,
      });
    }
    return {
      method: 'GET',
      path: '/res/v1/web/search',
      headers: { 'x-subscription-token': key, 'cache-control': 'no-cache' },
      query: {
        q: keyword,
        country,
        search_lang: toLanguageCode(language),
        count: pageSize,
        offset: page - 1,
        text_decorations: 'false',
        // the page of another keyword is of no use
        spellcheck: 'false',
      },
    };
  },
  complaint(root) {
    const error = objectAt(root, 'error') ?? objectsAt(root, 'errors')[0];
    const words = [wordsAt(error, 'code'), wordsAt(error, 'detail')].filter((each) => each !== undefined);
    if (words.length > 0) return words.join(': ');
    return root.raw('query') === undefined ? wordsAt(root, 'error', 'message') : undefined;
  },
  outOfBandError,
  refusals: [
    { words: /quota/i, means: 'out_of_credits' },
    { words: /SUBSCRIPTION_TOKEN|SUBSCRIPTION_NOT_FOUND/, means: 'bad_key' },
    { words: /NOT_IN_PLAN/, means: 'forbidden' },
    { status: 200, means: 'failed' },
  ],
  echo: { queries: ['query.original', 'query.altered'] },
  read: readPageForm,
  // that there is no more is no word that nothing was found
  listsNothing: (root) => objectAt(root, 'query')?.raw('more_results_available') === false,
});

/**
 * Lists of two numbers, of the second and of the month: `X-RateLimit-Remaining: 0, 1000`. A month of 0 has no limit.
 */
function outOfBandError(headers: IncomingHttpHeaders, status: number): OutOfBandError {
  if (status !== 429) return {};
  const [limits, left, resets] = ['limit', 'remaining', 'reset'].map((name) =>
    numbersIn(headers[`x-ratelimit-${name}`]),
  );
  const month = limits?.[1] ?? 0;
  if (month > 0 && left?.[1] === 0) return { words: `QUOTA_LIMITED: all ${month} requests of the month are used` };
  return { pauseMs: resets?.[0] === undefined ? undefined : resets[0] * 1000 };
}

function numbersIn(header: string | string[] | undefined): number[] {
  const numbers = String(header ?? '')
    .split(',')
    .map((each) => (each.trim() === '' ? Number.NaN : Number(each)));
  return numbers.every((number) => Number.isFinite(number) && number >= 0) ? numbers : [];
}

/** Languages that have another name there; of all others the primary language is what it takes. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['en-GB', 'en-gb'],
  ['ja', 'jp'],
  ['no', 'nb'],
  ['pt', 'pt-pt'],
  ['pt-BR', 'pt-br'],
  ['zh', 'zh-hans'],
  ['zh-HK', 'zh-hant'],
  ['zh-TW', 'zh-hant'],
]);

function toLanguageCode(language: string): string {
  const primary = language.split('-')[0] ?? language;
  return otherNames.get(language) ?? otherNames.get(primary) ?? primary;
}
