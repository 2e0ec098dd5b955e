// Detects results of an unknown form. Without them the others would move up, so the page is refused.
import { repeatsNear } from '../../model/results/list-order.ts';
import { isBelowLabel } from '../page/ad-label.ts';
import { distrusted } from '../page/failure.ts';
import { findUnreadRows } from '../page/rows.ts';
import { isAddress, isHidden, readLines, type TextLine, textOf } from '../page/text.ts';
import { closest, type Element, partsOf } from '../page/tree.ts';
import { isConcealed } from '../page/visibility.ts';
import { countWithin, findColumn, type Headed, type PageIndex } from './page-index.ts';
import { neverResult } from './regions.ts';
import { belongsToFeature, type Found, findPanel, type Results } from './results.ts';

const pathText = /›|^https?:\/\//;

/**
 * Throws for a page with a result that was not read: a row that begins as results do, or a heading without a link in a
 * link or beside an address. Also throws for a block of links that do not look like its results, for a label of ads
 * above one, and for a result that is listed twice.
 */
export function rejectUnreadResults(pageIndex: PageIndex, results: Results, html: string): void {
  const { organic, sources } = results;
  const column = findColumn(pageIndex);
  const known = new Set([...organic.flatMap(({ nested }) => nested), ...sources].map(({ anchor }) => anchor));
  const isBesides = ({ zones }: Element): boolean => (zones & neverResult) !== 0;
  const unread = [
    ...findUnreadRows(pageIndex.tree, {
      column,
      results: organic.map(({ headed: { heading, link } }) => ({ element: heading, link: link.destination ?? '' })),
      isBesides,
      destinationOf: (anchor) => {
        const { destination, isAd } = pageIndex.linkOf(anchor);
        if (destination === undefined || isAd || known.has(anchor)) return undefined;
        return belongsToFeature(anchor, destination) ? undefined : destination;
      },
    }),
    ...findUnlinked(pageIndex, column),
  ];
  const isSeen = (anchor: Element): boolean => !isInClosedTab(anchor, results) && !isConcealed(pageIndex.tree, anchor);
  const count = new Set(unread.filter(isSeen)).size;
  if (count > 0) throw distrusted('unread', html, `Not read: ${count}.`);
  if (hasBareBlock(organic)) throw distrusted('unread', html, 'A block of links shows no addresses.');
  if (organic.some(({ block }) => isBelowLabel(block, column, isBesides)))
    throw distrusted('unread', html, 'A label of ads stands above one of its results.');
  if (repeatsFirst(results)) throw distrusted('unread', html, 'Its first result is listed twice.');
  if (repeatsNear(organic.map(({ headed }) => [headed.link.destination ?? '', textOf(headed.heading)])))
    throw distrusted('unread', html, 'One of its results is listed twice.');
}

/**
 * Whether results that show neither their site nor their address share a block of their own, while most results show
 * one: an unknown feature. On recorded pages, such results stand alone.
 */
function hasBareBlock(organic: readonly Found[]): boolean {
  const bare = organic.filter((each) => isBare(each));
  if (bare.length * 2 >= organic.length) return false;
  const others = organic.filter((each) => !bare.includes(each));
  return bare.some(({ block }, nth) => {
    const next = bare[nth + 1]?.headed.heading;
    let around = block;
    while (next !== undefined && !around.contains(next) && around.parent !== null) around = around.parent;
    return next !== undefined && !others.some(({ headed }) => around.contains(headed.heading));
  });
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
    (each) => noAddress.test(each.anchor.get('href') ?? '') || (staysInside(each) && showsPath(each)),
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
  return element.tag === 'a' && !noAddress.test(element.get('href') ?? '');
}

function showsPath({ anchor, heading }: Headed): boolean {
  return readLines(anchor).some(({ element, text }) => !heading.contains(element) && pathText.test(text));
}
