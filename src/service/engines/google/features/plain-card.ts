// Reads the knowledge card of pages without scripts, which has no marks: heading, subtitle, text, source, facts.

import { readLines, type TextLine, textOf } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import { isColumn } from '../page/column.ts';
import type { PageIndex } from '../page/page-index.ts';
import { zone } from '../page/regions.ts';
import { type Fact, type ReadPanel, splitValue } from './knowledge.ts';

const outside = zone.question | zone.ad | zone.furniture | zone.overview | zone.hidden;
/** Limits of headings to try, of elements per card (the largest recorded one has 200) and of its lines. */
const titlesMax = 20;
const cardElementsMax = 1_000;
const linesMax = 60;
/** Shorter lines are not descriptions, in characters. */
const descriptionMin = 40;

/** The first card that states facts; undefined on pages with scripts, whose panels are marked. */
export function readPlainCard(pageIndex: PageIndex): ReadPanel | undefined {
  if (pageIndex.ids.has('rso') || pageIndex.ids.has('rcnt')) return undefined;
  const titles = pageIndex.titles.filter(({ tag, zones }) => tag === 'h3' && (zones & outside) === 0);
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
  const description = readDescription(lines, pageIndex);
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
const factElementsMax = 100;

/** "Born: May 11, 1904": a separate element holds the label. */
function parseFact({ text, element }: TextLine, pageIndex: PageIndex): Fact | undefined {
  const [, label, value] = /^([^:：]{1,60}?) ?[:：] ?(.+)$/su.exec(text) ?? [];
  const block = findBlock(element);
  if (label === undefined || value === undefined || block.last - block.order > factElementsMax) return undefined;
  for (let order = block.order + 1; order <= block.last; order++) {
    const part = pageIndex.tree.elements[order];
    if (part !== undefined && textOf(part).replace(/ ?[:：]$/, '') === label)
      return { key: label, value: splitValue(value, block, pageIndex) };
  }
  return undefined;
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
function readDescription(
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
  let block = element;
  while (block.tag !== 'div' && block.parent !== null) block = block.parent;
  return block;
}
