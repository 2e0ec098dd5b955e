// Detects the SERP features of a page, in DataForSEO's names, with the destinations of each in page order.
import { questionFeature } from '../../../model/results/features.ts';
import type { PageFeature, SerpPage } from '../../../model/results/serp.ts';
import { type PlacedAd, type PlacedQuestion, withoutEmpty } from '../../page/assemble.ts';
import { textOf } from '../../page/text.ts';
import { closest, type Element, hasClass, partsOf } from '../../page/tree.ts';
import type { Headed, PageIndex } from '../page-index.ts';
import { zone } from '../regions.ts';
import { absolute, clean, isOwnSite, readLink } from '../urls.ts';
import { localLinks } from './places.ts';
import type { Group } from './rows.ts';

interface FeatureEvidence {
  readonly pageIndex: PageIndex;
  readonly column: Element;
  readonly serp: SerpPage;
  readonly questions: readonly PlacedQuestion[];
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
  const addAll = <T>(type: string, items: readonly T[], linkOf: (item: T) => string | undefined): void =>
    add(
      type,
      items.flatMap((item) => linkOf(item) ?? []),
    );
  const ads = [...(serp.top_ads ?? []), ...(serp.bottom_ads ?? [])];
  const paid = [...ads.map((ad) => ad.link), ...cardAds(pageIndex)];
  if (paid.length > 0) add('paid', paid);
  const products = productLinks(pageIndex);
  if (products !== undefined) add('shopping', products);
  // Products of many shops without addresses: they open in the engine's own viewer.
  const isViewer = (each: Element) => each.tag === 'product-viewer-group' && each.last > each.order;
  if (pageIndex.tree.elements.some((each) => isViewer(each) && column.contains(each))) add('popular_products', []);
  if (serp.ai_overview !== undefined) addAll('ai_overview', serp.ai_overview.references ?? [], ({ href }) => href);
  const snippet = evidence.sources[0]?.link.destination;
  if (snippet !== undefined) add('featured_snippet', [snippet]);
  const local = localLinks(pageIndex, column, evidence.results);
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
    addAll(kind, anchors, (anchor) => pageIndex.linkOf(anchor).destination);
  }
  if (serp.images !== undefined) addAll('images', serp.images, ({ link }) => link);
  features.push(...questionFeature(evidence.questions.map(({ cited }) => cited)));
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
  return closest(element, ({ parent }) => ((parent?.zones ?? 0) & zone.section) === 0) ?? element;
}

/** Tweets below a profile have no headings; the engine marks their links. */
function tweets(pageIndex: PageIndex, column: Element): Element[] {
  return pageIndex.anchors.filter((anchor) => column.contains(anchor) && isTweet(anchor.href));
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

/** Several links to the search for rooms form a list of hotels; a single one is a tab or a hint. */
const hotelsMin = 3;

/** The list may be above the results column; the links of a hotel's prices count. */
function hasHotels(pageIndex: PageIndex): boolean {
  const elsewhere = zone.ad | zone.side | zone.furniture | zone.overview | zone.question;
  const rooms = pageIndex.anchors.filter(
    (each) =>
      (each.zones & elsewhere) === 0 &&
      /^(?:https:\/\/www\.google\.[a-z.]+)?\/travel\/(?:search|hotels)\b/.test(each.href),
  );
  return rooms.length >= hotelsMin;
}

/** Text ads in reading order. `firstOrganic` is the order of the first organic result, where there is one. */
export function findAds(pageIndex: PageIndex, firstOrganic: number | undefined): PlacedAd[] {
  const ads: PlacedAd[] = [];
  const units = new Set<Element>();
  for (const headed of pageIndex.headed) {
    if ((headed.zones & (zone.carousel | zone.hidden | zone.furniture)) !== 0) continue;
    // Pages without scripts mark no ads: only the click counter identifies them.
    const isMarked = (headed.zones & zone.ad) !== 0;
    // Marked by its label: see results.ts.
    const isLabelled = !isMarked && (headed.anchor.zones & zone.ad) !== 0;
    if (!isMarked && !isLabelled && !headed.link.isAd) continue;
    const unit = isMarked ? findAdUnit(headed.anchor) : headed.anchor;
    // Sitelinks of an ad have headings too; the first one is the ad's.
    if (unit === undefined || units.has(unit)) continue;
    units.add(unit);
    const title = textOf(headed.heading);
    const link = landingPage(headed);
    if (title === '' || link === undefined) continue;
    const click = clickAddress(headed, unit, pageIndex);
    const place = findRegion(unit) ?? (firstOrganic === undefined || unit.order < firstOrganic ? 'top' : 'bottom');
    ads.push({
      order: headed.heading.order,
      isTop: place === 'top',
      ad: withoutEmpty({ title, link, referral_link: click }),
    });
  }
  return ads;
}

/** The element of one ad: marked as such, or an item of a list of ads. */
function findAdUnit(anchor: Element): Element | undefined {
  let unit: Element | undefined;
  for (let at: Element | null = anchor; at !== null && (at.zones & zone.ad) !== 0; at = at.parent) {
    if (at.has('data-text-ad') || at.get('class')?.includes('ads-ad') === true) return at;
    if (at.has('data-pla') || at.get('class')?.includes('commercial-unit') === true || at.get('id') === 'atvcap')
      return undefined;
    if (at.tag === 'li') unit = at;
  }
  return unit;
}

function findRegion(unit: Element): 'top' | 'bottom' | undefined {
  const region = closest(unit, (each) => /^(?:tadsb?|bottomads)$/.test(each.get('id') ?? ''));
  return region === undefined ? undefined : region.get('id') === 'tads' ? 'top' : 'bottom';
}

/** The landing page: the link's own URL, else the one that the markup names beside the click counter. */
function landingPage({ anchor, link }: Headed): string | undefined {
  if (link.destination !== undefined) return link.destination;
  const [named] = (anchor.get('data-pcu') ?? '').split(',');
  if (named !== undefined && /^https?:/.test(named)) return clean(named);
  const href = anchor.get('href');
  return link.isAd && href !== undefined ? absolute(href) : undefined;
}

function clickAddress(headed: Headed, unit: Element, pageIndex: PageIndex): string | undefined {
  const named = headed.anchor.get('data-rw') || headed.anchor.get('data-arwt');
  if (named) return absolute(named);
  const hrefs = partsOf(pageIndex.tree, unit).flatMap((each) => (each.tag === 'a' ? (each.get('href') ?? []) : []));
  const click = hrefs.find((href) => href.includes('/aclk') && readLink(href).isAd);
  return click === undefined ? undefined : absolute(click);
}
