// Reads the AI overview above the results: paragraphs, titles, lists, code, and the pages it cites.
import type { AiOverview, AiOverviewText } from '../../../model/results/serp.ts';
import { normalise } from '../../page/query.ts';
import { isHidden, isInline, readLines, textOf } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import type { PageIndex } from '../page/page-index.ts';
import { zone } from '../page/regions.ts';
import { citationId, readCitations } from './citations.ts';

type Reference = NonNullable<AiOverview['references']>[number];

/** Maximum length in characters of a bold line that is a title rather than a sentence. */
const titleMax = 120;
/** Most elements of an overview's text; the longest recorded one has 900. */
const contentElementsMax = 4_000;
/** Maximum number of elements in a citation card; a larger one holds several. */
const cardElementsMax = 100;
/** Deepest nesting of lists that is kept. */
const nestingMax = 6;

/** The context for parsing the parts of an overview. */
interface Reading {
  readonly pageIndex: PageIndex;
  /** Indexes of the references that an element cites, except a part of it that is read separately. */
  indexesOf(element: Element, part?: Element): number[];
}

/**
 * The overview, if the page has its text: pages without one may contain the empty frame. `html` is the page, whose
 * comments and scripts are needed.
 */
export function readOverview(pageIndex: PageIndex, html: string): { overview: AiOverview; order: number } | undefined {
  const roots = pageIndex.tree.elements.filter((each) => isRoot(each));
  for (const root of roots) {
    const content = findContent(root, pageIndex);
    const isReadable = content !== undefined && content.last - content.order <= contentElementsMax;
    if (!isReadable) continue;
    const references = readReferences(root, content, pageIndex);
    const texts = readTexts(content, readContent(root, pageIndex, references, html), 0);
    if (texts.length === 0) continue;
    return { order: root.order, overview: { texts, ...(references.length > 0 && { references }) } };
  }
  return undefined;
}

function readContent(root: Element, pageIndex: PageIndex, references: readonly Reference[], html: string): Reading {
  const labelled = pageIndex.anchors.filter((anchor) => root.contains(anchor) && anchor.has('aria-label'));
  const cards = labelled.flatMap((anchor) => pageIndex.linkOf(anchor).destination ?? []).filter((href) => !isOwn(href));
  const citations = readCitations(
    html,
    cards,
    references.map(({ href }) => href),
  );
  const indexOf = new Map(references.map(({ href, index }) => [href, index]));
  const citedBy = (element: Element): readonly string[] => {
    const mark = citationId(element);
    const cited = mark === undefined ? undefined : citations.get(mark);
    if (cited !== undefined) return cited;
    if (element.tag === 'a' && element.has('href') && isBesideMark(element))
      return [pageIndex.linkOf(element).destination ?? ''];
    return mark === undefined ? [] : namedBy(element, references);
  };
  const indexesOf = (element: Element, part?: Element): number[] => {
    const indexes = new Set<number>();
    for (let order = element.order; order <= element.last; order++) {
      const inner = pageIndex.tree.elements[order];
      if (inner === undefined || part?.contains(inner) === true) continue;
      for (const href of citedBy(inner)) indexes.add(indexOf.get(href) ?? 0);
    }
    return [...indexes].filter((index) => index > 0).sort((a, b) => a - b);
  };
  return { pageIndex, indexesOf };
}

/** Whether a link is part of a chip. Links in the text lead to the named thing, and cite nothing. */
function isBesideMark(anchor: Element): boolean {
  const beside = anchor.parent?.children ?? [];
  return beside.some((each) => typeof each !== 'string' && citationId(each) !== undefined);
}

/** The other text of a chip besides the name of a site: how many more sites it represents. */
const chipRest = / ?\(?\+\d{1,3}\)?$/;

/** The page of a chip that names its site ("Healthline +2"), if it is the only page of that site. */
function namedBy(chip: Element, references: readonly Reference[]): readonly string[] {
  const name = normalise(textOf(chip).replace(chipRest, ''));
  if (name === '') return [];
  const named = references.filter(({ source }) => normalise(source ?? '') === name);
  return named.length === 1 ? named.map(({ href }) => href) : [];
}

/** Help and terms of the overview itself. */
function isOwn(href: string): boolean {
  return /^https?:\/\/(?:support|policies)\.google\./.test(href);
}

function isRoot(element: Element): boolean {
  const isOutermost = ((element.parent?.zones ?? 0) & zone.overview) === 0;
  return (
    (element.zones & zone.overview) !== 0 && isOutermost && (element.zones & (zone.question | zone.furniture)) === 0
  );
}

/** The part with the text: the main column by its name, or the element that renders it. */
function findContent(root: Element, pageIndex: PageIndex): Element | undefined {
  let rendered: Element | undefined;
  for (let order = root.order; order <= root.last; order++) {
    const element = pageIndex.tree.elements[order];
    if (element === undefined) continue;
    if (element.get('data-container-id') === 'main-col') return element;
    if (rendered === undefined && (element.get('jsname') === 'dvXlsc' || element.has('data-rl'))) rendered = element;
  }
  return rendered;
}

/** Parses blocks in order; enters an element that only groups blocks. */
function readTexts(container: Element, reading: Reading, depth: number): AiOverviewText[] {
  const texts: AiOverviewText[] = [];
  const rest: Element[] = [container];
  while (rest.length > 0) {
    const element = rest.pop();
    if (element === undefined || (element !== container && isLeftOut(element))) continue;
    const block = readBlock(element, reading, depth);
    if (block !== undefined) {
      if (block !== 'empty') texts.push(block);
      else citeLast(texts, reading.indexesOf(element));
      continue;
    }
    for (let i = element.children.length - 1; i >= 0; i--) {
      const child = element.children[i];
      if (child !== undefined && typeof child !== 'string') rest.push(child);
    }
  }
  return texts;
}

/** A mark that stands alone belongs to the text before it. */
function citeLast(texts: AiOverviewText[], indexes: readonly number[]): void {
  const last = texts.at(-1);
  if (indexes.length === 0 || last === undefined || last.type === 'list' || last.type === 'code') return;
  const all = new Set([...(last.reference_indexes ?? []), ...indexes]);
  texts[texts.length - 1] = { ...last, reference_indexes: [...all].sort((a, b) => a - b) };
}

function isLeftOut(element: Element): boolean {
  return (
    isHidden(element) ||
    element.tag === 'button' ||
    element.get('role') === 'button' ||
    element.get('role') === 'dialog' ||
    element.get('data-container-id') === 'rhs-col'
  );
}

/** One block, `empty` for one without text, undefined for an element that holds several. */
function readBlock(element: Element, reading: Reading, depth: number): AiOverviewText | 'empty' | undefined {
  if (element.tag === 'ul' || element.tag === 'ol') return readList(element, reading, depth);
  if (element.tag === 'pre') {
    const snippet = textOf(element);
    return snippet === '' ? 'empty' : { type: 'code', snippet };
  }
  if (element.get('role') === 'heading' || /^h[2-6]$/.test(element.tag)) return textBlock(element, 'title', reading);
  if (holdsBlocks(element, reading.pageIndex)) return undefined;
  return textBlock(element, isBold(element, reading.pageIndex) ? 'title' : 'paragraph', reading);
}

function textBlock(element: Element, type: 'paragraph' | 'title', reading: Reading): AiOverviewText | 'empty' {
  const snippet = textOf(element, { without: isLeftOut });
  return snippet === '' ? 'empty' : { type, snippet, ...cited(reading.indexesOf(element)) };
}

function cited(indexes: number[]): { reference_indexes?: number[] } {
  return indexes.length === 0 ? {} : { reference_indexes: indexes };
}

function readList(list: Element, reading: Reading, depth: number): AiOverviewText | 'empty' {
  const items: AiOverviewText[] = [];
  for (let order = list.order + 1; order <= list.last; order++) {
    const item = reading.pageIndex.tree.elements[order];
    if (item?.tag !== 'li' || isLeftOut(item)) continue;
    order = item.last;
    const inner = listIn(item, reading.pageIndex);
    const snippet = textOf(item, { without: (each) => each === inner || isLeftOut(each) });
    if (inner !== undefined && depth < nestingMax) {
      const nested = readList(inner, reading, depth + 1);
      if (nested !== 'empty' && nested.type === 'list')
        items.push({ ...nested, ...(snippet !== '' && { title: snippet }) });
    } else if (snippet !== '') items.push({ type: 'paragraph', snippet, ...cited(reading.indexesOf(item, inner)) });
  }
  return items.length === 0 ? 'empty' : { type: 'list', list: items };
}

function listIn(item: Element, pageIndex: PageIndex): Element | undefined {
  for (let order = item.order + 1; order <= item.last; order++) {
    const element = pageIndex.tree.elements[order];
    if (element?.tag === 'ul' || element?.tag === 'ol') return element;
  }
  return undefined;
}

/** Whether an element only groups blocks: it contains a list or a heading, or several blocks without direct text. */
function holdsBlocks(element: Element, pageIndex: PageIndex): boolean {
  for (let order = element.order + 1; order <= element.last; order++) {
    const inner = pageIndex.tree.elements[order];
    if (inner === undefined) continue;
    if (inner.tag === 'ul' || inner.tag === 'ol' || inner.tag === 'pre' || inner.get('role') === 'heading') return true;
  }
  let blocks = 0;
  for (const child of element.children) {
    if (typeof child === 'string') {
      if (child.trim() !== '') return false;
    } else if (isInline(child)) {
      if (textOf(child) !== '') return blocks === 0 && element.children.length === 1;
    } else if (!isLeftOut(child) && textOf(child) !== '') blocks++;
  }
  return blocks > 0;
}

function isBold(element: Element, pageIndex: PageIndex): boolean {
  const text = textOf(element, { without: isLeftOut });
  if (text.length > titleMax) return false;
  for (let order = element.order; order <= element.last; order++) {
    const inner = pageIndex.tree.elements[order];
    if ((inner?.tag === 'strong' || inner?.tag === 'b') && textOf(inner) === text) return true;
  }
  return false;
}

/**
 * Cited pages in the order of their first mention, each once. Links within the text lead to more searches, and are not
 * citations.
 */
function readReferences(root: Element, content: Element | undefined, pageIndex: PageIndex): Reference[] {
  const byLink = new Map<string, Omit<Reference, 'index'>>();
  for (const anchor of pageIndex.anchors) {
    if (!root.contains(anchor)) continue;
    const href = pageIndex.linkOf(anchor).destination;
    if (href === undefined || isOwn(href)) continue;
    const read = readReference(anchor, href, content);
    const known = byLink.get(href);
    // Cards and bare links cite the same page; the card has more data.
    if (read === undefined || (known !== undefined && (known.subtitle !== undefined || read.subtitle === undefined)))
      continue;
    byLink.set(href, read);
  }
  return [...byLink.values()].map((reference, index) => ({ index: index + 1, ...reference }));
}

/**
 * Title, excerpt and site of a citation are in the link, or in the card that the link covers; its label begins with the
 * title.
 */
function readReference(
  anchor: Element,
  href: string,
  content: Element | undefined,
): Omit<Reference, 'index'> | undefined {
  let texts = readLines(anchor, { hidden: true }).map((line) => line.text);
  const card = anchor.parent;
  if (texts.length < 2 && card !== null && card !== content && card.last - card.order <= cardElementsMax) {
    texts = readLines(card, { hidden: true }).map((line) => line.text);
  }
  const label = anchor.get('aria-label') ?? '';
  const title = texts.find((text) => label.startsWith(text)) ?? (texts.length > 1 || label === '' ? texts[0] : label);
  if (title === undefined || title === '') return undefined;
  const rest = texts.filter((text) => text !== title);
  const source = rest.at(-1);
  const subtitle = rest.length > 1 ? rest[0] : undefined;
  return { title, href, ...(source !== undefined && { source }), ...(subtitle !== undefined && { subtitle }) };
}
