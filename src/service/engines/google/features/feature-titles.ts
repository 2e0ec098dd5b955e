// Assigns named links to the title that claims them: parts of a feature below its title, sources below their answer.

import { readLines, standsAlone } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import { isColumn } from '../page/column.ts';
import { countWithin, firstFrom } from '../page/document-order.ts';
import type { Headed, PageIndex } from '../page/page-index.ts';
import { zone } from '../page/regions.ts';

/** Limit of elements beside a title in its part of a block: buttons and menus. */
const apparatusMax = 14;
/** Ignores a bare host: publishers have such names. */
const pathText = /›|:\/\/|^www\./;
const noAnswer =
  zone.ad | zone.question | zone.overview | zone.attribute | zone.carousel | zone.side | zone.furniture | zone.hidden;

/**
 * Links that are one of several below a title that opens their common block: parts of a feature. If any of them shows
 * an address, they are results: panels that fill the page have such titles too ("Top results", "More results"), and
 * some results there show only their site's name.
 */
export function findGrouped(mains: readonly Headed[], pageIndex: PageIndex): ReadonlySet<Headed> {
  const orders = mains.map((main) => main.heading.order);
  const isFeature = blockReader(mains, orders, pageIndex);
  return new Set(mains.filter((each) => isGrouped(each, orders, pageIndex, isFeature)));
}

/**
 * Sources of answers without a frame, in panels that fill a mobile page: the answer is the title of their common block,
 * at a lower level than the titles of sections.
 */
export function findAnswered(mains: readonly Headed[], pageIndex: PageIndex): Headed[] {
  const orders = mains.map((main) => main.heading.order);
  const titles = findTitles(pageIndex).filter((title) => (title.zones & noAnswer) === 0);
  const titleOrders = titles.map((title) => title.order);
  const titleFrom = (order: number) => titles[firstFrom(titleOrders, order)];
  return mains.filter((each) => isAnswered(each, orders, titleFrom, pageIndex));
}

/** Whether a link shows its address above its heading; items of features show their site below it. */
export function showsAddress({ anchor, heading }: Headed): boolean {
  return readLines(anchor).some((line) => line.element.order < heading.order && pathText.test(line.text));
}

function findTitles(pageIndex: PageIndex): readonly Element[] {
  return pageIndex.titles.filter((title) => title.get('role') === 'heading');
}

/**
 * For each block of links: whether a title makes it a feature; undefined if no title opens it. Reads each block once.
 */
function blockReader(
  mains: readonly Headed[],
  orders: readonly number[],
  pageIndex: PageIndex,
): (block: Element) => boolean | undefined {
  const titles = findTitles(pageIndex);
  const titleOrders = titles.map((title) => title.order);
  const known = new Map<Element, boolean | undefined>();
  const isFeature = (block: Element): boolean | undefined => {
    const start = firstFrom(orders, block.order);
    const title = titles[firstFrom(titleOrders, block.order)];
    if (title === undefined || title.order >= (orders[start] ?? 0) || !opens(title, block)) return undefined;
    const held = countWithin(orders, block.order, block.last);
    return !mains.slice(start, start + held).some((main) => showsAddress(main));
  };
  return (block) => {
    if (!known.has(block)) known.set(block, isFeature(block));
    return known.get(block);
  };
}

function isGrouped(
  each: Headed,
  orders: readonly number[],
  pageIndex: PageIndex,
  isFeature: (block: Element) => boolean | undefined,
): boolean {
  for (let at = each.anchor.parent; at !== null && !isColumn(at, pageIndex); at = at.parent) {
    if (countWithin(orders, at.order, at.last) < 2) continue;
    const answer = isFeature(at);
    if (answer !== undefined) return answer;
  }
  return false;
}

function isAnswered(
  each: Headed,
  orders: readonly number[],
  titleFrom: (order: number) => Element | undefined,
  pageIndex: PageIndex,
): boolean {
  for (let at = each.heading.parent; at !== null && !isColumn(at, pageIndex); at = at.parent) {
    if (countWithin(orders, at.order, at.last) > 1) return false;
    const title = titleFrom(at.order);
    if (title !== undefined && title.order < each.heading.order) return title.get('aria-level') === '3';
  }
  return false;
}

/**
 * Whether a title is alone in the first part of a block, apart from buttons and hidden elements; a question list above
 * results has more than a title.
 */
function opens(title: Element, block: Element): boolean {
  let at: Element = title;
  while (at.parent !== null && at.parent !== block) at = at.parent;
  if (at.last - at.order <= title.last - title.order + apparatusMax) return true;
  return standsAlone(title, at, (each) => each.get('role') === 'button');
}
