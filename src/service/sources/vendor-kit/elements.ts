// Converts elements of a vendor's page: results, boxes, places. Unwraps links and counts ranks.
import { hiddenDestination } from '../../engines/google/urls.ts';
import { readLinkOf } from '../../engines/links.ts';
import { featuresOf, questionFeature } from '../../model/results/features.ts';
import { parseLocation } from '../../model/results/location.ts';
import type {
  Ad,
  AiOverview,
  AiOverviewText,
  Extension,
  ImageResult,
  KnowledgePanel,
  LocalResult,
  NavigationTab,
  OrganicResult,
  PageFeature,
  PeopleAlsoAsk,
  ReadPage,
  RelatedSearch,
  SerpPage,
} from '../../model/results/serp.ts';
import { Fields, isMarkedAd, ShapeError } from '../../net/fields.ts';
import { rejectOtherOrder } from './validator.ts';
import { boxesAt, isObject, listOrNothing, numberAt, numbered, objectsAt, textListAt, wordsAt } from './values.ts';

/** An item of a page before it is numbered. */
export type Unranked<T extends { rank: number }> = Omit<T, 'rank'>;

/** Names of a field, the first that is there counts. */
type Names = readonly string[];

/**
 * The destination of a link: redirects of the engine resolved, its tracking removed. Undefined if it is not a URL, or
 * stays within the engine.
 */
export function resolveDestination(link: string | undefined, engines: readonly string[] = []): string | undefined {
  return link === undefined ? undefined : readLinkOf(engines, link).destination;
}

export function destinationAt(item: Fields | undefined, ...names: Names): string | undefined {
  return resolveDestination(wordsAt(item, ...names), item?.engines);
}

/** The first address of a picture; most pictures are sent as data. */
export function pictureAt(item: Fields, ...names: Names): string | undefined {
  return names.map((name) => wordsAt(item, name)).find((address) => /^https?:/i.test(address ?? ''));
}

/**
 * The organic results of a list, or undefined for an empty one. Throws ShapeError if it is not a list of objects, or in
 * another order than their numbers.
 */
export function organicList(
  root: Fields,
  name: string,
  read: (item: Fields, index: number) => OrganicResult,
): OrganicResult[] | undefined {
  const items = root.array(name);
  if (items?.some((item) => !isObject(item)) === true) throw new ShapeError(`${name} has entries that are not objects`);
  const fields: Fields[] = [];
  const results = root.list(name, (item, index) => {
    fields.push(item);
    return read(item, index);
  });
  rejectOtherOrder(fields, name);
  return results;
}

/** The field names of a result in a vendor's format. */
interface ResultFields {
  readonly link: Names;
  readonly description: Names;
  readonly displayLink: Names;
}

/**
 * One organic result; its rank is its position in the list, not the vendor's number. If only the engine can resolve its
 * link, the displayed site is known.
 */
export function organicResult(
  item: Fields,
  index: number,
  names: ResultFields,
  extensions: readonly Unranked<Extension>[],
): OrganicResult {
  const display = wordsAt(item, ...names.displayLink);
  // the address line may hold other text: "40+ comments · 2 years ago"
  const shown = display !== undefined && /^[^\s.]+\.\S/.test(display) ? display : undefined;
  const link = resultLink(item, ...names.link);
  if (isMarkedAd(item)) throw new ShapeError('an organic result is an ad by its own mark');
  return {
    rank: index + 1,
    title: wordsAt(item, 'title') ?? '',
    description: wordsAt(item, ...names.description),
    ...(readLinkOf(item.engines, link).isOpaque === true
      ? hiddenDestination(link, shown)
      : { link, destination_state: undefined }),
    display_link: shown,
    source: wordsAt(item, 'source', 'website_name'),
    extensions: numbered(extensions),
  };
}

/**
 * The URL of a result. One that stays within the engine is kept: the result counts on the page without belonging to any
 * target. Throws ShapeError if there is no URL: a page with indistinguishable results proves nothing.
 */
function resultLink(item: Fields, ...names: Names): string {
  const link = wordsAt(item, ...names);
  const { destination, isAd } = link === undefined ? { isAd: false } : readLinkOf(item.engines, link);
  if (isAd) throw item.problem(names[0] ?? 'link', 'is a click on an ad');
  if (destination !== undefined) return destination;
  if (link !== undefined && /^https?:\/\//i.test(link) && URL.canParse(link)) return link;
  throw item.problem(names[0] ?? 'link', 'is not an http address');
}

/**
 * The running count over all ranked elements of a page, in the order of the vendor's own numbers: by number. Empty if
 * they give no order, because one is missing or two are equal.
 */
export function runningCount(numbers: readonly (number | undefined)[]): ReadonlyMap<number, number> {
  const known = numbers.filter((number) => number !== undefined);
  if (known.length < numbers.length || new Set(known).size < known.length) return new Map();
  return new Map(known.sort((one, other) => one - other).map((number, index) => [number, index + 1]));
}

export function siteLinks(items: readonly Fields[]): Unranked<Extension>[] {
  return items.map((item) => ({
    type: 'site_link',
    text: wordsAt(item, 'title', 'text') ?? '',
    link: destinationAt(item, 'link', 'url'),
  }));
}

/** Extensions of one text each, where there is one. */
export function textExtensions(texts: Readonly<Partial<Record<Extension['type'], string>>>): Unranked<Extension>[] {
  return Object.entries(texts).flatMap(([type, text]) =>
    text === undefined ? [] : [{ type: type as Extension['type'], text }],
  );
}

/**
 * Ads, each with its destination; entries without one are dropped. `referral` is the field of the engine's own link to
 * it, if there is one.
 */
export function adsIn(items: readonly Fields[], referral?: string): Ad[] | undefined {
  const ads = items.flatMap((item): Unranked<Ad>[] => {
    const link = destinationAt(item, 'link', 'url');
    if (link === undefined) return [];
    return [{ title: wordsAt(item, 'title') ?? '', link, referral_link: referral && wordsAt(item, referral) }];
  });
  return numbered(ads);
}

/** The tabs above the results; undefined if there are none. */
export function tabsIn(root: Fields): NavigationTab[] | undefined {
  return listOrNothing(
    objectsAt(root, 'navigation').flatMap((item) => {
      const [title, href] = [wordsAt(item, 'title'), wordsAt(item, 'href', 'url')];
      return title === undefined || href === undefined ? [] : [{ title, href }];
    }),
  );
}

/** A question with one text as its answer, or none. */
export function questionIn(
  item: Fields,
  names: { readonly question: Names; readonly answer: Names; readonly source: Names },
  place?: number,
): Unranked<PeopleAlsoAsk> {
  const text = wordsAt(item, ...names.answer);
  return {
    global_rank: place,
    question: wordsAt(item, ...names.question) ?? '',
    answer_source: destinationAt(item, ...names.source),
    answers: text === undefined ? undefined : [{ rank: 1, type: 'answer', value: { text } }],
  };
}

/** Searches as objects, then as plain texts. */
export function searchesIn(item: Fields, lists: Names, names: Names): Unranked<RelatedSearch>[] {
  const objects = objectsAt(item, ...lists).flatMap((each) => {
    const text = wordsAt(each, ...names);
    return text === undefined ? [] : [{ text, link: wordsAt(each, 'link', 'url') ?? '' }];
  });
  const texts = lists.flatMap((list) => textListAt(item, list)).filter((text) => text.trim() !== '');
  return [...objects, ...texts.map((text) => ({ text: text.trim(), link: '' }))];
}

/** A picture with the page that it is on; without a page it is left out. `title`: the names of its title. */
export function imageIn(
  item: Fields,
  title: Names,
  link: string | undefined,
  image: string | undefined,
): Unranked<ImageResult>[] {
  return link === undefined ? [] : [{ title: wordsAt(item, ...title) ?? '', link, image }];
}

type Fact = NonNullable<KnowledgePanel['facts']>[number];

/** A fact of a panel; without a key or a text it is none. */
export function factOf(key: string | undefined, ...texts: readonly (string | undefined)[]): Fact[] {
  const value = texts.flatMap((text) => (text === undefined ? [] : [{ text }]));
  return key === undefined || value.length === 0 ? [] : [{ key, value }];
}

/** The panel of an entity. */
export function panelIn(
  panel: Fields,
  names: Readonly<Partial<Record<'name' | 'subtitle' | 'description' | 'description_source', Names>>>,
  facts: readonly Fact[],
): KnowledgePanel {
  const texts = Object.entries(names).map(([field, paths]) => [field, wordsAt(panel, ...paths)]);
  return { ...Object.fromEntries(texts), facts: listOrNothing(facts) };
}

/** An entity by its number and its name. */
export function entityIn(entity: Fields | undefined, kgmid: string): SerpPage['overview'] {
  const id = wordsAt(entity, kgmid);
  return id === undefined ? undefined : { kgmid: id, title: wordsAt(entity, 'title') };
}

/**
 * The page with its features: those in the root object, and those for which it has no field; one entry per type, each
 * link once.
 */
export function pageWith(serp: SerpPage, besides: readonly PageFeature[]): ReadPage {
  return { serp, features: joinedFeatures([...featuresOf(serp), ...besides]) };
}

export function joinedFeatures(features: readonly PageFeature[]): PageFeature[] {
  const byType = Map.groupBy(features, ({ type }) => type);
  return [...byType].map(([type, same]) => ({ type, links: [...new Set(same.flatMap(({ links }) => links))] }));
}

/** Features that are ads as a whole. */
const paidFeatures: ReadonlySet<string> = new Set(['paid', 'shopping', 'commercial_units', 'local_services']);

/**
 * The destinations of the items of a feature. Paid places, hotels and the like among others are left out: what is
 * bought is not owned.
 */
export function featureLinks(type: string, items: readonly Fields[], ...names: Names): string[] {
  return items.flatMap((item) => {
    const link = wordsAt(item, ...names);
    if (link === undefined) return [];
    const { destination, isAd } = readLinkOf(item.engines, link);
    return paidFeatures.has(type) || !(isAd || isPaid(item)) ? (destination ?? []) : [];
  });
}

/** A feature that exists if there are `items`; its links are their destinations. */
export function feature(type: string, items: readonly Fields[], ...names: Names): PageFeature[] {
  return items.length === 0 ? [] : [{ type, links: featureLinks(type, items, ...names) }];
}

/** The questions of a page. */
export function questionsIn(questions: readonly Fields[]): PageFeature[] {
  return questionFeature(questions.map((item) => linksIn(item.value(), item.engines)));
}

/** Fields of a box that hold an address that it links to. */
const linkNames = /^(?:(?:website|description)_?)?(?:link|url)$|^(?:website|site|href)$/i;
/** A panel does not link to the pages of its pictures. */
const pictures = /image|photo|thumbnail|logo|icon/i;
/** The engine's own lists of places, rooms, flights and shares. */
const engineLists =
  /^https?:\/\/(?:maps\.google\.[^/]*|www\.google\.[^/]*\/(?:finance|flights|maps|travel))(?:[/?#]|$)/i;
/** Levels of objects and lists that are read; an answer box of a fact in a panel has 6. */
const levelsMax = 10;

/** The destinations of all links in a box, at any level, except those of pictures and paid offers. */
export function linksIn(box: unknown, engines: readonly string[] = [], levels = levelsMax): string[] {
  if (typeof box !== 'object' || box === null || levels === 0) return [];
  const fields = Object.entries(box);
  const isPicture = fields.some(([name, value]) => name === 'type' && /(?:^|_)images?(?:_|$)/.test(value));
  if (isPicture || (isObject(box) && isPaid(new Fields(box, 'box')))) return [];
  return fields.flatMap(([name, value]) => {
    if (pictures.test(name)) return [];
    if (typeof value !== 'string') return linksIn(value, engines, levels - 1);
    const link = linkNames.test(name) ? resolveDestination(value.trim(), engines) : undefined;
    return link === undefined || engineLists.test(link) ? [] : link;
  });
}

/** The links of knowledge panels: websites, profiles, sources of the description and of facts. */
export function panelLinks(root: Fields | undefined, ...names: readonly string[]): PageFeature[] {
  const links = names.flatMap((name) => linksIn(root?.raw(name), root?.engines));
  return links.length === 0 ? [] : [{ type: 'knowledge_graph', links }];
}

/** Boxes that vendors call answers, by their type or by a list in them, and their names as features. */
const boxes: readonly (readonly [RegExp, string])[] = [
  [/hotels/, 'hotels_pack'],
  [/flights/, 'google_flights'],
  [/^(?:finance|stock)/, 'stocks_box'],
  [/^currency/, 'currency_box'],
  [/^(?:places|restaurants|local_results|map_results)$/, 'local_pack'],
];

/** The box above the results. An answer that links to the page it is taken from is a featured snippet. */
export function answerBox(root: Fields, name: string): PageFeature[] {
  const [box] = boxesAt(root, name);
  if (box === undefined) return [];
  const kinds = [wordsAt(box, 'type') ?? '', ...box.names().filter((each) => objectsAt(box, each).length > 0)];
  const kind = boxes.find(([pattern]) => kinds.some((each) => pattern.test(each)))?.[1];
  const sources = [wordsAt(box, 'link'), ...objectsAt(box, 'answers').map((answer) => wordsAt(answer, 'source.link'))];
  const isSnippet = sources.some((link) => resolveDestination(link, root.engines) !== undefined);
  return [{ type: kind ?? (isSnippet ? 'featured_snippet' : 'answer_box'), links: linksIn(box.value(), box.engines) }];
}

/** An overview that is still to be loaded, or shows nothing that we know, is an overview: `{}`. */
export function toOverview(blocks: readonly Fields[], references: readonly Fields[]): AiOverview {
  return { texts: listOrNothing(overviewTexts(blocks)), references: listOrNothing(references.flatMap(readReference)) };
}

/** Blocks of text: headings, paragraphs, code, and lists, which may hold lists. */
export function overviewTexts(blocks: readonly Fields[]): AiOverviewText[] {
  return blocks.flatMap((block): AiOverviewText[] => {
    const snippet = cleanText(wordsAt(block, 'snippet', 'answer', 'text', 'title'));
    const list = overviewTexts(objectsAt(block, 'list', 'items'));
    if (list.length > 0) return [{ type: 'list', title: snippet, list }];
    if (snippet === undefined) return [];
    const type = wordsAt(block, 'type');
    if (type === 'code') return [{ type, snippet }];
    const places = block.raw('reference_indexes');
    const indexes = Array.isArray(places) ? places.filter((place): place is number => Number.isSafeInteger(place)) : [];
    const isTitle = type === 'heading' || type === 'header' || type === 'title';
    return [{ type: isTitle ? 'title' : 'paragraph', snippet, reference_indexes: listOrNothing(indexes) }];
  });
}

/** `reference_indexes` name the index of a reference, or its position in the list if it has none. */
function readReference(item: Fields, place: number): NonNullable<AiOverview['references']> {
  const href = destinationAt(item, 'link', 'href', 'url');
  if (href === undefined) return [];
  return [
    {
      index: numberAt(item, 'index') ?? place,
      title: cleanText(wordsAt(item, 'title')) ?? '',
      href,
      source: wordsAt(item, 'source'),
      subtitle: cleanText(wordsAt(item, 'subtitle', 'snippet')),
    },
  ];
}

/** Words of buttons and links that are read along with the text. */
const furniture = /(?:Opens in new tab\.?|Read more)$/i;

function cleanText(text: string | undefined): string | undefined {
  const clean = text?.replace(furniture, '').trimEnd();
  return clean === '' ? undefined : clean;
}

/** Types of elements of DataForSEO, which are no categories of businesses. */
const elementTypes = /^(?:local_pack|maps_search|maps_paid_item)$/;

/** Paid places are in no list: they are neither ranked nor counted. */
export function isPaid(item: Fields): boolean {
  return isMarkedAd(item) || wordsAt(item, 'type') === 'maps_paid_item';
}

/**
 * Places in the names of SerpApi, SearchApi, ValueSERP and HasData (`title`, `place_id`), Serper (`cid`, `category`),
 * Bright Data (`name`, `reviews_cnt`, `site`, `map_id`), DataForSEO (`cid`, `url`, an object `rating`). Sources: the
 * samples of the vendors, and where there is none their documentation of 2026-11. Paid places are left out.
 */
export function localResults(
  places: readonly Fields[],
  websiteIn: Names = ['website', 'site', 'url'],
): LocalResult[] | undefined {
  const found = places.flatMap((place): Unranked<LocalResult>[] => {
    const name = wordsAt(place, 'title', 'name');
    if (name === undefined || isPaid(place)) return [];
    const ids = wordsAt(place, 'place_id', 'placeId', 'map_id_encoded');
    const numbers = [wordsAt(place, 'cid', 'data_cid'), ids, secondNumber(wordsAt(place, 'data_id', 'map_id', 'fid'))];
    const facts = {
      place_id: numbers.find((number) => number !== undefined && /^[A-Za-z][\w-]{10,}$/.test(number)),
      // some vendors call the number an id
      cid: numbers.find((number) => number !== undefined && /^\d{6,20}$/.test(number)),
      rating: numberAt(place, 'rating', 'rating.value'),
      reviews: numberAt(place, 'reviews', 'reviews_cnt', 'ratingCount', 'rating.votes_count'),
      category: ['type', 'category', 'subtitle']
        .map((field) => wordsAt(place, field))
        .find((text) => text !== undefined && !elementTypes.test(text)),
      address: wordsAt(place, 'address'),
      phone: wordsAt(place, 'phone', 'phoneNumber'),
      website: destinationAt(place, ...websiteIn, 'links.website'),
    };
    return [{ name, ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) }];
  });
  return numbered(found);
}

/** Google's other id, `0x89c259a8e1682bf5:0xea388e8841a2955e`, holds the number of the place in its second half. */
function secondNumber(id: string | undefined): string | undefined {
  const half = /^0x[\da-f]{1,16}:(0x[\da-f]{1,16})$/i.exec(id ?? '')?.[1];
  return half === undefined ? undefined : BigInt(half).toString();
}

/**
 * The page of a map search: its list of places, and nothing else. `websiteIn`: where an item has the address of its
 * website. Throws ShapeError for an unpaid place without a name, as it would move all others up.
 */
export function readMapPage(places: readonly Fields[], websiteIn?: Names): ReadPage {
  const nameless = places.find((place) => !isPaid(place) && wordsAt(place, 'title', 'name') === undefined);
  if (nameless !== undefined) throw nameless.problem('title', 'is missing');
  rejectOtherOrder(places, 'The list of places', ['position', 'rank', 'rank_group']);
  const listed = localResults(places, websiteIn);
  if (listed === undefined) return { serp: {}, features: [] };
  return { serp: { local_results: listed }, features: feature('local_pack', places, 'website', 'url', 'link') };
}

/** `@30.27,-97.74,14z`: the middle of the map, for vendors that take nothing else. Undefined for a whole country. */
export function mapMiddle(location: string | undefined): string | undefined {
  return location !== undefined && parseLocation(location).kind === 'coordinate' ? location : undefined;
}
