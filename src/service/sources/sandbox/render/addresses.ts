// Addresses and texts that a page shows and the engine reads, not escaped.

import type { Page } from '../page/page.ts';
import { code, queryText } from '../world/address.ts';
import { hashText } from '../world/random.ts';

/** An address within the engine for a query. */
export function searchAddress(query: string, rest = ''): string {
  return `/search?sca_esv=${code(hashText(query), 16)}&q=${queryText(query)}${rest}`;
}

/** The engine's click counter of an ad. */
export function referralAddress(url: string): string {
  return `https://www.google.com/aclk?sa=l&ai=${code(hashText(url), 24)}&adurl=${encodeURIComponent(url)}`;
}

/** Label and address of each tab to another kind of search. */
export function otherTabs({ keyword, phrases: { labels } }: Page): [label: string, address: string][] {
  return [
    [labels.images, searchAddress(keyword, '&udm=2')],
    [labels.shopping, searchAddress(keyword, '&udm=28')],
    [labels.videos, searchAddress(keyword, '&udm=7')],
    [labels.news, searchAddress(keyword, '&tbm=nws')],
    [labels.maps, searchAddress(keyword, '&udm=1')],
  ];
}

/** `63` as `1:03`, `3675` as `1:01:15`. */
export function durationText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** `https://www.acme.com/c/shoes` as its site and its path in crumbs. */
export function breadcrumbs(url: string): { site: string; path: string } {
  const { origin, pathname } = new URL(url);
  const parts = decodeURIComponent(pathname)
    .split('/')
    .filter((part) => part !== '');
  return { site: origin, path: parts.map((part) => ` › ${part}`).join('') };
}
