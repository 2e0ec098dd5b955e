// Oxylabs: jobs that answer in the same call, with the page parsed into JSON. Job and parsing have separate statuses.
import * as z from 'zod';
import { parseLocation } from '../model/results/location.ts';
import type { AiOverview, AiOverviewText, ReadPage } from '../model/results/serp.ts';
import type { PageRequest } from '../model/source.ts';
import { Fields, ShapeError } from '../net/fields.ts';
import { basic } from './vendor-kit/client.ts';
import { accountOptions, defineVendor, isOneOrSeveral } from './vendor-kit/define.ts';
import {
  adsIn,
  destinationAt,
  factOf,
  feature,
  featureLinks,
  imageIn,
  isPaid,
  organicList,
  organicResult,
  pageWith,
  panelIn,
  panelLinks,
  questionIn,
  questionsIn,
  runningCount,
  searchesIn,
  siteLinks,
  tabsIn,
  toOverview,
} from './vendor-kit/elements.ts';
import { creditPrice, vendorExample, webFacts } from './vendor-kit/facts.ts';
import { rejectOtherOrder } from './vendor-kit/validator.ts';
import {
  boxesAt,
  isEmptyList,
  listOrNothing,
  numberAt,
  numbered,
  objectAt,
  objectsAt,
  textsIn,
  valueAt,
  wordsAt,
} from './vendor-kit/values.ts';

const username = z.string().regex(/^[^\s:]{1,200}$/, 'a name without spaces and colons');
const password = z.string().min(1).max(200);

const options = z
  .strictObject({
    username: username.optional().describe('API user; with `password` for one, or `users` for several.'),
    password: password.optional().describe('Its password.'),
    users: z
      .array(z.strictObject({ username, password }))
      .min(1)
      .max(50)
      .optional()
      .describe('API users, used in turn, each `{ username, password }`.'),
    ...accountOptions.shape,
  })
  .superRefine((given, context) => {
    if (isOneOrSeveral([given.username, given.password], given.users)) return;
    context.addIssue({ code: 'custom', message: 'it needs either username and password, or users' });
  });

/** 12000: parsed without a fault. */
const parsedWell = 12_000;

export const vendor = defineVendor({
  name: 'oxylabs',
  facts: {
    ...webFacts,
    title: 'Oxylabs',
    prices: [creditPrice(1, [1000, 2000], '2026-08')],
    failureCharge: 'no',
    failureRule:
      'Failures at Oxylabs are free. Every answer of the engine is billed, even if it is not a results page.',
    emptyRule:
      'An empty page says so: `no_results_for_original_query`, or an empty list counted as 0. Beyond page 1 an empty list alone proves nothing.',
    rate: { requestsPerSecond: 10, concurrency: 20 },
    hasLocalResults: false,
    example: vendorExample('oxylabs', { username: 'OXYLABS_USERNAME', password: 'OXYLABS_PASSWORD' }),
  },
  options,
  baseUrl: 'https://realtime.oxylabs.io',
  // one text a user, as HTTP's own scheme wants it
  keysOf: ({ username: name, password: secret, users = [{ username: `${name}`, password: `${secret}` }] }) =>
    users.map((user) => `${user.username}:${user.password}`),
  proof: basic,
  call: ({ keyword, country, language, mobile, page, location }) => ({
    path: '/v1/queries',
    json: {
      source: 'google_search',
      query: keyword,
      // codes of ISO 3166 are turned into names of countries there
      geo_location: location === undefined ? country : geoLocation(location),
      locale: toLocale(language),
      user_agent_type: mobile ? 'mobile' : 'desktop',
      start_page: page,
      pages: 1,
      parse: true,
    },
  }),
  complaint: (root) =>
    root.raw('results') === undefined ? wordsAt(root, 'message', 'error', 'detail', 'title') : undefined,
  outOfBandError(_headers, status, root) {
    if (status === 204) return { words: 'the job is not done yet' };
    const engine = numberAt(objectsAt(root, 'results')[0], 'status_code') ?? 200;
    return engine >= 200 && engine < 300 ? {} : { status: engine, words: `the engine answered ${engine}` };
  },
  refusals: [
    { status: 401, means: 'bad_key', hint: 'Check username and password of the API user of oxylabs.' },
    { status: 204, means: 'timeout', charged: 'unknown' },
    { status: 612, means: 'failed' },
    { status: 613, means: 'failed' },
    { status: 524, means: 'timeout' },
    { words: /^the engine answered 429/, means: 'blocked' },
    { words: /^the engine answered 4/, means: 'blocked', charged: 'yes' },
    { words: /trial|quota|monthly|limit of results|no .*\bleft\b|insufficient|exhausted/i, means: 'out_of_credits' },
  ],
  pageIn,
  echo: {
    places: ['search_information.geo_location'],
    placesFrom: 'footer',
    queries: ['search_information.query', 'search_information.showing_results_for'],
  },
  searchedInstead: (page) =>
    findsNothing(page) && objectsAt(page, ...resultLists).length > 0
      ? 'a query of fewer words, or without quotes'
      : undefined,
  read: readPage,
  // an empty list says that nothing was found where it is counted as well
  saysEmpty: (page) =>
    findsNothing(page) ||
    (isEmptyList(page, 'organic') &&
      numberAt(page, 'search_information.total_results_count', 'total_results_count') === 0),
  list: 'organic',
});

/** The locale of a language, `de-de`: for a language without a region, the country with most of its speakers. */
function toLocale(language: string): string {
  const locale = new Intl.Locale(language);
  const isCountry = /^[A-Z]{2}$/.test(locale.region ?? '');
  const { region } = isCountry ? locale : new Intl.Locale(locale.language).maximize();
  return `${locale.language}${region === undefined ? '' : `-${region}`}`.toLowerCase();
}

/** Radius in metres around a coordinate, as in the vendor's example. */
const radius = 25_000;

/** A canonical name as it is; a coordinate in the vendor's own notation (its documentation, 2026-11). */
function geoLocation(location: string): string {
  const asked = parseLocation(location);
  return asked.kind === 'place' ? asked.name : `lat: ${asked.latitude}, lng: ${asked.longitude}, rad: ${radius}`;
}

function pageIn(root: Fields, { page }: PageRequest): Fields {
  const parsed = numberAt(root, 'results.content.parse_status_code', 'results.content.status_code');
  if (parsed !== parsedWell) throw new ShapeError(`it was parsed with status ${parsed ?? 'unknown'}`);
  const named = numberAt(root, 'results.content.page', 'results.page');
  if (named !== undefined && named !== page) throw new ShapeError(`it is page ${named}`);
  const results = objectAt(root, 'results.content.results');
  if (results === undefined) throw new ShapeError('it has no results');
  return results;
}

function findsNothing(page: Fields): boolean {
  return valueAt(page, 'search_information.no_results_for_original_query') === true;
}

const resultNames = { link: ['url'], description: ['desc'], displayLink: ['url_shown'] };
const panelNames = { name: ['title'], subtitle: ['subtitle'], description: ['description'] };
const questionNames = { question: ['question'], answer: ['answer'], source: ['source.url'] };

/** Results of the engine: those that are videos stand in a list beside the others. */
const resultLists = ['organic', 'organic_videos'] as const;

/**
 * All results in the order of the page, by their positions on it. Throws ShapeError for lists that do not give their
 * order: where a video stands decides every rank below it.
 */
function resultsIn(root: Fields): Fields {
  for (const name of resultLists) rejectOtherOrder(objectsAt(root, name), name, ['pos', 'pos_overall']);
  const videos = objectsAt(root, 'organic_videos');
  if (videos.length === 0) return root;
  const placed = [...objectsAt(root, 'organic'), ...videos].map((item) => ({
    item,
    at: numberAt(item, 'pos_overall'),
  }));
  const places = new Set(placed.map(({ at }) => at));
  if (places.has(undefined) || places.size < placed.length)
    throw new ShapeError('organic_videos does not say where its results stand');
  placed.sort((one, other) => (one.at ?? 0) - (other.at ?? 0));
  // `pos` counts in one of the lists
  const organic = placed.map(({ item }) => ({ ...(item.value() as object), pos: undefined }));
  return new Fields({ organic }, 'page', root.engines);
}

/** Reads a parsed page: lists of elements, and boxes that hold items under one position. */
export function readPage(root: Fields): ReadPage {
  const counts = runningCount(rankedNumbers(root));
  const countOf = (box: Fields, nth = 0) => counts.get(findPosition(box, nth) ?? Number.NaN);
  const [top, bottom] = splitAds(root);
  const panel = objectAt(root, 'knowledge');
  const results = resultsIn(root);
  const serp = {
    organic: organicList(results, 'organic', (item, index) => ({
      ...organicResult(item, index, resultNames, siteLinks(objectsAt(item, 'sitelinks.expanded', 'sitelinks.inline'))),
      global_rank: countOf(item),
      source: wordsAt(item, 'favicon_text'),
    })),
    knowledge:
      panel === undefined || panel.isEmpty()
        ? undefined
        : panelIn(
            panel,
            panelNames,
            objectsAt(panel, 'factoids').flatMap((fact) =>
              factOf(wordsAt(fact, 'title')?.replace(/:$/, ''), wordsAt(fact, 'content')),
            ),
          ),
    people_also_ask: numbered(
      findBoxes(root, 'related_questions').flatMap((box) =>
        listItems(box).map((item, nth) => questionIn(item, questionNames, countOf(box, nth))),
      ),
    ),
    related: numbered(
      findBoxes(root, 'related_searches', 'related_searches_categorized').flatMap((box) =>
        listSearches(box).map((search, nth) => ({ global_rank: countOf(box, nth), ...search })),
      ),
    ),
    navigation: tabsIn(root),
    ai_overview: readOverview(objectsAt(root, 'ai_overviews')[0]),
    images: numbered(
      findBoxes(root, 'images')
        .flatMap(listItems)
        .flatMap((item) => {
          const [page, image] = [destinationAt(item, 'source'), destinationAt(item, 'url')];
          return imageIn(item, ['alt', 'title'], page ?? image, page && image);
        }),
    ),
    top_ads: adsIn(top, 'data_rw'),
    bottom_ads: adsIn(bottom, 'data_rw'),
  };
  const places = findBoxes(root, 'local_pack').flatMap(listItems);
  // a place links to its own site and to maps of the engine
  const sites = featureLinks(
    'local_pack',
    places.filter((place) => !isPaid(place)).flatMap((place) => objectsAt(place, 'links')),
    ...['href', 'url'],
  );
  return pageWith(serp, [
    ...panelLinks(root, 'knowledge'),
    ...questionsIn(findBoxes(root, 'related_questions').flatMap(listItems)),
    ...otherFeatures.flatMap(([name, type, address]) => {
      const items = findBoxes(root, name).flatMap((box) => (listItems(box).length === 0 ? [box] : listItems(box)));
      return feature(type, items, address);
    }),
    ...(places.length === 0 ? [] : [{ type: 'local_pack', links: sites }]),
  ]);
}

/** The boxes of these names: an object, or a list of them; one that holds nothing is none. */
function findBoxes(root: Fields, ...names: readonly string[]): readonly Fields[] {
  return boxesAt(root, ...names).filter((box) => !box.isEmpty());
}

function listItems(box: Fields): readonly Fields[] {
  return objectsAt(box, 'items', 'related_questions', 'results');
}

function listSearches(box: Fields) {
  return searchesIn(box, ['related_searches', 'items'], ['title', 'text', 'query']);
}

/** Elements that stand on every page where they are; of those one must know the place. */
const alwaysPlaced: readonly string[] = [
  ...resultLists,
  'paid',
  'images',
  'videos',
  'related_questions',
  'related_searches',
];

/** The items of a box follow each other at the position of the box. */
function findPosition(box: Fields, nth: number): number | undefined {
  const place = numberAt(box, 'pos_overall');
  return place === undefined ? undefined : place + nth / 1_000_000;
}

function rankedNumbers(root: Fields): (number | undefined)[] {
  return root.names().flatMap((name) =>
    findBoxes(root, name)
      .filter((box) => alwaysPlaced.includes(name) || numberAt(box, 'pos_overall') !== undefined)
      .flatMap((box) => {
        const count = Math.max(1, listItems(box).length, listSearches(box).length);
        return Array.from({ length: count }, (_, nth) => findPosition(box, nth));
      }),
  );
}

/**
 * Features that the root object has no field for: the vendor's name, the feature's, and where an item has its address.
 */
const otherFeatures = [
  ['featured_snippet', 'featured_snippet', 'url'],
  ['instant_answers', 'answer_box', 'url'],
  ['videos', 'video', 'url'],
  ['video_box', 'video', 'url'],
  ['organic_videos', 'video', 'url'],
  ['top_stories', 'top_stories', 'url'],
  ['pla', 'shopping', 'url'],
  ['popular_products', 'popular_products', 'url'],
  ['discussions_and_forums', 'discussions_and_forums', 'url'],
  ['twitter', 'twitter', 'url'],
  ['recipes', 'recipes', 'url'],
  ['jobs', 'jobs', 'url'],
  ['hotels', 'hotels_pack', 'url'],
  ['flights', 'google_flights', 'url'],
  ['top_sights', 'top_sights', 'url'],
  ['item_carousel', 'carousel', 'href'],
  ['local_service_ads', 'local_services', 'url'],
] as const;

/** The first block is the page's own; others belong to questions. */
function readOverview(block: Fields | undefined): AiOverview | undefined {
  if (block === undefined) return undefined;
  const texts: AiOverviewText[] = [
    ...textsIn(block.raw('answer_text')).map((snippet) => ({ type: 'paragraph' as const, snippet })),
    ...objectsAt(block, 'bullet_list').flatMap(readBullets),
  ];
  return { ...toOverview([], objectsAt(block, 'source_panel.items')), texts: listOrNothing(texts) };
}

function readBullets(item: Fields): AiOverviewText[] {
  const title = wordsAt(item, 'list_title', 'bullet_list_title', 'title');
  const lists = item.names().flatMap((name) => {
    const value = item.raw(name);
    return Array.isArray(value) ? textsIn(value) : [];
  });
  const list = lists.map((snippet) => ({ type: 'paragraph' as const, snippet }));
  return list.length === 0 ? [] : [{ type: 'list', title, list }];
}

/** Ads above the results and below them stand in one list: those below come after the last organic result. */
function splitAds(root: Fields): readonly [readonly Fields[], readonly Fields[]] {
  const ads = objectsAt(root, 'paid');
  const ends = objectsAt(root, ...resultLists).flatMap((item) => numberAt(item, 'pos_overall') ?? []);
  const end = ends.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ends);
  const isBottom = (ad: Fields) => (numberAt(ad, 'pos_overall') ?? 0) > end;
  return [ads.filter((ad) => !isBottom(ad)), ads.filter(isBottom)];
}
