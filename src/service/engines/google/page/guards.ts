// Detects pages that are not a SERP: blocked, consent, JavaScript shell, another query.

import { pageFailure } from '../../page/failure.ts';
import { countryNamed, type ShownMarket } from '../../page/other-market.ts';
import { isSameQuery, normalise } from '../../page/query.ts';
import { isHidden, textOf } from '../../page/text.ts';
import { type Element, hasClass } from '../../page/tree.ts';
import { shownQuery, titledQuery } from '../query.ts';
import { absolute, isOwnSite } from '../results/urls.ts';
import type { PageIndex } from './page-index.ts';
import { zone } from './regions.ts';

/** Throws for a page without a SERP: blocked, consent, JavaScript shell. */
export function rejectInterstitial(pageIndex: PageIndex, html: string): void {
  if (isBlocked(pageIndex)) throw pageFailure('blocked', html);
  if (isConsent(pageIndex)) throw pageFailure('consent', html);
}

/** Titles of the engine's own error pages, which are in English everywhere: "Sorry...", "Error 403 (Forbidden)!!1". */
const errorTitle = /^(?:Sorry\.\.\.|Error (?:403|429) \(.*\)!!1?)$/;

function isBlocked(pageIndex: PageIndex): boolean {
  const title = pageIndex.tree.elements.find((element) => element.tag === 'title');
  return title !== undefined && errorTitle.test(textOf(title));
}

/** The consent page has forms that save a choice, and no search box; result pages may contain a consent dialog too. */
function isConsent(pageIndex: PageIndex): boolean {
  if (pageIndex.ids.has('search') || pageIndex.ids.has('rso') || pageIndex.ids.has('main')) return false;
  return pageIndex.tree.elements.some(
    (element) =>
      element.tag === 'form' &&
      /consent\.(?:google|youtube)\.[a-z.]{2,20}\/(?:save|s\b)/.test(element.get('action') ?? ''),
  );
}

/** Maximum text length of an empty shell, in characters: it asks the user to click if nothing happens. */
const shellTextMax = 200;

/** Whether the page is the shell that redirects browsers without scripts, or one that scripts have yet to fill. */
export function isShell(pageIndex: PageIndex): boolean {
  const body = pageIndex.tree.elements.find((element) => element.tag === 'body') ?? pageIndex.tree.root;
  return textOf(body, { without: (element) => (element.zones & zone.furniture) !== 0 }).length < shellTextMax;
}

/**
 * The place for which the page was made, as its footer names it; undefined where the engine does not know. Recorded as
 * `#Wprf1b` (2019 and 2020) and `.dfB0uf` (since 2023).
 */
export function footerPlace({ ids, tree }: PageIndex): string | undefined {
  const place = ids.get('Wprf1b') ?? tree.elements.find((element) => hasClass(element, 'dfB0uf'));
  const name = place === undefined ? '' : textOf(place);
  return name === '' || name === 'Unknown' ? undefined : name;
}

/** Most links that are looked at. */
const linksMax = 2_000;

/** Addresses of this search that the page links to: to come back from a sign-in or settings, and its further pages. */
export function searchAddresses({ anchors }: PageIndex): string[] {
  return anchors.slice(0, linksMax).flatMap((anchor) => {
    const href = anchor.get('href') ?? '';
    if (!/[?&](?:continue|prev|start)=/.test(href)) return [];
    const link = URL.parse(absolute(href));
    if (link === null || !isOwnSite(link.href)) return [];
    const back = link.searchParams.get('continue') ?? link.searchParams.get('prev');
    const isPage = link.pathname === '/search' && Number(link.searchParams.get('start')) > 0;
    const address = back === null ? (isPage ? link.href : '') : absolute(back);
    return isOwnSite(address) ? [address] : [];
  });
}

/** A search of the engine itself; its host may name a country: `google.co.in`. */
const ownSearch = /^(?:https?:\/\/(?:www\.)?google\.(?:com?\.)?[a-z]{2,3})?\/search\?/;

/**
 * The market of the page. Its form and its links to searches keep the requested country and language (`gl`, `hl`).
 * Where they have no country, the footer and the region of the page's language name that of the IP address, and another
 * host of the links shows that the page is no answer to our request. On the recorded pages, no mark contradicts another
 * one; hosts do in other links only (`google.co.uk` in France, 2018).
 */
export function shownMarket(pageIndex: PageIndex): ShownMarket {
  const { anchors, tree } = pageIndex;
  const toUrls = (hrefs: readonly string[]) => hrefs.flatMap((href) => URL.parse(absolute(href)) ?? []);
  const searches = toUrls(
    anchors
      .slice(0, linksMax)
      .map((anchor) => anchor.get('href') ?? '')
      .filter((href) => ownSearch.test(href)),
  );
  const same = toUrls(searchAddresses(pageIndex));
  const kept = (name: string) => [
    ...[searches, same].map((urls) => mostCommon(urls.map(({ searchParams }) => searchParams.get(name) ?? ''))),
    tree.elements.find((element) => element.tag === 'input' && element.get('name') === name)?.get('value'),
  ];
  const language = tree.elements.find((element) => element.tag === 'html')?.get('lang');
  const countries = kept('gl').filter((code) => code !== undefined && code !== '');
  const host = mostCommon(searches.map(({ hostname }) => hostname));
  const footer = tree.elements.find((element) => hasClass(element, 'uU7dJb') || hasClass(element, 'Q8LRLc'));
  const named = footer === undefined ? undefined : countryNamed(textOf(footer), language ?? '');
  const ofAddress = [/\.([a-z]{2})$/.exec(host ?? '')?.[1], named];
  return { countries: countries.length > 0 ? countries : ofAddress, languages: [language, ...kept('hl')] };
}

/** The value that more than half of them have. */
function mostCommon(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].find(([, count]) => 2 * count > values.length)?.[0];
}

/** The queries that the page names: the one that replaces `keyword`, else the displayed one; and that of the title. */
export function searchedQueries(pageIndex: PageIndex, keyword: string): readonly (string | undefined)[] {
  return [correctedQuery(pageIndex, keyword) ?? shownQuery(pageIndex), titledQuery(pageIndex)];
}

/**
 * The query that the engine searched for instead of the requested one. "Showing results for" links to the former
 * (`fprsl`), "search instead for" to the latter, uncorrected (`nfpr=1`). A mere "did you mean" has no such link.
 */
function correctedQuery(pageIndex: PageIndex, keyword: string): string | undefined {
  const corrected = pageIndex.ids.get('fprsl');
  if (corrected !== undefined && !isHidden(corrected)) {
    const text = textOf(corrected);
    if (text !== '' && !isSameQuery(text, keyword)) return text;
  }
  const unquoted = unquotedQuery(pageIndex, keyword);
  if (unquoted !== undefined) return unquoted;
  const instead = pageIndex.anchors.find(
    (anchor) =>
      /[?&;]nfpr=1\b/.test(anchor.get('href') ?? '') &&
      (anchor.zones & (zone.furniture | zone.hidden)) === 0 &&
      isSameQuery(textOf(anchor), keyword),
  );
  if (instead === undefined) return undefined;
  const block = blockAround(instead);
  const other = pageIndex.anchors.find(
    (anchor) => anchor !== instead && block.contains(anchor) && /[?&;]spell=1\b/.test(anchor.get('href') ?? ''),
  );
  return other === undefined ? undefined : textOf(other);
}

/**
 * "No results found for "x y". Results for x y (without quotes)": above the list is a link to the search without
 * quotes, and no other link leads there.
 */
function unquotedQuery(pageIndex: PageIndex, keyword: string): string | undefined {
  const plain = normalise(keyword).replaceAll('"', '');
  const list = pageIndex.ids.get('rso') ?? pageIndex.ids.get('search');
  if (plain === normalise(keyword) || list === undefined) return undefined;
  const link = pageIndex.anchors.find(
    (anchor) =>
      anchor.order < list.order &&
      (anchor.zones & (zone.furniture | zone.hidden)) === 0 &&
      /^(?:https?:\/\/(?:www\.)?google\.[^/]+)?\/search\?/.test(anchor.get('href') ?? '') &&
      normalise(textOf(anchor)) === plain,
  );
  return link === undefined ? undefined : textOf(link);
}

/** The paragraph or block around a link. */
function blockAround(anchor: Element): Element {
  let at = anchor;
  while (at.parent !== null && at.tag !== 'p' && at.tag !== 'div') at = at.parent;
  return at;
}
