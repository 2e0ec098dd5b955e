// Unwraps the URLs of DuckDuckGo pages, and builds the request for a page.

import { readLink as readBing } from '../bing/urls.ts';
import type { EngineRequest, SearchAsked } from '../engine.ts';
import type { Link } from '../page/rows.ts';
import { regionCode } from './regions.ts';

/** The page without scripts: the only one whose HTML contains the results. */
export const searchAddress = 'https://html.duckduckgo.com/html/';
const base = 'https://duckduckgo.com';
const engineHost = /^(?:[a-z0-9-]+\.)*duckduckgo\.com$/;

/** Resolves an `href`: `/l/?uddg=` leads out, `/y.js` counts a click on an ad. */
export function readLink(href: string): Link {
  const url = /^(?:https?:)?\//i.test(href) ? URL.parse(href, base) : null;
  if (url === null) return { isAd: false };
  if (!engineHost.test(url.hostname)) {
    // its ads are Bing's
    const link = readBing(url.href);
    return link.isAd ? link : { destination: url.href, isAd: false };
  }
  if (url.pathname === '/y.js') return { isAd: true };
  const target = url.pathname === '/l/' ? url.searchParams.get('uddg') : null;
  if (target !== null && /^https?:\/\//i.test(target) && URL.canParse(target)) {
    const link = readLink(target);
    return link.isAd || engineHost.test(URL.parse(target)?.hostname ?? '') ? link : { ...link, destination: target };
  }
  if (url.pathname === '/l/') return { isAd: false, isOpaque: true };
  // Pages of the engine about itself are results if linked plainly.
  const isPage = url.search === '' && url.pathname.length > 1 && !/^\/(?:html|lite|l|feedback)[/.]/.test(url.pathname);
  return isPage || url.hostname !== 'duckduckgo.com' ? { destination: url.href, isAd: false } : { isAd: false };
}

/** The advertiser's domain, which the click counter names. */
export function adDomain(href: string): string | undefined {
  const outer = URL.parse(href, base);
  const inner = URL.parse(outer?.searchParams.get('uddg') ?? href, base);
  return inner?.searchParams.get('ad_domain') ?? undefined;
}

/** Absolute address of a link that stays within the engine. */
export function absolute(href: string): string {
  return URL.parse(href, base)?.href ?? href;
}

/** Number of results that the engine shows on the first page and on each further one, if a page does not say. */
const firstPageSize = 10;
const furtherPageSize = 15;

/**
 * The request for a page with this many results before it. Further pages also need a token, which only the previous
 * page contains.
 */
export function searchRequest(
  { keyword, country, language, page }: SearchAsked,
  before = firstPageSize + furtherPageSize * (page - 2),
): EngineRequest {
  const query = new URLSearchParams({
    q: keyword,
    kl: regionCode(country, language),
    ...(page > 1 && { s: String(before), dc: String(before + 1), v: 'l', o: 'json', api: 'd.js' }),
  });
  return { url: `${searchAddress}?${query}` };
}
