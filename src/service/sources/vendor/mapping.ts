// From what vendors send to the root object: links unwrapped, ranks counted by us, and nothing believed that only decorates. It knows no vendor.

import { readLink, shownSite } from '../../engines/google/urls.ts';
import { isSameQuery } from '../../engines/page/query.ts';
import { ServiceError } from '../../errors.ts';
import { featuresOf } from '../../features.ts';
import { Fields, present, ShapeError } from '../../http/fields.ts';
import type { Ad, Extension, NavigationTab, OrganicResult, PageFeature, ReadPage, SerpPage } from '../../serp.ts';

/** A text that decorates: anything but a text that says something is absent. */
export function wordsAt(item: Fields | undefined, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = item?.raw(name);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return undefined;
}

/** A number that decorates, also where it came as a text. */
export function numberAt(item: Fields | undefined, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = item?.raw(name);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
  }
  return undefined;
}

/** An object that decorates; anything else is absent. */
export function objectAt(item: Fields | undefined, name: string): Fields | undefined {
  const value = item?.raw(name);
  return isObject(value) ? new Fields(value, name) : undefined;
}

/** The objects of a list; what is no list is empty, and what is no object is left out. */
export function objectsAt(item: Fields | undefined, name: string): readonly Fields[] {
  const value = item?.raw(name);
  return Array.isArray(value) ? value.filter(isObject).map((each, index) => new Fields(each, `${name}[${index}]`)) : [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where a link leads: redirects of the engine unwrapped, its tracking taken off. Undefined where it is no address, or stays within the engine. */
export function destinationOf(link: string | undefined): string | undefined {
  return link === undefined ? undefined : readLink(link).destination;
}

/**
 * The address of a result. One that stays within the engine is kept as it is: the result takes its place on the page whatever it leads to. Throws
 * ShapeError where there is no address: a page whose results cannot be told from each other proves nothing.
 */
function resultLink(item: Fields, ...names: readonly string[]): string {
  const link = wordsAt(item, ...names);
  const destination = destinationOf(link);
  if (destination !== undefined) return destination;
  if (link !== undefined && /^https?:\/\//i.test(link) && URL.canParse(link)) return link;
  throw item.problem(names[0] ?? 'link', 'is no http address');
}

/** Where the fields of a result stand in a vendor's form. */
export interface ResultFields {
  readonly link: readonly string[];
  readonly description: readonly string[];
  readonly displayLink: readonly string[];
}

/** One organic result; its rank is its place in the list, whatever number the vendor gives it. Of a link that only the engine can follow the shown site is known. */
export function organicResult(
  item: Fields,
  index: number,
  names: ResultFields,
  extensions: readonly Omit<Extension, 'rank'>[],
): OrganicResult {
  const shown = shownAddress(wordsAt(item, ...names.displayLink));
  const link = resultLink(item, ...names.link);
  return present<OrganicResult>({
    rank: index + 1,
    title: wordsAt(item, 'title') ?? '',
    description: wordsAt(item, ...names.description),
    link: readLink(link).isOpaque ? (shownSite(shown) ?? link) : link,
    display_link: shown,
    source: wordsAt(item, 'source', 'website_name'),
    extensions: numbered(extensions),
  });
}

/** What stands in the place of an address may be something else: "40+ comments · 2 years ago". */
function shownAddress(text: string | undefined): string | undefined {
  return text !== undefined && /^[^\s.]+\.\S/.test(text) ? text : undefined;
}

/**
 * The running count over all ranked elements of a page, in the order that the vendor's own numbers give them: by number. Empty where they order nothing,
 * because one is missing or two are the same.
 */
export function runningCount(numbers: readonly (number | undefined)[]): ReadonlyMap<number, number> {
  const known = numbers.filter((number) => number !== undefined);
  if (known.length < numbers.length || new Set(known).size < known.length) return new Map();
  return new Map(known.sort((one, other) => one - other).map((number, index) => [number, index + 1]));
}

/** Ranks from 1 in the order given; undefined where there is nothing. */
export function numbered<T extends object>(items: readonly T[]): (T & { rank: number })[] | undefined {
  return items.length === 0 ? undefined : items.map((item, index) => ({ rank: index + 1, ...item }));
}

export function siteLinks(items: readonly Fields[]): Omit<Extension, 'rank'>[] {
  return items.map((item) =>
    present<Omit<Extension, 'rank'>>({
      type: 'site_link',
      text: wordsAt(item, 'title', 'text') ?? '',
      link: destinationOf(wordsAt(item, 'link', 'url')),
    }),
  );
}

/** Ads, each under its destination; what leads nowhere is none. `referral` is the field of the engine's own link to it. */
export function adsIn(items: readonly Fields[], referral: string): Ad[] | undefined {
  return numbered(
    items.flatMap((item) => {
      const link = destinationOf(wordsAt(item, 'link', 'url'));
      const title = wordsAt(item, 'title') ?? '';
      return link === undefined
        ? []
        : [present<Omit<Ad, 'rank'>>({ title, link, referral_link: wordsAt(item, referral) })];
    }),
  );
}

/** The tabs above the results, undefined where none is shown. */
export function tabsIn(root: Fields): NavigationTab[] | undefined {
  return listOrNothing(
    objectsAt(root, 'navigation').flatMap((item) => {
      const [title, href] = [wordsAt(item, 'title'), wordsAt(item, 'href', 'url')];
      return title === undefined || href === undefined ? [] : [{ title, href }];
    }),
  );
}

export function listOrNothing<T>(items: readonly T[]): T[] | undefined {
  return items.length === 0 ? undefined : [...items];
}

/** Texts, alone or in lists, or as `text` of an object. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === 'object' && value !== null && 'text' in value ? textsIn(value.text) : [];
}

/** An extension of one text, where there is one. */
export function textExtension(type: Extension['type'], text: string | undefined): Omit<Extension, 'rank'>[] {
  return text === undefined ? [] : [{ type, text }];
}

/** A feature that is there where `items` are; its links are their destinations. */
export function feature(type: string, items: readonly Fields[], ...names: readonly string[]): PageFeature[] {
  if (items.length === 0) return [];
  return [{ type, links: items.flatMap((item) => destinationOf(wordsAt(item, ...names)) ?? []) }];
}

/** The page with its features: those that the root object shows, and those that it has no field for; one entry a type, each link once. */
export function pageWith(serp: SerpPage, besides: readonly PageFeature[]): ReadPage {
  const links = new Map<string, Set<string>>();
  for (const { type, links: shown } of [...featuresOf(serp), ...besides]) {
    const known = links.get(type) ?? new Set();
    for (const link of shown) known.add(link);
    links.set(type, known);
  }
  return { serp, features: [...links].map(([type, shown]) => ({ type, links: [...shown] })) };
}

/** Throws SERP_FAILED `wrong_query` where any of the queries that the vendor names as searched for is another than the one asked. */
export function refuseOtherQuery(asked: string, ...searched: readonly (string | undefined)[]): void {
  const other = searched.find((query) => query !== undefined && !isSameQuery(query, asked));
  if (other === undefined) return;
  const message = `The page is another query's. It was searched for "${other.slice(0, 80)}".`;
  throw new ServiceError('SERP_FAILED', message, { reason: 'wrong_query' });
}

/** A page without any organic result that does not say that nothing was found. */
export function noResults(): ServiceError {
  const message = 'The page has no organic result and does not say that nothing was found.';
  return new ServiceError('SERP_FAILED', message, { reason: 'no_organic_results' });
}

/** What an engine shows on a page of its own that says that nothing was found, or that nothing follows. */
const besideNothing: ReadonlySet<string> = new Set(['related_searches', 'paid']);

/**
 * Throws SERP_FAILED where a page without organic results shows what stands beside results only, such as questions that people ask: the vendor did not
 * read the results, or the engine put others in their place. Either way the page does not prove that nothing was found, whatever the vendor's count says.
 */
export function refuseMissingResults({ serp, features }: ReadPage): void {
  if (serp.organic === undefined && features.some(({ type }) => !besideNothing.has(type))) throw noResults();
}

/** Whether a list is there and holds nothing: said, not left out. */
export function isEmptyList(root: Fields, name: string): boolean {
  const value = root.raw(name);
  return Array.isArray(value) && value.length === 0;
}

/** The organic results of a list, or undefined for an empty one. Throws ShapeError where it is no list of objects. */
export function organicList(
  root: Fields,
  name: string,
  read: (item: Fields, index: number) => OrganicResult,
): OrganicResult[] | undefined {
  const items = root.array(name);
  if (items?.some((item) => !isObject(item)) === true) throw new ShapeError(`${name} holds more than objects`);
  return root.list(name, read);
}

/** Languages whose regions the engine tells apart; of all others the primary language is what it takes. */
const regionalLanguages = ['zh-CN', 'zh-TW', 'zh-HK', 'pt-BR', 'pt-PT', 'es-419', 'en-GB'];

/** The language as the engine's `hl` takes it. */
export function languageParameter(language: string): string {
  return regionalLanguages.includes(language) ? language : (language.split('-')[0] ?? language);
}
