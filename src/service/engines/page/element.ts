// One element of a page in compact form: raw attribute values, raw texts, and its range in document order.
import { decodeAttribute } from './entities.ts';

/** Shared by all elements without any: lists that grow by pushing reserve 17 places each. */
const noChildren: readonly (Element | string)[] = [];
const noAttributes: readonly string[] = [];

/** One element. Children are elements and raw (not decoded) texts, in document order. */
export class Element {
  readonly tag: string;
  readonly parent: Element | null;
  readonly depth: number;
  /** Index in document order; `last` is the index of the last descendant, so that containment takes two comparisons. */
  readonly order: number;
  last: number;
  /** The region of the page that contains the element: bits of `zone`, set by the page index. */
  zones = 0;
  /** Whether it is visible, cached on first use: see text.ts. */
  isShown: boolean | undefined = undefined;
  /** Whether it or an element around it is concealed, cached on first use: see visibility.ts. */
  isConcealed: boolean | undefined = undefined;
  children: readonly (Element | string)[] = noChildren;
  /** Names and raw values, alternating. */
  attributes: readonly string[] = noAttributes;

  constructor(tag: string, parent: Element | null, order: number) {
    this.tag = tag;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.order = order;
    this.last = order;
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  /** The attribute's decoded value. */
  get(name: string): string | undefined {
    const raw = this.raw(name);
    return raw === undefined ? undefined : decodeAttribute(raw);
  }

  /** The attribute's raw value, for comparisons with plain words. */
  raw(name: string): string | undefined {
    const attributes = this.attributes;
    for (let i = 0; i < attributes.length; i += 2) if (attributes[i] === name) return attributes[i + 1];
    return undefined;
  }

  contains(other: Element): boolean {
    return other.order >= this.order && other.order <= this.last;
  }
}

/** Whether one of an element's classes is this one, or begins with it if it ends in a star: `df_alsoAsk`, `b_algo*`. */
export function hasClass(element: Element, name: string): boolean {
  const classes = element.raw('class');
  return classes !== undefined && isAmong(classes, name);
}

/** As `hasClass`, for the value of a `class` attribute. */
export function isAmong(classes: string, name: string): boolean {
  const isPrefix = name.endsWith('*');
  const wanted = isPrefix ? name.slice(0, -1) : name;
  for (let at = classes.indexOf(wanted); at >= 0; at = classes.indexOf(wanted, at + 1)) {
    const isBegin = at === 0 || isSpace(classes.charCodeAt(at - 1));
    const end = at + wanted.length;
    if (isBegin && (isPrefix || end === classes.length || isSpace(classes.charCodeAt(end)))) return true;
  }
  return false;
}

/** Space, tab, line feed, form feed, carriage return. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
