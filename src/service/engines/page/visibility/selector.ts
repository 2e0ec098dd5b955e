// Reads selectors of style sheets: tags, ids, classes and attributes, alone, together, and below others.
import { type Element, hasClass } from '../element.ts';

interface Attribute {
  readonly name: string;
  /** Empty if any value is right. */
  readonly operator: string;
  readonly value: string;
}

/** What one element must have. */
interface Compound {
  readonly tag: string;
  readonly ids: readonly string[];
  readonly classes: readonly string[];
  readonly attributes: readonly Attribute[];
  /** Whether the compound before it is its parent, above it, the element just before it, or any before it. */
  readonly follows: Combinator;
}

type Combinator = '>' | ' ' | '+' | '~';

export interface Selector {
  /** From the element itself upwards. */
  readonly compounds: readonly Compound[];
  readonly specificity: number;
  /** False if parts of the selector are not read (`:first-child`), or no recorded page conceals by them (`+`, `~`). */
  readonly isCertain: boolean;
}

/** Longest selector that is read, in characters, and most compounds in it. */
const charactersMax = 1_000;
const compoundsMax = 20;
/** Most nodes of a parent that are searched for the elements before one. */
const siblingsMax = 500;
/** Most selectors of one rule. */
const selectorsMax = 1_000;

/** States that no element is in when a page opens, and parts of elements that are none. */
const notNow =
  /::|:(?:hover|active|focus|focus-within|focus-visible|visited|target|before|after|first-letter|first-line|checked|disabled|placeholder-shown|-\w+-[\w-]+)(?![\w-])/;

/** The selectors of a list, parted at the commas outside brackets. */
export function splitSelectors(list: string): string[] {
  if (!list.includes('(') && !list.includes('[')) return list.split(',', selectorsMax);
  const texts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < list.length && texts.length < selectorsMax; at++) {
    const character = list[at];
    if (character === '(' || character === '[') depth++;
    else if (character === ')' || character === ']') depth--;
    else if (character === ',' && depth === 0) {
      texts.push(list.slice(start, at));
      start = at + 1;
    }
  }
  return [...texts, list.slice(start)];
}

/**
 * A part that each selected element has: `#id`, `.class`, `[name`, a tag or `*`. Most selectors end in it and need no
 * more reading.
 */
export function keyOf(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) <= 0x20) end--;
  let start = end;
  while (start > 0 && isNameSign(text.charCodeAt(start - 1))) start--;
  const before = text[start - 1];
  if (start < end && (before === '.' || before === '#')) return text.slice(start - 1, end);
  if (start < end && (before === undefined || before === ' ' || before === '>'))
    return text.slice(start, end).toLowerCase();
  const [own] = parseSelector(text)?.compounds ?? [];
  return own === undefined ? '' : keyOfCompound(own);
}

/** A letter, a digit, a hyphen, an underscore, or anything outside ASCII. */
export function isNameSign(code: number): boolean {
  const lower = code | 0x20;
  return (
    (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x5f || code > 0x7f
  );
}

const part =
  /([#.]?)([\w\u0080-\uffff-]+)|(\*)|\[\s*([\w-]+)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\s\]]*))\s*[is]?\s*)?\]|\s*([>+~])\s*|(\s+)/gy;

/** Undefined for a selector that selects nothing as the page opens, or is too long. */
export function parseSelector(text: string): Selector | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > charactersMax || notNow.test(trimmed)) return undefined;
  let isCertain = true;
  let current = emptyCompound(' ');
  const compounds = [current];
  part.lastIndex = 0;
  while (part.lastIndex < trimmed.length) {
    const from = part.lastIndex;
    const match = part.exec(trimmed);
    if (match === null) {
      // `:not(...)` is not read
      isCertain = false;
      part.lastIndex = endOfUnread(trimmed, from);
      continue;
    }
    const [, kind, name = '', anyTag, attribute, operator = '', double, single, bare, sign, space] = match;
    if (sign !== undefined || space !== undefined) {
      const follows = sign === '>' || sign === '+' || sign === '~' ? sign : ' ';
      isCertain &&= follows === '>' || follows === ' ';
      current = emptyCompound(follows);
      compounds.push(current);
    } else if (attribute !== undefined)
      current.attributes.push({ name: attribute.toLowerCase(), operator, value: double ?? single ?? bare ?? '' });
    else if (kind === '#') current.ids.push(name);
    else if (kind === '.') current.classes.push(name);
    else if (anyTag === undefined) current.tag = name.toLowerCase();
    if (compounds.length > compoundsMax) return undefined;
  }
  return { compounds: compounds.reverse(), specificity: weigh(compounds), isCertain };
}

function emptyCompound(follows: Combinator) {
  return { tag: '', ids: [] as string[], classes: [] as string[], attributes: [] as Attribute[], follows };
}

/** Where a part that is not read ends: behind its brackets. */
function endOfUnread(text: string, from: number): number {
  const name = /^(?:\|+|[:\\]*[\w-]*)/.exec(text.slice(from))?.[0] ?? '';
  let at = from + Math.max(1, name.length);
  if (text[at] !== '(') return at;
  for (let depth = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at + 1;
  }
  return at;
}

function keyOfCompound({ ids, classes, attributes, tag }: Compound): string {
  if (classes[0] !== undefined) return `.${classes[0]}`;
  if (ids[0] !== undefined) return `#${ids[0]}`;
  if (attributes[0] !== undefined) return `[${attributes[0].name}`;
  return tag === '' ? '*' : tag;
}

function weigh(compounds: readonly Compound[]): number {
  let weight = 0;
  for (const { ids, classes, attributes, tag } of compounds)
    weight += ids.length * 1e6 + (classes.length + attributes.length) * 1e3 + (tag === '' ? 0 : 1);
  return weight;
}

/** Whether the selector, as far as it is read, selects the element. */
export function selects({ compounds }: Selector, element: Element): boolean {
  const [own, ...above] = compounds;
  if (own === undefined || !fits(own, element)) return false;
  let { follows } = own;
  let at: Element | undefined = element;
  for (const compound of above) {
    at = candidates(at, follows).find((each) => fits(compound, each));
    if (at === undefined) return false;
    follows = compound.follows;
  }
  return true;
}

/** The elements that may stand before an element so, from the nearest one. */
function candidates(element: Element, follows: Combinator): readonly Element[] {
  const { parent } = element;
  if (parent === null) return [];
  if (follows === '>') return [parent];
  if (follows === ' ') return ancestors(element);
  const siblings = parent.children.slice(0, siblingsMax).filter((child) => typeof child !== 'string');
  const before = siblings.slice(0, Math.max(0, siblings.indexOf(element))).reverse();
  return follows === '+' ? before.slice(0, 1) : before;
}

function ancestors({ parent }: Element): Element[] {
  const found: Element[] = [];
  for (let at = parent; at !== null; at = at.parent) found.push(at);
  return found;
}

function fits({ tag, ids, classes, attributes }: Compound, element: Element): boolean {
  if (tag !== '' && tag !== element.tag) return false;
  return (
    ids.every((id) => element.get('id') === id) &&
    classes.every((name) => hasClass(element, name)) &&
    attributes.every((each) => hasAttribute(element, each))
  );
}

function hasAttribute(element: Element, { name, operator, value }: Attribute): boolean {
  const own = element.get(name);
  if (own === undefined) return false;
  switch (operator) {
    case '':
      return true;
    case '=':
      return own === value;
    case '^=':
      return value !== '' && own.startsWith(value);
    case '$=':
      return value !== '' && own.endsWith(value);
    case '*=':
      return value !== '' && own.includes(value);
    case '~=':
      return own.split(/\s+/).includes(value);
    default:
      return own === value || own.startsWith(`${value}-`);
  }
}
