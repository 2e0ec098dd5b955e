// Zenserp: result pages as JSON. Its 404 means nothing found; its 403 a bad key, an empty account or a missing right.
import { Fields } from '../net/fields.ts';
import { keyInHeader } from './vendor-kit/client.ts';
import { defineVendor, vendorOptions } from './vendor-kit/define.ts';
import { creditPrice, vendorExample, webFacts } from './vendor-kit/facts.ts';
import { readGoogleForm } from './vendor-kit/google-form.ts';
import { languageParameter } from './vendor-kit/market.ts';
import { wordsAt } from './vendor-kit/values.ts';

export const vendor = defineVendor({
  name: 'zenserp',
  facts: {
    ...webFacts,
    title: 'Zenserp',
    prices: [creditPrice(1, [1000, 6000], '2026-08')],
    failureCharge: 'unknown',
    failureRule: 'The vendor does not state the charge for failures, so they count as unknown.',
    emptyRule:
      'An empty page says so: status 404, or words such as `no results`. Beyond page 1 an empty list alone proves nothing.',
    rate: { requestsPerSecond: 5, concurrency: 5 },
    locations: ['place'],
    example: vendorExample('zenserp', { apiKey: 'ZENSERP_KEY' }),
  },
  options: vendorOptions,
  baseUrl: 'https://app.zenserp.com/api/v2',
  proof: keyInHeader('apikey'),
  call: ({ keyword, country, language, mobile, page, location }) => ({
    path: '/search',
    query: {
      q: keyword,
      gl: country,
      location,
      hl: languageParameter(language),
      device: mobile ? 'mobile' : 'desktop',
      start: page === 1 ? undefined : (page - 1) * 10,
    },
  }),
  complaint: (root) => {
    const words = ['message', 'title', 'detail', 'error'].map((name) => `errors.${name}`);
    return wordsAt(root, 'error', 'message', ...words);
  },
  nothingFound: /no (?:organic |search )?results|(?:not|n't) (?:find|return) any results|nothing found/i,
  refusals: [
    { status: 404, means: 'failed' },
    { words: /not enough requests|quota|limit of requests|no.*requests left/i, means: 'out_of_credits' },
    { words: /api.?key|unauthori[sz]ed/i, means: 'bad_key' },
    { status: 403, means: 'forbidden' },
    { status: 200, means: 'failed' },
  ],
  echo: { places: ['query.location'], parameters: 'query', queries: ['query.q'] },
  // older answers list results as `organic`, among boxes of other kinds
  read(root) {
    const { organic: _, ...others } = root.value() as Record<string, unknown>;
    const results = listResults(root)?.filter((item) => !isBox(item));
    return readGoogleForm(new Fields({ ...others, organic_results: results, ads: root.raw('paid_results') }, 'page'));
  },
  listsNothing: (root, page) => page > 1 && listResults(root)?.length === 0,
  account: { path: '/status', left: ['remaining_requests'] },
});

function listResults(root: Fields): readonly unknown[] | undefined {
  return root.array('organic_results') ?? root.array('organic');
}

/** A box of questions, videos or the like that stands among the results: it has neither a place nor an address. */
function isBox(item: unknown): boolean {
  return typeof item === 'object' && item !== null && !Object.hasOwn(item, 'url') && !Object.hasOwn(item, 'position');
}
