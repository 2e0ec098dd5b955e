// Converts elements of a vendor's page: unwraps links and counts ranks.
import { hiddenDestination, readLink } from '../../engines/google/urls.ts';
import type { Ad, Extension, NavigationTab, OrganicResult } from '../../model/serp.ts';
import { type Fields, present, ShapeError } from '../../net/fields.ts';
import { isObject, listOrNothing, numbered, objectsAt, wordsAt } from './values.ts';

/**
 * Where a link leads: redirects of the engine unwrapped, its tracking taken off. Undefined where it is no address, or
 * stays within the engine.
 */
export function resolveDestination(link: string | undefined): string | undefined {
  return link === undefined ? undefined : readLink(link).destination;
}

/** Where the fields of a result stand in a vendor's form. */
export interface ResultFields {
  readonly link: readonly string[];
  readonly description: readonly string[];
  readonly displayLink: readonly string[];
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

/**
 * One organic result; its rank is its position in the list, not the vendor's number. Of a link that only the engine can
 * follow the shown site is known.
 */
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
    ...(readLink(link).isOpaque ? hiddenDestination(link, shown) : { link, destination_state: undefined }),
    display_link: shown,
    source: wordsAt(item, 'source', 'website_name'),
    extensions: numbered(extensions),
  });
}

/**
 * The address of a result. One that stays within the engine is kept as it is: the result counts on the page with any
 * target. Throws ShapeError where there is no address: a page with indistinguishable results proves nothing.
 */
function resultLink(item: Fields, ...names: readonly string[]): string {
  const link = wordsAt(item, ...names);
  const destination = resolveDestination(link);
  if (destination !== undefined) return destination;
  if (link !== undefined && /^https?:\/\//i.test(link) && URL.canParse(link)) return link;
  throw item.problem(names[0] ?? 'link', 'is no http address');
}

/** The address line may hold other text: "40+ comments · 2 years ago". */
function shownAddress(text: string | undefined): string | undefined {
  return text !== undefined && /^[^\s.]+\.\S/.test(text) ? text : undefined;
}

/**
 * The running count over all ranked elements of a page, in the order that the vendor's own numbers give them: by
 * number. Empty where they order nothing, because one is missing or two are the same.
 */
export function runningCount(numbers: readonly (number | undefined)[]): ReadonlyMap<number, number> {
  const known = numbers.filter((number) => number !== undefined);
  if (known.length < numbers.length || new Set(known).size < known.length) return new Map();
  return new Map(known.sort((one, other) => one - other).map((number, index) => [number, index + 1]));
}

export function siteLinks(items: readonly Fields[]): Omit<Extension, 'rank'>[] {
  return items.map((item) =>
    present<Omit<Extension, 'rank'>>({
      type: 'site_link',
      text: wordsAt(item, 'title', 'text') ?? '',
      link: resolveDestination(wordsAt(item, 'link', 'url')),
    }),
  );
}

/** An extension of one text, where there is one. */
export function textExtension(type: Extension['type'], text: string | undefined): Omit<Extension, 'rank'>[] {
  return text === undefined ? [] : [{ type, text }];
}

/**
 * Ads, each under its destination; what leads nowhere is none. `referral` is the field of the engine's own link to it.
 */
export function adsIn(items: readonly Fields[], referral: string): Ad[] | undefined {
  return numbered(
    items.flatMap((item) => {
      const link = resolveDestination(wordsAt(item, 'link', 'url'));
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
