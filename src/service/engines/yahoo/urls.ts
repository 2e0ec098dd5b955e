// The links of Yahoo: redirects, clicks on ads, the engine's own pages. Its ads are Bing's.

import { readLink as readBing } from '../bing/urls.ts';
import type { Link } from '../page/rows.ts';

/** Hosts of the search and of its pictures, videos, news: `images.search.yahoo.com`, `search.yahoo.co.jp`. */
const searchHost = /^(?:[a-z0-9-]+\.)*search\.yahoo\.(?:com|co\.jp)$/;
const engineHost = /^(?:[a-z0-9-]+\.)*yahoo\.(?:com|co\.jp)$/;
/** Ads of Yahoo Japan; only the engine knows their destinations. */
const adHost = /^rd\.listing\.yahoo\.co\.jp$/;

/**
 * Resolves an address: `r.search.yahoo.com/_ylt=.../RU=https%3a%2f%2fsite.example%2f/RK=2/RS=...` leads out, `cbclk`
 * and `cbclk2` in its place count a click on an ad.
 */
export function readLink(href: string): Link {
  const url = URL.parse(href);
  if (url === null || !/^https?:$/.test(url.protocol)) return { isAd: false };
  if (adHost.test(url.hostname)) return { isAd: true };
  if (!engineHost.test(url.hostname)) {
    const link = readBing(href);
    return link.isAd ? link : { destination: href, isAd: false };
  }
  const isClick = /\/cbclk\d?(?:\/|$)/.test(url.pathname);
  const target = decoded(/\/RU=([^/]+)/.exec(url.pathname)?.[1]);
  if (target !== undefined) return { ...readLink(target), ...(isClick && { isAd: true }) };
  if (isClick) return { isAd: true };
  if (/\/_ylt=[^/]*\/RV=/.test(url.pathname)) return { isAd: false, isOpaque: true };
  // `shopping.yahoo.com/search?p=` searches another service of the engine, `/quote/AAPL?p=AAPL` is a page
  const isWithin = searchHost.test(url.hostname)
    ? /\/search\b/.test(url.pathname) || url.searchParams.has('p')
    : /^\/search\b/.test(url.pathname) && url.searchParams.has('p');
  return isWithin ? { isAd: false } : { destination: href, isAd: false };
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const address = decodeURIComponent(text);
    return /^https?:\/\//i.test(address) && URL.canParse(address) ? address : undefined;
  } catch {
    return undefined;
  }
}
