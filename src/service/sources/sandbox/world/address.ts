// URLs of invented pages: stable for months, then now and then another one.
import { below, derive, unit } from './random.ts';
import type { SiteKind } from './sites.ts';
import type { Result } from './world.ts';

/** A result's page moves with this chance at the end of each period, in days. */
const moveShare = 0.18;
const periodDays = 120;
const homePageShare = 0.05;

/** The address of a result on a day; `slug`: of the keyword (`toSlug`). */
export function buildUrl(result: Result, slug: string, day: number): string {
  const { key, siteKey, site } = result;
  if (result.copy === 0 && site.kind === 'shop' && unit(derive(siteKey, 30)) < homePageShare)
    return `https://${site.host}/`;
  const period = Math.floor(day / periodDays + unit(derive(siteKey, 31)));
  const moved = unit(derive(derive(siteKey, 32), period)) < moveShare;
  const variant = (below(derive(siteKey, 33), 3) + result.copy + (moved ? 1 : 0)) % 3;
  return `https://${site.host}${buildPath(site.kind, slug, variant, key)}`;
}

/** Address of a video, stable for a key. */
export function videoAddress(host: string, key: number): string {
  return `https://${host}/watch?v=${code(key, 11)}`;
}

/** `length` characters of letters and digits, stable for a key. */
export function code(key: number, length: number): string {
  let text = '';
  for (let i = 0; text.length < length; i++) text += (derive(key, i) >>> 0).toString(36);
  return text.slice(0, length);
}

/** A text as the value of a query parameter. */
export function queryText(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+').replaceAll("'", '%27');
}

/** A normalized keyword as a path segment: ASCII as it is, anything else percent-encoded. */
export function toSlug(keyword: string): string {
  const slug = keyword.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/gu, '');
  return encodeURIComponent(slug === '' ? 'page' : slug);
}

type Path = (slug: string, number: number, key: number) => string;

const paths: Readonly<Record<SiteKind, readonly [Path, Path, Path]>> = {
  shop: [
    (slug) => `/c/${slug}`,
    (slug) => `/collections/${slug}`,
    (slug, number) => `/shop/list.html?cat=${number}&q=${slug}`,
  ],
  magazine: [
    (slug) => `/guides/${slug}`,
    (slug) => `/blog/best-${slug}`,
    (slug, number) => `/articles/${number}/${slug}.html`,
  ],
  forum: [
    (slug, number) => `/t/${slug}/${number}`,
    (slug, _, key) => `/r/questions/comments/${code(key, 7)}/${slug}/`,
    (_, number) => `/topic-${number}`,
  ],
  video: [
    (_, __, key) => `/watch?v=${code(key, 11)}`,
    (_, __, key) => `/watch?v=${code(derive(key, 1), 11)}`,
    (slug, number) => `/video/${number}-${slug}`,
  ],
  reference: [(slug) => `/wiki/${slug}`, (slug) => `/wiki/${slug}_(overview)`, (slug) => `/${slug}`],
  news: [
    (slug, number) => `/${2021 + (number % 5)}/${slug}`,
    (slug, number) => `/news/${number}-${slug}`,
    (slug, number) => `/${slug}-${number}`,
  ],
};

function buildPath(kind: SiteKind, slug: string, variant: number, key: number): string {
  const path = paths[kind][variant] ?? paths[kind][0];
  return path(slug, 1000 + ((derive(key, 34) >>> 0) % 90_000), key);
}
