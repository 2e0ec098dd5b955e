// Detects the engine's own statement that it found nothing, and proves that no result stands beside it.
import type { Element } from '../page/element.ts';
import { normalise } from '../page/query.ts';
import { isHidden, textOf } from '../page/text.ts';
import type { PageIndex } from './page-index.ts';
import { shownQuery } from './query.ts';
import { neverResult, zone } from './regions.ts';
import { isOwnSite } from './urls.ts';

/** Most elements in a quoted query: emphasis, line breaks. */
const quoteMax = 10;
/** No part of a list of results. */
const besides = zone.ad | zone.furniture | zone.hidden;

/**
 * Whether the engine says that it found nothing: a sentence around the query, in the place of that statement. The words
 * are in the reader's language and are not read. Results may be there in a form that is not read, so the statement
 * counts only where the places of results are empty: no link leads out, no heading names a result, and the list has no
 * text.
 */
export function saysNoResults(pageIndex: PageIndex): boolean {
  const statement = findStatement(pageIndex);
  if (statement === undefined || leadsOut(pageIndex) || namesResult(pageIndex, statement)) return false;
  const lists = findLists(pageIndex);
  return lists.length > 0 ? lists.every((list) => textIn(list) === '') : standsAlone(pageIndex, statement);
}

/** The elements that hold the results, empty where there are none. Pages without scripts have none since 2018. */
function findLists({ ids }: PageIndex): readonly Element[] {
  return ['search', 'rso', 'bres'].flatMap((id) => ids.get(id) ?? []);
}

/** Above or below the empty list; on pages without scripts in the place of the results. */
function findPlaces(pageIndex: PageIndex): readonly Element[] {
  const ids = findLists(pageIndex).length > 0 ? ['topstuff', 'botstuff'] : ['main'];
  return ids.flatMap((id) => pageIndex.ids.get(id) ?? []);
}

/** The paragraph or block that says it. */
function findStatement(pageIndex: PageIndex): Element | undefined {
  const query = normalise(shownQuery(pageIndex) ?? '');
  if (query === '') return undefined;
  const places = findPlaces(pageIndex);
  for (const element of pageIndex.tree.elements) {
    if (element.tag !== 'em' && element.tag !== 'b' && element.tag !== 'span') continue;
    if (element.last - element.order > quoteMax || (element.zones & neverResult) !== 0) continue;
    if (!places.some((place) => place.contains(element)) || isHidden(element)) continue;
    const said = normalise(textOf(element));
    const block = isQuoted(said, query) ? sentenceAround(element, said.length) : undefined;
    if (block !== undefined) return block;
  }
  return undefined;
}

/** The query, or the beginning of a long one. */
function isQuoted(said: string, query: string): boolean {
  if (said === query) return true;
  const begun = said.replace(/ ?(?:\.\.\.|…)$/, '');
  return begun.length >= cutQueryMin && begun.length < said.length && query.startsWith(begun);
}

/** Queries are cut in sentences about them, but not before this many characters. */
const cutQueryMin = 30;
/** A sentence has so many characters besides the query. */
const sentenceMin = 8;

/** The element's block, where it says more than the query and is no link. */
function sentenceAround(element: Element, queryLength: number): Element | undefined {
  for (let at = element.parent; at !== null; at = at.parent) {
    if (at.tag === 'a' || at.raw('role') === 'button') return undefined;
    if (at.tag === 'p' || at.tag === 'div') return textOf(at).length > queryLength + sentenceMin ? at : undefined;
  }
  return undefined;
}

/** Whether any link, outside ads and page furniture, is named by a heading or leaves the engine. */
function leadsOut(pageIndex: PageIndex): boolean {
  return (
    pageIndex.headed.some((each) => each.link.destination !== undefined && (each.zones & besides) === 0) ||
    pageIndex.anchors.some((anchor) => {
      const { destination, isOpaque } = pageIndex.linkOf(anchor);
      if (destination === undefined || (anchor.zones & besides) !== 0) return false;
      return isOpaque || !isOwnSite(destination);
    })
  );
}

/** Whether a heading besides the statement stands outside features, with a link or without: it may name a result. */
export function namesResult(pageIndex: PageIndex, apart: Element): boolean {
  return [...pageIndex.titles, ...pageIndex.headed.map(({ heading }) => heading)].some(
    (heading) =>
      (heading.zones & neverResult) === 0 &&
      !heading.contains(apart) &&
      !apart.contains(heading) &&
      !isHidden(heading) &&
      textOf(heading) !== '',
  );
}

/** The text of a list of results. Headings of the first levels name the list for screen readers. */
function textIn(list: Element): string {
  return textOf(list, {
    without: ({ tag, zones }) => (zones & besides) !== 0 || tag === 'h1' || tag === 'h2',
  });
}

/**
 * Longest text before the statement, without links, in characters: the tab that is open, "Search tools", "Did you
 * mean".
 */
const textBeforeMax = 100;

/** Whether no results stand around the statement of a page without scripts: only tabs before it, nothing after it. */
function standsAlone({ ids }: PageIndex, statement: Element): boolean {
  const main = ids.get('main');
  if (main === undefined) return false;
  const isLeftOut = (each: Element): boolean => (each.zones & besides) !== 0 || each === statement;
  const before = textOf(main, {
    without: (each) => isLeftOut(each) || each.tag === 'a' || each.order > statement.order,
  });
  const after = textOf(main, {
    without: (each) => isLeftOut(each) || (each.last < statement.order && each !== main),
  });
  return before.length <= textBeforeMax && after === '';
}
