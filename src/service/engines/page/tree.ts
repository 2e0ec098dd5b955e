// A page as a tree of elements, as the HTML standard builds it, and ways to find elements in it.
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';

/** Deepest nesting that is read, as in Chromium. Recorded pages stay below 70; deeper markup is hostile or broken. */
const depthMax = 512;
/** Most elements and links that are read; the largest recorded page has 12,200 and 1,500. */
const elementsMax = 30_000;
const linksMax = 5_000;
/** Most elements with scripts, styles and pictures, and most comments; the recorded maxima are 13,200 and 240. */
const createdMax = 100_000;
const commentsMax = 50_000;
/** Most attributes of an element; the recorded maximum is 42. */
const attributesMax = 200;
/** Most inner frames that are kept; recorded pages have fewer than 20. */
const framesMax = 100;
/** Most characters of style sheets; the recorded maximum is 670,000. */
const stylesMax = 4_000_000;

/** The markup is too deep or too large to be a results page. */
export class TreeLimitError extends Error {
  override readonly name = 'TreeLimitError';
}

export function limit(count: number, most: number, what: string): void {
  if (count > most) throw new TreeLimitError(`markup has more than ${most} ${what}`);
}

/** An element as the parser makes it, among the scripts and pictures that are left out of our tree. */
export type ParsedElement = DefaultTreeAdapterTypes.Element;

/** One element. Children are elements and texts, in document order. */
export class Element {
  readonly tag: string;
  readonly parent: Element | null;
  readonly root: Element;
  readonly depth: number;
  /** Index in document order; `last` is the index of the last descendant, so that containment takes two comparisons. */
  readonly order: number;
  last: number;
  /** The region of the page that contains the element: bits of `zone`, set by the page index. */
  zones = 0;
  /** What style sheets are matched with; null for the root. */
  readonly parsed: ParsedElement | null;
  readonly children: (Element | string)[] = [];
  /** Names and values, alternating; each name once. */
  readonly attributes: string[] = [];

  constructor(tag: string, parent: Element | null, order: number, parsed: ParsedElement | null) {
    this.tag = tag;
    this.parent = parent;
    this.root = parent?.root ?? this;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.order = order;
    this.last = order;
    this.parsed = parsed;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  get(name: string): string | undefined {
    for (let i = 0; i < this.attributes.length; i += 2) if (this.attributes[i] === name) return this.attributes[i + 1];
    return undefined;
  }

  /** The address of a link; empty where there is none. */
  get href(): string {
    return this.get('href') ?? '';
  }

  contains(other: Element): boolean {
    return other.order >= this.order && other.order <= this.last;
  }
}

/** A `style` element. */
interface StyleSheet {
  readonly text: string;
  readonly media: string;
}

/** A page as elements: the root, and every element in document order (an element's `order` is its index). */
export interface Tree {
  readonly root: Element;
  readonly elements: readonly Element[];
  readonly styles: readonly StyleSheet[];
  /** Class names and ids ignore case: the page has no doctype. */
  readonly isQuirky: boolean;
  /** Addresses of inner frames. */
  readonly frames: readonly string[];
  /** Elements with a shadow root, which browsers show in place of what they hold. */
  readonly shadowHosts: readonly Element[];
  /** Whether another `html` or `body` starts: in pages glued together, and behind stray text before a page. */
  readonly startsAgain: boolean;
  /** Whether the page has no tag outside of scripts and styles. */
  readonly isText: boolean;
  /** Whether the page ends in a tag, a script, or an element that needs an end tag. */
  readonly isCut: boolean;
}

/** The tree of a page. Throws TreeLimitError for markup beyond the limits; other faults are tolerated. */
export function parseTree(html: string): Tree {
  let [created, comments] = [0, 0];
  let startsAgain = false;
  let end: DefaultTreeAdapterTypes.CommentNode | undefined;
  const document = parse(`${html}<!--${endMark}-->`, {
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement(tag, namespace, attributes) {
        limit(++created, createdMax, 'elements');
        limit(attributes.length, attributesMax, 'attributes of an element');
        return defaultTreeAdapter.createElement(tag, namespace, attributes);
      },
      createCommentNode(text) {
        limit(++comments, commentsMax, 'comments');
        const comment = defaultTreeAdapter.createCommentNode(text);
        if (text === endMark) end = comment;
        return comment;
      },
      // The parser adds the attributes of a second `html` or `body` to the first one.
      adoptAttributes(element, attributes) {
        startsAgain = true;
        defaultTreeAdapter.adoptAttributes(element, attributes);
        limit(element.attrs.length, attributesMax, 'attributes of an element');
      },
    },
  });
  const reader = new Reader(document);
  const tree = {
    root: reader.root,
    elements: reader.elements,
    styles: reader.styles,
    frames: reader.frames,
    shadowHosts: reader.shadowHosts,
    isQuirky: document.mode === 'quirks',
    startsAgain,
    isText: reader.elements.length <= impliedCount && !/<(?:html|head|body)\b/i.test(html),
    isCut: end === undefined || isOpen(end.parentNode),
  };
  trees.set(tree.root, tree);
  return tree;
}

const trees = new WeakMap<Element, Tree>();

/** The page of an element; undefined for an element that is not of a page. */
export function treeOf({ root }: Element): Tree | undefined {
  return trees.get(root);
}

/** A comment behind the page: inside of a tag or a script it is none, and its place shows which elements are open. */
const endMark = 'end of page';
/** The root, `html`, `head` and `body`, which the parser adds where they are missing. */
const impliedCount = 4;

/** Whether an element, or one around it, needs an end tag. */
function isOpen(innermost: DefaultTreeAdapterTypes.ParentNode | null): boolean {
  let at = innermost;
  while (at !== null && 'tagName' in at && leftOpen.has(at.tagName)) at = at.parentNode;
  return at?.nodeName !== '#document';
}

/** Elements that HTML lets a page leave open: tools that save pages do. */
const leftOpen: ReadonlySet<string> = new Set(
  'html head body p li dt dd tr td th thead tbody tfoot colgroup option optgroup'.split(' '),
);
/** Left out with their contents, which are not markup or are invisible. */
const skippedTags: ReadonlySet<string> = new Set(
  'script style svg frameset noframes noscript iframe template'.split(' '),
);

/** Parts of pictures that are not drawn where they are: SVG 2, "Rendering Model", never-rendered elements. */
const unseenParts: ReadonlySet<string> = new Set(
  'clipPath defs desc linearGradient marker mask metadata pattern radialGradient script symbol title'.split(' '),
);

/** Makes our elements of those of the parser. */
class Reader {
  readonly root = new Element('#root', null, 0, null);
  readonly elements: Element[] = [this.root];
  readonly styles: StyleSheet[] = [];
  readonly frames: string[] = [];
  readonly shadowHosts: Element[] = [];
  #links = 0;
  #styleCharacters = 0;
  /** Of the element that is read, with those that are left out. */
  #depth = 0;

  constructor(document: DefaultTreeAdapterTypes.Document) {
    this.#readChildren(document, this.root);
  }

  #readChildren(parsed: DefaultTreeAdapterTypes.ParentNode, element: Element): void {
    if (++this.#depth > depthMax + 1) throw new TreeLimitError(`markup is nested deeper than ${depthMax} elements`);
    const { children } = element;
    for (const child of parsed.childNodes) {
      const before = children.at(-1);
      if (defaultTreeAdapter.isElementNode(child)) {
        if (skippedTags.has(child.tagName)) this.#skip(child, element);
        else children.push(this.#readElement(child, element));
      } else if (defaultTreeAdapter.isTextNode(child)) {
        if (typeof before === 'string') children[children.length - 1] = before + child.value;
        else children.push(child.value);
      }
    }
    element.last = this.elements.length - 1;
    this.#depth--;
  }

  #readElement(parsed: ParsedElement, parent: Element): Element {
    limit(this.elements.length, elementsMax, 'elements');
    if (parsed.tagName === 'a') limit(++this.#links, linksMax, 'links');
    const element = new Element(parsed.tagName, parent, this.elements.length, parsed);
    this.elements.push(element);
    for (const { name, value } of parsed.attrs) {
      // Half of a page's attributes are for scripts, and only `jsname` is read.
      if (name.startsWith('js') && name !== 'jsname') continue;
      // Browsers ignore spaces around an address.
      element.attributes.push(name, name === 'href' ? value.trim() : value);
    }
    this.#readChildren(parsed, element);
    return element;
  }

  #skip(parsed: ParsedElement, parent: Element): void {
    const attribute = (wanted: string) => parsed.attrs.find(({ name }) => name === wanted)?.value;
    if (parsed.tagName === 'svg') this.#readPicture(parsed, parent);
    if (parsed.tagName === 'style') this.#readStyle(parsed, attribute);
    if (parsed.tagName === 'template' && attribute('shadowrootmode') !== undefined) this.shadowHosts.push(parent);
    const frame = parsed.tagName === 'iframe' ? attribute('src') : undefined;
    if (frame !== undefined && this.frames.length < framesMax) this.frames.push(frame);
  }

  /** The style sheets of a picture hold for the whole page, and `foreignObject` holds a part of the page. */
  #readPicture(picture: ParsedElement, parent: Element): void {
    const rest: ParsedElement[] = [picture];
    for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
      if (at.tagName === 'foreignObject') this.#readChildren(at, parent);
      else if (at.tagName === 'style') this.#skip(at, parent);
      else if (!unseenParts.has(at.tagName))
        for (const child of at.childNodes.toReversed()) if (defaultTreeAdapter.isElementNode(child)) rest.push(child);
    }
  }

  #readStyle({ childNodes }: ParsedElement, attribute: (name: string) => string | undefined): void {
    const type = attribute('type') ?? '';
    if (type !== '' && type.toLowerCase() !== 'text/css') return;
    const text = childNodes.map((child) => (defaultTreeAdapter.isTextNode(child) ? child.value : '')).join('');
    this.#styleCharacters += text.length;
    limit(this.#styleCharacters, stylesMax, 'characters of style sheets');
    this.styles.push({ text, media: attribute('media') ?? '' });
  }
}

/** An element and all within it, in document order. */
export function partsOf(tree: Tree, { order, last }: Element): readonly Element[] {
  return tree.elements.slice(order, last + 1);
}

/** The nearest element that passes: this one, or one around it. */
export function closest(element: Element, test: (element: Element) => boolean): Element | undefined {
  let at: Element | null = element;
  while (at !== null && !test(at)) at = at.parent;
  return at ?? undefined;
}

/** The descendants that pass, in document order. Does not search inside a match. */
export function findAll(tree: Tree, within: Element, test: (element: Element) => boolean): Element[] {
  const found: Element[] = [];
  for (let order = within.order + 1; order <= within.last; order++) {
    const element = tree.elements[order];
    if (element === undefined || !test(element)) continue;
    found.push(element);
    order = element.last;
  }
  return found;
}

export function findFirst(tree: Tree, within: Element, test: (element: Element) => boolean): Element | undefined {
  for (let order = within.order + 1; order <= within.last; order++) {
    const element = tree.elements[order];
    if (element !== undefined && test(element)) return element;
  }
  return undefined;
}

export function isLink(element: Element): boolean {
  return element.tag === 'a' && element.has('href');
}

/** The list of results. Throws if there are two: which of them is the engine's is unknown. */
export function findList(tree: Tree, id: string): Element | undefined {
  const [list, other] = tree.elements.filter(withId(id));
  if (other !== undefined) throw new TreeLimitError('markup has more than one list of results');
  return list;
}

/** Whether one of an element's classes is this one, or begins with it if it ends in a star: `df_alsoAsk`, `b_algo*`. */
export function hasClass(element: Element, name: string): boolean {
  const classes = element.get('class');
  return classes !== undefined && isAmong(classes, name);
}

/** As `hasClass`, for the value of a `class` attribute. */
function isAmong(classes: string, name: string): boolean {
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

export function withClass(...names: readonly string[]): (element: Element) => boolean {
  return (element) => names.some((name) => hasClass(element, name));
}

export function withId(...ids: readonly string[]): (element: Element) => boolean {
  return (element) => ids.includes(element.get('id') ?? '');
}

/** Tests whether an ancestor of an element passes. Each element is tested once, however many queries come. */
export function isInsideAny(tree: Tree, test: (element: Element) => boolean): (element: Element) => boolean {
  const within = new Set<Element>();
  let last = -1;
  for (const element of tree.elements) {
    if (element.order <= last) within.add(element);
    else if (test(element)) last = element.last;
  }
  return (element) => within.has(element);
}
