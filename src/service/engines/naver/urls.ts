// The links of Naver: redirects, clicks on ads, the engine's own pages.

import type { Link } from '../page/rows.ts';

/** The counters of clicks on ads: `ader.naver.com/v1/`, `adcr.naver.com/adcr`. */
const adHost = /^(?:ader|adcr|(?:m\.)?ad\.search)\.naver\.com$/;
const searchHost = /^(?:[a-z0-9-]+\.)*search\.naver\.com$/;

/** Resolves an address: `cr.naver.com/...u=https%3A%2F%2Fsite.example` leads out. */
export function readLink(href: string): Link {
  const url = URL.parse(href);
  if (url === null || !/^https?:$/.test(url.protocol)) return { isAd: false };
  if (adHost.test(url.hostname)) return { isAd: true };
  if (url.hostname === 'cr.naver.com') {
    const target = url.searchParams.get('u') ?? '';
    return /^https?:\/\//i.test(target) && URL.canParse(target) ? readLink(target) : { isAd: false, isOpaque: true };
  }
  const isWithin = searchHost.test(url.hostname) && url.searchParams.has('query');
  return isWithin ? { isAd: false } : { destination: href, isAd: false };
}
