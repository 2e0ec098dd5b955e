// Brave Search, a separate index: desktop only, ten pages deep. Headers report the rest per second and month.
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../model/errors.ts';
import type {
  Extension,
  KnowledgePanel,
  OrganicResult,
  PageFeature,
  PeopleAlsoAsk,
  Perspective,
  ReadPage,
  SerpPage,
} from '../model/results/serp.ts';
import { type Fields, present } from '../net/fields.ts';
import type { OutOfBandError } from './vendor-kit/client.ts';
import { defineVendor, vendorExample, vendorOptions } from './vendor-kit/define.ts';
import {
  feature,
  organicList,
  organicResult,
  pageWith,
  panelLinks,
  resolveDestination,
  siteLinks,
  textExtension,
} from './vendor-kit/elements.ts';
import { rejectOtherOrder } from './vendor-kit/validator.ts';
import { numberAt, numbered, objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

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

/** Reads what the form has. Whether a page without organic results is an empty one is left to the caller. */
export function readPageForm(root: Fields): ReadPage {
  const places = readOrder(root);
  const mixed = objectsAt(objectAt(root, 'mixed'), 'main').filter((each) => wordsAt(each, 'type') === 'web');
  rejectOtherOrder(mixed, 'web.results', ['index']);
  const web = objectAt(root, 'web');
  const discussions = readSection(root, 'discussions').map(readDiscussion);
  const serp = present<SerpPage>({
    organic: web && organicList(web, 'results', (item, index) => readOrganic(item, index, places.get(`web ${index}`))),
    knowledge: readKnowledge(readSection(root, 'infobox')[0]),
    people_also_ask: numbered(
      readSection(root, 'faq').map((item, index) => readQuestion(item, places.get(`faq ${index}`))),
    ),
    perspectives: discussions.length === 0 ? undefined : discussions,
  });
  return pageWith(serp, besides(root));
}

/** The results of a section, which holds one or a list. */
function readSection(root: Fields, name: string): readonly Fields[] {
  const section = objectAt(root, name);
  const one = objectAt(section, 'results');
  return one === undefined ? objectsAt(section, 'results') : [one];
}

/** Sections whose results are ranked one by one. */
const rankedSections: readonly string[] = ['web', 'faq', 'videos'];

/**
 * Where the ranked elements stand among all of them, by section and index; empty where the mix leaves out a result of
 * the web.
 */
function readOrder(root: Fields): ReadonlyMap<string, number> {
  const mixed = objectAt(root, 'mixed');
  const places = new Map<string, number>();
  for (const reference of [...objectsAt(mixed, 'top'), ...objectsAt(mixed, 'main')]) {
    const type = wordsAt(reference, 'type') ?? '';
    if (!rankedSections.includes(type)) continue;
    const count = readSection(root, type).length;
    const index = numberAt(reference, 'index');
    const indexes = reference.raw('all') === true ? Array.from({ length: count }, (_, nth) => nth) : [index];
    for (const each of indexes) {
      if (each === undefined || each >= count || places.has(`${type} ${each}`)) continue;
      places.set(`${type} ${each}`, places.size + 1);
    }
  }
  const isWhole = readSection(root, 'web').every((_, index) => places.has(`web ${index}`));
  return isWhole ? places : new Map();
}

function besides(root: Fields): PageFeature[] {
  return [
    ...feature('discussions_and_forums', readSection(root, 'discussions'), 'url'),
    ...feature('top_stories', readSection(root, 'news'), 'url'),
    ...feature('video', readSection(root, 'videos'), 'url'),
    ...feature('local_pack', readSection(root, 'locations'), 'url'),
    ...panelLinks(root.raw('infobox')),
  ];
}

function readOrganic(item: Fields, index: number, place: number | undefined): OrganicResult {
  const names = { link: ['url'], description: ['description'], displayLink: [] };
  const video = objectAt(item, 'video');
  const picture = objectAt(item, 'thumbnail');
  const shown = objectAt(item, 'meta_url');
  const host = wordsAt(shown, 'netloc', 'hostname');
  return present<OrganicResult>({
    ...organicResult(item, index, names, readExtensions(item)),
    global_rank: place,
    display_link: host === undefined ? undefined : [host, wordsAt(shown, 'path')].filter(Boolean).join(' '),
    source: wordsAt(objectAt(item, 'profile'), 'name', 'long_name'),
    image: wordsAt(picture, 'original', 'src'),
    duration: wordsAt(video, 'duration'),
    duration_sec: secondsIn(wordsAt(video, 'duration')),
  });
}

function readExtensions(item: Fields): Omit<Extension, 'rank'>[] {
  const rating = objectAt(item, 'rating');
  const ratingText = (name: string) => {
    const number = numberAt(rating, name);
    return number === undefined ? undefined : String(number);
  };
  return [
    ...siteLinks(objectsAt(objectAt(item, 'deep_results'), 'buttons')),
    ...textExtension('date', wordsAt(item, 'age', 'page_age')),
    ...textExtension('rating', ratingText('ratingValue')),
    ...textExtension('reviews', ratingText('reviewCount')),
  ];
}

/** `12:34` or `1:02:03`. */
function secondsIn(duration: string | undefined): number | undefined {
  if (duration === undefined || !/^\d{1,3}(?::\d\d){1,2}$/.test(duration)) return undefined;
  return duration.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

function readKnowledge(box: Fields | undefined): KnowledgePanel | undefined {
  const name = wordsAt(box, 'title');
  if (box === undefined || name === undefined) return undefined;
  const pairs = box.raw('attributes');
  const facts = (Array.isArray(pairs) ? pairs : []).flatMap((pair: unknown) => {
    const [key, text] = Array.isArray(pair) ? pair : [];
    if (typeof key !== 'string' || typeof text !== 'string') return [];
    return [{ key: plain(key), value: [{ text: plain(text) }] }];
  });
  return present<KnowledgePanel>({
    name,
    subtitle: wordsAt(box, 'label', 'category'),
    description: wordsAt(box, 'long_desc', 'description'),
    description_source: wordsAt(objectsAt(box, 'providers')[0], 'name'),
    facts: facts.length === 0 ? undefined : facts,
  });
}

/** Attributes are sent with their links as HTML. */
function plain(text: string): string {
  return text.replace(/<[^<>]*>/g, '').trim();
}

function readQuestion(item: Fields, place: number | undefined): Omit<PeopleAlsoAsk, 'rank'> {
  const text = wordsAt(item, 'answer');
  return present<Omit<PeopleAlsoAsk, 'rank'>>({
    global_rank: place,
    question: wordsAt(item, 'question') ?? '',
    answer_source: resolveDestination(wordsAt(item, 'url')),
    answers: text === undefined ? undefined : [{ rank: 1, type: 'answer', value: { text } }],
  });
}

function readDiscussion(item: Fields): Perspective {
  const post = objectAt(item, 'data');
  return present<Perspective>({
    title: wordsAt(post, 'title') ?? wordsAt(item, 'title') ?? '',
    source: wordsAt(post, 'forum_name'),
  });
}
