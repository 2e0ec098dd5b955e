// Detects pages that are no SERP or not the requested one, by what they say about query, market, time and origin.

import type { Device } from '../../model/results/serp.ts';
import type { PageContext } from '../engine.ts';
import { distrusted, pageFailure, rejectTruncatedPage } from '../page/failure.ts';
import { fitsPhones } from '../page/other-device.ts';
import { countryNamed, type ShownMarket } from '../page/other-market.ts';
import { isSameQuery, normalise } from '../page/query.ts';
import { isHidden, textOf, titleQuery } from '../page/text.ts';
import { closest, type Element, hasClass } from '../page/tree.ts';
import type { PageIndex } from './page-index.ts';
import { zone } from './regions.ts';
import { absolute, isOwnSite } from './urls.ts';

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

/** Addresses of this search that the page links to: to come back from a sign-in or settings, and its further pages. */
export function searchAddresses({ anchors }: PageIndex): string[] {
  return anchors.flatMap((anchor) => {
    const href = anchor.href;
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
  const searches = toUrls(anchors.map((anchor) => anchor.href).filter((href) => ownSearch.test(href)));
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

/**
 * The device of the page: those of phones tell their width, and only those of desktops have this column. So do all 66
 * recorded pages of 2016 to 2026 with results and a known device; pages without scripts have neither.
 */
export function shownDevice({ ids, tree }: PageIndex): Device | undefined {
  const [isWide, isNarrow] = [ids.has('rcnt'), fitsPhones(tree) === true];
  if (isWide === isNarrow) return undefined;
  return isWide ? 'desktop' : 'mobile';
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
      /[?&;]nfpr=1\b/.test(anchor.href) &&
      (anchor.zones & (zone.furniture | zone.hidden)) === 0 &&
      isSameQuery(textOf(anchor), keyword),
  );
  if (instead === undefined) return undefined;
  const block = blockAround(instead);
  const other = pageIndex.anchors.find(
    (anchor) => anchor !== instead && block.contains(anchor) && /[?&;]spell=1\b/.test(anchor.href),
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
      /^(?:https?:\/\/(?:www\.)?google\.[^/]+)?\/search\?/.test(anchor.href) &&
      normalise(textOf(anchor)) === plain,
  );
  return link === undefined ? undefined : textOf(link);
}

/** The paragraph or block around a link. */
function blockAround(anchor: Element): Element {
  return closest(anchor, ({ tag }) => tag === 'p' || tag === 'div') ?? anchor;
}

/** `running shoes - Google Search`, `laufschuhe - Google-Suche`. */
const titleForm = /^(.+) [-–—] [^–—]*Google/u;

/** The query that the page says it answers: the search box's value, else the title's. */
export function shownQuery(pageIndex: PageIndex): string | undefined {
  for (const element of pageIndex.tree.elements) {
    if ((element.tag !== 'input' && element.tag !== 'textarea') || element.get('name') !== 'q') continue;
    if (element.get('type') === 'hidden') continue;
    const value = element.get('value') ?? textOf(element);
    if (value.trim() !== '') return value;
  }
  return titledQuery(pageIndex);
}

function titledQuery({ tree }: PageIndex): string | undefined {
  return titleQuery(tree, titleForm);
}

/** How much older or newer than its request a page may be: clocks differ, and answers take time. */
const driftMaxMs = 60 * 60_000;

const eventIdText = /kEI["']?\s*[:=]\s*["']([\w-]{8,64})["']/;
const linkEventIdText = /[?&;]ei=([\w-]{8,64})/;
/** Token of a link: a version, then a protocol buffer in base64. */
const linkTokenText = /[?&;]ved=([0-9][\w-]{4,120})/;

/**
 * Throws for a page that was not made at the time of its request: it comes from a cache or a forger, not from the
 * engine.
 */
export function rejectStalePage(pageIndex: PageIndex, { requestedAt }: PageContext, html: string): void {
  if (requestedAt === undefined) return;
  const madeAt = pageMoment(pageIndex, html);
  if (madeAt === undefined || Math.abs(madeAt - requestedAt) <= driftMaxMs) return;
  const [made, requested] = [madeAt, requestedAt].map((moment) => new Date(moment).toISOString());
  throw pageFailure('stale_page', html, `It was made at ${made} and requested at ${requested}.`);
}

/** UTC milliseconds; undefined if the page has no such token. Pages without scripts have it only in their links. */
function pageMoment(pageIndex: PageIndex, html: string): number | undefined {
  const own = scriptMoment(html);
  if (own !== undefined) return own;
  // Links may repeat the token of the previous page: the newest one belongs to this page.
  const moments = pageIndex.anchors.flatMap((anchor) => {
    const href = anchor.href;
    const [, eventId] = linkEventIdText.exec(href) ?? [];
    const [, token] = linkTokenText.exec(href) ?? [];
    return [
      eventId === undefined ? undefined : eventMoment(eventId),
      token === undefined ? undefined : tokenMoment(token),
    ];
  });
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** The moment in the event id of the page's scripts. */
export function scriptMoment(html: string): number | undefined {
  const [, eventId] = eventIdText.exec(html) ?? [];
  return eventId === undefined ? undefined : eventMoment(eventId);
}

/** An event id begins with the seconds since 1970, in four bytes, the lowest first. */
function eventMoment(eventId: string): number | undefined {
  const bytes = Buffer.from(eventId, 'base64url');
  return bytes.length < 4 ? undefined : plausible(bytes.readUInt32LE(0) * 1000);
}

/**
 * Since 2016 a link's token begins with field 13, in it field 1, in it field 1: the microseconds since 1970, as a
 * varint.
 */
function tokenMoment(token: string): number | undefined {
  const bytes = Buffer.from(token.slice(1), 'base64url');
  if (bytes[0] !== 0x6a || bytes[2] !== 0x0a || bytes[4] !== 0x08) return undefined;
  let value = 0;
  let factor = 1;
  for (const byte of bytes.subarray(5, 14)) {
    value += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte < 0x80) return plausible(value / 1000);
  }
  return undefined;
}

/** Implausible times are ignored: the bytes mean something else. */
function plausible(moment: number): number | undefined {
  return moment >= firstMoment && moment < lastMoment ? moment : undefined;
}

const firstMoment = Date.UTC(2005, 0);
const lastMoment = Date.UTC(2100, 0);

/** Other sites sometimes link to a search, with its token; recorded pages of the engine have at least 9 tokens. */
const tokensMin = 3;

/** Each recorded page has one of the former, and none of the latter, which are of Bing and DuckDuckGo. */
const listIds = ['rso', 'search', 'res', 'center_col', 'main'];
const otherLists = ['b_results', 'b_content', 'links', 'links_wrapper', 'react-layout'];

/**
 * Throws for a page of another site. Only the engine's own pages have the event id in their scripts, or tokens in the
 * links to their own parts: each of 74 recorded pages from 2016 to 2026 has at least one of them. Forms and links to
 * searches occur on pages of other sites too. Marks can be copied into a page of another engine: it has lists of other
 * names.
 */
export function rejectForeignPage(pageIndex: PageIndex, html: string): void {
  if (!listIds.some((id) => pageIndex.ids.has(id)) || otherLists.some((id) => pageIndex.ids.has(id)))
    throw distrusted('foreign', html, 'It has no list of this engine.');
  if (scriptMoment(html) !== undefined) return;
  const tokens = new Set<string>();
  for (const anchor of pageIndex.anchors) {
    const [, token] = linkTokenText.exec(anchor.href) ?? [];
    if (token !== undefined) tokens.add(token);
    if (tokens.size >= tokensMin) return;
  }
  throw distrusted('foreign', html, 'It has no mark of this engine.');
}

/** Ids of the parts below the results, from various years. */
const footerIds = new Set('foot footcnt fbar fbarcnt xfoot bfoot lfoot sfcnt sfooter fsl fll'.split(' '));

/**
 * Throws for an incomplete page: its list would prove nothing. The footer is loaded last: on each of 74 recorded
 * pages, of all devices and years, it follows the last result.
 */
export function rejectIncompletePage(pageIndex: PageIndex, last: Element | undefined, html: string): void {
  rejectTruncatedPage(pageIndex.tree, html);
  const from = last === undefined ? 0 : last.last + 1;
  if (pageIndex.tree.elements.slice(from).some(isFooter)) return;
  throw distrusted('cut_off', html, 'Nothing follows its last result.');
}

function isFooter(element: Element): boolean {
  if (element.tag === 'footer' || element.get('role') === 'contentinfo') return true;
  if (element.tag === 'a') {
    const href = element.href;
    return href.includes('/search?') && /[?&;]start=\d/.test(href);
  }
  return footerIds.has(element.get('id') ?? '');
}
