// Rows of a list in a form that is not known: those that are results, and those that were not read.

import { domainToUnicode } from 'node:url';
import { isAddress, isHidden, isLinks, readLines, type TextLine, textOf } from './text.ts';
import { closest, type Element, findAll, findFirst, partsOf, type Tree } from './tree.ts';
import { isConcealed } from './visibility.ts';

interface ReadList {
  readonly column: Element;
  /** An element of each result, and the page to which it leads. */
  readonly results: readonly { readonly element: Element; readonly link: string }[];
  /** Whether an address is on a host of the engine: a tool beside a result, unless the row shows an address. */
  isOwnSite?(address: string): boolean;
  /** Whether an element is a known part without results: ads, questions. */
  isBesides(element: Element): boolean;
  /** The page outside the engine to which a link leads, unless the link is known as part of a feature. */
  destinationOf(anchor: Element): string | undefined;
}

/** Lines of a row that are read, and those that may stand above its title: site, address, date. */
const linesMax = 12;
const linesAboveMax = 3;
/** Shorter texts beside a link are labels, in characters. */
const textMin = 20;
/** A title of a feature is shorter than a text above a title, and a label than a text below it, in characters. */
const featureTitleMax = 60;
const describingMin = 40;
/** Shorter links are "Website" and the like, in characters. */
const titleMin = 10;

/**
 * The first links of rows beside results that look like results: what leads to one site, unless it reads like a
 * feature; and of rows that lead to several sites or stand in the block of a result, those with a linked title and a
 * text or the line of its site. Features begin with their own title and mostly lead to several sites.
 */
export function findUnreadRows(
  tree: Tree,
  { column, results, isBesides, isOwnSite = () => false, destinationOf }: ReadList,
): Element[] {
  const around = new Map<Element, string[]>();
  for (const { element, link } of results)
    for (let at: Element | null = element; at !== null && column.contains(at); at = at.parent) {
      const links = around.get(at);
      if (links === undefined) around.set(at, [link]);
      else links.push(link);
    }
  const isLink = (each: Element): boolean =>
    each.tag === 'a' && each.has('href') && each.get('role') !== 'menuitem' && !isBesides(each);
  /** Above some results, screen readers have another heading: "Web results". */
  const isLeftOut = (each: Element): boolean =>
    isBesides(each) ||
    (each.tag === 'h2' && linkAround(each) === undefined && findFirst(tree, each, isLink) === undefined);
  return [...around].flatMap(([within, [link = '', another]]) =>
    within.children.flatMap((row) => {
      if (typeof row === 'string' || around.has(row) || isBesides(row) || isHidden(row)) return [];
      const anchors = partsOf(tree, row).filter(isLink);
      const links = anchors.filter((each) => destinationOf(each) !== undefined);
      const first = links.find((each) => !isConcealed(tree, each));
      const destination = first && destinationOf(first);
      if (first === undefined || destination === undefined) return [];
      const text = textOf(row, { without: isLeftOut });
      const lines = readLines(row, { without: isLeftOut, linesMax });
      const isSite = ({ text: shown }: TextLine): boolean =>
        isSiteLine(shown) && (shown.includes('›') || containsHost(shown.toLowerCase(), destination));
      const isOwn = isOwnSite(destination) && !lines.some(({ text }) => containsHost(text.toLowerCase(), destination));
      const pages = new Set(links.map((each) => pageOf(destinationOf(each) ?? '')));
      const isOneSite = !isOwn && another !== undefined && new Set([...pages].map(siteOf)).size === 1;
      // Panels are longer than results.
      if (isOneSite && lines.length < linesMax && isOneResult(row, links, lines)) return [first];
      // A link alone describes nothing.
      if (lines.length < 2 || anchors[0] !== first) return [];
      // Stories are cards that are one link, and name their publisher instead of their address.
      if (row.tag === 'a' && !lines.some(isSite)) return [];
      const nth = lines.findIndex((line) => isLinks(line) && !isSite(line));
      const title = lines[nth];
      const isText = (line: TextLine): boolean => !isLinks(line) && line.text.length >= textMin;
      const isDescribed = lines.slice(nth + 1).some(isText) || lines.some(isSite);
      // An empty link may lie over all of a result, which shows a path; cards of stories show a host at most.
      const showsPath = lines.some((line) => pathText.test(line.text) && isSite(line) && !isLinks(line));
      if (textOf(first) === '' && showsPath && !pages.has(pageOf(link))) return [first];
      if (title === undefined || nth > linesAboveMax || !isNamed(title)) return [];
      if (another === undefined && siteOf(destination) === siteOf(link)) {
        // Sitelinks come in groups; a translation or the sources of a summary are on other sites.
        const isAlone = [...pages].filter((page) => siteOf(page) === siteOf(link)).length === 1;
        return isDescribed && isAlone && !pages.has(pageOf(link)) && leadingShare(title) > 0 ? [first] : [];
      }
      // Only a result names its site above its title.
      const isHeaded = lines.slice(0, nth).every((line) => isSite(line) || isNameOf(line.text, siteOf(destination)));
      if (isOwn) return isDescribed && isHeaded && leadingShare(title) > 0.8 ? [first] : [];
      // A block's own line precedes the blocks within it, also where the page shows it below them.
      const opening = lines.find((each) => text.startsWith(each.text));
      if (opening !== undefined && isLinks(opening) && isNamed(opening)) return [first];
      const described = lines.filter((line, at) => isLinks(line) && lines.slice(at + 1, at + 2).some(isText));
      // Links of places repeat their words: "Website".
      const isOnce = lines.filter(({ text: shown }) => shown === title.text).length === 1;
      const isFollowed =
        isOnce && nth <= 1 && holds(first, title.text) && described.length === 1 && described[0] === title;
      if (isFollowed || ((isHeaded || pages.size === 1) && (isDescribed || lines.some(isText)))) return [first];
      return [];
    }),
  );

  /**
   * Whether a row that leads to one site is a result, in any form: it begins with its title, below the line of its
   * site at most, or shows its address, or a text below its title.
   */
  function isOneResult(row: Element, links: readonly Element[], lines: readonly TextLine[]): boolean {
    const address = destinationOf(links[0] ?? row) ?? '';
    const isName = (text: string): boolean => isNameOf(text, URL.parse(address)?.hostname ?? '');
    const isSource = (text: string): boolean =>
      isSiteLine(text) || containsHost(text.toLowerCase(), address) || isName(text);
    const linked = links.flatMap((each) => readLines(each, { without: isLeftOut, linesMax }));
    const isInPath = ({ text }: TextLine): boolean =>
      lines.some((line) => isSiteLine(line.text) && line.text.includes(text));
    const titles = linked.filter((line) => !isSiteLine(line.text) && !isInPath(line));
    const title = titles.find(({ text }) => !isName(text)) ?? titles[0];
    const opening = title?.element ?? links[0] ?? row;
    const isFeatureTitle = (each: Element): boolean =>
      isHeading(each) && each.last < opening.order && textOf(each, { without: isLeftOut }) !== '';
    if (findFirst(tree, row, isFeatureTitle) !== undefined) return false;
    if (title === undefined) {
      const isOut = (each: Element): boolean => isLeftOut(each) || links.includes(each);
      const texts = readLines(row, { without: isOut, linesMax }).map(({ text }) => text);
      // Notices lead to an address that is no path: "www.gov.example".
      const paths = linked.map(({ text }) => text).filter((text) => pathText.test(text));
      return [...texts, ...paths].some(isSource) && texts.join('').length >= textMin;
    }
    const own = lines.findIndex(({ element }) => element === title.element);
    const nth = own < 0 ? lines.findIndex(({ text }) => text.includes(title.text)) : own;
    const [before = '', ...after] = lines[nth]?.text.split(title.text) ?? [];
    const isShown = (text: string): boolean => text !== '';
    const above = [
      ...lines
        .slice(0, nth)
        .filter((line) => !isTool(line))
        .map(({ text }) => text),
      before,
    ].filter(isShown);
    const below = [after.join(''), ...lines.slice(nth + 1).map(({ text }) => text)].filter(isShown);
    const isTelling = (text: string): boolean => isSource(text) || text.length >= textMin;
    if (above.every(isSource)) return [title.text, ...above, ...below].some(isTelling);
    const isAlone = new Set(links.map((each) => pageOf(destinationOf(each) ?? ''))).size === 1;
    const isLabelled = above.length <= linesAboveMax && above.every((text) => text.length < featureTitleMax);
    if (isAlone && isLabelled && title.text.length >= titleMin && below.some((text) => text.length >= describingMin))
      return true;
    // Stories name their publisher and their time in one line.
    return [...above, ...below].some(isSiteLine) && (isAlone || above.join('').length >= featureTitleMax);

    function isTool({ element }: TextLine): boolean {
      const isEnd = (each: Element): boolean => each === row || links.includes(each) || isMenu(each);
      return isMenu(closest(element, isEnd) ?? row);
    }
  }

  function isNamed(line: TextLine): boolean {
    const named =
      linkAround(line.element) ?? findFirst(tree, line.element, (each) => isLink(each) && holds(each, line.text));
    return named !== undefined && destinationOf(named) !== undefined;
  }

  /** The share of its line that a link has which begins it; 0 for a fact: "Team: Milwaukee Bucks". */
  function leadingShare(line: TextLine): number {
    if (linkAround(line.element) !== undefined) return 1;
    const named = findAll(tree, line.element, isLink).map((each) => textOf(each));
    return (named.find((text) => text !== '' && line.text.startsWith(text))?.length ?? 0) / line.text.length;
  }
}

function isMenu(element: Element): boolean {
  return /^(?:menu|button)$/.test(element.get('role') ?? '');
}

/** Headings by tag or role, and tags as `g-tray-header`. */
function isHeading(element: Element): boolean {
  return /^h[1-6]$|-header$/.test(element.tag) || element.get('role') === 'heading';
}

const pathText = /›|:\/\//;

/** A publisher with the name of a host is in one line with the time of its story. */
function isSiteLine(text: string): boolean {
  return isAddress(text) && (pathText.test(text) || !/\s/.test(text));
}

/** Whether a line is the name of a site: "Stack Overflow" of stackoverflow.com. */
function isNameOf(text: string, site: string): boolean {
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return letters.length >= 3 && site.replace(/[^\p{L}\p{N}]/gu, '').includes(letters);
}

/** Whether a line is that of a link: the link may go on in other lines, and the line may hold more ("[PDF]"). */
function holds(link: Element, line: string): boolean {
  const text = textOf(link);
  return text !== '' && (line.includes(text) || text.includes(line));
}

function linkAround(element: Element): Element | undefined {
  return closest(element, ({ tag }) => tag === 'a');
}

function pageOf(address: string): string {
  return address.replace(/#.*$/s, '');
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
