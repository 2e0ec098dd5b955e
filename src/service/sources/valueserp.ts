// ValueSERP and Scale SERP: one vendor and API at two URLs. Result pages as JSON, one credit per page.

import { rejectOtherQuery } from '../engines/page/query.ts';
import type { ReadPage } from '../model/results/serp.ts';
import type { PageRequest } from '../model/source.ts';
import type { Fields } from '../net/fields.ts';
import { defineVendor, type Vendor, vendorExample, vendorOptions } from './vendor-kit/define.ts';
import { readGoogleForm } from './vendor-kit/google-form.ts';
import { languageParameter } from './vendor-kit/market.ts';
import { isEmptyList, numberAt, objectAt, wordsAt } from './vendor-kit/values.ts';

function trajectVendor(name: string, title: string, variable: string, baseUrl: string): Vendor {
  return defineVendor({
    name,
    facts: {
      title,
      prices: [
        { unit: 'credit', firstPage: 1, furtherPage: 1, unitMicroUsd: { least: 2000, most: 2500 }, asOf: '2026-08' },
      ],
      failureCharge: 'no',
      failureRule: 'A failed request costs no credits; each answer states its cost.',
      emptyRule:
        'An empty page says so: `original_query_yields_zero_results`. Beyond page 1 an empty list alone proves nothing.',
      pageSize: 10,
      rate: { requestsPerSecond: 10, concurrency: 10 },
      devices: ['desktop', 'mobile'],
      hasCountries: true,
      locations: ['place'],
      hasLocalResults: true,
      example: vendorExample(name, variable),
    },
    options: vendorOptions,
    baseUrl,
    call: ({ keyword, country, language, mobile, page, location }, key) => ({
      method: 'GET',
      path: '/search',
      query: {
        api_key: key,
        q: keyword,
        gl: country.toLowerCase(),
        ...(location !== undefined && { location }),
        hl: languageParameter(language).toLowerCase(),
        device: mobile ? 'mobile' : 'desktop',
        page,
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
      queries: ['search_parameters.q', 'search_information.query_displayed', 'search_information.showing_results_for'],
    },
    read: readPage,
    saysEmpty: findsNothing,
    listsNothing: (root, page) => page > 1 && isEmptyList(root, 'organic_results'),
    stated: (root) => numberAt(objectAt(root, 'request_info'), 'credits_used_this_request'),
    probe: {
      call: (key) => ({ method: 'GET', path: '/account', query: { api_key: key } }),
      read(root) {
        const account = objectAt(root, 'account_info');
        const creditsLeft = numberAt(account, 'topup_credits_remaining', 'credits_remaining');
        return { creditsLeft: creditsLeft ?? null, plan: wordsAt(account, 'plan') };
      },
    },
  });
}

export const valueSerp = trajectVendor('valueserp', 'ValueSERP', 'VALUESERP_KEY', 'https://api.valueserp.com');
export const scaleSerp = trajectVendor('scaleserp', 'Scale SERP', 'SCALESERP_KEY', 'https://api.scaleserp.com');

function findsNothing(root: Fields): boolean {
  return objectAt(root, 'search_information')?.raw('original_query_yields_zero_results') === true;
}

/** Where the query itself finds nothing, the listed results are those of another one. */
function readPage(root: Fields, { keyword }: PageRequest): ReadPage {
  const read = readGoogleForm(root);
  if (read.serp.organic !== undefined && findsNothing(root))
    rejectOtherQuery(keyword, ['a query of fewer words, or without quotes']);
  return read;
}
