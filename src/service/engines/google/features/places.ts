// The list of places: name, number, rating, category, address and website of each, and whether it is the whole page.
import type { LocalResult } from '../../../model/results/serp.ts';
import { withoutEmpty } from '../../page/assemble.ts';
import { readLines, isAddress as showsAddress, textOf } from '../../page/text.ts';
import { closest, type Element, findFirst, withClass } from '../../page/tree.ts';
import { namesResult } from '../emptiness.ts';
import type { PageIndex } from '../page-index.ts';
import { zone } from '../regions.ts';
import { isOwnSite } from '../urls.ts';

const elsewhere = zone.side | zone.furniture | zone.overview | zone.question;
/** Between the facts of a line. */
const dot = /[\u00b7\u22c5]/;

/**
 * The unpaid places of the results column, in order, as recorded from 2019 to 2026: elements with a number
 * (`data-cid`), each around a block of details. Older lists and pages without scripts have no numbers.
 */
export function findLocalResults(pageIndex: PageIndex): LocalResult[] {
  const { tree } = pageIndex;
  const places = new Map<string, LocalResult>();
  const paid = new Set<string>();
  for (const element of pageIndex.byData('data-cid')) {
    const cid = element.get('data-cid') ?? '';
    const details = findFirst(tree, element, withClass('rllt__details'));
    if (!/^\d{12,20}$/.test(cid) || (element.zones & elsewhere) !== 0 || details === undefined) continue;
    if (places.has(cid) || paid.has(cid)) continue;
    const name = findFirst(tree, details, (each) => each.get('role') === 'heading');
    if (name === undefined) continue;
    if (isPaid(pageIndex, element)) paid.add(cid);
    else
      places.set(cid, {
        rank: places.size + 1,
        name: textOf(name),
        cid,
        ...readFacts(details, name),
        ...websiteOf(pageIndex, element),
      });
  }
  return [...places.values()];
}

/** A line before the name says that the place is paid, in any language; or a link is a click on an ad. */
function isPaid({ tree, anchors, linkOf }: PageIndex, element: Element): boolean {
  const details = findFirst(tree, element, withClass('rllt__details'));
  const name = details && findFirst(tree, details, (each) => each.get('role') === 'heading');
  const block = blockOf(element);
  return (
    details?.children.some(
      (child) => typeof child !== 'string' && name !== undefined && child.last < name.order && textOf(child) !== '',
    ) === true || anchors.some((anchor) => block.contains(anchor) && linkOf(anchor).isAd)
  );
}

/** What a place shows. */
function blockOf(element: Element): Element {
  return closest(element, withClass('VkpGBb')) ?? element;
}

/** A line with this dot holds opening hours. */
const hoursDot = '\u22c5';

/** Below the name: `4.9(141) \u00b7 Dentist`, then the address. */
function readFacts(details: Element, name: Element): Omit<LocalResult, 'rank' | 'name'> {
  const lines = details.children.flatMap((child) =>
    typeof child === 'string' || child.order <= name.order ? [] : [textOf(child)],
  );
  const at = lines.findIndex((line) => /^\d[.,]\d\s*\(/.test(line));
  const [, rating = '', reviews = ''] = /^(\d[.,]\d)\s*\(([^)]+)\)/.exec(lines[at] ?? '') ?? [];
  const facts = at === -1 ? [] : parted(lines[at] ?? '').slice(1);
  const category = facts.findLast((fact) => /^\p{L}/u.test(fact));
  const below = lines[at + 1] ?? '';
  const parts = parted(below);
  const phone = parts.find((part) => /^\+?[\d\s().-]{7,20}$/.test(part));
  const address = below.includes(hoursDot) ? undefined : parts.findLast((part) => part !== phone && isAddress(part));
  return withoutEmpty({
    rating: rating === '' ? undefined : Number(rating.replace(',', '.')),
    reviews: reviewCount(reviews),
    category,
    address,
    phone,
  });
}

function parted(line: string): string[] {
  return line.split(dot).map((part) => part.trim());
}

/** A street with a number, or a place in a region; not `10+ years in business`. */
function isAddress(text: string): boolean {
  return /\d|,/.test(text) && !/^\d+\+/.test(text);
}

/** `141`, `1,234`, `1.234`, `2.2K`. */
function reviewCount(written: string): number | undefined {
  const thousands = /^(\d+(?:[.,]\d)?)\s?K$/i.exec(written);
  if (thousands !== null) return Math.round(1000 * Number(thousands[1]?.replace(',', '.')));
  const digits = written.replace(/[.,\s\u00a0\u202f]/g, '');
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

/** The only link from the block of the place that leaves the engine. */
function websiteOf({ linksIn }: PageIndex, element: Element): Pick<LocalResult, 'website'> {
  const block = blockOf(element);
  if (block === element) return {};
  return withoutEmpty({ website: linksIn(block).find((site) => !isOwnSite(site)) });
}

/**
 * A list of places: each has an id, and a link leads to more places. The sites of places are the links that leave the
 * list.
 */
export function localLinks(pageIndex: PageIndex, column: Element, results: readonly Element[]): string[] | undefined {
  const beside = elsewhere | zone.attribute;
  const directed = directions(pageIndex, beside);
  if (directed.length >= placesMin) return linksAround(pageIndex, directed, results);
  const places = pageIndex
    .byData('data-cid')
    .filter(
      (each) => /^\d{12,}$/.test(each.get('data-cid') ?? '') && (each.zones & beside) === 0 && column.contains(each),
    );
  // Products have ids too; only places have the local list's own class, or a link to the local search.
  const isLocal = places.some((each) => each.get('class')?.includes('rllt') === true);
  return isLocal || hasMorePlaces(pageIndex, column, beside) ? linksAround(pageIndex, places, results) : undefined;
}

/**
 * Whether the results column lists unpaid places and nothing else with outside links: some searches show places instead
 * of results. A link beside the list may be a result that cannot be parsed.
 */
export function showsOnlyPlaces(pageIndex: PageIndex, column: Element): boolean {
  const beside = elsewhere | zone.ad | zone.attribute | zone.hidden;
  const isBeside = (each: Element): boolean => (each.zones & beside) !== 0;
  const isThere = (each: Element): boolean => !isBeside(each) && column.contains(each);
  const marked = pageIndex
    .byData('data-cid')
    .filter((each) => isThere(each) && each.get('class')?.includes('rllt') === true);
  const ids = new Set(marked.map((each) => each.get('data-cid')));
  const routes = directions(pageIndex, beside).filter(isThere);
  if (ids.size < placesMin && routes.length < placesMin) return false;
  // Results with unknown links: their names, and the addresses that they show.
  const named = [...pageIndex.titles, ...pageIndex.headed.map(({ heading }) => heading)];
  if (named.some((heading) => heading.tag === 'h3' && isThere(heading))) return false;
  if (readLines(column, { without: isBeside }).some(({ text }) => showsAddress(text))) return false;
  const [first, last] = ids.size < placesMin ? [routes[0], routes.at(-1)] : [marked[0], marked.at(-1)];
  const list = first && last && closest(first, (each) => each.contains(last));
  if (list === undefined || namesResult(pageIndex, list)) return false;
  return pageIndex.anchors.every((anchor) => {
    const { destination } = pageIndex.linkOf(anchor);
    return destination === undefined || isOwnSite(destination) || !isThere(anchor) || list.contains(anchor);
  });
}

/** Several places with a route link form a list; a single one is a panel. */
const placesMin = 2;

/**
 * Links to the route to a place. Since 2026 nothing else identifies a place of the list, which may be above the results
 * column.
 */
function directions(pageIndex: PageIndex, elsewhere: number): Element[] {
  return pageIndex.anchors.filter(
    (each) =>
      (each.zones & (elsewhere | zone.hidden)) === 0 &&
      /^(?:https:\/\/(?:www|maps)\.google\.[a-z.]+)?\/maps\/dir\//.test(each.href),
  );
}

/**
 * The destinations of links in the smallest block around these elements; a place behind a result belongs to another
 * feature.
 */
function linksAround(pageIndex: PageIndex, within: readonly Element[], results: readonly Element[]): string[] {
  const [first] = within;
  const last = within.at(-1);
  if (first === undefined || last === undefined) return [];
  const holdsResult = ({ parent }: Element): boolean => results.some((heading) => parent?.contains(heading) !== false);
  const block = closest(first, (each) => each.contains(last) || holdsResult(each)) ?? first;
  const paid = pageIndex
    .byData('data-cid')
    .filter((each) => block.contains(each) && isPaid(pageIndex, each))
    .map(blockOf);
  return pageIndex.anchors.flatMap((anchor) => {
    if (!block.contains(anchor) || paid.some((each) => each.contains(anchor))) return [];
    const { destination, isAd } = pageIndex.linkOf(anchor);
    return destination === undefined || isAd || isOwnSite(destination) ? [] : [destination];
  });
}

function hasMorePlaces(pageIndex: PageIndex, column: Element, elsewhere: number): boolean {
  return pageIndex.anchors.some(
    (each) => (each.zones & elsewhere) === 0 && column.contains(each) && /[?&;](?:tbm=lcl|tbs=lf:)/.test(each.href),
  );
}
