// The AI overview above the results: its text as paragraphs, titles, lists and code, and the pages it cites. Overviews in answers are the questions' own.
import type { AiOverview, AiOverviewText } from '../../serp.ts';
import type { Element } from '../page/element.ts';
import { isHidden, isInline, linesOf, textOf } from '../page/text.ts';
import type { Survey } from './survey.ts';
import { zone } from './zones.ts';

type Reference = NonNullable<AiOverview['references']>[number];

/** Longest bold line that is a title and not a sentence, in characters. */
const titleMax = 120;
/** Most elements of an overview's text; the longest recorded one has 900. */
const contentElementsMax = 8_000;
/** Deepest nesting of lists that is kept. */
const nestingMax = 6;

/** The overview, where the page holds text of it: the frame alone is there on pages that show none. */
export function readOverview(survey: Survey): { overview: AiOverview; order: number } | undefined {
  const roots = survey.tree.elements.filter((each) => isRoot(each));
  for (const root of roots) {
    const content = contentOf(root, survey);
    const isReadable = content !== undefined && content.last - content.order <= contentElementsMax;
    const texts = !isReadable ? [] : readTexts(content, survey, 0);
    if (texts.length === 0) continue;
    const references = readReferences(root, content, survey);
    return { order: root.order, overview: { texts, ...(references.length > 0 && { references }) } };
  }
  return undefined;
}

function isRoot(element: Element): boolean {
  const isOutermost = ((element.parent?.zones ?? 0) & zone.overview) === 0;
  return (
    (element.zones & zone.overview) !== 0 && isOutermost && (element.zones & (zone.question | zone.furniture)) === 0
  );
}

/** The part that holds the text: what the page calls its main column, or the element that renders it. */
function contentOf(root: Element, survey: Survey): Element | undefined {
  let rendered: Element | undefined;
  for (let order = root.order; order <= root.last; order++) {
    const element = survey.tree.elements[order];
    if (element === undefined) continue;
    if (element.raw('data-container-id') === 'main-col') return element;
    if (rendered === undefined && (element.raw('jsname') === 'dvXlsc' || element.has('data-rl'))) rendered = element;
  }
  return rendered;
}

/** Reads blocks in order; an element that only groups blocks is entered. */
function readTexts(container: Element, survey: Survey, depth: number): AiOverviewText[] {
  const texts: AiOverviewText[] = [];
  const rest: Element[] = [container];
  while (rest.length > 0) {
    const element = rest.pop();
    if (element === undefined || (element !== container && isLeftOut(element))) continue;
    const block = readBlock(element, survey, depth);
    if (block !== undefined) {
      if (block !== 'empty') texts.push(block);
      continue;
    }
    for (let i = element.children.length - 1; i >= 0; i--) {
      const child = element.children[i];
      if (child !== undefined && typeof child !== 'string') rest.push(child);
    }
  }
  return texts;
}

function isLeftOut(element: Element): boolean {
  return (
    isHidden(element) ||
    element.raw('role') === 'button' ||
    element.raw('role') === 'dialog' ||
    element.raw('data-container-id') === 'rhs-col'
  );
}

/** One block, `empty` for one without text, undefined for an element that holds several. */
function readBlock(element: Element, survey: Survey, depth: number): AiOverviewText | 'empty' | undefined {
  if (element.tag === 'ul' || element.tag === 'ol') return readList(element, survey, depth);
  if (element.tag === 'pre') {
    const snippet = textOf(element);
    return snippet === '' ? 'empty' : { type: 'code', snippet };
  }
  if (element.raw('role') === 'heading' || /^h[2-6]$/.test(element.tag)) return textBlock(element, 'title');
  if (holdsBlocks(element, survey)) return undefined;
  return textBlock(element, isBold(element, survey) ? 'title' : 'paragraph');
}

function textBlock(element: Element, type: 'paragraph' | 'title'): AiOverviewText | 'empty' {
  const snippet = textOf(element, { without: isLeftOut });
  return snippet === '' ? 'empty' : { type, snippet };
}

function readList(list: Element, survey: Survey, depth: number): AiOverviewText | 'empty' {
  const items: AiOverviewText[] = [];
  for (let order = list.order + 1; order <= list.last; order++) {
    const item = survey.tree.elements[order];
    if (item?.tag !== 'li' || isLeftOut(item)) continue;
    order = item.last;
    const inner = listIn(item, survey);
    const snippet = textOf(item, { without: (each) => each === inner || isLeftOut(each) });
    if (inner !== undefined && depth < nestingMax) {
      const nested = readList(inner, survey, depth + 1);
      if (nested !== 'empty' && nested.type === 'list')
        items.push({ ...nested, ...(snippet !== '' && { title: snippet }) });
    } else if (snippet !== '') items.push({ type: 'paragraph', snippet });
  }
  return items.length === 0 ? 'empty' : { type: 'list', list: items };
}

function listIn(item: Element, survey: Survey): Element | undefined {
  for (let order = item.order + 1; order <= item.last; order++) {
    const element = survey.tree.elements[order];
    if (element?.tag === 'ul' || element?.tag === 'ol') return element;
  }
  return undefined;
}

/** Whether an element only groups blocks: it holds a list or a heading, or several blocks and no text of its own. */
function holdsBlocks(element: Element, survey: Survey): boolean {
  for (let order = element.order + 1; order <= element.last; order++) {
    const inner = survey.tree.elements[order];
    if (inner === undefined) continue;
    if (inner.tag === 'ul' || inner.tag === 'ol' || inner.tag === 'pre' || inner.raw('role') === 'heading') return true;
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

function isBold(element: Element, survey: Survey): boolean {
  const text = textOf(element, { without: isLeftOut });
  if (text.length > titleMax) return false;
  for (let order = element.order; order <= element.last; order++) {
    const inner = survey.tree.elements[order];
    if ((inner?.tag === 'strong' || inner?.tag === 'b') && textOf(inner) === text) return true;
  }
  return false;
}

/** Cited pages in the order of their first mention, each once. Links within the text lead to more searches, and are none. */
function readReferences(root: Element, content: Element | undefined, survey: Survey): Reference[] {
  const byLink = new Map<string, Omit<Reference, 'index'>>();
  for (const anchor of survey.anchors) {
    if (!root.contains(anchor)) continue;
    const href = survey.linkOf(anchor).destination;
    if (href === undefined || /^https?:\/\/(?:support|policies)\.google\./.test(href)) continue;
    const read = readReference(anchor, href, content);
    const known = byLink.get(href);
    // The same page is cited by cards and by bare links; the card says more.
    if (read === undefined || (known !== undefined && (known.subtitle !== undefined || read.subtitle === undefined)))
      continue;
    byLink.set(href, read);
  }
  return [...byLink.values()].map((reference, index) => ({ index: index + 1, ...reference }));
}

/** Title, excerpt and site of a citation stand in the link, or in the card that the link covers; its label begins with the title. */
function readReference(
  anchor: Element,
  href: string,
  content: Element | undefined,
): Omit<Reference, 'index'> | undefined {
  let texts = linesOf(anchor, { hidden: true }).map((line) => line.text);
  if (texts.length < 2 && anchor.parent !== null && anchor.parent !== content) {
    texts = linesOf(anchor.parent, { hidden: true }).map((line) => line.text);
  }
  const label = anchor.get('aria-label') ?? '';
  const title = texts.find((text) => label.startsWith(text)) ?? (texts.length > 1 || label === '' ? texts[0] : label);
  if (title === undefined || title === '') return undefined;
  const rest = texts.filter((text) => text !== title);
  const source = rest.at(-1);
  const subtitle = rest.length > 1 ? rest[0] : undefined;
  return { title, href, ...(source !== undefined && { source }), ...(subtitle !== undefined && { subtitle }) };
}
