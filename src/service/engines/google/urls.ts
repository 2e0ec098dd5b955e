// The addresses of Google: requests for pages, links and redirects of pages, and the engine's own parts.

import { encodeUule } from '../../model/results/location.ts';
import type { DestinationState } from '../../model/results/serp.ts';
import type { EngineRequest, SearchAsked } from '../engine.ts';

/** Base of relative addresses on a results page; national hosts serve the same paths. */
const base = 'https://www.google.com';
const engineHost = /^(?:[a-z0-9-]+\.)*google\.(?:com|[a-z]{2})(?:\.[a-z]{2})?$/;
/** Paths of the search itself on a search host, which are never results. */
const searchPath =
  /^\/(?:search$|(?:url|aclk|imgres|preferences|setprefs|sorry|interstitial|httpservice|localservices|async|gwt|webhp)\b)/;
/** Other services on the same hosts: results if linked plainly, part of the page if the link contains its query. */
const servicePath = /^\/(?:maps|travel|flights|finance|shopping|history|alerts|advanced_search|search)\b/;
const queryParameters = ['q', 'u', 'url', 'sl', 'ved', 'output', 'prev', 'continue', 'tbm'];
/** Hosts that only serve the engine's own pages, and hosts that do so if the link contains a query. */
const apparatusHost =
  /^(?:webcache\.googleusercontent\.com|(?:encrypted-tbn|t)\d\.gstatic\.com|consent\.google\.[a-z.]+|(?:www\.)?googleadservices\.com|ad\.doubleclick\.net)$/;
const serviceHost = /^(?:translate|maps|lens|scholar)\.google\.[a-z.]+$/;

/** Data about a link from the engine's markup. `destination` is absent if the link stays within the engine. */
export interface Link {
  readonly destination?: string;
  /** The link goes through the engine's click counter of ads. */
  readonly isAd: boolean;
  /**
   * Only the engine knows the destination (`/goto?url=` with a token, since June 2026); `destination` is the redirect
   * itself.
   */
  readonly isOpaque: boolean;
}

const inside: Link = { isAd: false, isOpaque: false };

function parse(href: string): URL | undefined {
  return URL.parse(href, base) ?? undefined;
}

/** Resolves an `href` of the page: `/url?q=` and `/aclk` redirects, relative links, scripts. */
export function readLink(href: string): Link {
  const first = href.charCodeAt(0);
  // Most links of a page are the engine's own: `/search?...`, `#`.
  if (first === 35 || href.startsWith('/search')) return inside;
  if (first !== 47 && !/^https?:/i.test(href)) return inside;
  // Parsing a URL is slow, and on pages without scripts all results are such redirects.
  if (plainRedirect.test(href)) return readRedirect(new URLSearchParams(href.slice(href.indexOf('?'))));
  const url = parse(href);
  if (url === undefined) return inside;
  if (engineHost.test(url.hostname) && redirectPath.test(url.pathname)) return readRedirect(url.searchParams, url);
  const page = isSearchSite(url.hostname) ? ampPage.exec(url.pathname) : null;
  if (page !== null)
    return { ...inside, destination: `http${page[1] === undefined ? '' : 's'}://${page[2]}${url.search}` };
  if (isClickCounter(url)) {
    const target = url.searchParams.get('adurl') ?? '';
    return /^https?:/i.test(target) ? { ...inside, destination: clean(target), isAd: true } : { ...inside, isAd: true };
  }
  return first === 47 && href.charCodeAt(1) !== 47 ? inside : leadTo(url, url.href);
}

/** `written`: the URL as the page has it. */
function leadTo(url: URL, written: string): Link {
  const original = readOriginal(url) ?? readCached(url);
  if (isApparatus(original ?? url)) return inside;
  return { ...inside, destination: clean(original?.href ?? written) };
}

const translatedSuffix = '.translate.goog';

/**
 * The page that the engine translates: results in other languages link to the translation, as `/translate?u=` or on a
 * host of the engine. That host is written as the engine documents it: `www-my--site-example` is `www.my-site.example`.
 */
function readOriginal(url: URL): URL | undefined {
  const { searchParams } = url;
  if (engineHost.test(url.hostname) && url.hostname.startsWith('translate.') && url.pathname === '/translate')
    return httpUrl(searchParams.get('u') ?? '');
  if (!url.hostname.endsWith(translatedSuffix)) return undefined;
  const forms = searchParams.get('_x_tr_enc')?.split(',') ?? [];
  let written = (searchParams.get('_x_tr_hp') ?? '') + url.hostname.slice(0, -translatedSuffix.length);
  if (forms.includes('1')) written = written.replace(/^1-/, '');
  if (forms.includes('0')) written = written.replace(/^0-/, 'xn----');
  if (!/^[a-z0-9-]+$/i.test(written)) return undefined;
  const host = written.replace(/--|-/g, (sign) => (sign === '-' ? '.' : '-'));
  const query = url.search.replace(/([?&])(?:_x_tr_[^&]*(?:&|$))+/g, '$1').replace(/[?&]$/, '');
  const scheme = searchParams.get('_x_tr_sch') === 'http' ? 'http' : 'https';
  return httpUrl(`${scheme}://${host}${url.pathname}${query}${url.hash}`);
}

/** The page of which the cache of accelerated pages holds a copy, without the parameters of the cache. */
function readCached({ hostname, pathname, search }: URL): URL | undefined {
  if (!hostname.endsWith('.cdn.ampproject.org')) return undefined;
  const [, secure, page] = /^\/[cv]\/(s\/)?([^./]+\..+)$/s.exec(pathname) ?? [];
  if (page === undefined) return undefined;
  const query = search.replace(/([?&])(?:(?:usqp|amp_[a-z_]+)=[^&]*(?:&|$))+/g, '$1').replace(/[?&]$/, '');
  return httpUrl(`http${secure === undefined ? '' : 's'}://${page}${query}`);
}

function httpUrl(address: string): URL | undefined {
  return /^https?:/i.test(address) ? (URL.parse(address) ?? undefined) : undefined;
}

/** The engine's viewer of accelerated pages: `/amp/s/` stands for https. */
const ampPage = /^\/amp\/(s\/)?([^.]+\..+)$/s;
const redirectPath = /^\/(?:url|interstitial|goto)$/;

/** A redirect that is the same whether or not it is parsed as a URL: nothing in it would be encoded or dropped. */
const plainRedirect = /^\/url\?[!$-~]*$/;

function readRedirect(parameters: URLSearchParams, url?: URL): Link {
  // Redirects that count a click have an empty `q`.
  const target = ['q', 'url'].map((name) => parameters.get(name) ?? '').find((value) => value !== '');
  if (target === undefined) return inside;
  if (!/^https?:/i.test(target))
    return url?.pathname === '/goto' ? { ...inside, destination: url.href, isOpaque: true } : inside;
  const unwrapped = parse(target);
  return unwrapped === undefined ? inside : leadTo(unwrapped, target);
}

function isClickCounter(url: URL): boolean {
  return (
    url.pathname.endsWith('/aclk') && (engineHost.test(url.hostname) || url.hostname.endsWith('googleadservices.com'))
  );
}

function isApparatus(url: URL): boolean {
  if (apparatusHost.test(url.hostname)) return true;
  if (!engineHost.test(url.hostname)) return false;
  // Help and terms linked by the page itself; articles on the same sites can be results.
  if (url.hostname.startsWith('support.')) return url.searchParams.has('p') || /^\/websearch\/?$/.test(url.pathname);
  if (url.hostname.startsWith('policies.')) return url.searchParams.has('fg');
  const isGiven = queryParameters.some((name) => url.searchParams.has(name));
  if (serviceHost.test(url.hostname)) return isGiven;
  if (!isSearchSite(url.hostname)) return false;
  return searchPath.test(url.pathname) || (servicePath.test(url.pathname) && isGiven);
}

function isSearchSite(hostname: string): boolean {
  return hostname.startsWith('www.google.') || hostname.startsWith('google.') || hostname.startsWith('ipv4.google.');
}

/** Whether an address is on any host of the engine: its services, help and terms. */
export function isOwnSite(address: string): boolean {
  return engineHost.test(parse(address)?.hostname ?? '');
}

/**
 * Removes what the engine itself appends to a destination: scroll-to-text fragments and the merchant click id
 * `srsltid`.
 */
export function clean(address: string): string {
  let cleaned = address;
  const fragment = cleaned.indexOf(':~:');
  if (fragment >= 0) {
    cleaned = cleaned.slice(0, fragment);
    if (cleaned.endsWith('#')) cleaned = cleaned.slice(0, -1);
  }
  if (cleaned.includes('srsltid='))
    cleaned = cleaned.replace(/([?&])srsltid=[^&#]*(?:&|(?=#|$))/, '$1').replace(/[?&](?=#|$)/, '');
  return cleaned;
}

/**
 * The site of a displayed address (`https://site.example › path`), for results with an opaque link. Undefined for other
 * texts.
 */
function shownSite(address: string | undefined): string | undefined {
  const [, host] = /^(?:https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?=[/\s:›]|$)/u.exec(address ?? '') ?? [];
  return host === undefined ? undefined : `https://${host}/`;
}

/** The destination of a result with an opaque link: its site if the page displays it, else undefined. */
export function hiddenDestination(
  redirect: string,
  shown: string | undefined,
): { link: string; destination_state: DestinationState } {
  const site = shownSite(shown);
  return site === undefined
    ? { link: redirect, destination_state: 'hidden' }
    : { link: site, destination_state: 'host_only' };
}

/** Absolute address of a link that stays within the engine (related searches, tabs). */
export function absolute(href: string): string {
  return parse(href)?.href ?? href;
}

/** A parameter of a link's URL; empty if it has none. */
export function readParameter(href: string, name: string): string {
  return parse(href)?.searchParams.get(name) ?? '';
}

/** URL of a picture, if the page contains a URL and not the picture itself. */
export function imageAddress(source: string | undefined): string | undefined {
  if (source === undefined) return undefined;
  if (source.startsWith('//')) return `https:${source}`;
  return /^https?:\/\//.test(source) ? source : undefined;
}

/** Destinations by the token of the redirect. */
export type Destinations = ReadonlyMap<string, string>;

/**
 * Limit of redirects read from scripts; a page has about three per result. And the maximum distance of a URL behind its
 * redirect, in characters.
 */
const redirectsMax = 2_000;
const pairCharactersMax = 5_000;
const redirect = '/goto?url';

/**
 * Reads the pairs of a page: `"/goto?url\u003dTOKEN"],["https://site.example/page"`. A token with two different URLs is
 * ignored.
 */
export function readDestinations(html: string): Destinations {
  const found = new Map<string, string>();
  const ambiguous = new Set<string>();
  let at = nextRedirect(html, 0);
  for (let count = 0; at >= 0 && count < redirectsMax; count++) {
    const [token, address] = pairAt(html.slice(at, at + pairCharactersMax));
    if (token !== undefined && address !== undefined) {
      if ((found.get(token) ?? address) !== address) ambiguous.add(token);
      found.set(token, address);
    }
    at = nextRedirect(html, at);
  }
  for (const token of ambiguous) found.delete(token);
  return found;
}

/** Where the text behind the next `"/goto?url` begins; -1 for none. Its last characters are rare: that is fast. */
function nextRedirect(html: string, from: number): number {
  const [before, rare] = ['"/goto', '?url'];
  for (let at = html.indexOf(rare, from); at >= 0; at = html.indexOf(rare, at + rare.length))
    if (html.startsWith(before, at - before.length)) return at + rare.length;
  return -1;
}

/** The token and the URL of the text behind `"/goto?url`; undefined if it is not a pair. */
function pairAt(text: string): readonly [token?: string, address?: string | undefined] {
  const [, token] = /^(?:=|\\u003d|\\x3d)([\w-]+)/.exec(text) ?? [];
  const rest = text.slice(text.indexOf('"') + 1);
  const [between] = /^[,nul\d-]*\],\["/.exec(rest) ?? [];
  const end = between === undefined ? -1 : rest.indexOf('"', between.length);
  if (token === undefined || between === undefined || end < 0) return [];
  return [token, unescaped(rest.slice(between.length, end))];
}

/** The token of a redirect's URL; undefined for any other URL. */
export function readToken(address: string): string | undefined {
  const url = URL.parse(address);
  return url?.pathname === '/goto' ? /^[\w-]+/.exec(url.searchParams.get('url') ?? '')?.[0] : undefined;
}

/** Pairs as a script that `readDestinations` reads: destinations that were resolved later are kept in the page. */
export function renderScript(destinations: Destinations): string {
  const pairs = [...destinations].map(([token, address]) => `["${redirect}\\u003d${token}"],[${quoted(address)}]`);
  return `<script type="application/json">[${pairs.join(',')}]</script>`;
}

/** As JSON, without characters that would end the script or the text. */
function quoted(address: string): string {
  return `"${address.replace(/["\\<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)}"`;
}

/** A string of a script decoded; undefined where it is not an http address. */
function unescaped(written: string): string | undefined {
  try {
    const text: unknown = JSON.parse(`"${written.replace(/\\x([0-9a-f]{2})/gi, '\\u00$1')}"`);
    return typeof text === 'string' && /^https?:/i.test(text) && URL.canParse(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** `start` grows by 10 a page, although a page may show fewer. Google ignores `num` since September 2025. */
const pageStep = 10;

/** The consent page sets `SOCS` for "reject all"; until 2022 it set `CONSENT`. */
const cookies = { CONSENT: 'YES+', SOCS: 'CAI' } as const;

/**
 * `uule` only for a location within the country: a whole country is in `gl` already, and its name would give the page
 * for its centre.
 */
export function searchRequest({ keyword, country, language, page, location }: SearchAsked): EngineRequest {
  const query = new URLSearchParams({
    q: keyword,
    hl: language,
    gl: country.toLowerCase(),
    // results without personalisation, and no page of another spelling
    pws: '0',
    nfpr: '1',
    ...(location !== undefined && { uule: encodeUule(location) }),
    ...(page > 1 && { start: String(pageStep * (page - 1)) }),
  });
  return { url: `https://www.google.com/search?${query}`, cookies };
}
