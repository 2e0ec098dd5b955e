// Reads "People also ask", related searches, and the tabs of search types.
import type { NavigationTab, PeopleAlsoAsk } from '../../../model/results/serp.ts';
import { type PlacedQuestion, type PlacedRelated, withoutEmpty } from '../../page/assemble.ts';
import { isSameQuery, normalise } from '../../page/query.ts';
import { isLinks, readFirstLine, readLines, textOf, tidy } from '../../page/text.ts';
import { closest, type Element, partsOf } from '../../page/tree.ts';
import { shownQuery } from '../guards.ts';
import { firstFrom, type PageIndex } from '../page-index.ts';
import { zone } from '../regions.ts';
import { absolute, isOwnSite, readParameter } from '../urls.ts';

type Answer = NonNullable<PeopleAlsoAsk['answers']>[number];

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
    const cited = pageIndex.linksIn(root).filter((link) => !isOwnSite(link));
    placed.push({ order: root.order, question: readQuestion(root, text, pageIndex), cited });
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
    const root = closest(
      anchor,
      (each) => !column.contains(each) || (each !== anchor && readFirstLine(each) === query),
    );
    if (root !== undefined && column.contains(root)) roots.push(root);
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
  const inner = root.children.flatMap((child) => (typeof child === 'string' ? [] : (child.get('data-q') ?? [])));
  const named = root.get('data-q') ?? inner[0];
  if (named !== undefined && named.trim() !== '') return tidy(named);
  return readFirstLine(root);
}

function readQuestion(root: Element, question: string, pageIndex: PageIndex): PlacedQuestion['question'] {
  const source = pageIndex.headed.find(
    (each) => root.contains(each.heading) && each.link.destination !== undefined && !each.link.isAd,
  );
  const answers = readAnswers(root, question, pageIndex, source?.heading);
  const link = source?.link.destination ?? pageIndex.linksIn(root)[0];
  return withoutEmpty({ question, answer_source: answers.length > 0 ? link : undefined, answers });
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
  return closest(element, (each) => each === root || isLeftOut(each)) !== root;
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
  return partsOf(pageIndex.tree, list)
    .filter((element) => element.tag === tag)
    .map((element) => textOf(element, { hidden: true, without: isLeftOut }))
    .filter((text) => text !== '');
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
  return closest(element, (each) => each === root || /^(?:button|tab)$/.test(each.get('role') ?? '')) !== root;
}

const notRelated =
  zone.furniture |
  zone.ad |
  zone.side |
  zone.question |
  zone.overview |
  zone.attribute |
  zone.hidden |
  zone.snippet |
  zone.closedTab;

/** Fewer searches between two results are part of another feature. */
const betweenMin = 3;

/**
 * Searches whose text is their query: below the last organic result, and rows of them between two results. Page
 * numbers, tools and tabs have another text, or their own parameter; rows of entities (`stick`, `si`, `kgmid`) and of
 * ads (`mrq`) have theirs.
 */
export function findRelated(pageIndex: PageIndex, results: readonly number[], after: number): PlacedRelated[] {
  const own = normalise(shownQuery(pageIndex) ?? '');
  const bySegment = new Map<number, PlacedRelated[]>();
  const seen = new Set<string>();
  for (const anchor of pageIndex.anchors) {
    if (anchor.order <= (results[0] ?? after) || (anchor.zones & notRelated) !== 0) continue;
    const raw = anchor.href;
    if (!isSearch(raw) || ofOthers.test(raw) || isFilter(raw) || hasPictures(anchor, pageIndex)) continue;
    const href = anchor.href;
    const query = normalise(readParameter(href, 'q'));
    if (query === '' || query === own) continue;
    const text = searchText(anchor, query);
    if (text === undefined) continue;
    const segment = firstFrom(results, anchor.order);
    const placed = { order: anchor.order, related: { text, link: absolute(href) } };
    bySegment.set(segment, [...(bySegment.get(segment) ?? []), placed]);
  }
  const rows = [...bySegment].filter(([segment, row]) => segment === results.length || row.length >= betweenMin);
  return rows
    .flatMap(([, row]) => row)
    .filter(({ related }) => {
      const query = normalise(related.text);
      return !seen.has(query) && seen.add(query);
    });
}

/** Parameters of pages, search types, spellings, entities and ads. */
const ofOthers = /[?;&](?:start|tbm|udm|filter|spell|stick|si|kgmid|mrq)=/;

const pictureTags: ReadonlySet<string> = new Set(['img', 'g-img', 'svg']);

/** Whether a link shows several pictures; a single one may be an icon. */
function hasPictures(anchor: Element, pageIndex: PageIndex): boolean {
  return partsOf(pageIndex.tree, anchor).filter(({ tag }) => pictureTags.has(tag)).length > 1;
}

/** Filters by time, size and the like. A search within a country or a language has such a parameter in every link. */
function isFilter(raw: string): boolean {
  return /[?;&]tbs=(?!(?:ctr|lr):)/.test(raw);
}

function isSearch(raw: string): boolean {
  return raw.startsWith('/search?') || /^https?:\/\/(?:www\.)?google\.[^/]+\/search\?/.test(raw);
}

/** The line of a link with its query; longer links (places, products) have more lines. */
function searchText(anchor: Element, query: string): string | undefined {
  const text = textOf(anchor);
  if (isSameQuery(text, query)) return text;
  return readLines(anchor).find((line) => isSameQuery(line.text, query))?.text;
}

/** Tabs of search types above the results, each type once. Links among the results lead to more items of a feature. */
export function findTabs(pageIndex: PageIndex, before: number): NavigationTab[] {
  const tabs: NavigationTab[] = [];
  const results = pageIndex.ids.get('rso');
  const seen = new Set<string>();
  for (const anchor of pageIndex.anchors) {
    if (anchor.order >= before) break;
    if (results?.contains(anchor) === true) continue;
    const type = tabType(anchor);
    if (type === undefined || seen.has(type)) continue;
    const title = textOf(anchor);
    if (title === '' || title.length > 40) continue;
    seen.add(type);
    tabs.push({ title, href: absolute(anchor.href) });
  }
  return tabs;
}

/**
 * The search type of a link, by its parameter or host; undefined for anything else, including filters by time and
 * place.
 */
function tabType(anchor: Element): string | undefined {
  if ((anchor.zones & (zone.ad | zone.attribute | zone.question | zone.overview)) !== 0 || isImageRow(anchor))
    return undefined;
  const href = anchor.href;
  if (/[?&]source=lnt\b/.test(href) || isFilter(href)) return undefined;
  const inner = href.startsWith('/url?') ? readParameter(href, 'q') : href;
  if (/[?&]tab=w/.test(inner)) return undefined;
  const [, kind, value] = /[?&](tbm|udm)=([a-z0-9]+)/.exec(inner) ?? [];
  if (value !== undefined && value !== 'lcl' && (inner.includes('/search?') || isSearch(inner)))
    return `${kind}=${value}`;
  if (isVertical(inner)) return inner.split('?')[0];
  return /^https?:\/\/maps\.google\.[^/]+\/maps\?/.test(inner) ? 'maps' : undefined;
}

/** A search of the engine's flights, travel or finance. */
function isVertical(href: string): boolean {
  const [address = ''] = href.split('#', 1);
  return /^(?:https?:\/\/[^/]+)?\/(?:flights|travel|finance)\b/.test(address) && /[?&]q=/.test(address);
}

/** A link around a picture leads from a row of pictures to more of them; it is not a tab. */
function isImageRow(anchor: Element): boolean {
  return anchor.children.some((child) => typeof child !== 'string' && child.tag === 'img');
}
