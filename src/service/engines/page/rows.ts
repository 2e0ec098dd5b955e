// Rows of a list in a form that is not known: those that are results, and those that were not read.

import { domainToUnicode } from 'node:url';
import { isHidden, isLinks, readLines, textOf } from './text.ts';
import { closest, type Element, findFirst, type Tree } from './tree.ts';
import { isConcealed } from './visibility.ts';

interface ReadList {
  readonly column: Element;
  /** An element of each result, and the page to which it leads. */
  readonly results: readonly { readonly element: Element; readonly link: string }[];
  /** Whether an element is a known part without results: ads, questions. */
  isBesides(element: Element): boolean;
  /** The page outside the engine to which a link leads, unless the link is known as part of a feature. */
  destinationOf(anchor: Element): string | undefined;
}

/** Lines among which the first one of a row is looked for. */
const linesMax = 4;

/**
 * The first links of rows beside results that begin with a link to a page, as results do. Features begin with their
 * own title, and further links of a result lead to its site. No recorded page has another such row.
 */
export function findUnreadRows(tree: Tree, { column, results, isBesides, destinationOf }: ReadList): Element[] {
  const around = new Map<Element, string[]>();
  for (const { element, link } of results)
    for (let at: Element | null = element; at !== null && column.contains(at); at = at.parent) {
      const links = around.get(at);
      if (links === undefined) around.set(at, [link]);
      else links.push(link);
    }
  const isLink = (each: Element): boolean => each.tag === 'a' && each.has('href') && !isBesides(each);
  /** Above some results, screen readers have another heading: "Web results". */
  const isLeftOut = (each: Element): boolean =>
    isBesides(each) ||
    (each.tag === 'h2' && linkAround(each) === undefined && findFirst(tree, each, isLink) === undefined);
  return [...around].flatMap(([within, [link = '', another]]) =>
    within.children.flatMap((row) => {
      if (typeof row === 'string' || around.has(row) || isBesides(row) || isHidden(row)) return [];
      const text = textOf(row, { without: isLeftOut });
      const lines = readLines(row, { without: isLeftOut, linesMax });
      // A block's own line precedes the blocks within it, also where the page shows it below them.
      const line = lines.find((each) => text.startsWith(each.text));
      // A link alone describes nothing.
      if (line === undefined || lines.length < 2 || !isLinks(line)) return [];
      const first = findFirst(tree, row, isLink);
      const named =
        linkAround(line.element) ?? findFirst(tree, line.element, (each) => isLink(each) && holds(each, line.text));
      if (first === undefined || named === undefined || isConcealed(tree, first)) return [];
      const destination = destinationOf(first);
      if (destination === undefined || destinationOf(named) === undefined) return [];
      return another === undefined && siteOf(destination) === siteOf(link) ? [] : [first];
    }),
  );
}

/** Whether a line is that of a link: the link may go on in other lines, and the line may hold more ("[PDF]"). */
function holds(link: Element, line: string): boolean {
  const text = textOf(link);
  return text !== '' && (line.includes(text) || text.includes(line));
}

function linkAround(element: Element): Element | undefined {
  return closest(element, ({ tag }) => tag === 'a');
}

/** The last two labels of the host, which the hosts of a site share. */
function siteOf(address: string): string {
  return (URL.parse(address)?.hostname ?? '').split('.').slice(-2).join('.');
}

/** The destination of a link of the page, as its engine resolves it. */
export interface Link {
  /** Absent if the link stays within the engine, or only the engine knows it. */
  readonly destination?: string;
  readonly isAd: boolean;
  /** Only the engine knows the destination. */
  readonly isOpaque?: boolean;
}

/** The link that names an item, and the heading around or within it. */
interface Named {
  readonly anchor: Element;
  readonly heading: Element;
}

interface UnnamedItem extends Named {
  readonly item: Element;
}

/**
 * The items that are results: each has a linked heading with an outside destination and shows its address, and all
 * share a class name that no other item with text has. `unread` counts items that may be results but cannot be
 * identified: a list without them would prove nothing.
 */
export function readUnnamed(
  tree: Tree,
  items: readonly Element[],
  nameOf: (item: Element) => Named | undefined,
  readLink: (href: string) => Link,
): { results: UnnamedItem[]; unread: number } {
  const results: UnnamedItem[] = [];
  const others: Element[] = [];
  let unread = 0;
  for (const item of items) {
    const named = nameOf(item);
    const link = named === undefined ? undefined : readLink(named.anchor.href);
    if (link?.isAd === true) continue;
    if (named === undefined || link?.destination === undefined) {
      others.push(item);
      // The engine's own statement about the search, such as that it found nothing, is the first heading of the page.
      if (findFirst(tree, item, (element) => element.tag === 'h1' && textOf(element) !== '') !== undefined) unread += 1;
    } else if (showsAddress(item, named.heading, link.destination)) results.push({ item, ...named });
    else unread += 1;
  }
  const shared = sharedClasses(results.map(({ item }) => item));
  const hasNames = items.some((item) => classNames(item).length > 0);
  if (hasNames && results.length > 0 && shared.length === 0) return { results: [], unread: results.length };
  const isAlike = (item: Element): boolean => {
    const own = classNames(item);
    return shared.length > 0 && shared.every((name) => own.includes(name));
  };
  unread += others.filter((item) => isAlike(item) && textOf(item) !== '').length;
  return { results, unread };
}

/** Whether an item shows, besides its heading, the host of its link. */
function showsAddress(item: Element, heading: Element, destination: string): boolean {
  const text = textOf(item, { without: (element) => element === heading });
  return containsHost(text.toLowerCase(), destination);
}

function sharedClasses(items: readonly Element[]): readonly string[] {
  const [first = [], ...others] = items.map(classNames);
  return first.filter((name) => others.every((names) => names.includes(name)));
}

/** Limit of class names read per item. */
const classesMax = 10;

function classNames(element: Element): readonly string[] {
  const names = (element.get('class') ?? '').split(/\s/).filter((name) => name !== '');
  return names.slice(0, classesMax);
}

/** Lower case, without `www.`, in ASCII and in its own letters (`xn--mller-kva.example`, `müller.example`). */
function hostForms(address: string): readonly string[] {
  const host = URL.parse(address)?.hostname.replace(/^www\./, '') ?? '';
  if (host === '') return [];
  return host.includes('xn--') ? [host, domainToUnicode(host)] : [host];
}

/** Whether a text in lower case contains the host of an address. */
export function containsHost(text: string, address: string): boolean {
  return hostForms(address).some((host) => text.includes(host));
}
