// People also ask: questions, and the answers that are on the page (most open only when clicked, and are not).
import type { PeopleAlsoAsk } from '../../serp.ts';
import type { Survey } from './survey.ts';
import { isLinks, linesOf, textOf, tidy } from './text.ts';
import type { Element } from './tree.ts';
import { absolute } from './urls.ts';
import { zone } from './zones.ts';

type Answer = NonNullable<PeopleAlsoAsk['answers']>[number];

export interface PlacedQuestion {
  readonly order: number;
  readonly question: Omit<PeopleAlsoAsk, 'rank' | 'global_rank'>;
}

/** Most questions that are read; pages open with four. */
const questionsMax = 60;

/** Questions in reading order, each once. */
export function findQuestions(survey: Survey, column: Element): PlacedQuestion[] {
  const placed: PlacedQuestion[] = [];
  const seen = new Set<string>();
  const outside = zone.furniture | zone.side;
  for (const root of [...markedRoots(survey), ...plainRoots(survey, column)]) {
    if ((root.zones & outside) !== 0) continue;
    if (placed.length >= questionsMax) break;
    const text = questionText(root);
    if (text === undefined || seen.has(text)) continue;
    seen.add(text);
    placed.push({ order: root.order, question: readQuestion(root, text, survey) });
  }
  return placed;
}

function markedRoots(survey: Survey): Element[] {
  return survey.tree.elements.filter(
    (each) => (each.zones & zone.question) !== 0 && ((each.parent?.zones ?? 0) & zone.question) === 0,
  );
}

/**
 * Questions of pages without scripts carry no marks. Each ends with a link that searches for the question itself,
 * which stands above as a text of its own.
 */
function plainRoots(survey: Survey, column: Element): Element[] {
  if (survey.ids.has('rcnt') || survey.ids.has('rso')) return [];
  const roots: Element[] = [];
  for (const anchor of survey.anchors) {
    if (!column.contains(anchor) || (anchor.zones & zone.furniture) !== 0) continue;
    const href = anchor.get('href');
    if (href === undefined || !/^https?:\/\/(?:www\.)?google\.[^/]+\/search\?/.test(href)) continue;
    const query = tidy(new URL(absolute(href)).searchParams.get('q') ?? '');
    if (!/[?？]$/.test(query) || textOf(anchor) === query) continue;
    for (let at = anchor.parent; at !== null && column.contains(at); at = at.parent) {
      if (linesOf(at)[0]?.text !== query) continue;
      roots.push(at);
      break;
    }
  }
  return roots;
}

function questionText(root: Element): string | undefined {
  const named = root.get('data-q') ?? descendantQuestion(root);
  if (named !== undefined && named.trim() !== '') return tidy(named);
  return linesOf(root)[0]?.text;
}

function descendantQuestion(root: Element): string | undefined {
  for (const child of root.children) {
    if (typeof child === 'string') continue;
    const own = child.get('data-q');
    if (own !== undefined) return own;
  }
  return undefined;
}

function readQuestion(root: Element, question: string, survey: Survey): PlacedQuestion['question'] {
  const source = survey.headed.find(
    (each) => root.contains(each.heading) && each.link.destination !== undefined && !each.link.isAd,
  );
  const answers = readAnswers(root, question, survey, source?.heading);
  const link = source?.link.destination ?? firstDestination(root, survey);
  return {
    question,
    ...(link !== undefined && answers.length > 0 && { answer_source: link }),
    ...(answers.length > 0 && { answers }),
  };
}

function firstDestination(root: Element, survey: Survey): string | undefined {
  for (const anchor of survey.anchors) {
    if (!root.contains(anchor)) continue;
    const link = survey.linkOf(anchor).destination;
    if (link !== undefined) return link;
  }
  return undefined;
}

/** Lists, tables and texts between the question and the source that answers it. */
function readAnswers(root: Element, question: string, survey: Survey, source: Element | undefined): Answer[] {
  const found: Omit<Answer, 'rank'>[] = [];
  const lists: Element[] = [];
  for (let order = root.order + 1; order <= root.last; order++) {
    const element = survey.tree.elements[order];
    if (element === undefined || lists.some((list) => list.contains(element))) continue;
    const type = listTypes.get(element.tag);
    if (type === undefined) continue;
    lists.push(element);
    const text = itemsOf(element, type === 'table' ? 'tr' : 'li', survey).join('\n');
    if (text !== '') found.push({ type, value: { text } });
  }
  const isList = (element: Element): boolean => lists.includes(element) || isSource(element);
  for (const line of linesOf(root, { hidden: true, without: isList })) {
    if (line.text === question || (source !== undefined && line.element.order >= source.order)) continue;
    if (isLinks(line) || isNamed(line.element) || isUnderButton(line.element, root)) continue;
    if (/^\d{1,3}:\d{2}(?::\d{2})?$/.test(line.text)) {
      const title = source === undefined ? '' : textOf(source);
      found.unshift({ type: 'video', value: { text: title === '' ? line.text : title } });
      break;
    }
    found.unshift({ type: 'answer', value: { text: line.text } });
    break;
  }
  return found.map((answer, index) => ({ rank: index + 1, ...answer }));
}

const listTypes = new Map<string, Answer['type']>([
  ['ol', 'ordered_list'],
  ['ul', 'unordered_list'],
  ['table', 'table'],
]);

function itemsOf(list: Element, tag: string, survey: Survey): string[] {
  const items: string[] = [];
  for (let order = list.order + 1; order <= list.last; order++) {
    const element = survey.tree.elements[order];
    if (element?.tag !== tag) continue;
    const text = textOf(element, { hidden: true, without: isSource });
    if (text !== '') items.push(text);
  }
  return items;
}

/** Parts of an answer that are not its text: notices that scripts show, labels, feedback, pictures' sources. */
function isSource(element: Element): boolean {
  if (element.tag === 'cite' || element.tag === 'button' || element.tag === 'g-dialog') return true;
  const style = element.raw('style');
  return style !== undefined && /display\s*:\s*none/.test(style);
}

/** The label above an answer ("AI Overview") is hidden from screen readers, or a level-2 heading. */
function isNamed(element: Element): boolean {
  return element.raw('aria-hidden') === 'true' || /^h[1-6]$/.test(element.tag) || element.raw('aria-level') === '2';
}

function isUnderButton(element: Element, root: Element): boolean {
  for (let at: Element | null = element; at !== null && at !== root; at = at.parent) {
    const role = at.raw('role');
    if (role === 'button' || role === 'tab') return true;
  }
  return false;
}
