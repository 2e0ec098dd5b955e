// Reads DuckDuckGo pages drawn by scripts (since 2022), whose class names are scrambled, by the items' names.
import type { AiOverview, Extension, KnowledgePanel, NavigationTab, RelatedSearch } from '../../model/results/serp.ts';
import { isBesideLabel, isLabelledAd } from '../page/ad-label.ts';
import { type FoundAd, type FoundResult, withoutEmpty } from '../page/assemble.ts';
import { textOf } from '../page/text.ts';
import { type Element, findAll, findFirst, hasClass, isLink, type Tree } from '../page/tree.ts';
import { isConcealed } from '../page/visibility.ts';
import { linksIn, toAd } from './results.ts';
import { absolute, readLink } from './urls.ts';

/** Items of the list with this content: `organic`, `ad`, `images`, `related_searches`. */
function findItems(tree: Tree, kind: string): Element[] {
  return findAll(tree, tree.root, (element) => element.get('data-layout') === kind && !isConcealed(tree, element));
}

/** The link in the item's heading. */
function findTitle(tree: Tree, item: Element): Element | undefined {
  const isTitle = (element: Element): boolean => isLink(element) && !isConcealed(tree, element);
  const marked = findFirst(
    tree,
    item,
    (element) => isTitle(element) && element.get('data-testid') === 'result-title-a',
  );
  if (marked !== undefined) return marked;
  const heading = findFirst(tree, item, (element) => element.tag === 'h2');
  return heading === undefined ? undefined : findFirst(tree, heading, isTitle);
}

/** The organic results in reading order; `unread` counts result items that cannot be parsed. */
export function findScripted(tree: Tree): { results: FoundResult[]; unread: number } {
  const items = findItems(tree, 'organic').filter((item) => !isLabelled(tree, item));
  const results = items.flatMap((item) => readResult(tree, item) ?? []);
  const labelled = items.filter((item) => isBesideLabel(item, tree.root, (each) => each.has('data-layout')));
  return { results, unread: items.length - results.length + labelled.length };
}

function isLabelled(tree: Tree, item: Element): boolean {
  const title = findTitle(tree, item);
  if (title === undefined) return false;
  const { destination } = readLink(title.href);
  return isLabelledAd(item, { heading: title, anchor: title, destination });
}

function readResult(tree: Tree, item: Element): FoundResult | undefined {
  const anchor = findTitle(tree, item);
  if (anchor === undefined) return undefined;
  const { destination, isAd } = readLink(anchor.href);
  const title = textOf(anchor);
  if (destination === undefined || isAd || title === '') return undefined;
  const address = findAddress(tree, item);
  const { description, date } = readSnippet(tree, item);
  const extensions: Omit<Extension, 'rank'>[] = [
    ...siteLinks(tree, item, anchor),
    ...(date === '' ? [] : [{ type: 'date', text: date } as const]),
  ];
  return {
    order: anchor.order,
    result: withoutEmpty({
      title,
      description,
      link: destination,
      display_link: address && textOf(address),
      source: address && nameBefore(address),
      extensions: extensions.map((extension, index) => ({ ...extension, rank: index + 1 })),
    }),
  };
}

function findAddress(tree: Tree, item: Element): Element | undefined {
  return findFirst(tree, item, (element) => element.get('data-testid') === 'result-extras-url-link');
}

/** Ads among the results, in reading order. */
export function findScriptedAds(tree: Tree): FoundAd[] {
  const labelled = findItems(tree, 'organic').filter((item) => isLabelled(tree, item));
  return [...findItems(tree, 'ad'), ...labelled].flatMap((item) => {
    const anchor = findTitle(tree, item);
    const address = findAddress(tree, item);
    return anchor === undefined ? [] : (toAd(anchor, address === undefined ? '' : textOf(address)) ?? []);
  });
}

/** The site's name: the paragraph beside the address, before it. */
function nameBefore(address: Element): string {
  const isName = (child: Element | string) =>
    typeof child !== 'string' && child.tag === 'p' && child.order < address.order;
  const [name] = (address.parent?.children ?? []).filter(isName);
  return typeof name === 'object' ? textOf(name) : '';
}

/** The text below the title. A preceding date is a separate part: two spans instead of one. */
function readSnippet(tree: Tree, item: Element): { description: string; date: string } {
  const snippet = findFirst(tree, item, (element) => element.get('data-result') === 'snippet');
  if (snippet === undefined) return { description: '', date: '' };
  let at = snippet;
  let parts = splitParts(at);
  while (parts.length === 1 && parts[0] !== undefined && typeof parts[0] !== 'string') {
    at = parts[0];
    parts = splitParts(at);
  }
  const [first, second] = parts;
  const isDated = parts.length === 2 && isSpan(first) && isSpan(second);
  return isDated ? { date: textOf(first), description: textOf(second) } : { date: '', description: textOf(snippet) };
}

function splitParts(element: Element): (Element | string)[] {
  return element.children.filter((child) => typeof child !== 'string' || child.trim() !== '');
}

function isSpan(part: Element | string | undefined): part is Element {
  return part !== undefined && typeof part !== 'string' && part.tag === 'span';
}

/** Links to other pages of the site, in a list below the text; links into the engine belong to the menu. */
function siteLinks(tree: Tree, item: Element, title: Element): Omit<Extension, 'rank'>[] {
  const lists = findAll(tree, item, (element) => element.tag === 'ul' && element.order > title.order);
  return lists.flatMap((list) =>
    findAll(tree, list, isLink).flatMap((anchor) => {
      const { destination } = readLink(anchor.href);
      const heading = findFirst(tree, anchor, (element) => element.tag === 'h3');
      const text = textOf(heading ?? anchor);
      return destination === undefined || text === '' ? [] : [{ type: 'site_link' as const, text, link: destination }];
    }),
  );
}

/** Related searches in reading order, each once. */
export function findRelated(tree: Tree): { order: number; related: Omit<RelatedSearch, 'rank' | 'global_rank'> }[] {
  const seen = new Set<string>();
  return findItems(tree, 'related_searches').flatMap((item) =>
    findAll(tree, item, isLink).flatMap((anchor) => {
      const text = textOf(anchor).replaceAll('\u200b', '');
      if (text === '' || seen.has(text)) return [];
      seen.add(text);
      return [{ order: anchor.order, related: { text, link: absolute(anchor.href) } }];
    }),
  );
}

/** Tabs above the results: the first list of the bar; its second one has settings and other services. */
export function findTabs(tree: Tree): NavigationTab[] {
  const bar = findFirst(tree, tree.root, (element) => element.get('data-testid') === 'duckbar');
  const list = bar === undefined ? undefined : findFirst(tree, bar, (element) => element.tag === 'ul');
  if (list === undefined) return [];
  return findAll(tree, list, isLink)
    .map((anchor) => ({ title: textOf(anchor), href: absolute(anchor.href) }))
    .filter(({ title }) => title !== '');
}

/** The panel beside the results: its heading, and the text below it. */
export function readAbout(tree: Tree): KnowledgePanel | undefined {
  const [item] = findItems(tree, 'about');
  const heading = item === undefined ? undefined : findFirst(tree, item, (element) => element.tag === 'h2');
  if (item === undefined || heading === undefined || textOf(heading) === '') return undefined;
  const text = findAll(tree, item, (element) => element.order > heading.last && hasClass(element, 'expandableItem'))
    .map((part) => textOf(part))
    .join(' ');
  return withoutEmpty({ name: textOf(heading), description: text });
}

const isAnswer = (element: Element): boolean => element.get('data-testid') === 'duckassist-answer-content';

/** The generated answer: its paragraphs, and the pages that it cites. Undefined if it loads only on request. */
export function readAnswer(tree: Tree): AiOverview | undefined {
  const answer = findFirst(tree, tree.root, isAnswer);
  if (answer === undefined) return undefined;
  const texts = findAll(tree, answer, (element) => element.tag === 'p' || element.tag === 'li')
    .map((part) => textOf(part))
    .filter((text) => text !== '')
    .map((snippet) => ({ type: 'paragraph' as const, snippet }));
  const references = new Map<string, string>();
  for (const anchor of findAll(tree, answer, isLink)) {
    const { destination } = readLink(anchor.href);
    if (destination !== undefined && !references.has(destination)) references.set(destination, textOf(anchor));
  }
  if (texts.length === 0) return undefined;
  const cited = [...references].map(([href, title], index) => ({ index, title, href }));
  return withoutEmpty({ texts, references: cited });
}

/** Our names for the other items of the list. */
const features: readonly (readonly [kind: string, type: string])[] = [
  ['images', 'images'],
  ['videos', 'video'],
  ['news', 'top_stories'],
  ['maps_places', 'local_pack'],
  ['places', 'local_pack'],
  ['about', 'knowledge_graph'],
];

/** The features named by the page's items, with the links that leave the engine. */
export function findFeatures(tree: Tree): { type: string; links: string[] }[] {
  const found = new Map<string, Set<string>>();
  for (const [kind, type] of features) {
    for (const item of findItems(tree, kind)) {
      found.set(type, new Set([...(found.get(type) ?? []), ...linksIn(tree, item)]));
    }
  }
  return [...found].map(([type, links]) => ({ type, links: [...links] }));
}
