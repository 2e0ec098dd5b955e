// Converts elements of a vendor's page: unwraps links and counts ranks.
import { hiddenDestination, readLink } from '../../engines/google/urls.ts';
import { ServiceError } from '../../model/errors.ts';
import { featuresOf } from '../../model/results/features.ts';
import { parseLocation } from '../../model/results/location.ts';
import type {
  Ad,
  AiOverview,
  AiOverviewText,
  Extension,
  LocalResult,
  NavigationTab,
  OrganicResult,
  PageFeature,
  ReadPage,
  SerpPage,
} from '../../model/results/serp.ts';
import { type Fields, isMarkedAd, present, ShapeError } from '../../net/fields.ts';
import { rejectOtherOrder, unproven } from './validator.ts';
import { isObject, listOrNothing, numberAt, numbered, objectAt, objectsAt, wordsAt } from './values.ts';

/**
 * The destination of a link: redirects of the engine resolved, its tracking removed. Undefined if it is not a URL, or
 * stays within the engine.
 */
export function resolveDestination(link: string | undefined): string | undefined {
  return link === undefined ? undefined : readLink(link).destination;
}

/** The field names of a result in a vendor's format. */
interface ResultFields {
  readonly link: readonly string[];
  readonly description: readonly string[];
  readonly displayLink: readonly string[];
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

/**
 * One organic result; its rank is its position in the list, not the vendor's number. If only the engine can resolve its
 * link, the displayed site is known.
 */
export function organicResult(
  item: Fields,
  index: number,
  names: ResultFields,
  extensions: readonly Omit<Extension, 'rank'>[],
): OrganicResult {
  const shown = shownAddress(wordsAt(item, ...names.displayLink));
  const link = resultLink(item, ...names.link);
  if (isMarkedAd(item)) throw new ShapeError('an organic result is an ad by its own mark');
  return present<OrganicResult>({
    rank: index + 1,
    title: wordsAt(item, 'title') ?? '',
    description: wordsAt(item, ...names.description),
    ...(readLink(link).isOpaque ? hiddenDestination(link, shown) : { link, destination_state: undefined }),
    display_link: shown,
    source: wordsAt(item, 'source', 'website_name'),
    extensions: numbered(extensions),
  });
}

/**
 * The URL of a result. One that stays within the engine is kept: the result counts on the page without belonging to any
 * target. Throws ShapeError if there is no URL: a page with indistinguishable results proves nothing.
 */
function resultLink(item: Fields, ...names: readonly string[]): string {
  const link = wordsAt(item, ...names);
  if (link !== undefined && readLink(link).isAd) throw item.problem(names[0] ?? 'link', 'is a click on an ad');
  const destination = resolveDestination(link);
  if (destination !== undefined) return destination;
  if (link !== undefined && /^https?:\/\//i.test(link) && URL.canParse(link)) return link;
  throw item.problem(names[0] ?? 'link', 'is not an http address');
}

/** The address line may hold other text: "40+ comments · 2 years ago". */
function shownAddress(text: string | undefined): string | undefined {
  return text !== undefined && /^[^\s.]+\.\S/.test(text) ? text : undefined;
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

export function siteLinks(items: readonly Fields[]): Omit<Extension, 'rank'>[] {
  return items.map((item) =>
    present<Omit<Extension, 'rank'>>({
      type: 'site_link',
      text: wordsAt(item, 'title', 'text') ?? '',
      link: resolveDestination(wordsAt(item, 'link', 'url')),
    }),
  );
}

/** An extension of one text, where there is one. */
export function textExtension(type: Extension['type'], text: string | undefined): Omit<Extension, 'rank'>[] {
  return text === undefined ? [] : [{ type, text }];
}

/**
 * Ads, each with its destination; entries without one are dropped. `referral` is the field of the engine's own link to
 * it.
 */
export function adsIn(items: readonly Fields[], referral: string): Ad[] | undefined {
  return numbered(
    items.flatMap((item) => {
      const link = resolveDestination(wordsAt(item, 'link', 'url'));
      const title = wordsAt(item, 'title') ?? '';
      return link === undefined
        ? []
        : [present<Omit<Ad, 'rank'>>({ title, link, referral_link: wordsAt(item, referral) })];
    }),
  );
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

/**
 * The page with its features: those in the root object, and those for which it has no field; one entry per type, each
 * link once.
 */
export function pageWith(serp: SerpPage, besides: readonly PageFeature[]): ReadPage {
  const links = new Map<string, Set<string>>();
  for (const { type, links: shown } of [...featuresOf(serp), ...besides]) {
    const known = links.get(type) ?? new Set();
    for (const link of shown) known.add(link);
    links.set(type, known);
  }
  return { serp, features: [...links].map(([type, shown]) => ({ type, links: [...shown] })) };
}

/** A feature that exists if there are `items`; its links are their destinations. */
export function feature(type: string, items: readonly Fields[], ...names: readonly string[]): PageFeature[] {
  if (items.length === 0) return [];
  return [{ type, links: items.flatMap((item) => resolveDestination(wordsAt(item, ...names)) ?? []) }];
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
export function linksIn(box: unknown, levels = levelsMax): string[] {
  if (typeof box !== 'object' || box === null || levels === 0) return [];
  const fields = Object.entries(box);
  const isLeftOut = fields.some(
    ([name, value]) =>
      (name === 'is_paid' && value === true) || (name === 'type' && /(?:^|_)images?(?:_|$)/.test(value)),
  );
  if (isLeftOut) return [];
  return fields.flatMap(([name, value]) => {
    if (pictures.test(name)) return [];
    if (typeof value !== 'string') return linksIn(value, levels - 1);
    const link = linkNames.test(name) ? resolveDestination(value.trim()) : undefined;
    return link === undefined || engineLists.test(link) ? [] : link;
  });
}

/** The links of knowledge panels: websites, profiles, sources of the description and of facts. */
export function panelLinks(...panels: readonly unknown[]): PageFeature[] {
  const links = linksIn(panels);
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
  const box = objectAt(root, name) ?? objectsAt(root, name)[0];
  if (box === undefined) return [];
  const kinds = [wordsAt(box, 'type') ?? '', ...box.names().filter((each) => objectsAt(box, each).length > 0)];
  const kind = boxes.find(([pattern]) => kinds.some((each) => pattern.test(each)))?.[1];
  const sources = [box, ...objectsAt(box, 'answers').flatMap((answer) => objectAt(answer, 'source') ?? [])];
  const isSnippet = sources.some((each) => resolveDestination(wordsAt(each, 'link')) !== undefined);
  return [{ type: kind ?? (isSnippet ? 'featured_snippet' : 'answer_box'), links: linksIn(box.value()) }];
}

/** An overview that is still to be loaded, or shows nothing that we know, is an overview: `{}`. */
export function toOverview(blocks: readonly Fields[], references: readonly Fields[]): AiOverview {
  const texts = overviewTexts(blocks);
  const pages = references.flatMap(readReference);
  return { ...(texts.length > 0 && { texts }), ...(pages.length > 0 && { references: pages }) };
}

/** Blocks of text: headings, paragraphs, code, and lists, which may hold lists. */
export function overviewTexts(blocks: readonly Fields[]): AiOverviewText[] {
  return blocks.flatMap((block): AiOverviewText[] => {
    const snippet = cleanText(wordsAt(block, 'snippet', 'answer', 'text', 'title'));
    const list = overviewTexts([...objectsAt(block, 'list'), ...objectsAt(block, 'items')]);
    if (list.length > 0) return [{ type: 'list', ...(snippet !== undefined && { title: snippet }), list }];
    if (snippet === undefined) return [];
    const type = wordsAt(block, 'type');
    if (type === 'code') return [{ type, snippet }];
    const places = block.raw('reference_indexes');
    const indexes = Array.isArray(places) ? places.filter((place): place is number => Number.isSafeInteger(place)) : [];
    const isTitle = type === 'heading' || type === 'header' || type === 'title';
    return [
      { type: isTitle ? 'title' : 'paragraph', snippet, ...(indexes.length > 0 && { reference_indexes: indexes }) },
    ];
  });
}

/** `reference_indexes` name the index of a reference, or its position in the list if it has none. */
function readReference(item: Fields, place: number): NonNullable<AiOverview['references']> {
  const href = resolveDestination(wordsAt(item, 'link', 'href', 'url'));
  if (href === undefined) return [];
  return [
    present<NonNullable<AiOverview['references']>[number]>({
      index: numberAt(item, 'index') ?? place,
      title: cleanText(wordsAt(item, 'title')) ?? '',
      href,
      source: wordsAt(item, 'source'),
      subtitle: cleanText(wordsAt(item, 'subtitle', 'snippet')),
    }),
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
function isPaidPlace(place: Fields): boolean {
  const isPaid = ['sponsored', 'is_paid'].some((name) => place.raw(name) === true);
  return isPaid || wordsAt(place, 'type') === 'maps_paid_item';
}

/**
 * Names of SerpApi, SearchApi, ValueSERP and HasData (`title`, `place_id`), Serper (`cid`, `category`), Bright Data
 * (`name`, `reviews_cnt`, `site`, `map_id`), DataForSEO (`cid`, `url`, an object `rating`). Sources: the samples of the
 * vendors, and where there is none their documentation of 2026-11. Paid places are left out.
 */
export function localResults(
  places: readonly Fields[],
  websiteIn: readonly string[] = ['website', 'site', 'url'],
): LocalResult[] | undefined {
  const found = places.flatMap((place): Omit<LocalResult, 'rank'>[] => {
    const name = wordsAt(place, 'title', 'name');
    if (name === undefined || isPaidPlace(place)) return [];
    const ids = wordsAt(place, 'place_id', 'placeId', 'map_id_encoded');
    const numbers = [wordsAt(place, 'cid', 'data_cid'), ids, secondNumber(wordsAt(place, 'data_id', 'map_id', 'fid'))];
    // some vendors call the number an id
    const cid = numbers.find((number) => number !== undefined && /^\d{6,20}$/.test(number));
    const placeId = numbers.find((number) => number !== undefined && /^[A-Za-z][\w-]{10,}$/.test(number));
    const score = objectAt(place, 'rating');
    const facts = {
      place_id: placeId,
      cid,
      rating: numberAt(place, 'rating') ?? numberAt(score, 'value'),
      reviews: numberAt(place, 'reviews', 'reviews_cnt', 'ratingCount') ?? numberAt(score, 'votes_count'),
      category: ['type', 'category', 'subtitle']
        .map((field) => wordsAt(place, field))
        .find((text) => text !== undefined && !elementTypes.test(text)),
      address: wordsAt(place, 'address'),
      phone: wordsAt(place, 'phone', 'phoneNumber'),
      website: resolveDestination(wordsAt(place, ...websiteIn) ?? wordsAt(objectAt(place, 'links'), 'website')),
    };
    return [{ name, ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) }];
  });
  return found.length === 0 ? undefined : found.map((place, index) => ({ rank: index + 1, ...place }));
}

/** Google's other id, `0x89c259a8e1682bf5:0xea388e8841a2955e`, holds the number of the place in its second half. */
function secondNumber(id: string | undefined): string | undefined {
  const half = /^0x[\da-f]{1,16}:(0x[\da-f]{1,16})$/i.exec(id ?? '')?.[1];
  return half === undefined ? undefined : BigInt(half).toString();
}

/** What the answer says beside its places. */
interface MapAnswer {
  /** The vendor says that nothing was found. */
  readonly saysEmpty: boolean;
  /** The list itself is there, and may be empty. */
  readonly hasList: boolean;
  /** Where an item has the address of its website; default: as in the lists of results pages. */
  readonly websiteIn?: readonly string[];
}

/**
 * Throws ShapeError for an unpaid place without a name, as it would move all others up, and SERP_FAILED for an answer
 * without places that is no empty list either.
 */
export function readMapPage(places: readonly Fields[], { saysEmpty, hasList, websiteIn }: MapAnswer): ReadPage {
  const nameless = places.find((place) => !isPaidPlace(place) && wordsAt(place, 'title', 'name') === undefined);
  if (nameless !== undefined) throw nameless.problem('title', 'is missing');
  rejectOtherOrder(places, 'The list of places', ['position', 'rank', 'rank_group']);
  const listed = localResults(places, websiteIn);
  if (listed !== undefined) {
    const links = feature('local_pack', places, 'website', 'url', 'link');
    return { serp: { local_results: listed }, features: links };
  }
  if (saysEmpty) return { serp: {}, features: [] };
  if (hasList) return unproven({ serp: {}, features: [] });
  const message = 'The page has no place and does not say that nothing was found.';
  throw new ServiceError('SERP_FAILED', message, { reason: 'no_organic_results' });
}

/** `@30.27,-97.74,14z`: the middle of the map, for vendors that take nothing else. Undefined for a whole country. */
export function mapMiddle(location: string | undefined): string | undefined {
  return location !== undefined && parseLocation(location).kind === 'coordinate' ? location : undefined;
}
