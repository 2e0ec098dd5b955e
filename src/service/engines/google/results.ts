// Decides which named links of the results column are organic results, and which are sitelinks, answers or features.
import { isLabelledAd } from '../page/ad-label.ts';
import { isHidden, readLines, standsAlone, textOf } from '../page/text.ts';
import { closest, type Element, partsOf } from '../page/tree.ts';
import { isConcealed } from '../page/visibility.ts';
import { countWithin, findColumn, firstFrom, type Headed, isColumn, type PageIndex } from './page-index.ts';
import { neverResult, zone } from './regions.ts';

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
  for (const element of partsOf(tree, block)) element.zones |= zone.ad;
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
  return closest(anchor, ({ tag }) => tag === 'g-card') !== undefined;
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
  return closest(element, (each) => each.get('role') === 'tabpanel');
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
      // An indented result shows an address or, in 2021, its own text. Sitelinks with texts are in tables.
      if (at.parent.tag !== 'table' && describesItself(at, each)) return -1;
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

/**
 * Whether a line of the item is in a `cite` or shows a path, as results do, or its heading is that of a result, and
 * there is text besides.
 */
function describesItself(item: Element, { anchor, heading }: Headed): boolean {
  const isResult = heading.tag === 'h3' && anchor.contains(heading);
  return readLines(item).some(
    ({ element, text }) =>
      element.tag === 'cite' || text.includes('›') || (isResult && !anchor.contains(element) && text !== ''),
  );
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

interface Snippets {
  /** Sources of answers, in reading order. */
  readonly sources: readonly Headed[];
  /** Results in the same kind of frame. */
  readonly enlarged: ReadonlySet<Headed>;
}

/**
 * Parses the first named link of every frame of a featured snippet. An answer precedes its source; a large result
 * begins with its title, or with the length of its video.
 */
function findSnippets(pageIndex: PageIndex): Snippets {
  const sources: Headed[] = [];
  const enlarged = new Set<Headed>();
  const frames = new Set<Element>();
  for (const each of pageIndex.headed) {
    if ((each.zones & zone.snippet) === 0 || (each.zones & elsewhere) !== 0) continue;
    if (each.link.destination === undefined || each.link.isAd) continue;
    const frame = findFrame(each.heading);
    if (frames.has(frame)) continue;
    frames.add(frame);
    if (isAnswer(each, frame)) sources.push(each);
    else enlarged.add(each);
  }
  return { sources, enlarged };
}

/** Panels beside old results, and answers to questions, have the same frame. */
const elsewhere = zone.question | zone.side | zone.ad | zone.carousel | zone.overview | zone.hidden | zone.furniture;

function findFrame(element: Element): Element {
  return closest(element, ({ parent }) => ((parent?.zones ?? 0) & zone.snippet) === 0) ?? element;
}

function isAnswer({ anchor, heading, zones }: Headed, frame: Element): boolean {
  // Only answers have been in a separate component (since 2021) or in an attribute.
  if (frame.tag === 'block-component' || (zones & zone.attribute) !== 0) return true;
  const first = heading.order < anchor.order ? heading : anchor;
  // The text around the link goes on after it: only what comes before it is an answer.
  for (let at = first; at !== frame && at.parent !== null; at = at.parent) {
    for (const child of at.parent.children) {
      if (child === at) break;
      if (typeof child === 'string' ? /\p{L}/u.test(child) : !isHidden(child) && /\p{L}/u.test(textOf(child)))
        return true;
    }
  }
  return false;
}

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
function findGrouped(mains: readonly Headed[], pageIndex: PageIndex): ReadonlySet<Headed> {
  const orders = mains.map((main) => main.heading.order);
  const isFeature = blockReader(mains, orders, pageIndex);
  return new Set(mains.filter((each) => isGrouped(each, orders, pageIndex, isFeature)));
}

/**
 * Sources of answers without a frame, in panels that fill a mobile page: the answer is the title of their common block,
 * at a lower level than the titles of sections.
 */
function findAnswered(mains: readonly Headed[], pageIndex: PageIndex): Headed[] {
  const orders = mains.map((main) => main.heading.order);
  const titles = findTitles(pageIndex).filter((title) => (title.zones & noAnswer) === 0);
  const titleOrders = titles.map((title) => title.order);
  const titleFrom = (order: number) => titles[firstFrom(titleOrders, order)];
  return mains.filter((each) => isAnswered(each, orders, titleFrom, pageIndex));
}

/** Whether a link shows its address above its heading; items of features show their site below it. */
function showsAddress({ anchor, heading }: Headed): boolean {
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
