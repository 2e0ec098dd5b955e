// Indexes the elements of a page in one pass, for the readers of its parts.

import { isAddress, readLines } from '../../page/text.ts';
import { type Element, type Tree, TreeLimitError } from '../../page/tree.ts';
import { type Destinations, readToken } from '../results/redirects.ts';
import { clean, type Link, readLink } from '../results/urls.ts';
import { markZones } from './regions.ts';

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
  markZones(tree.elements);
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
    let link = readLink(anchor.get('href') ?? '');
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
  return { tree, ids, anchors, byData: (name) => byData.get(name) ?? [], linkOf, headed, titles: named.titles };
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
  let first: { anchor: Element; link: Link } | undefined;
  for (let order = heading.order + 1; order <= heading.last; order++) {
    const anchor = tree.elements[order];
    if (anchor?.tag !== 'a' || !anchor.has('href')) continue;
    const link = linkOf(anchor);
    if (link.destination !== undefined && !link.isAd) return { anchor, link };
    first ??= { anchor, link };
  }
  return first;
}
