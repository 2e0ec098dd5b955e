// Unwraps the URLs of Bing pages, and builds the request for a page.

import type { EngineRequest, SearchAsked } from '../engine.ts';
import type { Link } from '../page/rows.ts';

export const searchHost = 'https://www.bing.com';
const engineHost = /^(?:[a-z0-9-]+\.)*bing\.com$/;
/** Paths of the search itself and its tools, which are never results. */
const apparatusPath =
  /^\/(?:(?:images|videos|news|maps|shop|travel)\/?(?:search)?|search|copilotsearch|account|rewards|aclk|aclick|ck\/a|alink\/.*)$/;

/** Resolves an `href` of the page: `/ck/a?u=a1...`, `/aclk?u=...`, rebates, relative links, scripts. */
export function readLink(href: string): Link {
  const url = /^(?:https?:)?\//i.test(href) ? URL.parse(href, searchHost) : null;
  if (url === null) return { isAd: false };
  if (!engineHost.test(url.hostname)) return { destination: url.href, isAd: false };
  if (/^\/acli?c?k$/.test(url.pathname)) return withDestination(decoded(url.searchParams.get('u')), true);
  if (url.pathname === '/ck/a') return unwrapped(url);
  if (url.pathname.startsWith('/rebates/')) return withDestination(url.searchParams.get('url') ?? undefined, false);
  const isWithin = apparatusPath.test(url.pathname) && url.searchParams.size > 0;
  return isWithin || /^[#?]/.test(href) ? { isAd: false } : { destination: url.href, isAd: false };
}

/** `u` is `a1` and the destination in base64; it may be a path of the engine. */
function unwrapped(url: URL): Link {
  const target = url.searchParams.get('u');
  if (target?.startsWith('a1') !== true) return { isAd: false, isOpaque: true };
  const destination = Buffer.from(target.slice(2), 'base64url').toString('utf8');
  if (destination.startsWith('/')) return { isAd: false };
  const isAd = engineHost.test(URL.parse(destination)?.hostname ?? '') && /\/acli?c?k\?/.test(destination);
  return isAd ? readLink(destination) : withDestination(destination, false);
}

/** The destination of an ad: percent-encoded, then base64. */
function decoded(text: string | null): string | undefined {
  if (text === null) return undefined;
  try {
    return decodeURIComponent(Buffer.from(text, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}

function withDestination(address: string | undefined, isAd: boolean): Link {
  const isWeb = address !== undefined && /^https?:\/\//i.test(address) && URL.canParse(address);
  return { ...(isWeb && { destination: address }), isAd };
}

/** Absolute address of a link that stays within the engine, with redirects resolved. */
export function absolute(href: string): string {
  const url = URL.parse(href, searchHost);
  const target = url?.pathname === '/ck/a' ? url.searchParams.get('u') : undefined;
  if (target?.startsWith('a1') !== true) return url?.href ?? href;
  return URL.parse(Buffer.from(target.slice(2), 'base64url').toString('utf8'), searchHost)?.href ?? href;
}

/**
 * The request for a page that begins with the result of this position; without a position, ten results per page are
 * assumed.
 */
export function searchRequest(asked: SearchAsked, first = 10 * (asked.page - 1) + 1): EngineRequest {
  const { keyword, country, language } = asked;
  const query = new URLSearchParams({
    q: keyword,
    setlang: language,
    cc: country,
    mkt: `${language.split('-')[0] ?? language}-${country}`,
    ...(first > 1 && { first: String(first) }),
  });
  return { url: `${searchHost}/search?${query}` };
}
