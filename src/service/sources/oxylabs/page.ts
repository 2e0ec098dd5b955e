// Reads a parsed page of Oxylabs: lists of elements, and boxes that hold items under one position.

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
} from '../../model/results/serp.ts';
import { type Fields, present } from '../../net/fields.ts';
import {
  adsIn,
  organicList,
  organicResult,
  resolveDestination,
  runningCount,
  siteLinks,
  tabsIn,
} from '../vendor-kit/pages/elements.ts';
import { feature, pageWith, panelLinks } from '../vendor-kit/pages/features.ts';
import { toOverview } from '../vendor-kit/pages/overview.ts';
import { rejectOtherOrder } from '../vendor-kit/pages/validator.ts';
import { listOrNothing, numberAt, numbered, objectAt, objectsAt, textsIn, wordsAt } from '../vendor-kit/values.ts';

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
