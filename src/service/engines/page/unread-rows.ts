// Finds rows of a list that begin as results do, but were read neither as results nor as a known part of the page.

import { isHidden, isLinks, readLines, textOf } from './text.ts';
import { type Element, findFirst, type Tree } from './tree.ts';
import { isConcealed } from './visibility.ts';

interface ReadList {
  readonly column: Element;
  /** An element of each result, and the page to which it leads. */
  readonly results: readonly { readonly element: Element; readonly link: string }[];
  /** Whether an element is a known part without results: ads, questions. */
  isBesides(element: Element): boolean;
  /** The page outside the engine to which a link leads, unless the link is known as part of a feature. */
  destinationOf(anchor: Element): string | undefined;
}

/** Lines among which the first one of a row is looked for. */
const linesMax = 4;

/**
 * The first links of rows beside results that begin with a link to a page, as results do. Features begin with their
 * own title, and further links of a result lead to its site. No recorded page has another such row.
 */
export function findUnreadRows(tree: Tree, { column, results, isBesides, destinationOf }: ReadList): Element[] {
  const around = new Map<Element, string[]>();
  for (const { element, link } of results)
    for (let at: Element | null = element; at !== null && column.contains(at); at = at.parent) {
      const links = around.get(at);
      if (links === undefined) around.set(at, [link]);
      else links.push(link);
    }
  const isLink = (each: Element): boolean => each.tag === 'a' && each.has('href') && !isBesides(each);
  /** Above some results, screen readers have another heading: "Web results". */
  const isLeftOut = (each: Element): boolean =>
    isBesides(each) ||
    (each.tag === 'h2' && linkAround(each) === undefined && findFirst(tree, each, isLink) === undefined);
  return [...around].flatMap(([within, [link = '', another]]) =>
    within.children.flatMap((row) => {
      if (typeof row === 'string' || around.has(row) || isBesides(row) || isHidden(row)) return [];
      const text = textOf(row, { without: isLeftOut });
      const lines = readLines(row, { without: isLeftOut, linesMax });
      // A block's own line precedes the blocks within it, also where the page shows it below them.
      const line = lines.find((each) => text.startsWith(each.text));
      // A link alone describes nothing.
      if (line === undefined || lines.length < 2 || !isLinks(line)) return [];
      const first = findFirst(tree, row, isLink);
      const named =
        linkAround(line.element) ?? findFirst(tree, line.element, (each) => isLink(each) && holds(each, line.text));
      if (first === undefined || named === undefined || isConcealed(tree, first)) return [];
      const destination = destinationOf(first);
      if (destination === undefined || destinationOf(named) === undefined) return [];
      return another === undefined && siteOf(destination) === siteOf(link) ? [] : [first];
    }),
  );
}

/** Whether a line is that of a link: the link may go on in other lines, and the line may hold more ("[PDF]"). */
function holds(link: Element, line: string): boolean {
  const text = textOf(link);
  return text !== '' && (line.includes(text) || text.includes(line));
}

function linkAround(element: Element): Element | undefined {
  for (let at: Element | null = element; at !== null; at = at.parent) if (at.tag === 'a') return at;
  return undefined;
}

/** The last two labels of the host, which the hosts of a site share. */
function siteOf(address: string): string {
  return (URL.parse(address)?.hostname ?? '').split('.').slice(-2).join('.');
}
