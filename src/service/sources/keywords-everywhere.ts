// Keywords Everywhere: keyword metrics by the hundred, one credit each. Related keywords need another call and plan.
import * as z from 'zod';
import { keywordKey } from '../model/results/keyword-data.ts';
import { boundedJson, type Fields, vendorBounds } from '../net/fields.ts';
import { bearer } from './vendor-kit/client.ts';
import { vendorOptions } from './vendor-kit/define.ts';
import { besideExample } from './vendor-kit/facts.ts';
import { type Ask, defineMetrics, type KnownMetrics, namedIn, orderMetrics, roomIn } from './vendor-kit/metrics.ts';
import { numberAt, objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const name = 'keywords-everywhere';

/** Countries by the vendor's own list; the rest of the world is one number that is of no country. */
const countries: ReadonlyMap<string, string> = new Map([
  ['AU', 'au'],
  ['CA', 'ca'],
  ['GB', 'uk'],
  ['IN', 'in'],
  ['NZ', 'nz'],
  ['US', 'us'],
  ['ZA', 'za'],
]);

/** What public notes of users say of plans: a dollar for 10,000 credits in old ones, for 1,667 in newer ones. */
const price = {
  unit: 'credit' as const,
  perRequest: 1,
  perWanted: 1,
  unitMicroUsd: { least: 100, most: 600 },
  asOf: '2026-11',
};

/** Most keywords of one call. */
const callMax = 100;

const options = vendorOptions.extend({
  related: z
    .boolean()
    .default(false)
    .describe(
      'Includes related keywords, at three credits each; needs a Gold or Platinum plan. Default: only tracked keywords.',
    ),
  dataSource: z
    .enum(['gkp', 'cli'])
    .default('gkp')
    .describe('`gkp`: the planner of Google. `cli`: the same with clickstream data.'),
});

type Options = z.output<typeof options>;

export const vendor = defineMetrics({
  name,
  facts: {
    title: 'Keywords Everywhere',
    prices: [
      { mode: 'related: false', perRelated: 0, ...price },
      { mode: 'related: true', perRelated: 3, ...price },
    ],
    failureCharge: 'unknown',
    failureRule:
      'One credit is charged for each returned keyword. The vendor does not state the charge for an empty answer.',
    knows: ['search_volume', 'cpc', 'competition', 'related_keywords'],
    keywordsMax: 1000,
    rate: { requestsPerSecond: 2, concurrency: 2 },
    countries: [...countries.keys()],
    note: 'Seven countries, any language. A keyword whose numbers are all 0 counts as unknown.',
    example: besideExample('metrics', name, { apiKey: 'KEYWORDS_EVERYWHERE_KEY' }),
  },
  options,
  baseUrl: 'https://api.keywordseverywhere.com/v1',
  proof: bearer,
  // the balance is a list of one number
  parse(text) {
    const value = boundedJson(text, vendorBounds);
    return Array.isArray(value) ? { balance: value } : value;
  },
  complaint: (root) => {
    const words = [wordsAt(root, 'message'), wordsAt(root, 'error'), wordsAt(root, 'description')];
    return root.raw('data') === undefined
      ? words.filter((each) => each !== undefined).join(': ') || undefined
      : undefined;
  },
  refusals: [
    {
      words: /gold or platinum/i,
      means: 'forbidden',
      hint: 'The plan has no related keywords: omit the option `related`.',
    },
    { words: /insufficient credits|subscription required/i, means: 'out_of_credits' },
    { words: /invalid api key/i, means: 'bad_key' },
  ],
  async fetch(asked, ask, given) {
    const country = countries.get(asked.country);
    if (country === undefined) throw new Error('the limits were not checked');
    const room = roomIn(asked);
    const names = given.related && room > 0 ? await fetchRelated(asked.keyword, room, ask) : [];
    const named = new Set(namedIn(asked).map(keywordKey));
    const others = names.filter((each) => !named.has(keywordKey(each))).slice(0, room);
    const keywords = [...namedIn(asked), ...others];
    const known: KnownMetrics[] = [];
    for (let at = 0; at < keywords.length; at += callMax) {
      const root = await ask(dataCall(keywords.slice(at, at + callMax), country, given));
      known.push(...objectsAt(root, 'data').flatMap(toMetrics));
    }
    return orderMetrics(asked, known, known);
  },
  account: {
    path: '/account/credits',
    left(root) {
      const [left] = root.array('balance') ?? [];
      return typeof left === 'number' && Number.isFinite(left) ? left : null;
    },
  },
});

async function fetchRelated(keyword: string, count: number, ask: Ask): Promise<string[]> {
  const form = [
    ['keyword', keyword],
    ['num', String(count)],
  ] as const;
  const root = await ask({ path: '/get_related_keywords', form });
  return (root.array('data') ?? []).filter((each) => typeof each === 'string' && each.trim() !== '') as string[];
}

function dataCall(keywords: readonly string[], country: string, { dataSource }: Options) {
  return {
    path: '/get_keyword_data',
    form: [
      ...keywords.map((keyword) => ['kw[]', keyword] as const),
      ['country', country] as const,
      ['currency', 'usd'] as const,
      ['dataSource', dataSource] as const,
    ],
  };
}

function toMetrics(row: Fields): KnownMetrics[] {
  const keyword = wordsAt(row, 'keyword');
  if (keyword === undefined) return [];
  const cpc = objectAt(row, 'cpc');
  const competition = numberAt(row, 'competition');
  // an unknown keyword has 0 in every field: none of them was counted
  if (numberAt(row, 'vol') === 0 && numberAt(cpc, 'value') === 0 && competition === 0) return [{ keyword }];
  return [
    {
      keyword,
      search_volume: numberAt(row, 'vol'),
      // in the requested currency; any other one is no cost in dollars
      cpc: /^(?:\$|usd)?$/i.test(wordsAt(cpc, 'currency') ?? '') ? numberAt(cpc, 'value') : undefined,
      competition: competition === undefined ? undefined : Math.round(competition * 100),
    },
  ];
}
