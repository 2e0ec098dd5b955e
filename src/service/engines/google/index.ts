// The Google engine: reads the HTML of a results page into the root object and features.

import { repeatsNear } from '../../model/results/list-order.ts';
import type { ReadPage, SerpPage } from '../../model/results/serp.ts';
import type { Engine, PageContext } from '../engine.ts';
import { rejectOtherSearch } from '../other-search.ts';
import { isBesideLabel } from '../page/ad-label.ts';
import { globalRanks, ranked, withoutEmpty } from '../page/assemble.ts';
import {
  distrusted,
  pageFailure,
  readTree,
  rejectChallenge,
  rejectSeveralPages,
  rejectShadowRoots,
} from '../page/failure.ts';
import { rejectOtherDevice } from '../page/other-device.ts';
import { rejectOtherMarket, rejectOtherPlace } from '../page/other-market.ts';
import { rejectOtherQuery } from '../page/query.ts';
import { findUnreadRows } from '../page/rows.ts';
import { isAddress, isHidden, isLinks, readLines, type TextLine, textOf } from '../page/text.ts';
import { closest, type Element, partsOf } from '../page/tree.ts';
import { isConcealed } from '../page/visibility.ts';
import { saysNoResults } from './emptiness.ts';
import { findAds, readFeatures } from './features/features.ts';
import { readEntity, readPanel, readPlainCard } from './features/knowledge.ts';
import { readOverview } from './features/overview.ts';
import { findLocalResults, showsOnlyPlaces } from './features/places.ts';
import { findGroups, findImages, readPost } from './features/rows.ts';
import { findQuestions, findRelated, findTabs } from './features/searches.ts';
import {
  footerPlace,
  isShell,
  rejectForeignPage,
  rejectIncompletePage,
  rejectInterstitial,
  rejectStalePage,
  searchAddresses,
  searchedQueries,
  shownDevice,
  shownMarket,
} from './guards.ts';
import { readOrganic } from './organic.ts';
import { countWithin, findColumn, type Headed, indexPage, markClosedTabs, type PageIndex } from './page-index.ts';
import { neverResult, zone } from './regions.ts';
import { belongsToFeature, type Found, findPanel, findResults, type Results } from './results.ts';
import { isOwnSite, readDestinations, readLink, readToken, renderScript, searchRequest } from './urls.ts';

/** Reads result pages of Google: desktop, mobile and without scripts, as recorded from 2014 to 2026. */
export const googleEngine: Engine = {
  name: 'google',
  request: searchRequest,
  parse,
  hidden: {
    redirectsOf,
    isDestination: (address) => {
      const link = readLink(address);
      return link.destination !== undefined && !link.isOpaque;
    },
    withDestinations: (html, found) =>
      html + renderScript(new Map([...found].flatMap(([redirect, address]) => [[readToken(redirect) ?? '', address]]))),
  },
};

function buildIndex(html: string): PageIndex {
  return readTree(html, (tree) => {
    rejectChallenge(tree, html);
    rejectSeveralPages(tree, html);
    return indexPage(tree, () => readDestinations(html));
  });
}

function redirectsOf(html: string): string[] {
  const surveyed = buildIndex(html);
  return findResults(surveyed).organic.flatMap((found) => {
    const isHidden = readOrganic(found, surveyed).destination_state !== undefined;
    return isHidden ? (found.headed.link.destination ?? []) : [];
  });
}

function parse(html: string, context: PageContext): ReadPage {
  const surveyed = buildIndex(html);
  rejectInterstitial(surveyed, html);
  rejectStalePage(surveyed, context, html);
  rejectOtherSearch('google', { tree: surveyed.tree, addresses: searchAddresses(surveyed), html });
  const { keyword } = context;
  if (keyword !== undefined) rejectOtherQuery(keyword, searchedQueries(surveyed, keyword), { html });
  if (context.location !== undefined)
    rejectOtherPlace(context, [footerPlace(surveyed)], {
      shownIn: 'footer',
      body: { contentType: 'text/html', text: html },
    });
  const results = findResults(surveyed);
  const column = findColumn(surveyed);
  rejectShadowRoots(surveyed.tree, column, html);
  // If the engine shows a list of places instead of results, none of them is an organic result.
  if (results.organic.length === 0 && !saysNoResults(surveyed) && !showsOnlyPlaces(surveyed, column)) {
    throw pageFailure(isShell(surveyed) ? 'javascript_wall' : 'no_organic_results', html);
  }
  rejectForeignPage(surveyed, html);
  rejectOtherMarket(context, shownMarket(surveyed), html);
  rejectOtherDevice(context.mobile, shownDevice(surveyed), html);
  rejectIncompletePage(surveyed, results.organic.at(-1)?.headed.heading, html);
  rejectUnreadResults(surveyed, results, html);
  return readPage(surveyed, results, html);
}

function readPage(surveyed: PageIndex, { organic, sources }: Results, html: string): ReadPage {
  const column = findColumn(surveyed);
  const headings = organic.map((each) => each.headed.heading);
  markClosedTabs(surveyed, headings);
  const first = headings[0]?.order;
  const ads = findAds(surveyed, first);
  const questions = findQuestions(surveyed, column);
  const images = findImages(surveyed, column);
  const related = findRelated(
    surveyed,
    headings.map((heading) => heading.order),
    column.order,
  );
  const groups = findGroups(surveyed, column, organic);
  const rankOf = globalRanks([
    ...ads,
    ...questions,
    ...images,
    ...related,
    ...headings,
    ...groups.filter((group) => group.kind === 'video').flatMap((group) => group.items.map((each) => each.heading)),
  ]);
  const panel = readPanel(surveyed) ?? readPlainCard(surveyed);
  const overview = readOverview(surveyed, html);
  const entity = readEntity(surveyed, panel?.knowledge.name);
  const serp: SerpPage = withoutEmpty({
    organic: ranked(organic, (each) => ({ global_rank: rankOf(each.headed.heading), ...readOrganic(each, surveyed) })),
    knowledge: panel?.knowledge,
    people_also_ask: ranked(questions, (each) => ({ global_rank: rankOf(each), ...each.question })),
    related: ranked(related, (each) => ({ global_rank: rankOf(each), ...each.related })),
    navigation: findTabs(surveyed, first ?? column.last),
    perspectives: groups.flatMap(({ kind, items }) => (kind === 'perspectives' ? items.map(readPost) : [])),
    ai_overview: overview,
    images: ranked(images, ({ image }) => image),
    top_ads: ranked(
      ads.filter(({ isTop }) => isTop),
      ({ ad }) => ad,
    ),
    bottom_ads: ranked(
      ads.filter(({ isTop }) => !isTop),
      ({ ad }) => ad,
    ),
    overview: entity,
    local_results: findLocalResults(surveyed),
  });
  const features = readFeatures({
    questions,
    pageIndex: surveyed,
    column,
    serp,
    groups,
    results: headings,
    sources,
    panelLinks: panel?.links ?? [],
  });
  const device = shownDevice(surveyed);
  return { serp, ...(device !== undefined && { device }), features };
}

// Detects results of an unknown form. Without them the others would move up, so the page is refused.

const pathText = /›|^https?:\/\//;
/** Shorter texts in a card are labels, in characters. */
const textMin = 60;

/**
 * Throws for a page with a result that was not read: a row that begins as results do, or a heading without a link in a
 * link or beside an address. Also throws for a result outside of its list, for a block of links that do not look like
 * its results, for a label of ads above one, and for a result that is listed twice.
 */
function rejectUnreadResults(pageIndex: PageIndex, results: Results, html: string): void {
  const { organic, sources } = results;
  const column = findColumn(pageIndex);
  const known = new Set([...organic.flatMap(({ nested }) => nested), ...sources].map(({ anchor }) => anchor));
  // Forms, headers and complements among the results may hold one.
  const foreign = neverResult & ~(zone.furniture | zone.side);
  const isBesides = (each: Element): boolean => (each.zones & foreign) !== 0 || isCard(each);
  const unread = [
    ...findUnreadRows(pageIndex.tree, {
      column,
      results: organic.map(({ headed: { heading, link } }) => ({ element: heading, link: link.destination ?? '' })),
      isBesides,
      isOwnSite,
      destinationOf: (anchor) => {
        const { destination, isAd } = pageIndex.linkOf(anchor);
        if (destination === undefined || isAd || known.has(anchor)) return undefined;
        return belongsToFeature(anchor, destination) ? undefined : destination;
      },
    }),
    ...findUnlinked(pageIndex, column),
    ...organic.flatMap(({ nested }) => findLoneResult(nested)),
    ...findOutside(pageIndex, column),
  ];
  const isSeen = (anchor: Element): boolean => !isInClosedTab(anchor, results) && !isConcealed(pageIndex.tree, anchor);
  const count = new Set(unread.filter(isSeen)).size;
  if (count > 0) throw distrusted('unread', html, `Not read: ${count}.`);
  if (pageIndex.headed.some((each) => standsInFurniture(each, column, pageIndex)))
    throw distrusted('unread', html, 'A result stands in another part of the page.');
  if (pageIndex.headed.some((each) => standsOutside(each, column, pageIndex)))
    throw distrusted('unread', html, 'A result stands outside of its list.');
  if (hasBareBlock(organic)) throw distrusted('unread', html, 'A block of links shows no addresses.');
  if (organic.some(({ block }) => isBesideLabel(block, column, isBesides)))
    throw distrusted('unread', html, 'A label of ads stands beside one of its results.');
  if (repeatsFirst(results)) throw distrusted('unread', html, 'Its first result is listed twice.');
  if (repeatsNear(organic.map(({ headed }) => [headed.link.destination ?? '', textOf(headed.heading)])))
    throw distrusted('unread', html, 'One of its results is listed twice.');
}

/** Whether a link that names a page is beside all lists: a stray end tag closed them. No recorded page has one. */
function standsOutside({ anchor, heading, link, zones }: Headed, column: Element, { tree }: PageIndex): boolean {
  if (column.contains(heading) || link.destination === undefined || link.isAd || (zones & neverResult) !== 0)
    return false;
  return !isConcealed(tree, anchor) && !isConcealed(tree, heading);
}

/**
 * Whether a link that names a page, with an address or a text, is in a form, a header or a footer, or in a part among
 * the results that usually is beside them. No recorded page has one.
 */
function standsInFurniture({ anchor, heading, link, zones }: Headed, column: Element, { tree }: PageIndex): boolean {
  const regions = zone.furniture | (column.contains(heading) ? zone.side : 0);
  if (link.destination === undefined || link.isAd || (zones & neverResult & ~regions) !== 0) return false;
  if ((zones & regions) === 0 || isConcealed(tree, anchor) || isConcealed(tree, heading)) return false;
  const region = closest(heading, ({ parent }) => ((parent?.zones ?? 0) & regions) === 0) ?? heading;
  return readLines(region).some((line) => !heading.contains(line.element) && describes(line));
}

/**
 * Whether results that show neither their site nor their address share a block of their own, while most results show
 * one: an unknown feature. On recorded pages, such results stand alone.
 */
function hasBareBlock(organic: readonly Found[]): boolean {
  // Some results that are indented below one of their site show none.
  const bare = organic.filter((each, nth) => isBare(each) && !isSameSite(each, organic[nth - 1]));
  if (bare.length * 2 >= organic.length) return false;
  const others = organic.filter((each) => !bare.includes(each));
  return bare.some(({ block }, nth) => {
    const next = bare[nth + 1]?.headed.heading;
    let around = block;
    while (next !== undefined && !around.contains(next) && around.parent !== null) around = around.parent;
    return next !== undefined && !others.some(({ headed }) => around.contains(headed.heading));
  });
}

function isSameSite({ headed }: Found, above: Found | undefined): boolean {
  const hostOf = (address = ''): string | undefined => URL.parse(address)?.host;
  return above !== undefined && hostOf(headed.link.destination) === hostOf(above.headed.link.destination);
}

/** Links of profiles and videos name their site beside the heading, the others show their address. */
function isBare({ block, headed: { anchor, heading } }: Found): boolean {
  return !readLines(block).some(
    ({ element, text }) =>
      !heading.contains(element) && (isAddress(text) || (anchor.contains(element) && element !== anchor)),
  );
}

/**
 * Whether the first result appears again below, with the same title: then it is the source of an answer in an unknown
 * form. This occurs on no recorded page.
 */
function repeatsFirst({ organic }: Results): boolean {
  const [first, ...others] = organic.map(({ headed }) => headed);
  if (first === undefined || first.link.isOpaque) return false;
  const title = textOf(first.heading);
  return others.some(({ link, heading }) => link.destination === first.link.destination && textOf(heading) === title);
}

/** Sitelinks with texts of their own come in groups: a single one is an indented result in an unknown form. */
function findLoneResult([only, ...others]: readonly Headed[]): Element[] {
  if (only === undefined || others.length > 0) return [];
  const item = closest(only.anchor, ({ tag }) => /^(?:li|td|tr)$/.test(tag));
  const isText = ({ element, text }: TextLine): boolean =>
    !only.anchor.contains(element) && !only.heading.contains(element) && text !== '';
  return item !== undefined && readLines(item).some(isText) ? [only.anchor] : [];
}

/** Results have been in the column on all recorded pages. */
function findOutside({ headed }: PageIndex, column: Element): Element[] {
  const isResult = ({ heading, link, zones }: Headed): boolean =>
    heading.tag === 'h3' && link.destination !== undefined && !link.isAd && (zones & neverResult) === 0;
  return headed.filter((each) => isResult(each) && !column.contains(each.heading)).map(({ anchor }) => anchor);
}

/** A card that shows neither an address nor a text besides its link: stories, recipes. */
function isCard(element: Element): boolean {
  if (!/^g-(?:card|link)$/.test(element.tag)) return false;
  return !readLines(element).some(describes);
}

function describes(line: TextLine): boolean {
  return pathText.test(line.text) || (line.text.length >= textMin && !isLinks(line));
}

/** Whether a link is in a closed tab, where no results are parsed. */
function isInClosedTab(anchor: Element, { organic }: Results): boolean {
  const panel = findPanel(anchor);
  return panel !== undefined && !organic.some(({ headed }) => panel.contains(headed.anchor));
}

/** The engine's own links have a URL. Other schemes (`javascript:`, `data:`) lead nowhere. */
const noAddress = /^\s*(?:#|$|(?!https?:)[a-z][a-z\d+.-]*:)/i;

/** How far above its heading the address of a result may be. */
const climbMax = 3;

/**
 * Headings without an outside link, in a link or beside an address: results that lost their links, or whose links run
 * scripts.
 */
function findUnlinked(pageIndex: PageIndex, column: Element): Element[] {
  const orders = pageIndex.headed
    .filter(({ link }) => link.destination !== undefined)
    .map(({ heading }) => heading.order);
  const unlinked = pageIndex.headed.filter(
    (each) => noAddress.test(each.anchor.href) || (staysInside(each) && showsPath(each)),
  );
  return [...pageIndex.titles, ...unlinked.map(({ heading }) => heading)].filter((heading) => {
    if ((heading.zones & neverResult) !== 0 || !column.contains(heading) || isHidden(heading)) return false;
    if (!isThirdLevel(heading) || textOf(heading) === '') return false;
    return (heading.tag === 'h3' && standsInLink(heading)) || standsAtAddress(heading, orders, pageIndex);
  });
}

function staysInside({ link }: Headed): boolean {
  return link.destination === undefined && !link.isAd;
}

/** Titles of features have the second level, if any. */
function isThirdLevel(heading: Element): boolean {
  return (heading.get('aria-level') ?? '3') === '3';
}

/**
 * Some results show no address, such as profiles and videos. Parts of features in links without addresses have other
 * headings.
 */
function standsInLink(heading: Element): boolean {
  const link = closest(heading, ({ tag }) => tag === 'a');
  return link !== undefined && heading.depth - link.depth <= climbMax;
}

function standsAtAddress(heading: Element, orders: readonly number[], pageIndex: PageIndex): boolean {
  let at = heading;
  for (let climbed = 0; climbed < climbMax && at.parent !== null; climbed++) {
    if (countWithin(orders, at.parent.order, at.parent.last) > 0) break;
    at = at.parent;
  }
  const lines = readLines(at, { without: ({ zones }) => (zones & neverResult) !== 0 });
  // Hosts without a path also appear below titles of features, which are headings by their role.
  const isShown = heading.tag === 'h3' ? isAddress : (text: string) => pathText.test(text);
  return lines.some((line) => !heading.contains(line.element) && isShown(line.text) && !isLinked(line, pageIndex));
}

/** How many elements of a line are searched for its first link. */
const lineElementsMax = 50;

/**
 * Whether a line is in a link, or begins with one: then it did not lose its address. Features list shops, searches and
 * sources in this form.
 */
function isLinked({ element, text }: TextLine, pageIndex: PageIndex): boolean {
  if (closest(element, isLive) !== undefined) return true;
  const parts = partsOf(pageIndex.tree, element).slice(1, lineElementsMax + 1);
  const starts = parts.filter(isLive).map((each) => textOf(each));
  return starts.some((start) => start !== '' && text.startsWith(start));
}

function isLive(element: Element): boolean {
  return element.tag === 'a' && !noAddress.test(element.href);
}

function showsPath({ anchor, heading }: Headed): boolean {
  return readLines(anchor).some(({ element, text }) => !heading.contains(element) && pathText.test(text));
}
