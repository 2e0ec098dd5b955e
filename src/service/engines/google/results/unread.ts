// Detects results of an unknown form. Without them the others would move up, so the page is refused.

import { repeatsNear } from '../../../model/results/list-order.ts';
import { isBelowLabel } from '../../page/ad-label.ts';
import type { Element } from '../../page/element.ts';
import { distrusted } from '../../page/failure.ts';
import { hostForms } from '../../page/shown-host.ts';
import { isAddress, isHidden, readLines, type TextLine, textOf } from '../../page/text.ts';
import { isConcealed } from '../../page/visibility/concealed.ts';
import { findGrouped } from '../features/feature-titles.ts';
import { findColumn } from '../page/column.ts';
import { countWithin, firstFrom } from '../page/document-order.ts';
import type { Headed, PageIndex } from '../page/page-index.ts';
import { neverResult } from '../page/regions.ts';
import { belongsToFeature, findPanel, type Results } from './results.ts';

/** Most links that are looked at; the recorded page with the most has 600 in its column. */
const linksMax = 2_000;
/** Most parts of one list that are looked at. */
const rowsMax = 500;
/** A text below a link that describes its page is this long, in characters. */
const descriptionMin = 40;
const pathText = /›|^https?:\/\//;

/**
 * Throws for a page with a link outside features that resembles a result but was not parsed as one. Such a link shows
 * its path as results do ("host › path"), has the name that all links of results have there, or is in a row of the list
 * above the address of its site, as they are. None of 1,557 recorded pages has such a link. Also throws if a heading
 * without a link is beside an address.
 */
export function rejectUnreadResults(pageIndex: PageIndex, results: Results, html: string): void {
  const { organic, sources } = results;
  const taken = new Set(
    [...organic.flatMap(({ headed, nested }) => [headed, ...nested]), ...sources].map((each) => each.anchor),
  );
  const column = findColumn(pageIndex);
  const left = pageIndex.anchors.slice(0, linksMax).filter((anchor) => {
    if ((anchor.zones & neverResult) !== 0 || taken.has(anchor) || !column.contains(anchor)) return false;
    const { destination, isAd } = pageIndex.linkOf(anchor);
    return destination !== undefined && !isAd && !belongsToFeature(anchor, destination);
  });
  const name = findName(organic.map((each) => each.headed.anchor));
  const unread = [
    ...findUnnamed(pageIndex, left, name),
    ...findNamed(pageIndex, left, name),
    ...findRows(pageIndex, left, results),
    ...findUnlinked(pageIndex, column),
  ];
  const isSeen = (anchor: Element): boolean => !isInClosedTab(anchor, results) && !isConcealed(pageIndex.tree, anchor);
  const count = new Set(unread.filter(isSeen)).size;
  if (count > 0) throw distrusted('unread', html, `Not read: ${count}.`);
  if (organic.some(({ block }) => isBelowLabel(block, column, ({ zones }) => (zones & neverResult) !== 0)))
    throw distrusted('unread', html, 'A label of ads stands above one of its results.');
  if (repeatsFirst(results)) throw distrusted('unread', html, 'Its first result is listed twice.');
  if (repeatsNear(organic.map(({ headed }) => [headed.link.destination ?? '', textOf(headed.heading)])))
    throw distrusted('unread', html, 'One of its results is listed twice.');
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

/** Links without a heading. Pages without scripts show the sources of answers in this form. */
function findUnnamed(pageIndex: PageIndex, left: readonly Element[], name: string | undefined): Element[] {
  const { ids, headed } = pageIndex;
  if (!ids.has('rso') && !ids.has('search')) return [];
  const answers = findAnswerPositions(pageIndex);
  const named = new Set(headed.map((each) => each.anchor));
  return left.filter((anchor) => {
    if (named.has(anchor)) return false;
    const lines = readLines(anchor);
    if (lines.length < 2 || standsAtAnswer(anchor, answers)) return false;
    return (
      (name !== undefined && anchor.raw('jsname') === name) ||
      lines.some(({ element, text }) => pathText.test(text) || isCited(element, anchor))
    );
  });
}

/** Whether a line is in a `cite` in the link: there, results show their sites, also where the line is no address. */
function isCited(line: Element, anchor: Element): boolean {
  for (let at: Element | null = line; at !== null && at !== anchor; at = at.parent) if (at.tag === 'cite') return true;
  return false;
}

/** How far above its link a source shares a block with its answer. */
const answerClimbMax = 2;

/**
 * Positions with sources in links without a heading: descriptions in panels, and lists below a title that opens and
 * closes them.
 */
function findAnswerPositions({ byAttribute, titles }: PageIndex): readonly number[] {
  const descriptions = byAttribute['data-attrid'].filter((each) => each.raw('data-attrid') === 'description');
  const lists = titles.filter((title) => title.raw('role') === 'heading' && title.has('aria-expanded'));
  return [...descriptions, ...lists].map(({ order }) => order).sort((one, other) => one - other);
}

function standsAtAnswer(anchor: Element, answers: readonly number[]): boolean {
  let at = anchor;
  for (let climbed = 0; climbed < answerClimbMax && at.parent !== null; climbed++) at = at.parent;
  return countWithin(answers, at.order, anchor.order) > 0;
}

/** Fewer results may share a name by chance. */
const sharedMin = 3;

/** The name that all these links have: scripts of the page find them by it. */
function findName(links: readonly Element[]): string | undefined {
  const name = links.length < sharedMin ? undefined : links[0]?.raw('jsname');
  return links.every((link) => link.raw('jsname') === name) ? name : undefined;
}

/**
 * Links with another kind of heading than the results. Several of them below their own title are parts of a feature.
 */
function findNamed(pageIndex: PageIndex, left: readonly Element[], name: string | undefined): Element[] {
  const isLeft = new Set(left);
  const other = pageIndex.headed.filter((each) => isLeft.has(each.anchor) && (each.zones & neverResult) === 0);
  const shown = other.filter((each) => showsPath(each));
  const grouped = findGrouped(shown, pageIndex);
  return [
    ...other.filter(({ anchor }) => name !== undefined && anchor.raw('jsname') === name),
    ...shown.filter((each) => !grouped.has(each)),
  ].map(({ anchor }) => anchor);
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
    (each) => noAddress.test(each.anchor.raw('href') ?? '') || (staysInside(each) && showsPath(each)),
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
  return (heading.raw('aria-level') ?? '3') === '3';
}

/**
 * Some results show no address, such as profiles and videos. Parts of features in links without addresses have other
 * headings.
 */
function standsInLink(heading: Element): boolean {
  let at = heading.parent;
  for (let climbed = 0; at !== null && climbed < climbMax; climbed++, at = at.parent) if (at.tag === 'a') return true;
  return false;
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
  for (let at: Element | null = element; at !== null; at = at.parent) if (isLive(at)) return true;
  for (let order = element.order + 1; order <= Math.min(element.last, element.order + lineElementsMax); order++) {
    const within = pageIndex.tree.elements[order];
    if (within === undefined || !isLive(within)) continue;
    const start = textOf(within);
    if (start !== '' && text.startsWith(start)) return true;
  }
  return false;
}

function isLive(element: Element): boolean {
  return element.tag === 'a' && !noAddress.test(element.raw('href') ?? '');
}

function showsPath({ anchor, heading }: Headed): boolean {
  return readLines(anchor).some(({ element, text }) => !heading.contains(element) && pathText.test(text));
}

/** Links in rows of a list without results: the row's first line is the link, and a later one names its site. */
function findRows(pageIndex: PageIndex, left: readonly Element[], { organic }: Results): Element[] {
  const orders = organic.map(({ headed }) => headed.heading.order);
  const leftOrders = left.map((anchor) => anchor.order);
  return listRows(
    organic.map(({ headed }) => headed.heading),
    orders,
  ).flatMap(({ list, shapes }) => {
    const rows = list.children.filter((child) => typeof child !== 'string').slice(0, rowsMax);
    return rows.flatMap((row) => {
      if (!shapes.has(describeShape(row)) || countWithin(orders, row.order, row.last) > 0) return [];
      const anchor = left[firstFrom(leftOrders, row.order)];
      if (anchor === undefined || !row.contains(anchor)) return [];
      return isResultRow(row, anchor, pageIndex) ? [anchor] : [];
    });
  });
}

/** The lists with results as rows, each with the shapes of its rows. */
function listRows(
  headings: readonly Element[],
  orders: readonly number[],
): readonly { readonly list: Element; readonly shapes: ReadonlySet<string> }[] {
  const lists = new Map<Element, Set<string>>();
  for (const heading of headings) {
    let row = heading;
    while (row.parent !== null && countWithin(orders, row.parent.order, row.parent.last) === 1) row = row.parent;
    if (row.parent === null) continue;
    const shapes = lists.get(row.parent) ?? new Set();
    lists.set(row.parent, shapes.add(describeShape(row)));
  }
  return [...lists].map(([list, shapes]) => ({ list, shapes }));
}

function describeShape(element: Element): string {
  return `${element.tag} ${element.raw('class') ?? ''}`;
}

function isResultRow(row: Element, anchor: Element, pageIndex: PageIndex): boolean {
  const lines = readLines(row, { without: (element) => (element.zones & neverResult) !== 0 });
  const isInLink = ({ element }: TextLine): boolean => anchor.contains(element) || element.contains(anchor);
  // Other headings are for screen readers only ("Web results").
  const first = lines.find((line) => isInLink(line) || !/^h[1-4]$/.test(line.element.tag));
  if (first === undefined || !isInLink(first)) return false;
  if (lines.filter(isInLink).length > 1 && lines.some((line) => !isInLink(line) && line.text.length >= descriptionMin))
    return true;
  const hosts = hostForms(pageIndex.linkOf(anchor).destination ?? '');
  return lines.some(({ text }) => hosts.some((host) => isAddressOf(host, text.toLowerCase())));
}

/**
 * Whether a line is an address on that host. A publisher with the name of its host is in one line with the time of its
 * story.
 */
function isAddressOf(host: string, text: string): boolean {
  const [word = '', ...others] = text.split(' ', 2);
  return word.includes(host) && (others.length === 0 || word.includes('/') || text.includes('›'));
}
