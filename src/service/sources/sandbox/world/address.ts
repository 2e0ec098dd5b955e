// URLs of invented pages: stable for months, then now and then another one.
import { below, derive, unit } from './random.ts';
import type { SiteKind } from './sites.ts';
import type { Result } from './world.ts';

/** A result's page moves with this chance at the end of each period, in days. */
const moveShare = 0.18;
const periodDays = 120;
const homePageShare = 0.05;

/** The address of a result on a day, for a keyword that is already normalized. */
export function buildUrl(result: Result, keyword: string, day: number): string {
  const { key, siteKey, site } = result;
  if (result.copy === 0 && site.kind === 'shop' && unit(derive(siteKey, 30)) < homePageShare)
    return `https://${site.host}/`;
  const period = Math.floor(day / periodDays + unit(derive(siteKey, 31)));
  const moved = unit(derive(derive(siteKey, 32), period)) < moveShare;
  const variant = (below(derive(siteKey, 33), 3) + result.copy + (moved ? 1 : 0)) % 3;
  return `https://${site.host}${buildPath(site.kind, toSlug(keyword), variant, key)}`;
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

/** A keyword as a path segment: ASCII as it is, anything else percent-encoded. */
function toSlug(keyword: string): string {
  const slug = keyword.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/gu, '');
  return encodeURIComponent(slug === '' ? 'page' : slug);
}

function buildPath(kind: SiteKind, slug: string, variant: number, key: number): string {
  const number = 1000 + ((derive(key, 34) >>> 0) % 90_000);
  const paths: Readonly<Record<SiteKind, readonly [string, string, string]>> = {
    shop: [`/c/${slug}`, `/collections/${slug}`, `/shop/list.html?cat=${number}&q=${slug}`],
    magazine: [`/guides/${slug}`, `/blog/best-${slug}`, `/articles/${number}/${slug}.html`],
    forum: [`/t/${slug}/${number}`, `/r/questions/comments/${code(key, 7)}/${slug}/`, `/topic-${number}`],
    video: [`/watch?v=${code(key, 11)}`, `/watch?v=${code(derive(key, 1), 11)}`, `/video/${number}-${slug}`],
    reference: [`/wiki/${slug}`, `/wiki/${slug}_(overview)`, `/${slug}`],
    news: [`/${2021 + (number % 5)}/${slug}`, `/news/${number}-${slug}`, `/${slug}-${number}`],
  };
  return paths[kind][variant] ?? paths[kind][0];
}
