// Oxylabs: jobs that answer in the same call, with the page parsed into JSON. Job and parsing have separate statuses.
import * as z from 'zod';
import { rejectOtherQuery } from '../engines/page/query.ts';
import { parseLocation } from '../model/results/location.ts';
import type {
  AiOverview,
  AiOverviewText,
  ImageResult,
  KnowledgePanel,
  OrganicResult,
  PageFeature,
  PeopleAlsoAsk,
  ReadPage,
  RelatedSearch,
  SerpPage,
} from '../model/results/serp.ts';
import type { PageRequest } from '../model/source.ts';
import { type Fields, present, ShapeError } from '../net/fields.ts';
import { defineVendor, vendorOptions } from './vendor-kit/define.ts';
import {
  adsIn,
  feature,
  organicList,
  organicResult,
  pageWith,
  panelLinks,
  resolveDestination,
  runningCount,
  siteLinks,
  tabsIn,
  toOverview,
} from './vendor-kit/elements.ts';
import { noResults, rejectOtherOrder, rejectOtherSearch, unproven } from './vendor-kit/validator.ts';
import {
  isEmptyList,
  listOrNothing,
  numberAt,
  numbered,
  objectAt,
  objectsAt,
  textsIn,
  wordsAt,
} from './vendor-kit/values.ts';

const username = z.string().regex(/^[^\s:]{1,200}$/, 'a name without spaces and colons');
const password = z.string().min(1).max(200);

const { apiKey: _, ...shared } = vendorOptions.shape;

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
    ...shared,
  })
  .superRefine((given, context) => {
    const isOne = given.username !== undefined && given.password !== undefined;
    const isPart = given.username !== undefined || given.password !== undefined;
    if (given.users === undefined ? isOne : !isPart) return;
    context.addIssue({ code: 'custom', message: 'it needs either username and password, or users' });
  });

type Options = z.output<typeof options>;

export const vendor = defineVendor({
  name: 'oxylabs',
  facts: {
    title: 'Oxylabs',
    prices: [
      { unit: 'credit', firstPage: 1, furtherPage: 1, unitMicroUsd: { least: 1000, most: 2000 }, asOf: '2026-08' },
    ],
    failureCharge: 'no',
    failureRule:
      'Failures at Oxylabs are free. Every answer of the engine is billed, even if it is not a results page.',
    emptyRule:
      'An empty page says so: `no_results_for_original_query`, or an empty list counted as 0. Beyond page 1 an empty list alone proves nothing.',
    pageSize: 10,
    rate: { requestsPerSecond: 10, concurrency: 20 },
    devices: ['desktop', 'mobile'],
    hasCountries: true,
    locations: ['place', 'coordinate'],
    example: `mode: embedded\nsource: oxylabs\nusername: \${OXYLABS_USERNAME}\npassword: \${OXYLABS_PASSWORD}`,
  },
  options,
  baseUrl: 'https://realtime.oxylabs.io',
  keysOf: readKeys,
  call: ({ keyword, country, language, mobile, page, location }, key) => ({
    method: 'POST',
    path: '/v1/queries',
    headers: { authorization: `Basic ${Buffer.from(key).toString('base64')}` },
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
  read: readPage,
});

/** One text a user, as HTTP's own scheme wants it. */
function readKeys({ username: name, password: secret, users }: Options): string[] {
  if (users !== undefined) return users.map((user) => `${user.username}:${user.password}`);
  return [`${name}:${secret}`];
}

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

/** 12000: parsed without a fault. */
const parsedWell = 12_000;

/** An empty list says that nothing was found where it is counted as well. */
function readPage(root: Fields, asked: PageRequest): ReadPage {
  const { keyword, page } = asked;
  const job = objectsAt(root, 'results')[0];
  const content = objectAt(job, 'content');
  const parsed = numberAt(content, 'parse_status_code', 'status_code');
  if (parsed !== parsedWell) throw new ShapeError(`it was parsed with status ${parsed ?? 'unknown'}`);
  const named = numberAt(content, 'page') ?? numberAt(job, 'page');
  if (named !== undefined && named !== page) throw new ShapeError(`it is page ${named}`);
  const results = content?.object('results');
  if (results === undefined) throw new ShapeError('it has no results');
  const search = objectAt(results, 'search_information');
  const queries = ['query', 'showing_results_for'];
  rejectOtherSearch(search, asked, { places: ['geo_location'], placesFrom: 'footer', queries });
  const read = readPageForm(results);
  const findsNothing = search?.raw('no_results_for_original_query') === true;
  if (read.serp.organic !== undefined) {
    if (findsNothing) rejectOtherQuery(keyword, ['a query of fewer words, or without quotes']);
    return read;
  }
  const count = numberAt(search, 'total_results_count') ?? numberAt(results, 'total_results_count');
  const isListed = isEmptyList(results, 'organic');
  if (findsNothing || (isListed && count === 0)) return read;
  if (page === 1 || !isListed) throw noResults();
  return unproven(read);
}

/** Reads what the form has. Whether a page without organic results is an empty one is left to the caller. */
export function readPageForm(root: Fields): ReadPage {
  const counts = runningCount(rankedNumbers(root));
  const countOf = (box: Fields, nth = 0) => counts.get(findPosition(box, nth) ?? Number.NaN);
  const [top, bottom] = splitAds(root);
  rejectOtherOrder(objectsAt(root, 'organic'), 'organic', ['pos_overall']);
  const serp = present<SerpPage>({
    organic: organicList(root, 'organic', (item, index) => readOrganic(item, index, countOf(item))),
    knowledge: readKnowledge(objectAt(root, 'knowledge')),
    people_also_ask: numbered(
      findBoxes(root, 'related_questions').flatMap((box) =>
        listItems(box).map((item, nth) => readQuestion(item, countOf(box, nth))),
      ),
    ),
    related: numbered(
      findBoxes(root, 'related_searches', 'related_searches_categorized').flatMap((box) =>
        readRelatedSearches(box).map((search, nth) =>
          present<Omit<RelatedSearch, 'rank'>>({ global_rank: countOf(box, nth), ...search }),
        ),
      ),
    ),
    navigation: tabsIn(root),
    ai_overview: readOverview(objectsAt(root, 'ai_overviews')[0]),
    images: numbered(findBoxes(root, 'images').flatMap(listItems).flatMap(readImage)),
    top_ads: adsIn(top, 'data_rw'),
    bottom_ads: adsIn(bottom, 'data_rw'),
  });
  return pageWith(serp, besides(root));
}

/** The boxes of these names: an object, or a list of them; one that holds nothing is none. */
function findBoxes(root: Fields, ...names: readonly string[]): readonly Fields[] {
  return names.flatMap((name) => {
    const one = objectAt(root, name);
    return (one === undefined ? objectsAt(root, name) : [one]).filter((box) => !box.isEmpty());
  });
}

function listItems(box: Fields): readonly Fields[] {
  return [...objectsAt(box, 'items'), ...objectsAt(box, 'related_questions'), ...objectsAt(box, 'results')];
}

/** Elements that stand on every page where they are; of those one must know the place. */
const alwaysPlaced: readonly string[] = [
  'organic',
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
        const count = Math.max(1, listItems(box).length, readRelatedSearches(box).length);
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

function besides(root: Fields): PageFeature[] {
  const places = findBoxes(root, 'local_pack').flatMap(listItems);
  return [
    ...panelLinks(root.raw('knowledge')),
    ...otherFeatures.flatMap(([name, type, address]) => {
      const boxes = findBoxes(root, name);
      return feature(
        type,
        boxes.flatMap((box) => (listItems(box).length === 0 ? [box] : listItems(box))),
        address,
      );
    }),
    ...(places.length === 0 ? [] : [{ type: 'local_pack', links: places.flatMap(listSites) }]),
  ];
}

/** A place links to its own site and to maps of the engine. */
function listSites(place: Fields): string[] {
  return objectsAt(place, 'links').flatMap((link) => resolveDestination(wordsAt(link, 'href', 'url')) ?? []);
}

function readOrganic(item: Fields, index: number, place: number | undefined): OrganicResult {
  const links = objectAt(item, 'sitelinks');
  const names = { link: ['url'], description: ['desc'], displayLink: ['url_shown'] };
  const sites = siteLinks([...objectsAt(links, 'expanded'), ...objectsAt(links, 'inline')]);
  return present<OrganicResult>({
    ...organicResult(item, index, names, sites),
    global_rank: place,
    source: wordsAt(item, 'favicon_text'),
  });
}

function readKnowledge(panel: Fields | undefined): KnowledgePanel | undefined {
  if (panel === undefined || panel.isEmpty()) return undefined;
  const facts = objectsAt(panel, 'factoids').flatMap((fact) => {
    const [key, text] = [wordsAt(fact, 'title')?.replace(/:$/, ''), wordsAt(fact, 'content')];
    return key === undefined || text === undefined ? [] : [{ key, value: [{ text }] }];
  });
  return present<KnowledgePanel>({
    name: wordsAt(panel, 'title'),
    subtitle: wordsAt(panel, 'subtitle'),
    description: wordsAt(panel, 'description'),
    facts: listOrNothing(facts),
  });
}

function readQuestion(item: Fields, place: number | undefined): Omit<PeopleAlsoAsk, 'rank'> {
  const text = wordsAt(item, 'answer');
  return present<Omit<PeopleAlsoAsk, 'rank'>>({
    global_rank: place,
    question: wordsAt(item, 'question') ?? '',
    answer_source: resolveDestination(wordsAt(objectAt(item, 'source'), 'url')),
    answers: text === undefined ? undefined : [{ rank: 1, type: 'answer', value: { text } }],
  });
}

/** Searches as mere texts, or as items with their address. */
function readRelatedSearches(box: Fields): Omit<RelatedSearch, 'rank'>[] {
  const listed = box.raw('related_searches');
  const texts = Array.isArray(listed) ? listed.filter((each) => typeof each === 'string') : [];
  const items = [...objectsAt(box, 'related_searches'), ...objectsAt(box, 'items')].flatMap((item) => {
    const text = wordsAt(item, 'title', 'text', 'query');
    return text === undefined ? [] : [{ text, link: wordsAt(item, 'url', 'link') ?? '' }];
  });
  return [...texts.map((text) => ({ text, link: '' })), ...items];
}

/** The first block is the page's own; others belong to questions. */
function readOverview(block: Fields | undefined): AiOverview | undefined {
  if (block === undefined) return undefined;
  const { references } = toOverview([], objectsAt(objectAt(block, 'source_panel'), 'items'));
  const texts: AiOverviewText[] = [
    ...textsIn(block.raw('answer_text')).map((snippet) => ({ type: 'paragraph' as const, snippet })),
    ...objectsAt(block, 'bullet_list').flatMap(readBullets),
  ];
  return { ...(texts.length > 0 && { texts }), ...(references !== undefined && { references }) };
}

function readBullets(item: Fields): AiOverviewText[] {
  const title = wordsAt(item, 'list_title', 'bullet_list_title', 'title');
  const lists = item.names().flatMap((name) => {
    const value = item.raw(name);
    return Array.isArray(value) ? textsIn(value) : [];
  });
  const list = lists.map((snippet) => ({ type: 'paragraph' as const, snippet }));
  return list.length === 0 ? [] : [{ type: 'list', ...(title !== undefined && { title }), list }];
}

function readImage(item: Fields): Omit<ImageResult, 'rank'>[] {
  const [page, image] = [resolveDestination(wordsAt(item, 'source')), resolveDestination(wordsAt(item, 'url'))];
  const link = page ?? image;
  if (link === undefined) return [];
  return [
    present<Omit<ImageResult, 'rank'>>({
      title: wordsAt(item, 'alt', 'title') ?? '',
      link,
      image: page === undefined ? undefined : image,
    }),
  ];
}

/** Ads above the results and below them stand in one list: those below come after the last organic result. */
function splitAds(root: Fields): readonly [readonly Fields[], readonly Fields[]] {
  const ads = objectsAt(root, 'paid');
  const last = objectsAt(root, 'organic').at(-1);
  const end = numberAt(last, 'pos_overall') ?? Number.POSITIVE_INFINITY;
  const isBottom = (ad: Fields) => (numberAt(ad, 'pos_overall') ?? 0) > end;
  return [ads.filter((ad) => !isBottom(ad)), ads.filter(isBottom)];
}
