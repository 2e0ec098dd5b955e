// Reads the visible text of an element.

import { closest, type Element, type Tree } from './tree.ts';
import { hidesItself } from './visibility.ts';

/** Inline elements: their text continues the line of their neighbours. */
const inlineTags = new Set('a b em i span strong mark wbr sub sup time font u bdo bdi small abbr code'.split(' '));
/** Shown only by scripts, or not text. */
const silentTags = new Set(
  'textarea select button head g-dialog g-bubble g-popup g-loading-icon w-debug-content'.split(' '),
);

export function isInline(element: Element): boolean {
  return inlineTags.has(element.tag);
}

/** Hidden when the page opens: `display:none`, `hidden`, and parts that only scripts show. */
export function isHidden(element: Element): boolean {
  return silentTags.has(element.tag) || hidesItself(element);
}

/** Closed details show their summary only; of other hidden parts, the elements are hidden. */
function isShut(element: Element): boolean {
  return element.tag === 'details' && !element.has('open');
}

/** Longest text that is read of one element or one line, in characters; a whole recorded page has 62,000 at most. */
const textCharactersMax = 200_000;

interface TextOptions {
  /** Subtrees to skip. */
  readonly without?: (element: Element) => boolean;
  /** Reads collapsed parts too (answers that open on a click). */
  readonly hidden?: boolean;
}

interface LineOptions extends TextOptions {
  /** Ends after this many lines. Absent: reads all. */
  readonly linesMax?: number;
}

/** The element's text in one line: white space collapsed, blocks separated by a space. */
export function textOf(element: Element, options: TextOptions = {}): string {
  const gathered = { text: '', left: textCharactersMax };
  gatherText(element, gathered, options);
  return tidy(gathered.text);
}

/** Collects what is shown within an element. Blocks begin and end with a space. */
function gatherText(within: Element, gathered: { text: string; left: number }, options: TextOptions): void {
  for (const node of within.children) {
    if (gathered.left <= 0) return;
    if (typeof node === 'string') {
      if (options.hidden !== true && isShut(within)) continue;
      gathered.text += node.length > gathered.left ? node.slice(0, gathered.left) : node;
      gathered.left -= node.length;
      continue;
    }
    if ((options.hidden !== true && isHidden(node)) || options.without?.(node) === true) continue;
    if (inlineTags.has(node.tag)) gatherText(node, gathered, options);
    else {
      gathered.text += ' ';
      gatherText(node, gathered, options);
      gathered.text += ' ';
    }
  }
}

/**
 * Whether an element shows no text outside one part of it. Stops at the first other text, however large the element is.
 */
export function standsAlone(part: Element, within: Element, without: (element: Element) => boolean): boolean {
  let isSeen = false;
  const rest: (Element | string)[] = [within];
  while (rest.length > 0) {
    const node = rest.pop();
    if (node === part) isSeen = true;
    else if (typeof node === 'string') {
      if (tidy(node) !== '') return false;
    } else if (node !== undefined && (node === within || !(isHidden(node) || without(node)))) {
      for (let i = node.children.length - 1; i >= 0; i--) rest.push(node.children[i] ?? '');
    }
  }
  return isSeen;
}

/** Direction marks, in which the engine wraps titles, and control characters. */
const marks = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|(?!\s)\p{Cc}/gu;

/** Words of plain letters with single spaces, as most texts are. */
const plain = /^[!-~]+(?: [!-~]+)*$/;

/** Collapses white space and removes marks that are not seen. */
export function tidy(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(marks, '').replace(/\s+/g, ' ').trim();
}

/** A host, alone or before a path, as results show their addresses. */
export const addressText = /^(?:https?:\/\/)?(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?:[/\s:›]|$)/u;

export function isAddress(text: string): boolean {
  return text.includes('›') || addressText.test(text);
}

/** One line of an element's text: inline content, and the block that contains it. */
export interface TextLine {
  readonly text: string;
  readonly element: Element;
}

/**
 * The element's text line by line: each block element with its own text is a line. If a block mixes text and blocks,
 * only its own text is joined.
 */
export function readLines(element: Element, options: LineOptions = {}): TextLine[] {
  const lines: TextLine[] = [];
  const most = options.linesMax ?? Number.POSITIVE_INFINITY;
  const rest: Element[] = [element];
  while (rest.length > 0 && lines.length < most) {
    const block = rest.pop();
    if (block === undefined) break;
    const run: Run = { text: '', left: textCharactersMax, blocks: [] };
    gatherRun(block, run, options);
    const text = tidy(run.text);
    if (text !== '') lines.push({ text, element: block });
    for (let i = run.blocks.length - 1; i >= 0; i--) {
      const child = run.blocks[i];
      if (child !== undefined) rest.push(child);
    }
  }
  return lines;
}

/** The first line of an element, without reading the others. */
export function readFirstLine(element: Element): string | undefined {
  return readLines(element, { linesMax: 1 })[0]?.text;
}

/**
 * The inline text of a block, the blocks inside it that are separate lines, and how many more characters may be read.
 */
interface Run {
  text: string;
  left: number;
  readonly blocks: Element[];
}

/** Collects what is shown within an element. */
function gatherRun(within: Element, run: Run, options: TextOptions): void {
  for (const node of within.children) {
    if (typeof node === 'string') {
      if (options.hidden !== true && isShut(within)) continue;
      if (run.left > 0) run.text += node.length > run.left ? node.slice(0, run.left) : node;
      run.left -= node.length;
      continue;
    }
    if ((options.hidden !== true && isHidden(node)) || options.without?.(node) === true) continue;
    if (node.tag === 'br') run.text += ' ';
    else if (inlineTags.has(node.tag)) gatherRun(node, run, options);
    else run.blocks.push(node);
  }
}

/** Whether a line consists mostly of link text, or is inside a link. */
export function isLinks(line: TextLine): boolean {
  if (closest(line.element, ({ tag }) => tag === 'a') !== undefined) return true;
  return linkedLength(line.element) > line.text.length * 0.6;
}

function linkedLength(element: Element): number {
  if (element.tag === 'a') return textOf(element).length;
  let length = 0;
  for (const child of element.children) if (typeof child !== 'string') length += linkedLength(child);
  return length;
}

/** Longest title that is read, in characters. */
const titleMax = 600;

/** The query in the title: the group of `form`. Undefined for another title. */
export function titleQuery({ elements }: Tree, form: RegExp): string | undefined {
  const title = elements.find((element) => element.tag === 'title');
  const texts = (title?.children ?? []).filter((child) => typeof child === 'string');
  return form.exec(tidy(texts.join('').slice(0, titleMax)))?.[1];
}
