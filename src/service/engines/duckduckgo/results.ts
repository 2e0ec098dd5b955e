// Reads results and ads of DuckDuckGo pages with readable class names: without scripts, with scripts, and lite.
import { isBesideLabel, isLabelledAd } from '../page/ad-label.ts';
import { type FoundAd, type FoundResult, withoutEmpty } from '../page/assemble.ts';
import { containsHost, findUnreadRows, readUnnamed } from '../page/rows.ts';
import { textOf } from '../page/text.ts';
import {
  type Element,
  findAll,
  findFirst,
  hasClass,
  isInsideAny,
  isLink,
  type Tree,
  withClass,
  withId,
} from '../page/tree.ts';
import { isConcealed } from '../page/visibility.ts';
import { absolute, adDomain, readLink } from './urls.ts';

const isBlock = withClass('result');
const isTitle = withClass('result__a', 'result-link');

interface Block {
  readonly block: Element;
  readonly anchor: Element;
  readonly isAd: boolean;
}

/** Result blocks of any kind: each with a link that is its title; if there are several, the first one. */
export function findBlocks(tree: Tree): readonly Block[] {
  const anchors = findAll(
    tree,
    tree.root,
    (element) => element.tag === 'a' && isTitle(element) && !isConcealed(tree, element),
  );
  const blocks = splitBlocks(tree);
  const seen = new Set<Element>();
  return anchors.flatMap((anchor) => {
    const block = blocks[anchor.order];
    if (block === undefined || seen.has(block)) return [];
    seen.add(block);
    const isMarked = hasClass(block, 'result--ad*') || hasClass(block, 'result-sponsored');
    const link = readLink(anchor.href);
    const title = { heading: anchor, anchor, destination: link.destination };
    const isAd = isMarked || link.isAd || isLabelledAd(block, title);
    return [{ block, anchor, isAd }];
  });
}

/** The result of each element; on the lite page, which is a table, the row of the title represents it. */
function splitBlocks(tree: Tree): readonly (Element | undefined)[] {
  const blocks: (Element | undefined)[] = [];
  for (const element of tree.elements) {
    const isOwn = element.tag === 'tr' || isBlock(element);
    blocks.push(isOwn ? element : element.parent === null ? undefined : blocks[element.parent.order]);
  }
  return blocks;
}

export function findResults(tree: Tree, blocks: readonly Block[]): FoundResult[] {
  return blocks.flatMap(({ block, anchor, isAd }) => {
    if (isAd || hasClass(block, 'result--no-result') || hasClass(block, 'result--more')) return [];
    const { destination } = readLink(anchor.href);
    const title = textOf(anchor);
    if (destination === undefined || title === '') return [];
    const area = block.tag === 'tr' ? rowsAfter(tree, block) : [block];
    const text = (...names: readonly string[]): string => firstText(tree, area, names);
    return [
      {
        order: anchor.order,
        result: withoutEmpty({
          title,
          description: text('result__snippet', 'result-snippet'),
          link: destination,
          display_link: text('result__url', 'link-text'),
        }),
      },
    ];
  });
}

/** Results of a list with unknown class names: each is a block of the list with a linked heading. */
export function findUnnamed(tree: Tree): { results: FoundResult[]; unread: number } {
  const list = findFirst(tree, tree.root, withId('links'));
  if (list === undefined) return { results: [], unread: 0 };
  const blocks = list.children
    .filter((child) => typeof child !== 'string')
    .filter((block) => !isConcealed(tree, block));
  const { results, unread } = readUnnamed(tree, blocks, (block) => linkedHeading(tree, block), readLink);
  const texts = results.map(({ item, anchor }) => textsBeside(tree, item, anchor));
  const counts = new Map<string, number>();
  for (const text of texts.flatMap((each) => [...new Set(each)])) counts.set(text, (counts.get(text) ?? 0) + 1);
  return {
    unread,
    results: results.map(({ anchor }, index) => {
      const link = readLink(anchor.href).destination ?? '';
      const beside = texts[index] ?? [];
      const address = beside.find((text) => containsHost(text.toLowerCase(), link) && !/\s/.test(text));
      // Text that several results share belongs to the engine.
      const description = beside.find((text) => text !== address && counts.get(text) === 1);
      return {
        order: anchor.order,
        result: withoutEmpty({ title: textOf(anchor), description, link, display_link: address }),
      };
    }),
  };
}

/** Texts of the other links of a block with the destination of its title. */
function textsBeside(tree: Tree, block: Element, title: Element): string[] {
  const { destination } = readLink(title.href);
  return findAll(tree, block, (element) => isLink(element) && element !== title)
    .filter((anchor) => readLink(anchor.href).destination === destination)
    .map((anchor) => textOf(anchor))
    .filter((text) => text !== '');
}

function linkedHeading(tree: Tree, block: Element): { anchor: Element; heading: Element } | undefined {
  const heading = findFirst(tree, block, (element) => element.tag === 'h2' && !isConcealed(tree, element));
  const anchor = heading && findFirst(tree, heading, isLink);
  return heading === undefined || anchor === undefined ? undefined : { anchor, heading };
}

const isNoResult = withClass('result--more', 'result--sep', 'result--no-result');

/**
 * The number of results with a text but no outside title, or outside the list, without the button for more, page
 * numbers, and the statement that there are none.
 */
export function countUnread(tree: Tree, blocks: readonly Block[]): number {
  const all = findAll(
    tree,
    tree.root,
    (element) => isBlock(element) && !isNoResult(element) && !isConcealed(tree, element),
  );
  const untitled = all.filter((block) => findFirst(tree, block, isTitle) === undefined && textOf(block) !== '');
  const list = findFirst(tree, tree.root, withId('links')) ?? tree.root;
  const lost = blocks.filter(
    ({ block, anchor, isAd }) =>
      !isAd &&
      !isNoResult(block) &&
      (readLink(anchor.href).destination === undefined || !list.contains(block)) &&
      textOf(anchor) !== '',
  );
  const labelled = all.filter((block) => isBesideLabel(block, tree.root, isBlock));
  return untitled.length + lost.length + labelled.length;
}

/** Ads, and items of the list with other content than a result. */
const isBesides = (element: Element): boolean =>
  hasClass(element, 'result--ad*') || (element.get('data-layout') ?? 'organic') !== 'organic';

export function countUnreadRows(
  tree: Tree,
  column: Element,
  { results, ads }: { readonly results: readonly FoundResult[]; readonly ads: readonly FoundAd[] },
): number {
  const read = results.map(({ order, result }) => ({ element: tree.elements[order] ?? column, link: result.link }));
  // Rows of ads, also under other class names, have links to explanations of ads as well.
  const advertising = new Set<Element>();
  for (const anchor of findAll(tree, column, (element) => isLink(element) && readLink(element.href).isAd))
    for (let at: Element | null = anchor; at !== null && !advertising.has(at); at = at.parent) {
      const row = at;
      if (read.some(({ element }) => row.contains(element))) break;
      advertising.add(row);
    }
  return findUnreadRows(tree, {
    column,
    results: read,
    isBesides: (element) => isBesides(element) || advertising.has(element),
    destinationOf: (anchor) => {
      const { destination, isAd } = readLink(anchor.href);
      return isAd || ads.some(({ order }) => order === anchor.order) ? undefined : destination;
    },
  }).length;
}

/** Rows of the lite page that belong to the title above them. */
function rowsAfter(tree: Tree, row: Element): Element[] {
  const rows = [row];
  for (let order = row.last + 1; order < tree.elements.length && rows.length < 4; order++) {
    const next = tree.elements[order];
    if (next?.tag !== 'tr') continue;
    if (findFirst(tree, next, isTitle) !== undefined) break;
    rows.push(next);
    order = next.last;
  }
  return rows;
}

function firstText(tree: Tree, area: readonly Element[], names: readonly string[]): string {
  for (const element of area) {
    const found = findFirst(tree, element, withClass(...names));
    const text = found === undefined ? '' : textOf(found);
    if (text !== '') return text;
  }
  return '';
}

/** Ads of the results column and beside it, in reading order. */
export function findAds(tree: Tree, blocks: readonly Block[]): FoundAd[] {
  return blocks.flatMap(({ block, anchor, isAd }) =>
    isAd ? (toAd(anchor, firstText(tree, [block], ['result__url'])) ?? []) : [],
  );
}

/** An ad, by its title's link, which the click counter wraps, and its displayed address. */
export function toAd(anchor: Element, address: string): FoundAd | undefined {
  const title = textOf(anchor);
  if (title === '') return undefined;
  const click = absolute(anchor.href);
  const shown = adDomain(click) ?? address;
  const link = `https://${shown.replace(/^https?:\/\//, '')}`;
  const isAddress = /^https:\/\/[^\s/.]+\.[^\s]+$/.test(link) && URL.canParse(link);
  return {
    order: anchor.order,
    ad: withoutEmpty({ title, link: isAddress ? link : click, referral_link: isAddress ? click : undefined }),
  };
}

/** The panel about the subject of the search: a title, a text and its source. */
export function readPanel(tree: Tree) {
  const block = findFirst(tree, tree.root, withClass('module--about', 'zci', 'module--zci*'));
  if (block === undefined || isInsideAny(tree, withId('links'))(block)) return undefined;
  const title = findFirst(tree, block, withClass('module__title', 'zci__heading'));
  const abstract = findFirst(tree, block, withClass('js-about-item-abstr', 'zci__result', 'module__text'));
  const source = findFirst(tree, block, withClass('module__more-at', 'zci__more-at'));
  const [name, description, from] = [title, abstract, source].map((each) => (each === undefined ? '' : textOf(each)));
  if (name === undefined || name === '') return undefined;
  return {
    knowledge: withoutEmpty({ name, description, description_source: from }),
    links: linksIn(tree, block),
  };
}

/** Destinations outside of the engine, each once. */
export function linksIn(tree: Tree, block: Element): string[] {
  const anchors = findAll(tree, block, isLink);
  const links = anchors.map((anchor) => readLink(anchor.href));
  return [...new Set(links.flatMap(({ destination, isAd }) => (isAd ? [] : (destination ?? []))))];
}
