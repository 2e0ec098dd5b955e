// Detects Bing pages that are no SERP (blocked, shell, another query or site), and Bing's own "no results".
import { distrusted, pageFailure } from '../page/failure.ts';
import type { ShownMarket } from '../page/other-market.ts';
import { isHidden, textOf, titleQuery } from '../page/text.ts';
import { type Element, findAll, findFirst, isInsideAny, type Tree, withClass, withId } from '../page/tree.ts';
import { isConcealed } from '../page/visibility.ts';
import { isBesides } from './results.ts';
import { absolute } from './urls.ts';

/** `running shoes - Bing`, `running shoes - Search`; other titles are not read. */
const titleForm = /^(.+) - (?:Bing|Search)$/u;

/** The queries that the page names: the corrected one, else the value of the search box; and that of the title. */
export function searchedQueries(tree: Tree): readonly (string | undefined)[] {
  const shown = correctedQuery(tree) ?? findFirst(tree, tree.root, withId('sb_form_q'))?.get('value');
  return [shown?.trim() === '' ? undefined : shown, titleQuery(tree, titleForm)];
}

/** Addresses of this search that the page links to: its further pages, and where its form leads. */
export function searchAddresses(tree: Tree): string[] {
  const pages = findFirst(tree, tree.root, withClass('b_pag'));
  const links = pages === undefined ? [] : findAll(tree, pages, (element) => element.tag === 'a');
  const form = findFirst(tree, tree.root, withId('sb_form'))?.get('action');
  return [...links.map((link) => link.get('href')), form].map((address) => absolute(address ?? ''));
}

/**
 * "Including results for" names the query that was searched besides or instead of the requested one, with a link back
 * to the requested one below (`sp_recourse`). "Did you mean" has no link back. "No results found for" names no query,
 * and the results below it belong to a wider search.
 */
function correctedQuery(tree: Tree): string | undefined {
  const changed = findFirst(tree, tree.root, withId('sp_requery'));
  const wayBack = findFirst(tree, tree.root, withId('sp_recourse'));
  if (changed === undefined || wayBack === undefined || isHidden(changed)) return undefined;
  const isNamed = (element: Element): boolean => element.tag === 'a' || element.tag === 'strong';
  const link = findFirst(tree, changed, isNamed) ?? findFirst(tree, wayBack, (element) => element.tag === 'a');
  return link === undefined ? undefined : textOf(link);
}

/**
 * Whether the engine says that it found nothing: an item of the list with a heading. Results may exist in an unknown
 * form, so the statement counts only if no other item of the list has a heading or shows an address.
 */
export function saysNoResults(tree: Tree, column: Element): boolean {
  const said = findStatement(tree, column);
  if (said === undefined) return false;
  const isOther = isInsideAny(tree, isBesides);
  return !findAll(tree, column, namesResult).some((element) => !isOther(element) && textOf(element) !== '');
}

/** The statement, regardless of other content. */
export function findStatement(tree: Tree, column: Element): Element | undefined {
  const isSaid = withClass('b_no');
  const said = findFirst(tree, column, (element) => isSaid(element) && !isConcealed(tree, element));
  return said !== undefined && findFirst(tree, said, (element) => /^h[1-4]$/.test(element.tag)) !== undefined
    ? said
    : undefined;
}

function namesResult({ tag }: Element): boolean {
  return tag === 'h2' || tag === 'h3' || tag === 'cite';
}

/**
 * The market of the page. Its scripts name two countries, that of the visitor and that of the market, which may differ
 * in a page for the requested country: only both together prove another one.
 */
export function shownMarket(tree: Tree, html: string): ShownMarket {
  const region = /\bRegion:"([A-Z]{2})"/.exec(html)?.[1];
  const market = /\bMkt:"([a-z]{2,3})-([A-Z]{2})"/.exec(html);
  return {
    countries: [region === market?.[2] ? region : undefined],
    languages: [tree.elements.find((element) => element.tag === 'html')?.get('lang'), market?.[1]],
  };
}

/** Longest text of a page that is only a shell, in characters. */
const shellTextMax = 200;

/** Throws for a page without results that does not say that there are none. */
export function rejectEmptyPage(tree: Tree, column: Element | undefined, html: string): never {
  const body = tree.elements.find((element) => element.tag === 'body') ?? tree.root;
  // The challenge is in a frame of an otherwise empty page.
  if (html.includes('/turing/captcha/')) throw pageFailure('blocked', html);
  const text = textOf(body, { without: withId('b_header', 'b_footer') });
  if (text.length < shellTextMax) throw pageFailure('javascript_wall', html);
  if (column === undefined) throw distrusted('foreign', html, 'It has no list of results.');
  throw pageFailure('no_organic_results', html);
}

/**
 * The marks of the engine, all three of which each of 29 recorded pages from 2014 to 2026 has: its global object in the
 * scripts, the counters of its links (`h="ID=SERP,..."`), and the forms that its own links name.
 */
export function ownMarks(tree: Tree, html: string): boolean[] {
  return [
    /\b_G\s?=\s?\{/.test(html) || /\bIG:\s?"[0-9A-F]{32}"/.test(html),
    tree.elements.some((element) => element.get('h')?.startsWith('ID=') === true),
    tree.elements.some((element) => element.tag === 'a' && /[?&;]FORM=[A-Z0-9]{3}/i.test(element.get('href') ?? '')),
  ];
}
