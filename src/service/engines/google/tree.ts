// HTML to a compact tree in one pass over the tokens: no scripts, no styles, raw attribute values. What the elements mean is left to others.
import { Tokenizer } from 'htmlparser2';
import { decodeAttribute } from './entities.ts';

/** Deepest nesting that is read. Real results pages stay below 100; deeper markup is hostile or broken. */
const depthMax = 512;
/** Most elements and links that are read; the largest recorded page has 12,200 and 1,500. */
const elementsMax = 100_000;
const linksMax = 10_000;
/** Attributes of one element that are kept; no recorded element has 50. */
const attributesMax = 100;

/** One element. Children are elements and raw (not decoded) texts, in document order. */
export class Element {
  readonly tag: string;
  readonly parent: Element | null;
  readonly depth: number;
  /** Place in document order; `last` is the order of its last descendant, so that containment is two comparisons. */
  readonly order: number;
  last: number;
  /** Where the element stands on the page: bits of `zone`, set by the survey. */
  zones = 0;
  readonly children: (Element | string)[] = [];
  /** Names and raw values, alternating. */
  readonly attributes: string[] = [];

  constructor(tag: string, parent: Element | null, depth: number, order: number) {
    this.tag = tag;
    this.parent = parent;
    this.depth = depth;
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

  /** The attribute's value as it stands in the markup: for comparisons with plain words. */
  raw(name: string): string | undefined {
    const attributes = this.attributes;
    for (let i = 0; i < attributes.length; i += 2) if (attributes[i] === name) return attributes[i + 1];
    return undefined;
  }

  contains(other: Element): boolean {
    return other.order >= this.order && other.order <= this.last;
  }
}

/** The markup is too deep or too large to be a results page. */
export class TreeLimitError extends Error {
  override readonly name = 'TreeLimitError';
}

const voidTags = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
]);
/** Left out with all they hold. Their content is no markup, or is not seen. */
const skippedTags = new Set(['script', 'style', 'svg', 'noframes', 'iframe', 'template']);
/** An open tag of the key closes an open one of the value, up to the nearest element that bounds it. */
const closes = new Map<string, readonly string[]>([
  ['li', ['li']],
  ['p', ['p']],
  ['div', ['p']],
  ['ul', ['p']],
  ['ol', ['p']],
  ['table', ['p']],
  ['a', ['a']],
  ['option', ['option']],
  ['tr', ['tr', 'td', 'th']],
  ['td', ['td', 'th']],
  ['th', ['td', 'th']],
  ['dt', ['dt', 'dd']],
  ['dd', ['dt', 'dd']],
  ['h1', ['p']],
  ['h2', ['p']],
  ['h3', ['p']],
]);

/** Attributes that nothing reads; they are half of a page's attribute bytes. */
function isUnread(name: string): boolean {
  if (name.startsWith('js')) return name !== 'jsname';
  return name === 'data-ved' || name === 'ping' || name.startsWith('on') || name === 'decode-data-ved';
}

/** A page as elements: the root, and every element in document order (an element's `order` is its index). */
export interface Tree {
  readonly root: Element;
  readonly elements: readonly Element[];
}

/** Builds the tree of a page. Throws TreeLimitError for markup beyond the limits; anything else is read as well as it can be. */
export function parseTree(html: string): Tree {
  const root = new Element('#root', null, 0, 0);
  const elements: Element[] = [root];
  let open = root;
  let pending: Element | null = null;
  let name = '';
  let value = '';
  let count = 0;
  let links = 0;
  /** Name and nesting of the skipped element that is open. */
  let skipped = '';
  let skippedDepth = 0;
  let pendingSkipped = false;

  const leave = (): void => {
    open.last = count;
    if (open.parent !== null) open = open.parent;
  };
  const closeTo = (tag: string): void => {
    for (let at: Element | null = open; at !== null && at !== root; at = at.parent) {
      if (at.tag === tag) {
        while (open !== at) leave();
        leave();
        return;
      }
      // A stray end tag inside a cell or a list does not close what is around it.
      if (at.tag === 'table' && tag !== 'table' && tag !== 'body') return;
    }
  };
  const implyEnds = (tag: string): void => {
    const ended = closes.get(tag);
    if (ended === undefined) return;
    while (open !== root && ended.includes(open.tag)) leave();
  };

  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname(start, end) {
        const tag = html.slice(start, end).toLowerCase();
        if (skipped !== '') {
          if (tag === skipped) {
            skippedDepth++;
            pendingSkipped = true;
          }
          return;
        }
        if (skippedTags.has(tag)) {
          skipped = tag;
          skippedDepth = 1;
          pendingSkipped = true;
          return;
        }
        implyEnds(tag);
        if (open.depth >= depthMax) throw new TreeLimitError(`markup is nested deeper than ${depthMax} elements`);
        if (++count > elementsMax) throw new TreeLimitError(`markup has more than ${elementsMax} elements`);
        if (tag === 'a' && ++links > linksMax) throw new TreeLimitError(`markup has more than ${linksMax} links`);
        pending = new Element(tag, open, open.depth + 1, count);
        open.children.push(pending);
        elements.push(pending);
      },
      onattribname(start, end) {
        name = pending === null ? '' : html.slice(start, end);
        value = '';
      },
      onattribdata(start, end) {
        if (pending !== null) value = html.slice(start, end);
      },
      onattribend() {
        if (pending === null) return;
        const known = name.toLowerCase();
        if (!isUnread(known) && pending.attributes.length < attributesMax * 2) pending.attributes.push(known, value);
      },
      onopentagend() {
        pendingSkipped = false;
        if (pending === null) return;
        if (!voidTags.has(pending.tag)) open = pending;
        pending = null;
      },
      onselfclosingtag() {
        if (pendingSkipped) {
          pendingSkipped = false;
          // Only foreign elements close themselves.
          if (skipped === 'svg' && --skippedDepth === 0) skipped = '';
          return;
        }
        if (pending === null) return;
        if (!voidTags.has(pending.tag)) open = pending;
        pending = null;
      },
      onclosetag(start, end) {
        const tag = html.slice(start, end).toLowerCase();
        if (skipped !== '') {
          if (tag === skipped && --skippedDepth === 0) skipped = '';
          return;
        }
        closeTo(tag);
      },
      ontext(start, end) {
        if (skipped === '') open.children.push(html.slice(start, end));
      },
      ontextentity() {},
      onattribentity() {},
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  while (open !== root) leave();
  root.last = count;
  return { root, elements };
}
