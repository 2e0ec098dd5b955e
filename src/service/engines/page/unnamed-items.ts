// Finds results of a list with unknown class names, by what the items hold and the class names they share.

import { containsHost } from './shown-host.ts';
import { textOf } from './text.ts';
import { type Element, findFirst, type Tree } from './tree.ts';

/** The destination of a link of the page, as its engine resolves it. */
interface Link {
  readonly destination?: string;
  readonly isAd: boolean;
}

/** The link that names an item, and the heading around or within it. */
interface Named {
  readonly anchor: Element;
  readonly heading: Element;
}

export interface UnnamedItem extends Named {
  readonly item: Element;
}

/**
 * The items that are results: each has a linked heading with an outside destination and shows its address, and all
 * share a class name that no other item with text has. `unread` counts items that may be results but cannot be
 * identified: a list without them would prove nothing.
 */
export function readUnnamed(
  tree: Tree,
  items: readonly Element[],
  nameOf: (item: Element) => Named | undefined,
  readLink: (href: string) => Link,
): { results: UnnamedItem[]; unread: number } {
  const results: UnnamedItem[] = [];
  const others: Element[] = [];
  let unread = 0;
  for (const item of items) {
    const named = nameOf(item);
    const link = named === undefined ? undefined : readLink(named.anchor.get('href') ?? '');
    if (link?.isAd === true) continue;
    if (named === undefined || link?.destination === undefined) {
      others.push(item);
      // The engine's own statement about the search, such as that it found nothing, is the first heading of the page.
      if (findFirst(tree, item, (element) => element.tag === 'h1' && textOf(element) !== '') !== undefined) unread += 1;
    } else if (showsAddress(item, named.heading, link.destination)) results.push({ item, ...named });
    else unread += 1;
  }
  const shared = sharedClasses(results.map(({ item }) => item));
  const hasNames = items.some((item) => classNames(item).length > 0);
  if (hasNames && results.length > 0 && shared.length === 0) return { results: [], unread: results.length };
  const isAlike = (item: Element): boolean => {
    const own = classNames(item);
    return shared.length > 0 && shared.every((name) => own.includes(name));
  };
  unread += others.filter((item) => isAlike(item) && textOf(item) !== '').length;
  return { results, unread };
}

/** Whether an item shows, besides its heading, the host of its link. */
function showsAddress(item: Element, heading: Element, destination: string): boolean {
  const text = textOf(item, { without: (element) => element === heading });
  return containsHost(text.toLowerCase(), destination);
}

function sharedClasses(items: readonly Element[]): readonly string[] {
  const [first = [], ...others] = items.map(classNames);
  return first.filter((name) => others.every((names) => names.includes(name)));
}

/** Limit of class names read per item. */
const classesMax = 10;

function classNames(element: Element): readonly string[] {
  const names = (element.get('class') ?? '').split(/\s/).filter((name) => name !== '');
  return names.slice(0, classesMax);
}
