// The links of Yandex: redirects, clicks on ads, the engine's own pages.

import type { Link } from '../page/rows.ts';

const engineHost = /^(?:[a-z0-9-]+\.)*(?:yandex\.(?:com|net|[a-z]{2}|com?\.[a-z]{2})|ya\.ru)$/;
/** Hosts of the search itself. */
const searchHost = /^(?:(?:www|m)\.)?(?:yandex\.(?:com|[a-z]{2}|com?\.[a-z]{2})|ya\.ru)$/;
/** `yabs.yandex.ru/count/`, `an.yandex.ru/count/`, and the same on the host of the search: `yandex.ru/an/count/`. */
const adHost = /^(?:yabs|an|bs|awaps)\.yandex\./;
const adPath = /^\/an\/(?:click|count)\b/;
const clickPath = /^\/(?:clck|redir|count|click)\b/;
const searchPath =
  /^\/(?:search|images|video|news|maps|products|local|turbo|blogs|people|company|jobs|collections|alice|neurum)(?:\/|$)/;
const queryNames = ['text', 'query', 'rpt', 'url', 'cbir_id'];

/** Resolves an address: `/clck/jsredir?url=` and `clck.yandex.ru/redir/.../*https://...` lead out. */
export function readLink(href: string): Link {
  const url = URL.parse(href);
  if (url === null || !/^https?:$/.test(url.protocol)) return { isAd: false };
  if (!engineHost.test(url.hostname)) return { destination: href, isAd: false };
  if (adHost.test(url.hostname) || adPath.test(url.pathname)) return { isAd: true };
  if (url.hostname.startsWith('clck.') || (searchHost.test(url.hostname) && clickPath.test(url.pathname))) {
    const target = url.searchParams.get('url') || (/\*(https?:\/\/.+)$/is.exec(url.href)?.[1] ?? '');
    return /^https?:\/\//i.test(target) && URL.canParse(target) ? readLink(target) : { isAd: false, isOpaque: true };
  }
  return isWithin(url) ? { isAd: false } : { destination: href, isAd: false };
}

/** A search of the engine. Its other services (`dzen`, `market`, `music`) and their plain pages are results. */
function isWithin({ hostname, pathname, searchParams }: URL): boolean {
  const hasQuery = queryNames.some((name) => searchParams.has(name));
  if (searchHost.test(hostname))
    return /^\/search\b/.test(pathname) || (hasQuery && (pathname === '/' || searchPath.test(pathname)));
  return hasQuery && /^(?:images|video|news|maps|translate)\./.test(hostname);
}
