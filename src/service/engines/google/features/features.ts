// Detects the SERP features of a page, in DataForSEO's names, with the destinations of each in page order.
import type { PageFeature, SerpPage } from '../../../model/results/serp.ts';
import { isAddress, readLines } from '../../page/text.ts';
import { type Element, hasClass } from '../../page/tree.ts';
import { namesResult } from '../page/emptiness.ts';
import type { Headed, PageIndex } from '../page/page-index.ts';
import { zone } from '../page/regions.ts';
import { isOwnSite } from '../results/urls.ts';
import { findAdUnit } from './ads.ts';
import type { Group } from './groups.ts';

export interface FeatureEvidence {
  readonly pageIndex: PageIndex;
  readonly column: Element;
  readonly serp: SerpPage;
  readonly groups: readonly Group[];
  /** Headings of the organic results. */
  readonly results: readonly Element[];
  /** Sources of answers above the results. */
  readonly sources: readonly Headed[];
  /** Links of the knowledge panels. */
  readonly panelLinks: readonly string[];
}

/** Features in a fixed order; one entry a type. */
export function readFeatures(evidence: FeatureEvidence): PageFeature[] {
  const { serp, pageIndex, column } = evidence;
  const features: PageFeature[] = [];
  const add = (type: string, links: readonly string[]): void => {
    features.push({ type, links: [...new Set(links)] });
  };
  const ads = [...(serp.top_ads ?? []), ...(serp.bottom_ads ?? [])];
  const paid = [...ads.map((ad) => ad.link), ...cardAds(pageIndex)];
  if (paid.length > 0) add('paid', paid);
  const products = productLinks(pageIndex);
  if (products !== undefined) add('shopping', products);
  // Products of many shops without addresses: they open in the engine's own viewer.
  const isViewer = (each: Element) => each.tag === 'product-viewer-group' && each.last > each.order;
  if (pageIndex.tree.elements.some((each) => isViewer(each) && column.contains(each))) add('popular_products', []);
  if (serp.ai_overview !== undefined)
    add(
      'ai_overview',
      (serp.ai_overview.references ?? []).map((each) => each.href),
    );
  const snippet = evidence.sources[0]?.link.destination;
  if (snippet !== undefined) add('featured_snippet', [snippet]);
  const local = localLinks(evidence);
  if (local !== undefined) add('local_pack', local);
  // Hotels open in the engine's own search for rooms, and have no addresses.
  if (hasHotels(pageIndex)) add('hotels_pack', []);
  if (serp.knowledge !== undefined) add('knowledge_graph', evidence.panelLinks);
  for (const kind of ['top_stories', 'video', 'discussions_and_forums', 'perspectives', 'twitter'] as const) {
    const items = evidence.groups.filter((group) => group.kind === kind).flatMap((group) => group.items);
    if (items.length === 0) continue;
    const anchors = items.map((each) => each.anchor);
    if (kind === 'twitter') anchors.push(...tweets(pageIndex, column));
    if (kind === 'perspectives') anchors.push(...wordlessPosts(pageIndex, items));
    anchors.sort((a, b) => a.order - b.order);
    add(
      kind,
      anchors.flatMap((anchor) => pageIndex.linkOf(anchor).destination ?? []),
    );
  }
  if (serp.images !== undefined)
    add(
      'images',
      serp.images.map((image) => image.link),
    );
  if (serp.people_also_ask !== undefined)
    add(
      'people_also_ask',
      serp.people_also_ask.flatMap((each) => each.answer_source ?? []),
    );
  if (serp.related !== undefined) add('related_searches', []);
  return features;
}

/**
 * Rows of paid offers other than products: tours, tickets. Their links go through the click counter of ads and have no
 * headings.
 */
function cardAds(pageIndex: PageIndex): string[] {
  const named = new Set(pageIndex.headed.map(({ anchor }) => anchor));
  const isCard = (anchor: Element): boolean =>
    (anchor.zones & zone.ad) !== 0 &&
    (anchor.zones & (zone.carousel | zone.listItem)) !== 0 &&
    !named.has(anchor) &&
    ['data-arwt', 'data-rw'].some((name) => anchor.get(name)?.startsWith('/aclk?') === true) &&
    // The sitelinks of a text ad belong to it.
    findAdUnit(anchor) === undefined;
  return pageIndex.anchors.filter(isCard).flatMap((anchor) => pageIndex.linkOf(anchor).destination ?? []);
}

/** Posts without words, in lists of posts with words: cards of a video. */
function wordlessPosts(pageIndex: PageIndex, posts: readonly Headed[]): Element[] {
  const lists = new Set(posts.map(({ anchor }) => findSection(anchor)));
  const known = new Set(posts.map(({ anchor }) => anchor));
  const isCard = (anchor: Element) =>
    (anchor.zones & zone.listItem) !== 0 && !known.has(anchor) && lists.has(findSection(anchor));
  return pageIndex.anchors.filter((anchor) => {
    const { destination } = pageIndex.linkOf(anchor);
    return destination !== undefined && !isOwnSite(destination) && isCard(anchor);
  });
}

/** The outermost section around an element; the element itself if there is none. */
function findSection(element: Element): Element {
  let section = element;
  while (section.parent !== null && (section.parent.zones & zone.section) !== 0) section = section.parent;
  return section;
}

/** Tweets below a profile have no headings; the engine marks their links. */
function tweets(pageIndex: PageIndex, column: Element): Element[] {
  return pageIndex.anchors.filter((anchor) => column.contains(anchor) && isTweet(anchor.get('href') ?? ''));
}

function isTweet(href: string): boolean {
  const query = href.search(/\/status\/\d+\?/);
  return query !== -1 && href.includes('twcamp', query);
}

/** Rows of paid products. */
function productLinks(pageIndex: PageIndex): string[] | undefined {
  const products = pageIndex.headed.filter(
    (each) => (each.zones & zone.ad) !== 0 && (each.zones & zone.carousel) !== 0,
  );
  if (products.length < 2) return unitLinks(pageIndex);
  return products.flatMap((each) => (each.link.isAd ? [] : (each.link.destination ?? [])));
}

/** Limit of products per row; rows have up to 30. */
const unitsMax = 100;

/** Rows of 2020 beside the results have no headings for their products. */
function unitLinks(pageIndex: PageIndex): string[] | undefined {
  const units = pageIndex.tree.elements
    .filter((each) => (each.zones & zone.ad) !== 0 && each.tag === 'div' && hasClass(each, 'pla-unit'))
    .slice(0, unitsMax);
  if (units.length < 2) return undefined;
  const isOurs = (anchor: Element) => (anchor.zones & zone.ad) !== 0 && units.some((unit) => unit.contains(anchor));
  return pageIndex.anchors.filter(isOurs).flatMap((anchor) => {
    const { destination, isAd } = pageIndex.linkOf(anchor);
    return destination === undefined || isAd ? [] : [destination];
  });
}

/**
 * A list of places: each has an id, and a link leads to more places. The sites of places are the links that leave the
 * list.
 */
function localLinks({ pageIndex, column, results }: FeatureEvidence): string[] | undefined {
  const elsewhere = zone.side | zone.furniture | zone.overview | zone.question | zone.attribute;
  const directed = directions(pageIndex, elsewhere);
  if (directed.length >= placesMin) return linksAround(pageIndex, directed, results);
  const places = pageIndex
    .byData('data-cid')
    .filter(
      (each) => /^\d{12,}$/.test(each.get('data-cid') ?? '') && (each.zones & elsewhere) === 0 && column.contains(each),
    );
  // Products have ids too; only places have the local list's own class, or a link to the local search.
  const isLocal = places.some((each) => each.get('class')?.includes('rllt') === true);
  return isLocal || hasMorePlaces(pageIndex, column, elsewhere) ? linksAround(pageIndex, places, results) : undefined;
}

/**
 * Whether the results column lists unpaid places and nothing else with outside links: some searches show places instead
 * of results. A link beside the list may be a result that cannot be parsed.
 */
export function showsOnlyPlaces(pageIndex: PageIndex, column: Element): boolean {
  const elsewhere = zone.ad | zone.side | zone.furniture | zone.overview | zone.question | zone.attribute | zone.hidden;
  const isElsewhere = (each: Element): boolean => (each.zones & elsewhere) !== 0;
  const isThere = (each: Element): boolean => !isElsewhere(each) && column.contains(each);
  const marked = pageIndex
    .byData('data-cid')
    .filter((each) => isThere(each) && each.get('class')?.includes('rllt') === true);
  const ids = new Set(marked.map((each) => each.get('data-cid')));
  const routes = directions(pageIndex, elsewhere).filter(isThere);
  if (ids.size < placesMin && routes.length < placesMin) return false;
  // Results with unknown links: their names, and the addresses that they show.
  const named = [...pageIndex.titles, ...pageIndex.headed.map(({ heading }) => heading)];
  if (named.some((heading) => heading.tag === 'h3' && isThere(heading))) return false;
  if (readLines(column, { without: isElsewhere }).some(({ text }) => isAddress(text))) return false;
  const list = blockAround(ids.size < placesMin ? routes : marked);
  if (list === null || namesResult(pageIndex, list)) return false;
  return pageIndex.anchors.every((anchor) => {
    const { destination } = pageIndex.linkOf(anchor);
    return destination === undefined || isOwnSite(destination) || !isThere(anchor) || list.contains(anchor);
  });
}

/** The smallest block around elements in document order. */
function blockAround(elements: readonly Element[]): Element | null {
  const last = elements.at(-1);
  let block: Element | null = elements[0] ?? null;
  while (block !== null && last !== undefined && !block.contains(last)) block = block.parent;
  return block;
}

/** Several places with a route link form a list; a single one is a panel. */
const placesMin = 2;

/**
 * Links to the route to a place. Since 2026 nothing else identifies a place of the list, which may be above the results
 * column.
 */
function directions(pageIndex: PageIndex, elsewhere: number): Element[] {
  return pageIndex.anchors.filter(
    (each) =>
      (each.zones & (elsewhere | zone.hidden)) === 0 &&
      /^(?:https:\/\/(?:www|maps)\.google\.[a-z.]+)?\/maps\/dir\//.test(each.get('href') ?? ''),
  );
}

/**
 * The destinations of links in the smallest block around these elements; a place behind a result belongs to another
 * feature.
 */
function linksAround(pageIndex: PageIndex, within: readonly Element[], results: readonly Element[]): string[] {
  const [first] = within;
  const last = within.at(-1);
  if (first === undefined || last === undefined) return [];
  let block: Element = first;
  for (let wider = first.parent; wider !== null && !block.contains(last); wider = wider.parent) {
    const candidate = wider;
    if (results.some((heading) => candidate.contains(heading))) break;
    block = wider;
  }
  return pageIndex.anchors
    .filter((each) => block.contains(each))
    .flatMap((each) => pageIndex.linkOf(each).destination ?? [])
    .filter((link) => !isOwnSite(link));
}

/** Several links to the search for rooms form a list of hotels; a single one is a tab or a hint. */
const hotelsMin = 3;

/** The list may be above the results column; the links of a hotel's prices count. */
function hasHotels(pageIndex: PageIndex): boolean {
  const elsewhere = zone.ad | zone.side | zone.furniture | zone.overview | zone.question;
  const rooms = pageIndex.anchors.filter(
    (each) =>
      (each.zones & elsewhere) === 0 &&
      /^(?:https:\/\/www\.google\.[a-z.]+)?\/travel\/(?:search|hotels)\b/.test(each.get('href') ?? ''),
  );
  return rooms.length >= hotelsMin;
}

function hasMorePlaces(pageIndex: PageIndex, column: Element, elsewhere: number): boolean {
  return pageIndex.anchors.some(
    (each) =>
      (each.zones & elsewhere) === 0 &&
      column.contains(each) &&
      /[?&;](?:tbm=lcl|tbs=lf:)/.test(each.get('href') ?? ''),
  );
}
