// Indexes the elements of a page in one pass, for the readers of its parts: links, headings, columns, tabs.
import { isAddress, readLines } from '../page/text.ts';
import { type Element, isLink, partsOf, type Tree, TreeLimitError } from '../page/tree.ts';
import { markZones, zone } from './regions.ts';
import { clean, type Destinations, type Link, readLink, readToken } from './urls.ts';

/** A link with the heading that names it: in the link, or around it. */
export interface Headed {
  readonly anchor: Element;
  readonly heading: Element;
  readonly link: Link;
  /** Zones of both. */
  readonly zones: number;
}

export interface PageIndex {
  readonly tree: Tree;
  /** The first element of each id. */
  readonly ids: ReadonlyMap<string, Element>;
  /** Links named by a heading, in document order of the headings. */
  readonly headed: readonly Headed[];
  /** Headings that name no link: titles of features, sections, panels. */
  readonly titles: readonly Element[];
  /** Links with a URL, in document order. */
  readonly anchors: readonly Element[];
  /** Elements with an attribute `data-...`, in document order. */
  byData(name: string): readonly Element[];
  /** The destination of a link, computed once. */
  linkOf(anchor: Element): Link;
  /** The destinations of the links in an element, without clicks on ads: what is bought is not owned. */
  linksIn(element: Element): string[];
}

/** Elements that are once in a page: the list of results, and what is around it. */
const listIds = new Set(['rso', 'search', 'res', 'center_col', 'main']);
/** Throws for lists that are not nested in each other: two pages glued together. All recorded pages nest them. */
function rejectSeveralLists(ids: ReadonlyMap<string, Element>): void {
  const lists = [...listIds].flatMap((id) => ids.get(id) ?? []).sort((one, other) => one.order - other.order);
  if (lists.some((list, nth) => lists[nth - 1]?.contains(list) === false))
    throw new TreeLimitError('markup has more than one list of results');
}

/** Limit of headings; the recorded page with 100 results has 260. */
const headingsMax = 1_000;
/** How far above a heading its link may stand. */
const climbMax = 10;

/** `readDestinations`: the targets of redirects, as far as they are known; most pages have no redirect. */
export function indexPage(tree: Tree, readDestinations: () => Destinations): PageIndex {
  markZones(tree);
  const ids = new Map<string, Element>();
  const headings: Element[] = [];
  const anchors: Element[] = [];
  const byData = new Map<string, Element[]>();
  for (const element of tree.elements) {
    let isHeading = element.tag === 'h3';
    for (let i = 0; i < element.attributes.length; i += 2) {
      const [name = '', value = ''] = [element.attributes[i], element.attributes[i + 1]];
      if (name === 'role') isHeading ||= value === 'heading';
      else if (name === 'href' && element.tag === 'a') anchors.push(element);
      else if (name.startsWith('data-')) {
        const others = byData.get(name);
        if (others === undefined) byData.set(name, [element]);
        else others.push(element);
      } else if (name === 'id' && !ids.has(value)) ids.set(value, element);
      else if (name === 'id' && listIds.has(value))
        throw new TreeLimitError('markup has more than one list of results');
    }
    if (isHeading) headings.push(element);
  }
  if (headings.length > headingsMax) throw new TreeLimitError(`markup has more than ${headingsMax} headings`);
  rejectSeveralLists(ids);
  const links = new Map<Element, Link>();
  let destinations: Destinations | undefined;
  const linkOf = (anchor: Element): Link => {
    const known = links.get(anchor);
    if (known !== undefined) return known;
    let link = readLink(anchor.href);
    if (link.isOpaque) {
      destinations ??= readDestinations();
      link = resolved(link, destinations);
    }
    links.set(anchor, link);
    return link;
  };
  const named = nameLinks(headings, tree, linkOf);
  const isBare =
    !ids.has('rso') &&
    !ids.has('search') &&
    named.headed.every(({ link }) => link.destination === undefined || link.isAd);
  const headed = isBare
    ? [...named.headed, ...nameByAddress(anchors, linkOf)].sort((a, b) => a.heading.order - b.heading.order)
    : named.headed;
  return {
    tree,
    ids,
    anchors,
    byData: (name) => byData.get(name) ?? [],
    linksIn: (element) =>
      anchors.flatMap((anchor) => {
        const { destination, isAd } = linkOf(anchor);
        return destination === undefined || isAd || !element.contains(anchor) ? [] : [destination];
      }),
    linkOf,
    headed,
    titles: named.titles,
  };
}

function resolved(link: Link, destinations: Destinations): Link {
  const destination = destinations.get(readToken(link.destination ?? '') ?? '');
  return destination === undefined ? link : { ...link, destination: clean(destination), isOpaque: false };
}

/**
 * On pages without scripts of 2018, links have no headings: those of results contain two lines, their name and their
 * address.
 */
function nameByAddress(anchors: readonly Element[], linkOf: (anchor: Element) => Link): Headed[] {
  return anchors.flatMap((anchor) => {
    const link = linkOf(anchor);
    if (link.destination === undefined || link.isAd) return [];
    const [title, address, ...rest] = readLines(anchor);
    if (title === undefined || address === undefined || rest.length > 0) return [];
    // A publisher with the name of a host is in one line with the time of its story.
    if (!isAddress(address.text) || (/\s/.test(address.text) && !address.text.includes('›'))) return [];
    return { anchor, heading: title.element, link, zones: anchor.zones | title.element.zones };
  });
}

/** Pairs each heading with its link. A link has one heading: the first. */
function nameLinks(
  headings: readonly Element[],
  tree: Tree,
  linkOf: (anchor: Element) => Link,
): { headed: Headed[]; titles: Element[] } {
  const headed: Headed[] = [];
  const titles: Element[] = [];
  const taken = new Set<Element>();
  for (const heading of headings) {
    const found = linkAbove(heading, linkOf) ?? linkBelow(heading, tree, linkOf);
    if (found === undefined) titles.push(heading);
    else if (!taken.has(found.anchor)) {
      taken.add(found.anchor);
      headed.push({ ...found, heading, zones: heading.zones | found.anchor.zones });
    }
  }
  return { headed, titles };
}

function linkAbove(heading: Element, linkOf: (anchor: Element) => Link): { anchor: Element; link: Link } | undefined {
  let at = heading.parent;
  for (let climbed = 0; at !== null && climbed < climbMax; climbed++, at = at.parent) {
    if (at.tag !== 'a') continue;
    return at.has('href') ? { anchor: at, link: linkOf(at) } : undefined;
  }
  return undefined;
}

/** The first link in the heading with a destination; on old pages, hidden click counters precede it. */
function linkBelow(
  heading: Element,
  tree: Tree,
  linkOf: (anchor: Element) => Link,
): { anchor: Element; link: Link } | undefined {
  const links = partsOf(tree, heading)
    .filter(isLink)
    .map((anchor) => ({ anchor, link: linkOf(anchor) }));
  return links.find(({ link }) => link.destination !== undefined && !link.isAd) ?? links[0];
}

/** Elements that hold lists of results. A result's block lies within. */
const columnIds = ['rso', 'res', 'search', 'center_col', 'main', 'botstuff', 'bres', 'extrares'];

/** The widest element that contains results, by its id; the whole page if none is known. */
export function findColumn(pageIndex: PageIndex): Element {
  for (const id of ['center_col', 'main', 'res', 'search', 'rso']) {
    const element = pageIndex.ids.get(id);
    if (element !== undefined) return element;
  }
  return pageIndex.tree.root;
}

/** Whether an element contains lists of results, rather than a single one. */
export function isColumn(element: Element, pageIndex: PageIndex): boolean {
  const id = element.get('id');
  if (id !== undefined && columnIds.includes(id)) return true;
  return element.tag === 'body' || element === pageIndex.tree.root || element.get('role') === 'tabpanel';
}

/** Index of the first order that is at least `order`; the length where there is none. */
export function firstFrom(orders: readonly number[], order: number): number {
  let low = 0;
  let high = orders.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((orders[middle] ?? 0) < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many orders lie from `first` to `last`, both included. */
export function countWithin(orders: readonly number[], first: number, last: number): number {
  return firstFrom(orders, last + 1) - firstFrom(orders, first);
}

/** Most tab panels that are looked at; recorded pages have eight. */
const panelsMax = 100;

/**
 * Marks the contents of closed tabs: panels beside the one with the results, and panels whose tab says so. Panels of
 * questions open on a click and belong to the questions.
 */
export function markClosedTabs(pageIndex: PageIndex, results: readonly Element[]): void {
  const isPanel = (each: Element): boolean => each.get('role') === 'tabpanel' && (each.zones & zone.question) === 0;
  const panels = pageIndex.tree.elements.filter(isPanel).slice(0, panelsMax);
  if (panels.length < 2) return;
  const holders = panels.filter((panel) => results.some((heading) => panel.contains(heading)));
  const unselected = holders.length > 0 ? new Set<Element>() : panelsOfUnselected(pageIndex, panels);
  for (const panel of panels) {
    const isBesideResults = holders.some((holder) => !holder.contains(panel) && !panel.contains(holder));
    if (!holders.includes(panel) && (isBesideResults || unselected.has(panel))) markAll(pageIndex, panel);
  }
}

/** Panels of unselected tabs, if one of the tabs is selected. */
function panelsOfUnselected(pageIndex: PageIndex, panels: readonly Element[]): Set<Element> {
  const tabs = pageIndex.tree.elements.filter((each) => each.get('role') === 'tab' && each.has('aria-selected'));
  const panelOf = (tab: Element): Element | undefined => {
    const name = tab.get('aria-controls') ?? tab.get('data-ti') ?? '';
    return name === '' ? undefined : panels.find((panel) => panel.get('id')?.endsWith(name) === true);
  };
  const selected = tabs.filter((tab) => tab.get('aria-selected') === 'true').map(panelOf);
  if (selected.every((panel) => panel === undefined)) return new Set();
  const closed = tabs.filter((tab) => tab.get('aria-selected') === 'false').flatMap((tab) => panelOf(tab) ?? []);
  return new Set(closed.filter((panel) => !selected.includes(panel)));
}

function markAll(pageIndex: PageIndex, panel: Element): void {
  for (const element of partsOf(pageIndex.tree, panel)) element.zones |= zone.closedTab;
}
