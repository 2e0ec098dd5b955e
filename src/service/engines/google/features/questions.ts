// Parses "People also ask": questions, and the answers that the page contains (most load only on a click).
import type { PeopleAlsoAsk } from '../../../model/results/serp.ts';
import { isLinks, readFirstLine, readLines, textOf, tidy } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import type { PageIndex } from '../page/page-index.ts';
import { zone } from '../page/regions.ts';
import { readParameter } from '../results/urls.ts';

type Answer = NonNullable<PeopleAlsoAsk['answers']>[number];

export interface PlacedQuestion {
  readonly order: number;
  readonly question: Omit<PeopleAlsoAsk, 'rank' | 'global_rank'>;
}

/** Most questions that are read; pages open with four. */
const questionsMax = 60;

/** Questions in reading order, each once. */
export function findQuestions(pageIndex: PageIndex, column: Element): PlacedQuestion[] {
  const placed: PlacedQuestion[] = [];
  const seen = new Set<string>();
  const outside = zone.furniture | zone.side | zone.closedTab;
  for (const root of [...markedRoots(pageIndex), ...plainRoots(pageIndex, column)]) {
    if ((root.zones & outside) !== 0) continue;
    if (placed.length >= questionsMax) break;
    const text = questionText(root);
    if (text === undefined || seen.has(text)) continue;
    seen.add(text);
    placed.push({ order: root.order, question: readQuestion(root, text, pageIndex) });
  }
  return placed;
}

function markedRoots(pageIndex: PageIndex): Element[] {
  return pageIndex.tree.elements.filter(
    (each) => (each.zones & zone.question) !== 0 && ((each.parent?.zones ?? 0) & zone.question) === 0,
  );
}

/**
 * Questions of pages without scripts have no marks. Each ends with a link that searches for the question itself, which
 * is a separate text above it.
 */
function plainRoots(pageIndex: PageIndex, column: Element): Element[] {
  if (pageIndex.ids.has('rcnt') || pageIndex.ids.has('rso')) return [];
  const roots = closedQuestions(pageIndex, column);
  for (const anchor of pageIndex.anchors) {
    if (!column.contains(anchor) || (anchor.zones & zone.furniture) !== 0) continue;
    const href = anchor.get('href');
    if (href === undefined || !/^https?:\/\/(?:www\.)?google\.[^/]+\/search\?/.test(href)) continue;
    const query = tidy(readParameter(href, 'q'));
    if (!/[?？]$/.test(query) || textOf(anchor) === query) continue;
    for (let at = anchor.parent; at !== null && column.contains(at); at = at.parent) {
      if (readFirstLine(at) !== query) continue;
      roots.push(at);
      break;
    }
  }
  return roots;
}

/** Questions without answers in the page: buttons that would open them, one below the other. */
function closedQuestions(pageIndex: PageIndex, column: Element): Element[] {
  const isQuestion = (element: Element): boolean =>
    element.get('role') === 'button' &&
    element.has('aria-expanded') &&
    (element.zones & (zone.furniture | zone.hidden)) === 0 &&
    column.contains(element) &&
    /[?？؟]$/.test(textOf(element));
  return pageIndex.tree.elements.filter(isQuestion);
}

function questionText(root: Element): string | undefined {
  const named = root.get('data-q') ?? descendantQuestion(root);
  if (named !== undefined && named.trim() !== '') return tidy(named);
  return readFirstLine(root);
}

function descendantQuestion(root: Element): string | undefined {
  for (const child of root.children) {
    if (typeof child === 'string') continue;
    const own = child.get('data-q');
    if (own !== undefined) return own;
  }
  return undefined;
}

function readQuestion(root: Element, question: string, pageIndex: PageIndex): PlacedQuestion['question'] {
  const source = pageIndex.headed.find(
    (each) => root.contains(each.heading) && each.link.destination !== undefined && !each.link.isAd,
  );
  const answers = readAnswers(root, question, pageIndex, source?.heading);
  const link = source?.link.destination ?? firstDestination(root, pageIndex);
  return {
    question,
    ...(link !== undefined && answers.length > 0 && { answer_source: link }),
    ...(answers.length > 0 && { answers }),
  };
}

function firstDestination(root: Element, pageIndex: PageIndex): string | undefined {
  for (const anchor of pageIndex.anchors) {
    if (!root.contains(anchor)) continue;
    const link = pageIndex.linkOf(anchor).destination;
    if (link !== undefined) return link;
  }
  return undefined;
}

/** The visible answer; else the one that is hidden until a click. */
function readAnswers(root: Element, question: string, pageIndex: PageIndex, source: Element | undefined): Answer[] {
  const shown = findAnswers(root, question, pageIndex, source, isNotice);
  return shown.length > 0 ? shown : findAnswers(root, question, pageIndex, source, isNeverText);
}

/** Lists, tables and the first text between the question and the source that answers it. */
function findAnswers(
  root: Element,
  question: string,
  pageIndex: PageIndex,
  source: Element | undefined,
  isLeftOut: (element: Element) => boolean,
): Answer[] {
  const found: Omit<Answer, 'rank'>[] = [];
  const lists = new Set<Element>();
  for (let order = root.order + 1; order <= root.last; order++) {
    const element = pageIndex.tree.elements[order];
    const type = element === undefined ? undefined : listTypes.get(element.tag);
    if (element === undefined || type === undefined || isClosed(element, root, isLeftOut)) continue;
    lists.add(element);
    order = element.last;
    const text = findItems(element, type === 'table' ? 'tr' : 'li', pageIndex, isLeftOut).join('\n');
    if (text !== '') found.push({ type, value: { text } });
  }
  const first = firstText(root, question, source, (element) => lists.has(element) || isLeftOut(element));
  const answer = first === undefined ? undefined : textAnswer(first, source);
  return [...(answer === undefined ? [] : [answer]), ...found].map((each, index) => ({ rank: index + 1, ...each }));
}

/** Whether an element is in a skipped part. */
function isClosed(element: Element, root: Element, isLeftOut: (element: Element) => boolean): boolean {
  for (let at: Element | null = element; at !== null && at !== root; at = at.parent) if (isLeftOut(at)) return true;
  return false;
}

function firstText(
  root: Element,
  question: string,
  source: Element | undefined,
  without: (element: Element) => boolean,
): string | undefined {
  return readLines(root, { hidden: true, without }).find(
    (line) =>
      line.text !== question &&
      (source === undefined || line.element.order < source.order) &&
      !isLinks(line) &&
      !isNamed(line.element) &&
      !isUnderButton(line.element, root),
  )?.text;
}

/** A length alone means a video, which the title of its page names. */
function textAnswer(text: string, source: Element | undefined): Omit<Answer, 'rank'> {
  if (!/^\d{1,3}:\d{2}(?::\d{2})?$/.test(text)) return { type: 'answer', value: { text } };
  const title = source === undefined ? '' : textOf(source);
  return { type: 'video', value: { text: title === '' ? text : title } };
}

const listTypes = new Map<string, Answer['type']>([
  ['ol', 'ordered_list'],
  ['ul', 'unordered_list'],
  ['table', 'table'],
]);

function findItems(
  list: Element,
  tag: string,
  pageIndex: PageIndex,
  isLeftOut: (element: Element) => boolean,
): string[] {
  const items: string[] = [];
  for (let order = list.order + 1; order <= list.last; order++) {
    const element = pageIndex.tree.elements[order];
    if (element?.tag !== tag) continue;
    const text = textOf(element, { hidden: true, without: isLeftOut });
    if (text !== '') items.push(text);
  }
  return items;
}

/** Addresses, buttons and dialogs are not part of an answer. */
function isNeverText(element: Element): boolean {
  return element.tag === 'cite' || element.tag === 'button' || element.tag === 'g-dialog';
}

/** Nor are notices that scripts show later. */
function isNotice(element: Element): boolean {
  return isNeverText(element) || /display\s*:\s*none/.test(element.get('style') ?? '');
}

/** The label above an answer ("AI Overview") is hidden from screen readers, or a level-2 heading. */
function isNamed(element: Element): boolean {
  return element.get('aria-hidden') === 'true' || /^h[1-6]$/.test(element.tag) || element.get('aria-level') === '2';
}

function isUnderButton(element: Element, root: Element): boolean {
  for (let at: Element | null = element; at !== null && at !== root; at = at.parent) {
    const role = at.get('role');
    if (role === 'button' || role === 'tab') return true;
  }
  return false;
}
