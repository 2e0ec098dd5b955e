// The links of Brave Search: clicks on ads, the engine's own pages. Links of results are plain.

import type { Link } from '../page/rows.ts';

const engineHost = 'search.brave.com';

/** Resolves an address: `/a/redirect?click_url=` counts a click on an ad. */
export function readLink(href: string): Link {
  const url = URL.parse(href);
  if (url === null || !/^https?:$/.test(url.protocol)) return { isAd: false };
  if (url.hostname !== engineHost) return { destination: href, isAd: false };
  if (url.pathname === '/a/redirect') return { isAd: true };
  return url.searchParams.has('q') ? { isAd: false } : { destination: href, isAd: false };
}
