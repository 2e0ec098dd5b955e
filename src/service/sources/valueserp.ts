// ValueSERP and Scale SERP: one vendor and API at two URLs. Result pages as JSON, one credit per page.
import type { Fields } from '../net/fields.ts';
import { keyInQuery } from './vendor-kit/client.ts';
import { defineVendor, vendorOptions } from './vendor-kit/define.ts';
import { creditPrice, vendorExample, webFacts } from './vendor-kit/facts.ts';
import { readGoogleForm, searchedQueries } from './vendor-kit/google-form.ts';
import { engineQuery } from './vendor-kit/market.ts';
import { numberAt, objectAt, objectsAt, valueAt, wordsAt } from './vendor-kit/values.ts';

function trajectVendor(name: string, title: string, variable: string, baseUrl: string) {
  return defineVendor({
    name,
    facts: {
      ...webFacts,
      title,
      prices: [creditPrice(1, [2000, 2500], '2026-08')],
      failureCharge: 'no',
      failureRule: 'A failed request costs no credits; each answer states its cost.',
      emptyRule:
        'An empty page says so: `original_query_yields_zero_results`. Beyond page 1 an empty list alone proves nothing.',
      rate: { requestsPerSecond: 10, concurrency: 10 },
      locations: ['place'],
      example: vendorExample(name, { apiKey: variable }),
    },
    options: vendorOptions,
    baseUrl,
    proof: keyInQuery('api_key'),
    call: (asked) => ({
      path: '/search',
      query: {
        ...engineQuery(asked),
        location: asked.location,
        device: asked.mobile ? 'mobile' : 'desktop',
        page: asked.page,
        // the page of another keyword is of no use
        nfpr: 1,
        include_ai_overview: 'true',
        output: 'json',
      },
    }),
    complaint(root) {
      const info = objectAt(root, 'request_info');
      if (info === undefined) return wordsAt(root, 'error', 'message');
      return info.raw('success') === false ? (wordsAt(info, 'message') ?? 'the request has failed') : undefined;
    },
    refusals: [
      { words: /credits|exceeded.*plan|plan.*exceeded/i, means: 'out_of_credits' },
      { words: /api.?key/i, means: 'bad_key' },
      { status: 200, means: 'failed' },
    ],
    echo: {
      places: ['search_information.detected_location'],
      parameters: 'search_parameters',
      page: 'pagination.current',
      queries: searchedQueries,
    },
    // where the query itself finds nothing, the listed results are those of another one
    searchedInstead: (root) =>
      findsNothing(root) && objectsAt(root, 'organic_results').length > 0
        ? 'a query of fewer words, or without quotes'
        : undefined,
    read: (root) => readGoogleForm(root),
    saysEmpty: findsNothing,
    list: 'organic_results',
    stated: (root) => numberAt(root, 'request_info.credits_used_this_request'),
    account: {
      path: '/account',
      left: ['account_info.topup_credits_remaining', 'account_info.credits_remaining'],
      plan: 'account_info.plan',
    },
  });
}

function findsNothing(root: Fields): boolean {
  return valueAt(root, 'search_information.original_query_yields_zero_results') === true;
}

export const valueSerp = trajectVendor('valueserp', 'ValueSERP', 'VALUESERP_KEY', 'https://api.valueserp.com');
export const scaleSerp = trajectVendor('scaleserp', 'Scale SERP', 'SCALESERP_KEY', 'https://api.scaleserp.com');
