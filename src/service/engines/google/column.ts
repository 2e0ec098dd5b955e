// The results column, and which of its named links are organic results, which their sitelinks. Reads positions and zones, no text.

import type { Element } from './element.ts';
import { countWithin, firstFrom } from './orders.ts';
import { findSnippets } from './snippets.ts';
import type { Headed, Survey } from './survey.ts';
import { linesOf } from './text.ts';
import { zone } from './zones.ts';

/** One organic result: its link, the part of the page that belongs to it, and named links nested in it. */
export interface Found {
  readonly headed: Headed;
  readonly block: Element;
  readonly nested: readonly Headed[];
}

/** Elements that hold lists of results. A result's block lies within. */
const columnIds = ['rso', 'res', 'search', 'center_col', 'main', 'botstuff', 'bres', 'extrares'];
const neverResult =
  zone.ad |
  zone.question |
  zone.overview |
  zone.attribute |
  zone.carousel |
  zone.section |
  zone.side |
  zone.snippet |
  zone.furniture |
  zone.hidden;

/** What the engine adds to links of a row of tweets, the profile above it included; a profile that is a result has it not. */
const tweets = /twcamp(?:%5E|\^)serp/;

/** How far above a sitelink its list may stand. */
const listClimbMax = 12;
/** Most elements beside a title in its part of a block: buttons and menus. */
const apparatusMax = 14;

/** The widest element that holds results, by its id; the whole page where none is known. */
export function columnOf(survey: Survey): Element {
  for (const id of ['center_col', 'main', 'res', 'search', 'rso']) {
    const element = survey.ids.get(id);
    if (element !== undefined) return element;
  }
  return survey.tree.root;
}

/** The organic results of the page in reading order. */
export function findOrganic(survey: Survey): Found[] {
  const column = columnOf(survey);
  const { enlarged } = findSnippets(survey);
  const candidates = survey.headed.filter((each) => isCandidate(each, column, enlarged.has(each)));
  const candidateSet = byKind(survey, candidates);
  const nested = nestedIn(candidateSet, survey);
  const mains = candidateSet.filter((each) => !nested.has(each));
  const titles = survey.titles.filter((title) => title.raw('role') === 'heading');
  const results = mains.filter((each) => each.heading.tag === 'h3' || !isGrouped(each, mains, titles, survey));
  const borders = bordersOf(survey, results);
  return results.map((headed) => ({
    headed,
    block: blockOf(headed, borders, survey),
    nested: [...nested].filter(([, main]) => main === headed).map(([child]) => child),
  }));
}

function isCandidate(each: Headed, column: Element, isEnlarged: boolean): boolean {
  if (each.link.destination === undefined || each.link.isAd) return false;
  if (isInstall(each) || tweets.test(each.link.destination)) return false;
  const never = isEnlarged ? neverResult & ~zone.snippet : neverResult;
  if (!column.contains(each.heading) || (each.zones & never) !== 0) return false;
  // Items of lists are named by other headings; h3 in a list item is a result of an ordered list.
  return each.heading.tag === 'h3' || (each.zones & zone.listItem) === 0;
}

/** A link to an app's page in a store, and not one that opens a result in its app. */
function isInstall({ anchor, link }: Headed): boolean {
  return (
    anchor.has('data-packageid') &&
    /^https:\/\/(?:play\.google|itunes\.apple|apps\.apple)\.com\//.test(link.destination ?? '')
  );
}

/**
 * Where h3 stands in the link (desktop since 2018, pages without scripts) or the page is a desktop page, results are
 * named by h3 and other headings name parts of features. Mobile pages use both.
 */
function byKind(survey: Survey, candidates: readonly Headed[]): readonly Headed[] {
  const named = candidates.filter((each) => each.heading.tag === 'h3');
  const isDesktop =
    survey.ids.has('rcnt') || survey.ids.has('search') || named.some((each) => each.anchor.contains(each.heading));
  return isDesktop && named.length > 0 ? named : candidates;
}

/** Sitelinks: named links in a table or a list that hangs below exactly one other named link, without an address line of their own. */
function nestedIn(candidates: readonly Headed[], survey: Survey): Map<Headed, Headed> {
  const nested = new Map<Headed, Headed>();
  const orders = candidates.map((each) => each.heading.order);
  for (const each of candidates) {
    const list = listAround(each, survey);
    if (list === undefined) continue;
    const inList = countWithin(orders, list.order, list.last);
    for (let at = list.parent; at !== null && !isColumn(at, survey); at = at.parent) {
      const others = countWithin(orders, at.order, at.last) - inList;
      if (others === 0) continue;
      const main = candidates[firstFrom(orders, at.order)];
      if (main !== undefined && others === 1 && main.heading.order < list.order) nested.set(each, main);
      break;
    }
  }
  return nested;
}

/** The outermost table or list around a link; none where its own item shows an address: an indented result is a result. */
function listAround(each: Headed, survey: Survey): Element | undefined {
  let list: Element | undefined;
  let item = each.anchor;
  let at = each.anchor;
  for (let climbed = 0; at.parent !== null && climbed < listClimbMax; at = at.parent, climbed++) {
    if (isColumn(at.parent, survey)) break;
    if (at.parent.tag !== 'ul' && at.parent.tag !== 'ol' && at.parent.tag !== 'table') continue;
    if (list === undefined) item = at;
    list = at.parent;
  }
  if (list === undefined || list.tag === 'table') return list;
  for (let order = item.order; order <= item.last; order++) {
    if (survey.tree.elements[order]?.tag === 'cite') return undefined;
  }
  return list;
}

function isColumn(element: Element, survey: Survey): boolean {
  const id = element.raw('id');
  if (id !== undefined && columnIds.includes(id)) return true;
  return element.tag === 'body' || element === survey.tree.root || element.raw('role') === 'tabpanel';
}

/**
 * Part of a feature: one of several named links below a title that opens their common block. Where any shows an
 * address they are results: panels that fill the page title them too ("Top results", "More results"), and some results
 * there show their site's name alone.
 */
function isGrouped(each: Headed, mains: readonly Headed[], titles: readonly Element[], survey: Survey): boolean {
  const orders = mains.map((main) => main.heading.order);
  const titleOrders = titles.map((title) => title.order);
  let together = 0;
  for (let at = each.anchor.parent; at !== null && !isColumn(at, survey); at = at.parent) {
    const held = countWithin(orders, at.order, at.last);
    if (together > 1 && held > together) return false;
    together = held;
    if (together < 2) continue;
    const title = titles[firstFrom(titleOrders, at.order)];
    const first = mains[firstFrom(orders, at.order)];
    if (title !== undefined && first !== undefined && title.order < first.heading.order && opens(title, at)) {
      const start = firstFrom(orders, at.order);
      return !mains.slice(start, start + held).some((main) => showsAddress(main));
    }
  }
  return false;
}

/** Whether a link shows where it leads above its heading; items of features show their site below it. */
function showsAddress({ anchor, heading }: Headed): boolean {
  return linesOf(anchor).some((line) => line.element.order < heading.order && pathText.test(line.text));
}

/** A bare host is left out: publishers are named so. */
const pathText = /›|:\/\/|^www\./;

/** Whether a title stands alone in the first part of a block; a question list above results has more than a title. */
function opens(title: Element, block: Element): boolean {
  let at: Element = title;
  while (at.parent !== null && at.parent !== block) at = at.parent;
  return at.last - at.order <= title.last - title.order + apparatusMax;
}

/** Everything a result's block must not reach into: other results and the features around it. */
function bordersOf(survey: Survey, results: readonly Headed[]): number[] {
  const borders = results.map((each) => each.heading.order);
  const foreign = zone.question | zone.ad | zone.overview | zone.side | zone.snippet;
  let inside: Element | undefined;
  for (const element of survey.tree.elements) {
    if ((element.zones & foreign) === 0 || inside?.contains(element) === true) continue;
    inside = element;
    borders.push(element.order);
  }
  for (const each of survey.headed) {
    if (each.heading.tag !== 'h3' && (each.zones & (zone.section | zone.carousel)) !== 0)
      borders.push(each.heading.order);
  }
  return borders.sort((a, b) => a - b);
}

/** The largest element around a result's link that holds nothing of another. */
function blockOf(headed: Headed, borders: readonly number[], survey: Survey): Element {
  let block = headed.anchor.contains(headed.heading) ? headed.anchor : headed.heading;
  for (let at = block.parent; at !== null && !isColumn(at, survey); at = at.parent) {
    // The result's own heading is the one border that its block holds.
    if (countWithin(borders, at.order, at.last) > 1) break;
    block = at;
  }
  return block;
}
