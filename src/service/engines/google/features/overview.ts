// Reads the AI overview above the results: paragraphs, titles, lists, code, and the pages that each part cites.
import type { AiOverview, AiOverviewText } from '../../../model/results/serp.ts';
import { withoutEmpty } from '../../page/assemble.ts';
import { normalise } from '../../page/query.ts';
import { isHidden, isInline, readLines, textOf } from '../../page/text.ts';
import { type Element, findAll, findFirst, partsOf } from '../../page/tree.ts';
import type { PageIndex } from '../page-index.ts';
import { zone } from '../regions.ts';
import { readLink } from '../urls.ts';

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
export function readOverview(pageIndex: PageIndex, html: string): AiOverview | undefined {
  for (const root of pageIndex.tree.elements.filter(isRoot)) {
    const content = findContent(root, pageIndex);
    const isReadable = content !== undefined && content.last - content.order <= contentElementsMax;
    if (!isReadable) continue;
    const references = readReferences(root, content, pageIndex);
    const texts = readTexts(content, readContent(root, pageIndex, references, html), 0);
    if (texts.length === 0) continue;
    return withoutEmpty({ texts, references });
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
    const own = partsOf(pageIndex.tree, element).filter((inner) => part?.contains(inner) !== true);
    const indexes = new Set(own.flatMap(citedBy).flatMap((href) => indexOf.get(href) ?? []));
    return [...indexes].sort((a, b) => a - b);
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
  const parts = partsOf(pageIndex.tree, root);
  return (
    parts.find((each) => each.get('data-container-id') === 'main-col') ??
    parts.find((each) => each.get('jsname') === 'dvXlsc' || each.has('data-rl'))
  );
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
  if (isList(element)) return readList(element, reading, depth);
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
  return snippet === '' ? 'empty' : withoutEmpty({ type, snippet, reference_indexes: reading.indexesOf(element) });
}

function readList(list: Element, reading: Reading, depth: number): AiOverviewText | 'empty' {
  const items: AiOverviewText[] = [];
  const { tree } = reading.pageIndex;
  for (const item of findAll(tree, list, (each) => each.tag === 'li' && !isLeftOut(each))) {
    const inner = findFirst(tree, item, isList);
    const snippet = textOf(item, { without: (each) => each === inner || isLeftOut(each) });
    if (inner !== undefined && depth < nestingMax) {
      const nested = readList(inner, reading, depth + 1);
      if (nested !== 'empty' && nested.type === 'list')
        items.push({ ...nested, ...(snippet !== '' && { title: snippet }) });
    } else if (snippet !== '')
      items.push(withoutEmpty({ type: 'paragraph', snippet, reference_indexes: reading.indexesOf(item, inner) }));
  }
  return items.length === 0 ? 'empty' : { type: 'list', list: items };
}

function isList({ tag }: Element): boolean {
  return tag === 'ul' || tag === 'ol';
}

/** Whether an element only groups blocks: it contains a list or a heading, or several blocks without direct text. */
function holdsBlocks(element: Element, pageIndex: PageIndex): boolean {
  const isBlock = (inner: Element): boolean => isList(inner) || inner.tag === 'pre' || inner.get('role') === 'heading';
  if (findFirst(pageIndex.tree, element, isBlock) !== undefined) return true;
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
  return partsOf(pageIndex.tree, element).some(
    (inner) => (inner.tag === 'strong' || inner.tag === 'b') && textOf(inner) === text,
  );
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
  return withoutEmpty({ title, href, source, subtitle });
}

/** URLs by the id of a mark, as far as the page contains them. */
type Citations = ReadonlyMap<string, readonly string[]>;

/** Limits of comments and marks per page, and of lists of all pages; the recorded maxima are 253, 105 and 1. */
const commentsMax = 5_000;
const marksMax = 500;
const ordersMax = 20;
/** Longest comment, in characters, and most pages of a list; the most that were recorded are 4,000 and 13. */
const commentCharactersMax = 20_000;
const listMax = 200;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/**
 * Since November 2025: one comment for each page that a mark cites. Since the middle of 2026, bars precede the list.
 */
const citedText = /^\w{1,20}\|{0,5}\[\[(?:"|&quot;)[0-9a-f]{8}-/;
/** In early 2025: scripts number the pages that a mark cites, and all cited pages in the order of their cards. */
const numbered = /\["([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",\[(\d+(?:,\d+)*)\]\]/g;
const orderText = /"\w+":\[\[(\d+(?:,\d+)*)\],\[\]\]/g;

/**
 * Reads the data of the page about its marks. `cards`: URLs of the overview's cards, in order; `references`: those of
 * all pages that it cites.
 */
function readCitations(html: string, cards: readonly string[], references: readonly string[]): Citations {
  const citations = new Map<string, string[]>();
  const known = new Set(references);
  const add = (id: string, address: string | undefined) => {
    if (address === undefined || citations.get(id)?.includes(address) === true) return;
    citations.set(id, [...(citations.get(id) ?? []), address]);
  };
  for (const comment of citationComments(html)) {
    const [id, addresses = []] = commented(comment.slice(comment.indexOf('[')), known);
    if (id !== undefined) for (const address of addresses) add(id, address);
  }
  const numberedMarks = found(html, numbered, marksMax);
  const lists = numberedMarks.length === 0 ? [] : found(html, orderText, ordersMax);
  const orders = lists.map(([, numbers = '']) => numbers.split(',', listMax));
  for (const [, id = '', numbers = ''] of numberedMarks) {
    const all = numbers.split(',', listMax);
    const list = orders.find((each) => all.every((number) => each.includes(number)));
    for (const number of all) add(id, cards[list?.indexOf(number) ?? -1]);
  }
  return citations;
}

/** The id of the mark that this element is; undefined for any other element. */
function citationId(element: Element): string | undefined {
  const id = element.get('data-icl-uuid') ?? element.get('data-cid');
  return id !== undefined && uuid.test(id) ? id : undefined;
}

function found(html: string, pattern: RegExp, most: number): RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  for (const match of html.matchAll(pattern)) {
    if (matches.length === most) break;
    matches.push(match);
  }
  return matches;
}

/** The data of scripts about marks and the order of all cited pages, unparsed. */
export function citationNumbers(html: string): string[] {
  return [...found(html, numbered, marksMax), ...found(html, orderText, ordersMax)].map(([all]) => all);
}

/** Comments that describe marks. */
export function citationComments(html: string): string[] {
  const comments: string[] = [];
  let at = html.indexOf('<!--');
  for (let count = 0; at >= 0 && count < commentsMax; count++) {
    const end = html.indexOf('-->', at);
    if (end < 0) break;
    const isShort = end - at < commentCharactersMax;
    const comment = isShort ? html.slice(at + '<!--'.length, end) : '';
    if (citedText.test(comment)) comments.push(comment);
    at = html.indexOf('<!--', end);
  }
  return comments;
}

/**
 * A mark and the pages that it cites: a page as a card (`[title, excerpt, icon, site, [name], address, ...]`), or its
 * number and its URL; in any other form, the URLs in it that belong to cited pages.
 */
function commented(comment: string, known: ReadonlySet<string>): readonly [id?: string, addresses?: readonly string[]] {
  try {
    const lists = JSON.parse(decoded(comment)) as unknown[][];
    const [[id, page, , address] = []] = lists;
    if (typeof id !== 'string' || !uuid.test(id)) return [];
    const cited = Array.isArray(page) ? page[5] : address;
    const destination = typeof cited === 'string' ? readLink(cited).destination : undefined;
    return [id, destination === undefined ? addressesIn(lists).filter((each) => known.has(each)) : [destination]];
  } catch {
    return [];
  }
}

/** Most values of a comment that are looked at. */
const valuesMax = 500;

function addressesIn(value: unknown): string[] {
  const addresses: string[] = [];
  const rest: unknown[] = [value];
  for (let count = 0; rest.length > 0 && count < valuesMax; count++) {
    const each = rest.pop();
    if (Array.isArray(each)) rest.push(...each.slice(0, valuesMax).reverse());
    else if (typeof each === 'string' && /^https?:\/\//.test(each)) addresses.push(readLink(each).destination ?? each);
  }
  return addresses;
}

/** Comments of saved pages hold their signs as references. */
export function decoded(comment: string): string {
  return comment
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
