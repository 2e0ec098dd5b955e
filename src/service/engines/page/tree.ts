// A page as a tree of elements, built in one pass over its markup without scripts, and ways to find elements in it.
import { decodeAttribute, decodeText, type MarkupReader, readMarkup } from './markup.ts';

/** Deepest nesting that is read. Recorded pages stay below 70; deeper markup is hostile or broken. */
const depthMax = 512;
/** Most elements and links that are read; the largest recorded page has 12,200 and 1,500. */
const elementsMax = 30_000;
const linksMax = 5_000;
/** Most attributes of an element, and end tags of a page; the recorded maxima are 50 and 12,700. */
const attributesMax = 100;
const endsMax = 120_000;
/** Most inner frames that are kept; recorded pages have fewer than 20. */
const framesMax = 100;
/** Most characters of style sheets; the recorded maximum is 670,000. */
const stylesMax = 4_000_000;

/** The markup is too deep or too large to be a results page. */
export class TreeLimitError extends Error {
  override readonly name = 'TreeLimitError';
}

function limit(count: number, most: number, what: string): void {
  if (count > most) throw new TreeLimitError(`markup has more than ${most} ${what}`);
}

/** One element. Children are elements and texts, in document order. */
export class Element {
  readonly tag: string;
  readonly parent: Element | null;
  readonly depth: number;
  /** Index in document order; `last` is the index of the last descendant, so that containment takes two comparisons. */
  readonly order: number;
  last: number;
  /** The region of the page that contains the element: bits of `zone`, set by the page index. */
  zones = 0;
  /** Whether it or an element around it is concealed, cached on first use: see visibility.ts. */
  isConcealed: boolean | undefined = undefined;
  readonly children: (Element | string)[] = [];
  /** Names and values, alternating. Of a repeated attribute, the first one counts. */
  readonly attributes: string[] = [];

  constructor(tag: string, parent: Element | null, order: number) {
    this.tag = tag;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.order = order;
    this.last = order;
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

/** Names of classes, ids and tags (`.x`, `#x`, `x`) that plain rules hide, and those that any rule may show. */
export interface PlainRules {
  readonly hidden: ReadonlySet<string>;
  readonly shown: ReadonlySet<string>;
}

/** A page as elements: the root, and every element in document order (an element's `order` is its index). */
export interface Tree {
  readonly root: Element;
  readonly elements: readonly Element[];
  /** The texts of its style sheets; and their plain rules, read on first use: see visibility.ts. */
  readonly styles: readonly string[];
  rules?: PlainRules;
  /** Addresses of inner frames. */
  readonly frames: readonly string[];
  /** Elements with a shadow root, which browsers show in place of what they hold. */
  readonly shadowHosts: readonly Element[];
  /** More than one for pages glued together. */
  readonly bodies: number;
  /** Whether the page ends in a tag, a script, or an element that needs an end tag. */
  readonly isCut: boolean;
}

/** Builds the tree of a page. Throws TreeLimitError for markup beyond the limits; other faults are tolerated. */
export function parseTree(html: string): Tree {
  const builder = new Builder(html);
  readMarkup(html, builder);
  return builder.finish();
}

class Builder implements MarkupReader {
  readonly #html: string;
  readonly #root = new Element('#root', null, 0);
  readonly #elements: Element[] = [this.#root];
  readonly #frames: string[] = [];
  readonly #shadowHosts: Element[] = [];
  readonly #styles: string[] = [];
  #styleCharacters = 0;
  /** How many elements of a tag are open: an end tag without one is ignored without a search. */
  readonly #openCounts = new Map<string, number>();
  #links = 0;
  #bodies = 0;
  #roots = 0;
  #ends = 0;
  #open = this.#root;
  /** The element whose tag is being read. */
  #pending: Element | null = null;
  /** The open element that is left out, and how many elements of its name are nested. */
  #skipped = '';
  #skippedDepth = 0;
  #isSkippedTag = false;
  /** The open `style` applies under a condition: in print, or below some width. */
  #isOtherStyle = false;

  constructor(html: string) {
    this.#html = html;
  }

  get isForeign(): boolean {
    return this.#skipped === 'svg' || this.#isOpen('math');
  }

  /** Closes the elements that are still open. */
  finish(): Tree {
    let isCut = this.#pending !== null || this.#skipped !== '';
    for (; this.#open !== this.#root; this.#leave()) isCut ||= !leftOpen.has(this.#open.tag);
    this.#root.last = this.#elements.length - 1;
    return {
      root: this.#root,
      elements: this.#elements,
      styles: this.#styles,
      frames: this.#frames,
      shadowHosts: this.#shadowHosts,
      bodies: Math.max(this.#bodies, this.#roots),
      isCut,
    };
  }

  open(start: number, end: number): void {
    const tag = this.#html.slice(start, end).toLowerCase();
    if (this.#skipped === 'svg' && pictureEnds.has(tag)) {
      this.#skipped = '';
      this.#skippedDepth = 0;
    }
    if (this.#skipped === '' && skippedTags.has(tag)) {
      this.#skipped = tag;
      this.#isOtherStyle = false;
    }
    if (this.#skipped === '') this.#enter(tag);
    else if (tag === this.#skipped) {
      this.#skippedDepth++;
      this.#isSkippedTag = true;
    }
  }

  attribute(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const attributes = this.#pending?.attributes ?? [];
    if (this.#pending === null && !this.#isSkippedTag) return;
    if (attributes.length >= 2 * attributesMax) return;
    const name = this.#html.slice(nameStart, nameEnd).toLowerCase();
    // Half of a page's attributes are for scripts, and only `jsname` is read.
    if (name.startsWith('js') && name !== 'jsname') return;
    const value = decodeAttribute(this.#html.slice(valueStart, valueEnd));
    // Browsers ignore spaces around an address.
    if (this.#pending !== null) attributes.push(name, name === 'href' ? value.trim() : value);
    else this.#readSkipped(name, value);
  }

  opened(isSelfClosing: boolean): void {
    // Only foreign elements close themselves; elsewhere the slash is ignored.
    if (isSelfClosing && this.#skipped === 'svg' && this.#isSkippedTag && --this.#skippedDepth === 0)
      this.#skipped = '';
    this.#isSkippedTag = false;
    if (this.#pending !== null && !voidTags.has(this.#pending.tag)) {
      this.#open = this.#pending;
      this.#count(this.#open.tag, 1);
    }
    this.#pending = null;
  }

  close(start: number, end: number): void {
    limit(++this.#ends, endsMax, 'ends of elements');
    const tag = this.#html.slice(start, end).toLowerCase();
    if (this.#skipped === '') this.#close(tag);
    else if (tag === this.#skipped && --this.#skippedDepth === 0) this.#skipped = '';
  }

  text(start: number, end: number): void {
    if (this.#skipped === 'style' && !this.#isOtherStyle) {
      this.#styleCharacters += end - start;
      limit(this.#styleCharacters, stylesMax, 'characters of style sheets');
      this.#styles.push(this.#html.slice(start, end));
    }
    if (this.#skipped !== '') return;
    const { children } = this.#open;
    const text = decodeText(this.#html.slice(start, end));
    const before = children.at(-1);
    if (typeof before === 'string') children[children.length - 1] = before + text;
    else children.push(text);
  }

  /** An attribute of an element that is left out. */
  #readSkipped(name: string, value: string): void {
    if (this.#skipped === 'style') this.#isOtherStyle ||= name === 'media';
    if (this.#skipped === 'template' && name === 'shadowrootmode') this.#shadowHosts.push(this.#open);
    if (this.#skipped === 'iframe' && name === 'src' && this.#frames.length < framesMax) this.#frames.push(value);
  }

  #isOpen(tag: string): boolean {
    return (this.#openCounts.get(tag) ?? 0) > 0;
  }

  #count(tag: string, by: 1 | -1): void {
    this.#openCounts.set(tag, (this.#openCounts.get(tag) ?? 0) + by);
  }

  #enter(tag: string): void {
    const rule = rules.get(tag);
    if (rule !== undefined) {
      if (rule.isOfTable && !this.#isOpen('table')) return;
      this.#closeFor(rule);
    }
    if (this.#open.depth >= depthMax) throw new TreeLimitError(`markup is nested deeper than ${depthMax} elements`);
    limit(this.#elements.length, elementsMax, 'elements');
    if (tag === 'head' && this.#bodies > 0) return;
    if (tag === 'body') this.#bodies++;
    if (tag === 'html') this.#roots++;
    if (tag === 'a') limit(++this.#links, linksMax, 'links');
    this.#pending = new Element(tag, this.#open, this.#elements.length);
    this.#open.children.push(this.#pending);
    this.#elements.push(this.#pending);
  }

  #leave(): void {
    this.#count(this.#open.tag, -1);
    this.#open.last = this.#elements.length - 1;
    this.#open = this.#open.parent ?? this.#root;
  }

  #leaveUpTo(element: Element): void {
    while (this.#open !== element) this.#leave();
    this.#leave();
  }

  #closeFor({ closes, isPassed }: Rule): void {
    let last: Element | undefined;
    for (let at: Element | null = this.#open; at !== null && at !== this.#root; at = at.parent) {
      if (closes.includes(at.tag)) last = at;
      else if (!isPassed(at.tag)) break;
    }
    if (last !== undefined) this.#leaveUpTo(last);
  }

  /** Closes the innermost open element of a tag; a stray end tag inside a table closes nothing around the table. */
  #close(tag: string): void {
    if (!this.#isOpen(tag)) return;
    for (let at: Element | null = this.#open; at !== null && at !== this.#root; at = at.parent) {
      if (at.tag === tag) this.#leaveUpTo(at);
      if (at.tag === tag || (at.tag === 'table' && tag !== 'body')) return;
    }
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
  const [list, other] = findAll(tree, tree.root, withId(id));
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

// What each tag means to the structure of a page, as in browsers.

const names = (text: string): readonly string[] => text.split(' ');

const voidTags: ReadonlySet<string> = new Set(
  names('area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'),
);
/** Left out with their contents, which are not markup or are invisible. */
const skippedTags: ReadonlySet<string> = new Set(names('script style svg frameset noframes noscript iframe template'));
/** They end an open `svg`: what follows is part of the page. */
const pictureEnds: ReadonlySet<string> = new Set(
  names(
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
  ),
);
/** Elements that HTML lets a page leave open: tools that save pages do. */
const leftOpen: ReadonlySet<string> = new Set(
  names('html head body p li dt dd tr td th thead tbody tfoot colgroup option optgroup'),
);

/** What an opening tag does to the open elements around it. */
interface Rule {
  /** It closes open elements of these names, with all that is in them. */
  readonly closes: readonly string[];
  /** Whether an element may stand between the tag and the one that it closes. */
  isPassed(tag: string): boolean;
  /** Outside of a table, the tag is ignored. */
  readonly isOfTable: boolean;
}

const never = (): boolean => false;
/** Other elements around an item are its border: `<li><section><li>` nests. */
const itemParts = new Set(names('a address b cite code div em font i small span strong u'));
const isItemPart = (tag: string): boolean => itemParts.has(tag);
const isTablePart = (tag: string): boolean => tag !== 'table';
const sections = names('tbody thead tfoot caption colgroup');
const ruleOf = (tags: string, closes: string, isPassed: Rule['isPassed'] = never, isOfTable = false) =>
  names(tags).map((tag): [string, Rule] => [tag, { closes: names(closes), isPassed, isOfTable }]);

const rules: ReadonlyMap<string, Rule> = new Map([
  // what no paragraph holds
  ...ruleOf(
    'address article aside blockquote center details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre search section summary table ul',
    'p',
  ),
  ...ruleOf('a', 'a'),
  ...ruleOf('option', 'option'),
  ...ruleOf('li', 'li p', isItemPart),
  ...ruleOf('dt dd', 'dt dd p', isItemPart),
  ...ruleOf('td th', 'td th', isTablePart, true),
  ...ruleOf('tr', 'tr caption colgroup', isTablePart, true),
  ...ruleOf('col', '', never, true),
  ...ruleOf(sections.join(' '), `tr ${sections.join(' ')}`, isTablePart, true),
]);
