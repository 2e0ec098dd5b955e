// Converts elements of a vendor's page: unwraps links and counts ranks.

import { hiddenDestination, readLink } from '../../../engines/google/results/urls.ts';
import type { Ad, Extension, NavigationTab, OrganicResult } from '../../../model/results/serp.ts';
import { isMarkedAd } from '../../../net/ad-mark.ts';
import { type Fields, present, ShapeError } from '../../../net/fields.ts';
import { isObject, listOrNothing, numbered, objectsAt, wordsAt } from '../values.ts';
import { rejectOtherOrder } from './validator.ts';

/**
 * The destination of a link: redirects of the engine resolved, its tracking removed. Undefined if it is not a URL, or
 * stays within the engine.
 */
export function resolveDestination(link: string | undefined): string | undefined {
  return link === undefined ? undefined : readLink(link).destination;
}

/** The field names of a result in a vendor's format. */
export interface ResultFields {
  readonly link: readonly string[];
  readonly description: readonly string[];
  readonly displayLink: readonly string[];
}

/**
 * The organic results of a list, or undefined for an empty one. Throws ShapeError if it is not a list of objects, or in
 * another order than their numbers.
 */
export function organicList(
  root: Fields,
  name: string,
  read: (item: Fields, index: number) => OrganicResult,
): OrganicResult[] | undefined {
  const items = root.array(name);
  if (items?.some((item) => !isObject(item)) === true) throw new ShapeError(`${name} has entries that are not objects`);
  const fields: Fields[] = [];
  const results = root.list(name, (item, index) => {
    fields.push(item);
    return read(item, index);
  });
  rejectOtherOrder(fields, name);
  return results;
}

/**
 * One organic result; its rank is its position in the list, not the vendor's number. If only the engine can resolve its
 * link, the displayed site is known.
 */
export function organicResult(
  item: Fields,
  index: number,
  names: ResultFields,
  extensions: readonly Omit<Extension, 'rank'>[],
): OrganicResult {
  const shown = shownAddress(wordsAt(item, ...names.displayLink));
  const link = resultLink(item, ...names.link);
  if (isMarkedAd(item)) throw new ShapeError('an organic result is an ad by its own mark');
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
 * The URL of a result. One that stays within the engine is kept: the result counts on the page without belonging to any
 * target. Throws ShapeError if there is no URL: a page with indistinguishable results proves nothing.
 */
function resultLink(item: Fields, ...names: readonly string[]): string {
  const link = wordsAt(item, ...names);
  if (link !== undefined && readLink(link).isAd) throw item.problem(names[0] ?? 'link', 'is a click on an ad');
  const destination = resolveDestination(link);
  if (destination !== undefined) return destination;
  if (link !== undefined && /^https?:\/\//i.test(link) && URL.canParse(link)) return link;
  throw item.problem(names[0] ?? 'link', 'is not an http address');
}

/** The address line may hold other text: "40+ comments · 2 years ago". */
function shownAddress(text: string | undefined): string | undefined {
  return text !== undefined && /^[^\s.]+\.\S/.test(text) ? text : undefined;
}

/**
 * The running count over all ranked elements of a page, in the order of the vendor's own numbers: by number. Empty if
 * they give no order, because one is missing or two are equal.
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
 * Ads, each with its destination; entries without one are dropped. `referral` is the field of the engine's own link to
 * it.
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

/** The tabs above the results; undefined if there are none. */
export function tabsIn(root: Fields): NavigationTab[] | undefined {
  return listOrNothing(
    objectsAt(root, 'navigation').flatMap((item) => {
      const [title, href] = [wordsAt(item, 'title'), wordsAt(item, 'href', 'url')];
      return title === undefined || href === undefined ? [] : [{ title, href }];
    }),
  );
}
