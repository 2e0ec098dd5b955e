// Reads the knowledge panel and its entity, found by `data-attrid` (since 2018) and the `kno-` classes of all years.
import type { KnowledgePanel, SerpPage } from '../../../model/results/serp.ts';
import { withoutEmpty } from '../../page/assemble.ts';
import { isHidden, readFirstLine, readLines, type TextLine, textOf } from '../../page/text.ts';
import { closest, type Element, findFirst, hasClass, partsOf, withClass } from '../../page/tree.ts';
import { isColumn, type PageIndex } from '../page-index.ts';
import { zone } from '../regions.ts';
import { isOwnSite } from '../urls.ts';

type Fact = NonNullable<KnowledgePanel['facts']>[number];

const outside = zone.question | zone.ad | zone.furniture | zone.overview;
/** Attributes of these kinds state one fact each: knowledge graph, web facts, collections. */
const factId = /^(?:kc|ss|hw|okra\/fact|lab\/fact)[:/]/;
/** Limit of facts, and of elements per fact: opening hours have about 60. */
const factsMax = 80;
const factElementsMax = 400;
const entityId = /^\/[mg]\/[0-9a-z_]+$/;

interface ReadPanel {
  readonly knowledge: KnowledgePanel;
  /** Where the panels of the page lead to. */
  readonly links: readonly string[];
}

/** The first panel with a name and content. Mobile pages show several, each after its name. */
export function readPanel(pageIndex: PageIndex): ReadPanel | undefined {
  const names = findNames(pageIndex);
  for (const [index, name] of names.entries()) {
    const within = { from: name.order, to: names[index + 1]?.order ?? Number.POSITIVE_INFINITY };
    const panel = readPanelAt(pageIndex, name, within);
    if (panel !== undefined) return { knowledge: panel, links: findLinks(pageIndex, names[0]?.order ?? 0) };
  }
  return undefined;
}

/** Parts of a panel whose links count: the others are pictures, videos, events and results in a row. */
const linkedParts =
  /^(?:description|VisualDigestDescription|visit_official_site|(?:kc|ss|hw|okra\/fact|lab\/fact|action)[:/].*)$/;

/** Links of the panels on the page: websites, profiles, sources of descriptions and facts. */
function findLinks(pageIndex: PageIndex, from: number): string[] {
  const marked = pageIndex.byData('data-attrid').filter((each) => linkedParts.test(each.get('data-attrid') ?? ''));
  const named = pageIndex.tree.elements.filter(withClass('kno-rdesc'));
  const parts = [...marked, ...named].sort((a, b) => a.order - b.order);
  let next = 0;
  let end = 0;
  return pageIndex.anchors.flatMap((anchor) => {
    for (let part = parts[next]; part !== undefined && part.order <= anchor.order; part = parts[++next])
      end = Math.max(end, part.last);
    // the buttons below the name of a business have no mark
    const isButton = (anchor.zones & zone.side) !== 0 && hasClass(anchor, 'ab_button');
    if (anchor.order < from || (anchor.order > end && !isButton) || (anchor.zones & zone.hidden) !== 0) return [];
    const { destination, isAd } = pageIndex.linkOf(anchor);
    return destination === undefined || isAd || isOwnSite(destination) || !isShown(anchor) ? [] : [destination];
  });
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function readPanelAt(pageIndex: PageIndex, title: Element, within: Range): KnowledgePanel | undefined {
  const name = readFirstLine(title);
  const subtitle = findParts(pageIndex, 'subtitle', within)
    .map((each) => readFirstLine(each))
    .find((text) => text !== undefined);
  const description = readDescription(pageIndex, within);
  const facts = readFacts(pageIndex, within);
  if (name === undefined || (subtitle === undefined && description === undefined && facts.length === 0))
    return undefined;
  return withoutEmpty({
    name,
    subtitle,
    description: description?.text,
    description_source: description?.source,
    facts,
  });
}

/** Names of panels: marked since 2019, by class before. */
function findNames(pageIndex: PageIndex): Element[] {
  const marked = findParts(pageIndex, 'title', { from: 0, to: Number.POSITIVE_INFINITY });
  return marked.length > 0
    ? marked
    : pageIndex.tree.elements.filter((each) => hasClass(each, 'kno-ecr-pt') && isShown(each));
}

function findParts(pageIndex: PageIndex, id: string, within: Range): Element[] {
  return pageIndex
    .byData('data-attrid')
    .filter(
      (each) => each.get('data-attrid') === id && each.order >= within.from && each.order < within.to && isShown(each),
    );
}

/** Knowledge graph id and name of the panel's entity. */
export function readEntity(pageIndex: PageIndex, name: string | undefined): SerpPage['overview'] | undefined {
  if (name === undefined) return undefined;
  return withoutEmpty({ kgmid: findEntityId(pageIndex, name), title: name });
}

/**
 * The id in the panel's feedback form or share link beside the panel's own name; other ids belong to other entities.
 */
function findEntityId(pageIndex: PageIndex, name: string): string | undefined {
  for (const element of pageIndex.byData('data-maindata')) {
    const data = element.get('data-maindata') ?? '';
    const [, id, label] = /"(\/[mg]\/[0-9a-z_]+)","((?:[^"\\]|\\.)*)"/.exec(data) ?? [];
    if (id !== undefined && label !== undefined && isSameName(label, name)) return id;
  }
  for (const element of pageIndex.byData('data-kpid')) {
    const id = (element.get('data-kpid') ?? '').replace(/^[a-z]+:/, '');
    if (entityId.test(id) && (element.zones & outside) === 0) return id;
  }
  for (const anchor of pageIndex.anchors) {
    const [, id] = /[?&;]kgmid=(\/[mg]\/[0-9a-z_]+)/.exec(anchor.href) ?? [];
    if (id !== undefined && (anchor.zones & zone.question) === 0) return id;
  }
  return undefined;
}

/** A label in JSON, compared with a name as it is shown: `\u0026` is `&`. */
function isSameName(label: string, name: string): boolean {
  const plain = label.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return plain.toLowerCase() === name.toLowerCase();
}

function isShown(element: Element): boolean {
  // The old panel beside the results has the class of featured snippets.
  const isSnippet = (element.zones & zone.snippet) !== 0 && (element.zones & zone.side) === 0;
  return !isSnippet && (element.zones & outside) === 0 && !isHidden(element);
}

function readDescription(pageIndex: PageIndex, within: Range): { text: string; source?: string } | undefined {
  const element =
    findParts(pageIndex, 'description', within)[0] ??
    pageIndex.tree.elements.find(
      (each) => hasClass(each, 'kno-rdesc') && each.order >= within.from && each.order < within.to && isShown(each),
    );
  if (element === undefined) return undefined;
  const anchor = pageIndex.anchors.find(
    (each) => element.contains(each) && pageIndex.linkOf(each).destination !== undefined,
  );
  const source = anchor === undefined ? undefined : textOf(anchor);
  const lines = readLines(element, {
    without: (each) => each === anchor || /^h\d$/.test(each.tag) || each.get('role') === 'button',
  });
  const text = lines.reduce((longest, line) => (line.text.length > longest.length ? line.text : longest), '');
  if (text === '') return undefined;
  return withoutEmpty({ text, source });
}

function readFacts(pageIndex: PageIndex, within: Range): Fact[] {
  const facts: Fact[] = [];
  const keys = new Set<string>();
  for (const element of pageIndex.byData('data-attrid')) {
    if (element.order < within.from || element.order >= within.to) continue;
    if (facts.length >= factsMax || element.last - element.order > factElementsMax) continue;
    if (!factId.test(element.get('data-attrid') ?? '') || !isShown(element)) continue;
    const fact = readFact(element, pageIndex);
    if (fact === undefined || keys.has(fact.key)) continue;
    keys.add(fact.key);
    facts.push(fact);
  }
  return facts;
}

/** "Born: May 11, 1904": the label ends with a colon in every language, or is on its own line. */
function readFact(element: Element, pageIndex: PageIndex): Fact | undefined {
  const lines = readLines(element);
  const [first, second] = lines;
  if (first === undefined) return undefined;
  const [, label, rest] = /^([^:：]{1,60}?) ?[:：] ?(.*)$/su.exec(first.text) ?? [];
  if (label !== undefined && rest !== undefined && labelled(element, pageIndex, label)) {
    const below = lines.slice(1).map((line) => line.text);
    const value = rest !== '' ? rest : below.join(' ');
    return value === '' ? undefined : { key: label, value: splitValue(value, element, pageIndex) };
  }
  const isLab = element.get('data-attrid')?.startsWith('lab/fact') === true;
  if (!isLab || second === undefined) return undefined;
  const below = lines.slice(1).map((line) => line.text);
  return { key: first.text, value: [{ text: below.join(', ') }] };
}

/** The label is among the first elements of a fact. */
const labelSearchMax = 30;

/** Whether the label is a separate element: a time in a text contains a colon too. */
function labelled(element: Element, pageIndex: PageIndex, label: string): boolean {
  return partsOf(pageIndex.tree, element)
    .slice(0, labelSearchMax + 1)
    .map((part) => textOf(part))
    .some((text) => text.length <= label.length + 3 && text.replace(/ ?[:：]$/, '') === label && text !== label);
}

/** Several linked values are several values; anything else is one. */
function splitValue(value: string, element: Element, pageIndex: PageIndex): Fact['value'] {
  const linked = pageIndex.anchors.filter((anchor) => element.contains(anchor)).map((anchor) => textOf(anchor));
  const pieces = value.split(/,\s+/);
  if (pieces.length < 2 || !pieces.every((piece) => linked.includes(piece))) return [{ text: value }];
  // The last link may lead to the rest of the list; only that link is in capitals.
  const last = pieces.at(-1) ?? '';
  const isMore = last === last.toUpperCase() && pieces.slice(0, -1).every((piece) => piece !== piece.toUpperCase());
  return (isMore ? pieces.slice(0, -1) : pieces).map((text) => ({ text }));
}

const outsideCards = zone.question | zone.ad | zone.furniture | zone.overview | zone.hidden;
/** Limits of headings to try, of elements per card (the largest recorded one has 200) and of its lines. */
const titlesMax = 20;
const cardElementsMax = 1_000;
const linesMax = 60;
/** Shorter lines are not descriptions, in characters. */
const descriptionMin = 40;

/** The first card that states facts; undefined on pages with scripts, whose panels are marked. */
export function readPlainCard(pageIndex: PageIndex): ReadPanel | undefined {
  if (pageIndex.ids.has('rso') || pageIndex.ids.has('rcnt')) return undefined;
  const titles = pageIndex.titles.filter(({ tag, zones }) => tag === 'h3' && (zones & outsideCards) === 0);
  for (const title of titles.slice(0, titlesMax)) {
    const panel = readCard(title, pageIndex);
    if (panel !== undefined) return panel;
  }
  return undefined;
}

function readCard(title: Element, pageIndex: PageIndex): ReadPanel | undefined {
  const card = cardAround(title, pageIndex);
  const name = textOf(title);
  if (card.last - card.order > cardElementsMax) return undefined;
  const [first, second, ...others] = readLines(card, { linesMax });
  if (first === undefined || second === undefined || first.text !== name) return undefined;
  const lines = [second, ...others];
  const facts = new Map<string, Fact>();
  for (const line of lines) {
    const fact = parseFact(line, pageIndex);
    if (fact !== undefined && !facts.has(fact.key)) facts.set(fact.key, fact);
  }
  if (facts.size === 0) return undefined;
  const description = readCardText(lines, pageIndex);
  const hasSubtitle = second.text !== description?.line.text && !/[:：]/.test(second.text);
  return {
    links: description === undefined ? [] : [description.link],
    knowledge: {
      name,
      ...(hasSubtitle && { subtitle: second.text }),
      ...(description !== undefined && { description: description.text, description_source: description.source }),
      facts: [...facts.values()],
    },
  };
}

/** Most elements of a fact. */
const cardFactElementsMax = 100;

/** "Born: May 11, 1904": a separate element holds the label. */
function parseFact({ text, element }: TextLine, pageIndex: PageIndex): Fact | undefined {
  const [, label, value] = /^([^:：]{1,60}?) ?[:：] ?(.+)$/su.exec(text) ?? [];
  const block = findBlock(element);
  if (label === undefined || value === undefined || block.last - block.order > cardFactElementsMax) return undefined;
  const isLabel = (part: Element): boolean => textOf(part).replace(/ ?[:：]$/, '') === label;
  if (findFirst(pageIndex.tree, block, isLabel) === undefined) return undefined;
  return { key: label, value: splitValue(value, block, pageIndex) };
}

/** The widest block around a heading without a named link that is not a list of results. */
function cardAround(title: Element, pageIndex: PageIndex): Element {
  let card = title;
  for (let wider = title.parent; wider !== null && !isColumn(wider, pageIndex); wider = wider.parent) {
    const block = wider;
    if (pageIndex.headed.some(({ heading }) => block.contains(heading))) break;
    card = block;
  }
  return card;
}

/** The longest line, which ends with a link to its source. */
function readCardText(
  lines: readonly TextLine[],
  pageIndex: PageIndex,
): { line: TextLine; text: string; source: string; link: string } | undefined {
  const line = lines.reduce((longest, each) => (each.text.length > longest.text.length ? each : longest));
  const block = findBlock(line.element);
  const anchor = pageIndex.anchors.find(
    (each) => block.contains(each) && pageIndex.linkOf(each).destination !== undefined && !pageIndex.linkOf(each).isAd,
  );
  const link = anchor === undefined ? undefined : pageIndex.linkOf(anchor).destination;
  if (anchor === undefined || link === undefined) return undefined;
  const text = textOf(block, { without: (element) => element === anchor });
  return text.length < descriptionMin ? undefined : { line, text, source: textOf(anchor), link };
}

function findBlock(element: Element): Element {
  return closest(element, ({ tag, parent }) => tag === 'div' || parent === null) ?? element;
}
