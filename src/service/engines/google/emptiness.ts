// Detects the engine's own statement that it found nothing, and proves that there is no result beside it.
import { normalise } from '../page/query.ts';
import { isHidden, textOf } from '../page/text.ts';
import { closest, type Element } from '../page/tree.ts';
import { isConcealed } from '../page/visibility.ts';
import { shownQuery } from './guards.ts';
import type { PageIndex } from './page-index.ts';
import { neverResult, zone } from './regions.ts';
import { isOwnSite } from './urls.ts';

/** Most elements in a quoted query: emphasis, line breaks. */
const quoteMax = 10;
/** Regions that are not part of a list of results. */
const besides = zone.ad | zone.furniture | zone.hidden;

/**
 * Whether the engine says that it found nothing: a sentence around the query, in the position of that statement. The
 * words are in the reader's language and are not read. Results may exist in an unknown form, so the statement counts
 * only if the positions of results are empty: no outside link, no heading that names a result, and no text in the list.
 */
export function saysNoResults(pageIndex: PageIndex): boolean {
  const statement = findStatement(pageIndex);
  if (statement === undefined || leadsOut(pageIndex) || namesResult(pageIndex, statement)) return false;
  const lists = findLists(pageIndex);
  return lists.length > 0 ? lists.every((list) => textIn(list) === '') : standsAlone(pageIndex, statement);
}

/** The elements that contain the results; none if there are none. Pages without scripts have had none since 2018. */
function findLists({ ids }: PageIndex): readonly Element[] {
  return ['search', 'rso', 'bres'].flatMap((id) => ids.get(id) ?? []);
}

/** Above or below the empty list; on pages without scripts, in the position of the results. */
function findPlaces(pageIndex: PageIndex): readonly Element[] {
  const ids = findLists(pageIndex).length > 0 ? ['topstuff', 'botstuff'] : ['main'];
  return ids.flatMap((id) => pageIndex.ids.get(id) ?? []);
}

/** The paragraph or block of the statement. */
function findStatement(pageIndex: PageIndex): Element | undefined {
  const query = normalise(shownQuery(pageIndex) ?? '');
  if (query === '') return undefined;
  const places = findPlaces(pageIndex);
  for (const element of pageIndex.tree.elements) {
    if (element.tag !== 'em' && element.tag !== 'b' && element.tag !== 'span') continue;
    if (element.last - element.order > quoteMax || (element.zones & neverResult) !== 0) continue;
    if (!places.some((place) => place.contains(element)) || isHidden(element)) continue;
    if (isConcealed(pageIndex.tree, element)) continue;
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

/** Sentences truncate long queries, but not before this length in characters. */
const cutQueryMin = 30;
/** Minimum length of the sentence besides the query, in characters. */
const sentenceMin = 8;

/** The element's block, if it says more than the query and is not a link. */
function sentenceAround(element: Element, queryLength: number): Element | undefined {
  const isLive = (each: Element): boolean => each.tag === 'a' || each.get('role') === 'button';
  const block = closest(element, (each) => each !== element && (isLive(each) || /^(?:p|div)$/.test(each.tag)));
  if (block === undefined || isLive(block)) return undefined;
  return textOf(block).length > queryLength + sentenceMin ? block : undefined;
}

/** Whether any link outside ads and page furniture has a heading or leaves the engine. */
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

/** Whether there is a heading outside features besides the statement, with a link or without: it may name a result. */
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
 * Maximum length of the text before the statement, without links, in characters: the open tab, "Search tools", "Did you
 * mean".
 */
const textBeforeMax = 100;

/**
 * Whether there are no results around the statement on a page without scripts: only tabs before it, nothing after it.
 */
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
