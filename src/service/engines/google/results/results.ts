// Decides which named links of the results column are organic results, and which are their sitelinks.

import { isLabelledAd } from '../../page/ad-label.ts';
import { readLines } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import { isConcealed } from '../../page/visibility.ts';
import { findAnswered, findGrouped, showsAddress } from '../features/feature-titles.ts';
import { findColumn, isColumn } from '../page/column.ts';
import { countWithin, firstFrom } from '../page/document-order.ts';
import type { Headed, PageIndex } from '../page/page-index.ts';
import { neverResult, zone } from '../page/regions.ts';
import { findSnippets } from './snippets.ts';

/** One organic result: its link, the part of the page that belongs to it, and named links nested in it. */
export interface Found {
  readonly headed: Headed;
  readonly block: Element;
  readonly nested: readonly Headed[];
}

/**
 * The engine adds this to the links of a row of tweets, including the profile above it; a profile that is a result does
 * not have it.
 */
const tweets = /twcamp(?:%5E|\^)serp/;
const appStore = /^https:\/\/(?:play\.google|itunes\.apple|apps\.apple)\.com\//;

/** A link of a row of tweets, or to an app's page in a store, rather than one that opens a result in its app. */
export function belongsToFeature(anchor: Element, destination: string): boolean {
  return tweets.test(destination) || (anchor.has('data-packageid') && appStore.test(destination));
}

/** How far above a sitelink its list may stand. */
const listClimbMax = 12;
export interface Results {
  /** In reading order. */
  readonly organic: readonly Found[];
  /** Sources of answers above the results: featured snippets. */
  readonly sources: readonly Headed[];
}

/** The organic results of the page, and the sources of its answers, which are not organic results. */
export function findResults(pageIndex: PageIndex): Results {
  const column = findColumn(pageIndex);
  const { enlarged, sources } = findSnippets(pageIndex);
  const named = pageIndex.headed.filter(
    (each) => isCandidate(each, column, enlarged.has(each)) && isSeen(each, pageIndex),
  );
  const candidates = byKind(pageIndex, filterShown(named, pageIndex));
  const nested = nestedIn(candidates, pageIndex);
  const mains = candidates.filter((each) => !nested.has(each));
  const others = mains.filter((each) => each.heading.tag !== 'h3');
  const grouped = findGrouped(mains, pageIndex);
  const answered = others.length === 0 ? [] : findAnswered(mains, pageIndex).filter((each) => !others.includes(each));
  const results = mains.filter((each) => (each.heading.tag === 'h3' ? !answered.includes(each) : !grouped.has(each)));
  const borders = findBorders(pageIndex, results);
  const organic = results.map((headed) => ({
    headed,
    block: findBlock(headed, borders, pageIndex),
    nested: [...nested].filter(([, main]) => main === headed).map(([child]) => child),
  }));
  return { organic: organic.filter((found) => !markLabelledAd(found, pageIndex)), sources: [...sources, ...answered] };
}

/** Marks a result that only its label identifies as an ad, with all that belongs to it. */
function markLabelledAd({ block, headed, nested }: Found, { tree }: PageIndex): boolean {
  if (!isLabelledAd(block, { ...headed, destination: headed.link.destination })) return false;
  for (let order = block.order; order <= block.last; order++) {
    const element = tree.elements[order];
    if (element !== undefined) element.zones |= zone.ad;
  }
  for (const { anchor } of nested) anchor.zones |= zone.ad;
  return true;
}

function isCandidate(each: Headed, column: Element, isEnlarged: boolean): boolean {
  if (each.link.destination === undefined || each.link.isAd) return false;
  if (belongsToFeature(each.anchor, each.link.destination)) return false;
  const never = isEnlarged ? neverResult & ~zone.snippet : neverResult;
  if (!column.contains(each.heading) || (each.zones & never) !== 0) return false;
  // Other headings name the items of lists and cards; an h3 there is a result.
  if (each.heading.tag === 'h3') return true;
  // Headings below the third level name parts of features.
  if (Number(each.heading.get('aria-level') ?? '3') > 3) return false;
  return (each.zones & zone.listItem) === 0 && (!isInCard(each.anchor) || showsAddress(each));
}

/** Only possible results are compared with the rules of style sheets: that is fast. */
function isSeen({ anchor, heading }: Headed, { tree }: PageIndex): boolean {
  return !isConcealed(tree, anchor) && !isConcealed(tree, heading);
}

/** A card contains a feature: stories, recipes. */
function isInCard(anchor: Element): boolean {
  for (let at = anchor.parent; at !== null; at = at.parent) if (at.tag === 'g-card') return true;
  return false;
}

/** If several tabs have results, those of the open tab. */
function filterShown(candidates: readonly Headed[], pageIndex: PageIndex): readonly Headed[] {
  const panels = new Set(candidates.map((each) => findPanel(each.heading)).filter((panel) => panel !== undefined));
  if (panels.size < 2) return candidates;
  const open = pageIndex.tree.elements.find(
    (each) => each.get('role') === 'tab' && each.get('aria-selected') === 'true',
  );
  const name = open?.get('aria-controls') ?? open?.get('data-ti');
  const shown = [...panels].find((panel) => name !== undefined && panel.get('id')?.endsWith(name) === true);
  if (shown === undefined) return candidates;
  return candidates.filter((each) => shown.contains(each.heading) || findPanel(each.heading) === undefined);
}

/** The tab of an element. */
export function findPanel(element: Element): Element | undefined {
  for (let at = element.parent; at !== null; at = at.parent) if (at.get('role') === 'tabpanel') return at;
  return undefined;
}

/**
 * If most candidates have an h3 in the link (desktop since 2018, pages without scripts) or the page is a desktop page,
 * results have an h3 and other headings name parts of features. Mobile pages use both.
 */
function byKind(pageIndex: PageIndex, candidates: readonly Headed[]): readonly Headed[] {
  const named = candidates.filter((each) => each.heading.tag === 'h3');
  const within = named.filter((each) => each.anchor.contains(each.heading));
  const isDesktop = pageIndex.ids.has('rcnt') || pageIndex.ids.has('search') || within.length * 2 >= candidates.length;
  return isDesktop && named.length > 0 ? named : candidates;
}

/**
 * Sitelinks: named links in a table or list that belongs to exactly one other named link, without their own address
 * line.
 */
function nestedIn(candidates: readonly Headed[], pageIndex: PageIndex): Map<Headed, Headed> {
  const nested = new Map<Headed, Headed>();
  const orders = candidates.map((each) => each.heading.order);
  for (const each of candidates) {
    const main = candidates[countMainResults(each, orders, pageIndex)];
    if (main !== undefined) nested.set(each, main);
  }
  return nested;
}

/**
 * Index of the link to which a link's list belongs, -1 for none. Lists are tried from the innermost one: all results
 * may be in one list.
 */
function countMainResults(each: Headed, orders: readonly number[], pageIndex: PageIndex): number {
  let list: Element | undefined;
  let inList = 0;
  let at = each.anchor;
  for (let climbed = 0; at.parent !== null && climbed < listClimbMax; at = at.parent, climbed++) {
    if (isColumn(at.parent, pageIndex)) return -1;
    if (isList(at.parent)) {
      // An indented result shows an address, and is a result.
      if (at.parent.tag !== 'table' && holdsAddress(at)) return -1;
      list = at.parent;
      inList = countWithin(orders, list.order, list.last);
    } else if (list !== undefined) {
      const others = countWithin(orders, at.parent.order, at.parent.last) - inList;
      const first = firstFrom(orders, at.parent.order);
      if (others === 1 && (orders[first] ?? 0) < list.order) return first;
      // The list is among results; a list around all of them may not be.
      if (others > 0) list = undefined;
    }
  }
  return -1;
}

function isList({ tag }: Element): boolean {
  return tag === 'ul' || tag === 'ol' || tag === 'table';
}

/** Whether a line of the item is in a `cite`, or shows a path as results do. */
function holdsAddress(item: Element): boolean {
  return readLines(item).some(({ element, text }) => element.tag === 'cite' || text.includes('›'));
}

/** Elements that a result's block must not contain: other results and the features around it. */
function findBorders(pageIndex: PageIndex, results: readonly Headed[]): number[] {
  const borders = results.map((each) => each.heading.order);
  const foreign = zone.question | zone.ad | zone.overview | zone.side | zone.snippet;
  let inside: Element | undefined;
  for (const element of pageIndex.tree.elements) {
    if ((element.zones & foreign) === 0 || inside?.contains(element) === true) continue;
    inside = element;
    borders.push(element.order);
  }
  for (const each of pageIndex.headed) {
    if (each.heading.tag !== 'h3' && (each.zones & (zone.section | zone.carousel)) !== 0)
      borders.push(each.heading.order);
  }
  return borders.sort((a, b) => a - b);
}

/** The largest element around a result's link that contains nothing else. */
function findBlock(headed: Headed, borders: readonly number[], pageIndex: PageIndex): Element {
  let block = headed.anchor.contains(headed.heading) ? headed.anchor : headed.heading;
  for (let at = block.parent; at !== null && !isColumn(at, pageIndex); at = at.parent) {
    // The result's own heading is the only border inside its block.
    if (countWithin(borders, at.order, at.last) > 1) break;
    block = at;
  }
  return block;
}
