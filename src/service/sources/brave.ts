// Brave Search, a separate index: desktop only, ten pages deep. Headers report the rest per second and month.
import type { IncomingHttpHeaders } from 'node:http';
import type { KnowledgePanel, OrganicResult, ReadPage } from '../model/results/serp.ts';
import type { Fields } from '../net/fields.ts';
import { keyInHeader, type OutOfBandError } from './vendor-kit/client.ts';
import { defineVendor, vendorOptions } from './vendor-kit/define.ts';
import {
  factOf,
  feature,
  organicList,
  organicResult,
  pageWith,
  panelIn,
  panelLinks,
  questionIn,
  questionsIn,
  siteLinks,
  textExtensions,
} from './vendor-kit/elements.ts';
import { pagePrice, vendorExample } from './vendor-kit/facts.ts';
import { rejectOtherOrder } from './vendor-kit/validator.ts';
import {
  boxesAt,
  listOrNothing,
  numberAt,
  numbered,
  numberText,
  objectAt,
  objectsAt,
  valueAt,
  wordsAt,
} from './vendor-kit/values.ts';

/**
 * Up to 20 are sold for the same; ten make a page as deep as everywhere else, so that depths can be compared and
 * sources stand in one chain.
 */
const pageSize = 10;

/** The countries and languages of a search, by the vendor's own MCP server, 2026-11. */
const countries =
  'AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US'.split(
    ' ',
  );
const sameNames =
  'ar eu bn bg ca hr cs da nl en et fi fr gl de gu he hi hu is it kn ko lv lt ms ml mr nb pl pa ro ru sr sk sl es sv ta te th tr uk vi'.split(
    ' ',
  );
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
const languages = [...sameNames, ...otherNames.keys()];

export const vendor = defineVendor({
  name: 'brave',
  facts: {
    title: 'Brave Search (a separate index)',
    prices: [pagePrice(5000, '2026-09')],
    failureCharge: 'no',
    failureRule: 'Only successful requests are counted and billed.',
    emptyRule:
      'Brave does not say that nothing was found: an empty list with `more_results_available` false alone proves nothing.',
    pageSize,
    // `offset` is the number of a page, 0 to 9
    pagesMax: 10,
    rate: { requestsPerSecond: 10, concurrency: 10 },
    devices: ['desktop'],
    hasCountries: true,
    countries,
    languages,
    keyword: { charactersMax: 400, wordsMax: 50 },
    example: vendorExample('brave', { apiKey: 'BRAVE_KEY' }),
  },
  options: vendorOptions,
  baseUrl: 'https://api.search.brave.com',
  proof: keyInHeader('x-subscription-token'),
  call: ({ keyword, country, language, page }) => ({
    path: '/res/v1/web/search',
    headers: { 'cache-control': 'no-cache' },
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
  }),
  complaint(root) {
    const words = ['error', 'errors'].map((at) => [wordsAt(root, `${at}.code`), wordsAt(root, `${at}.detail`)]);
    const stated = words.map((pair) => pair.filter((each) => each !== undefined).join(': ')).find(Boolean);
    return stated ?? (root.raw('query') === undefined ? wordsAt(root, 'error', 'message') : undefined);
  },
  outOfBandError,
  refusals: [
    { words: /quota/i, means: 'out_of_credits' },
    { words: /SUBSCRIPTION_TOKEN|SUBSCRIPTION_NOT_FOUND/, means: 'bad_key' },
    { words: /NOT_IN_PLAN/, means: 'forbidden' },
    { status: 200, means: 'failed' },
  ],
  echo: { queries: ['query.original', 'query.altered'] },
  read: readPage,
  // that there is no more is no word that nothing was found
  listsNothing: (root) => valueAt(root, 'query.more_results_available') === false,
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

function toLanguageCode(language: string): string {
  const primary = language.split('-')[0] ?? language;
  return otherNames.get(language) ?? otherNames.get(primary) ?? primary;
}

/** Sections of results, and the order in which they are mixed. */
export function readPage(root: Fields): ReadPage {
  const places = readOrder(root);
  const mixed = objectsAt(root, 'mixed.main').filter((each) => wordsAt(each, 'type') === 'web');
  rejectOtherOrder(mixed, 'web.results', ['index']);
  const web = objectAt(root, 'web');
  const [box] = section(root, 'infobox');
  const discussions = section(root, 'discussions');
  const serp = {
    organic: web && organicList(web, 'results', (item, index) => readOrganic(item, index, places.get(`web ${index}`))),
    knowledge: box && readKnowledge(box),
    people_also_ask: numbered(
      section(root, 'faq').map((item, index) => questionIn(item, questionNames, places.get(`faq ${index}`))),
    ),
    perspectives: listOrNothing(
      discussions.map((item) => ({
        title: wordsAt(item, 'data.title', 'title') ?? '',
        source: wordsAt(item, 'data.forum_name'),
      })),
    ),
  };
  return pageWith(serp, [
    ...feature('discussions_and_forums', discussions, 'url'),
    ...feature('top_stories', section(root, 'news'), 'url'),
    ...feature('video', section(root, 'videos'), 'url'),
    ...feature('local_pack', section(root, 'locations'), 'url'),
    ...panelLinks(root, 'infobox'),
    ...questionsIn(section(root, 'faq')),
  ]);
}

/** The results of a section, which holds one or a list. */
function section(root: Fields, name: string): readonly Fields[] {
  return boxesAt(root, `${name}.results`);
}

/** Sections whose results are ranked one by one. */
const rankedSections: readonly string[] = ['web', 'faq', 'videos'];

/**
 * Where the ranked elements stand among all of them, by section and index; empty where the mix leaves out a result of
 * the web.
 */
function readOrder(root: Fields): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const reference of objectsAt(root, 'mixed.top', 'mixed.main')) {
    const type = wordsAt(reference, 'type') ?? '';
    if (!rankedSections.includes(type)) continue;
    const count = section(root, type).length;
    const all = Array.from({ length: count }, (_, nth) => nth);
    for (const index of reference.raw('all') === true ? all : [numberAt(reference, 'index')]) {
      if (index === undefined || index >= count || places.has(`${type} ${index}`)) continue;
      places.set(`${type} ${index}`, places.size + 1);
    }
  }
  const isWhole = section(root, 'web').every((_, index) => places.has(`web ${index}`));
  return isWhole ? places : new Map();
}

const resultNames = { link: ['url'], description: ['description'], displayLink: [] };
const questionNames = { question: ['question'], answer: ['answer'], source: ['url'] };
const panelNames = {
  name: ['title'],
  subtitle: ['label', 'category'],
  description: ['long_desc', 'description'],
  description_source: ['providers.name'],
};

function readOrganic(item: Fields, index: number, place: number | undefined): OrganicResult {
  const host = wordsAt(item, 'meta_url.netloc', 'meta_url.hostname');
  const duration = wordsAt(item, 'video.duration');
  const extensions = [
    ...siteLinks(objectsAt(item, 'deep_results.buttons')),
    ...textExtensions({
      date: wordsAt(item, 'age', 'page_age'),
      rating: numberText(item, 'rating.ratingValue'),
      reviews: numberText(item, 'rating.reviewCount'),
    }),
  ];
  return {
    ...organicResult(item, index, resultNames, extensions),
    global_rank: place,
    display_link: host && [host, wordsAt(item, 'meta_url.path')].filter(Boolean).join(' '),
    source: wordsAt(item, 'profile.name', 'profile.long_name'),
    image: wordsAt(item, 'thumbnail.original', 'thumbnail.src'),
    duration,
    duration_sec: secondsIn(duration),
  };
}

/** `12:34` or `1:02:03`. */
function secondsIn(duration: string | undefined): number | undefined {
  if (duration === undefined || !/^\d{1,3}(?::\d\d){1,2}$/.test(duration)) return undefined;
  return duration.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

function readKnowledge(box: Fields): KnowledgePanel | undefined {
  if (wordsAt(box, 'title') === undefined) return undefined;
  // attributes are sent with their links as HTML
  const plain = (text: unknown) => (typeof text === 'string' ? text.replace(/<[^<>]*>/g, '').trim() : undefined);
  const pairs = box.raw('attributes');
  const facts = (Array.isArray(pairs) ? pairs : []).flatMap((pair: unknown) =>
    Array.isArray(pair) ? factOf(plain(pair[0]), plain(pair[1])) : [],
  );
  return panelIn(box, panelNames, facts);
}
