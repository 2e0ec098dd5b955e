// Parses organic results of a Bing page: links, texts, sitelinks, facts. Finds results by their position in the list.
import type { Extension } from '../../model/results/serp.ts';
import { isBesideLabel, isLabelledAd } from '../page/ad-label.ts';
import { type FoundResult, type ResultList, withoutEmpty } from '../page/assemble.ts';
import { findUnreadRows, readUnnamed } from '../page/rows.ts';
import { readLines, textOf } from '../page/text.ts';
import {
  closest,
  type Element,
  findAll,
  findFirst,
  hasClass,
  isInsideAny,
  isLink,
  type Tree,
  withClass,
  withId,
} from '../page/tree.ts';
import { isConcealed } from '../page/visibility.ts';
import { readLink } from './urls.ts';

/** Items of the list that are not results: ads, answers, pages, messages. */
export const isBesides = withClass('b_ad*', 'b_ans', 'b_pag', 'b_msg', 'b_no');

const isAround = withId('b_context', 'b_header', 'b_footer');

/** Parts of a result outside its description: sitelinks, facts, the address. */
const isDeep = withClass('b_deep', 'b_vlist2col', 'b_factrow', 'b_attribution');

/** The items of the list that are results by class name; if none has that name, by content. */
export function findResults(tree: Tree, column: Element): ResultList {
  const isInBesides = isInsideAny(tree, isBesides);
  const isInDeep = isInsideAny(tree, isDeep);
  const items = findAll(tree, column, (element) => element.tag === 'li' && hasClass(element, 'b_algo*')).filter(
    (item) => !isBesides(item) && !isInBesides(item) && !isConcealed(tree, item),
  );
  if (items.length === 0) return findUnnamed(tree, column, isInDeep);
  const results: FoundResult[] = [];
  let unread = 0;
  for (const item of items) {
    const named = namedLink(tree, item);
    if (named === undefined || leadsNowhere(named.anchor)) unread += textOf(item) === '' ? 0 : 1;
    else results.push(...readResult(tree, item, named, isInDeep));
  }
  unread += items.filter((item) => isBesideLabel(item, column, isBesides)).length;
  unread += unreadItems(tree, column) + outsideItems(tree, column).length;
  unread += findUnreadRows(tree, {
    column: tree.root,
    results: results.map(({ order, result }) => ({ element: tree.elements[order] ?? column, link: result.link })),
    isBesides: (element) =>
      isBesides(element) || isAround(element) || (hasClass(element, 'b_algo*') && column.contains(element)),
    destinationOf,
  }).length;
  if (unread === 0) return { results, unread, isNamed: true };
  // One item may have another name, but not all of them.
  const unnamed = findUnnamed(tree, column, isInDeep);
  return unnamed.unread === 0 && unnamed.results.length > results.length ? unnamed : { results, unread, isNamed: true };
}

/** Items of the list with unknown class names. A heading with an outside link in none of them may also be a result. */
function findUnnamed(tree: Tree, column: Element, isInDeep: (element: Element) => boolean): ResultList {
  const items = findItems(tree, column).filter((item) => !isBesides(item));
  const { results, unread } = readUnnamed(tree, items, (item) => namedLink(tree, item), readLink);
  const isListed = isInsideAny(tree, (element) => element.parent === column && element.tag === 'li');
  const outside = findAll(tree, column, (element) => element.tag === 'h2').filter(
    (heading) => !isListed(heading) && !isConcealed(tree, heading) && leadsOut(tree, heading.parent ?? column),
  );
  return {
    results: results.flatMap(({ item, ...named }) => readResult(tree, item, named, isInDeep)),
    unread: unread + outside.length,
    isNamed: results.length === 0,
  };
}

function findItems(tree: Tree, column: Element): Element[] {
  const children = column.children.filter((child) => typeof child !== 'string');
  return children.filter((child) => child.tag === 'li' && !isConcealed(tree, child));
}

function destinationOf(anchor: Element): string | undefined {
  const { destination, isAd } = readLink(anchor.href);
  return isAd || isTranslation(anchor) ? undefined : destination;
}

/** A result shows an address, unless it is an ad. */
function leadsNowhere(anchor: Element): boolean {
  const { destination, isAd } = readLink(anchor.href);
  return destination === undefined && !isAd;
}

function leadsOut(tree: Tree, item: Element): boolean {
  const href = namedLink(tree, item)?.anchor.get('href');
  return href !== undefined && readLink(href).destination !== undefined;
}

/**
 * Direct items of the list that are neither results nor any known other item, but have a heading with an outside link.
 */
function unreadItems(tree: Tree, column: Element): number {
  const items = findItems(tree, column).filter((item) => !isBesides(item) && !hasClass(item, 'b_algo*'));
  return items.filter((item) => leadsOut(tree, item)).length;
}

/** Results beside the list: a stray end tag closed it. No recorded page has one. */
function outsideItems(tree: Tree, column: Element): Element[] {
  const items = findAll(tree, tree.root, (element) => element.tag === 'li' && hasClass(element, 'b_algo'));
  return items.filter((item) => !column.contains(item) && !isConcealed(tree, item) && textOf(item) !== '');
}

/** The link and the heading that names it; on mobile pages, the link contains the heading. */
export function namedLink(tree: Tree, item: Element): { anchor: Element; heading: Element } | undefined {
  const headings = findAll(tree, item, (element) => element.tag === 'h2' && !isConcealed(tree, element));
  for (const heading of headings) {
    const anchor =
      findFirst(tree, heading, isTextLink) ?? closest(heading, (each) => each === item.parent || isLink(each));
    if (anchor !== undefined && anchor !== item.parent) return { anchor, heading };
  }
  return undefined;
}

/** A link that was left open goes on in each element up to the next link, without a text. */
function isTextLink(element: Element): boolean {
  return isLink(element) && textOf(element) !== '';
}

function readResult(
  tree: Tree,
  item: Element,
  named: { anchor: Element; heading: Element },
  isInDeep: (element: Element) => boolean,
): FoundResult[] {
  const link = readLink(named.anchor.href);
  const title = textOf(named.heading);
  if (link.destination === undefined || link.isAd || title === '') return [];
  if (isLabelledAd(item, { ...named, destination: link.destination })) return [];
  const text = (test: (element: Element) => boolean): string => {
    const found = findFirst(tree, item, test);
    return found === undefined ? '' : textOf(found);
  };
  const date = text(withClass('news_dt'));
  const extensions = numbered([
    ...siteLinks(tree, item),
    ...(date === '' ? [] : [{ type: 'date', text: date } as const]),
    ...facts(tree, item),
  ]);
  return [
    {
      order: named.heading.order,
      result: withoutEmpty({
        title,
        description: describe(tree, item, isInDeep),
        link: link.destination,
        display_link: text((element) => element.tag === 'cite'),
        source: text(withClass('tptt')),
        extensions,
      }),
    },
  ];
}

/** Shorter lines of a rich caption are labels, in characters. */
const lineMin = 20;

/**
 * The first paragraph of the caption with content, without its date and without the link to a translation. Beside a
 * picture, the paragraph precedes the caption. A caption of tabs or a list has no paragraph: its first line that is not
 * a link is used.
 */
function describe(tree: Tree, item: Element, isInDeep: (element: Element) => boolean): string {
  const isLeftOut = (element: Element): boolean =>
    hasClass(element, 'news_dt') || isLeadingDate(element) || (element.tag === 'a' && isTranslation(element));
  const isParagraph = (element: Element): boolean => element.tag === 'p' || hasClass(element, 'b_paractl');
  const caption = findFirst(tree, item, withClass('b_caption')) ?? item;
  for (const paragraph of [...findAll(tree, caption, isParagraph), ...findAll(tree, item, isParagraph)]) {
    if (isInDeep(paragraph)) continue;
    const text = textOf(paragraph, { without: isLeftOut }).replace(/^[\s·|-]+/, '');
    if (text !== '') return text;
  }
  const isNoText = (element: Element): boolean =>
    isLeftOut(element) || isDeep(element) || element.tag === 'a' || element.get('role') === 'tablist';
  return (
    (caption === item ? [] : readLines(caption, { without: isNoText })).find(({ text }) => text.length >= lineMin)
      ?.text ?? ''
  );
}

/** A separate part followed by a dot: "14.06.2019 · Words". */
function isLeadingDate({ tag, parent, order }: Element): boolean {
  if (tag !== 'span' || parent?.tag !== 'p' || parent.order + 1 !== order) return false;
  const rest = parent.children.find((child) => typeof child === 'string' && child.trim() !== '');
  return typeof rest === 'string' && /^(?:\s|&nbsp;|&#160;)*(?:·|&#0*183;|&middot;)/.test(rest);
}

function isTranslation(anchor: Element): boolean {
  return /microsofttranslator\.com/.test(anchor.href);
}

type Unnumbered = Omit<Extension, 'rank'>;

function numbered(extensions: readonly Unnumbered[]): Extension[] {
  return extensions.map((extension, index) => ({ ...extension, rank: index + 1 }));
}

/** Links below a result to other pages of its site: each with its own heading, or in a row of links. */
function siteLinks(tree: Tree, item: Element): Unnumbered[] {
  const lists = findAll(tree, item, withClass('b_deep', 'b_deepdesk', 'b_boxedDCard', 'b_sideBleed_deep'));
  const seen = new Set<string>();
  return lists.flatMap((list) =>
    findAll(tree, list, isLink).flatMap((anchor) => {
      const { destination } = readLink(anchor.href);
      const text = textOf(anchor);
      if (destination === undefined || text === '' || hasClass(anchor, 'b_moreLink') || seen.has(destination))
        return [];
      seen.add(destination);
      return [{ type: 'site_link' as const, text, link: destination }];
    }),
  );
}

/** Rows of facts below the text: ratings, and names with values. */
function facts(tree: Tree, item: Element): Unnumbered[] {
  const rows = findAll(tree, item, withClass('b_factrow')).flatMap((row) => {
    const items = findAll(tree, row, (element) => element.tag === 'li');
    return items.length === 0 ? [row] : items;
  });
  return rows.flatMap((row) => {
    const text = textOf(row);
    if (text === '') return [];
    const isRating = findFirst(tree, row, withClass('csrc')) !== undefined;
    return [{ type: isRating ? ('rating' as const) : ('fact' as const), text }];
  });
}
