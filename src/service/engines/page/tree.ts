// Parses HTML into a compact tree in one pass over the markup, without scripts and styles.
import { Element } from './element.ts';
import { type MarkupReader, readMarkup } from './markup.ts';
import { mediaCondition } from './visibility/style-ranges.ts';
import { StyleSheets } from './visibility/style-sheet.ts';

/** Deepest nesting that is read. Recorded pages stay below 70; deeper markup is hostile or broken. */
const depthMax = 512;
/** Most elements and links that are read; the largest recorded page has 12,200 and 1,500. */
const elementsMax = 30_000;
const linksMax = 5_000;
/**
 * Limit of attributes per element, where recorded elements have fewer than 50; and per page, where the maximum is
 * 22,100.
 */
const attributesMax = 100;
const pageAttributesMax = 120_000;
/** Limits of texts, end tags, and scripts or styles; the recorded maxima are 3,100, 12,700 and 200. */
const textsMax = 30_000;
const endsMax = 120_000;
const scriptsMax = 4_000;
/** Most inner frames that are kept; recorded pages have fewer than 20. */
const framesMax = 100;
/** Most characters of style sheets; the recorded maximum is 670,000. */
const stylesMax = 4_000_000;

/** The markup is too deep or too large to be a results page. */
export class TreeLimitError extends Error {
  override readonly name = 'TreeLimitError';
}

/** A page as elements: the root, and every element in document order (an element's `order` is its index). */
export interface Tree {
  readonly root: Element;
  readonly elements: readonly Element[];
  readonly sheets: StyleSheets;
  /** Addresses of inner frames. */
  readonly frames: readonly string[];
  /** More than one for pages glued together. */
  readonly bodies: number;
}

const voidTags = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** Skipped with their contents, which are not markup or are invisible. */
const skippedTags = new Set(['script', 'style', 'svg', 'noframes', 'iframe', 'template']);
/** An opening tag of the key closes an open element of the value, if that is the innermost one. */
const ends = new Map<string, readonly string[]>([
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

/**
 * Frequent names as shared strings: comparing such a string with the same literal compares addresses, while strings cut
 * out of pages have their own addresses.
 */
const tagNames = sharedNames(
  'a b body br button cite div em form g-img h1 h2 h3 head hr img input label li link meta ol option p span strong table td tr ul'.split(
    ' ',
  ),
);
const attributeNames = sharedNames(
  'alt aria-hidden aria-label class data-hveid height href id jsname role src style tabindex title type value width'.split(
    ' ',
  ),
);

/** Names by themselves: keys of one object are shared by all code. */
function sharedNames(names: readonly string[]): ReadonlyMap<string, string> {
  const shared = Object.keys(Object.fromEntries(names.map((name) => [name, true])));
  return new Map(shared.map((name) => [name, name]));
}

/**
 * Builds the tree of a page. Throws TreeLimitError for markup beyond the limits; other faults of the markup are
 * tolerated.
 */
export function parseTree(html: string): Tree {
  const builder = new Builder(html);
  readMarkup(html, builder);
  return builder.finish();
}

/** Attributes that no parser reads; they are half of a page's attribute bytes. */
function isUnread(name: string): boolean {
  if (name.startsWith('js')) return name !== 'jsname';
  return name === 'data-ved' || name === 'ping' || name.startsWith('on');
}

/** Whether an attribute of a `style` element lets its rules apply on a screen. */
function isScreenStyle(name: string, value: string): boolean {
  switch (name.toLowerCase()) {
    case 'media':
      return mediaCondition(value) === 'always';
    case 'type':
      return ['', 'text/css'].includes(value.trim().toLowerCase());
    default:
      return true;
  }
}

class Builder implements MarkupReader {
  readonly #html: string;
  readonly #root = new Element('#root', null, 0);
  readonly #elements: Element[] = [this.#root];
  /**
   * The first `#count` are children of open elements, those of the innermost one last, from its place in `#firsts` on.
   * Lists are filled, never shortened: V8 would free their memory and reserve it again.
   */
  readonly #nodes: (Element | string)[] = [];
  #count = 0;
  readonly #firsts: number[] = [];
  /** The first `#readCount` are names and values of the pending element. */
  readonly #read: string[] = [];
  #readCount = 0;
  #links = 0;
  #bodies = 0;
  #attributes = 0;
  #texts = 0;
  #ends = 0;
  #scripts = 0;
  /** The number of open elements by name: an end tag without an open element is ignored without a search. */
  readonly #openTags = new Map<string, number>();
  #open = this.#root;
  /** The element whose tag is being read. */
  #pending: Element | null = null;
  /** The open skipped element, and how many elements of its name are nested. */
  #skipped = '';
  #skippedDepth = 0;
  #isSkippedTag = false;
  readonly #styles: string[] = [];
  readonly #frames: string[] = [];
  #styleCharacters = 0;
  /** The open `style` is not a style sheet of this page on a screen. */
  #isOtherStyle = false;

  constructor(html: string) {
    this.#html = html;
  }

  /** Closes the elements that are still open. */
  finish(): Tree {
    this.#keepAttributes();
    while (this.#open !== this.#root) this.#leave();
    this.#root.last = this.#elements.length - 1;
    this.#root.children = this.#nodes.slice(0, this.#count);
    return {
      root: this.#root,
      elements: this.#elements,
      sheets: new StyleSheets(this.#styles),
      frames: this.#frames,
      bodies: this.#bodies,
    };
  }

  open(start: number, end: number): void {
    const tag = this.#tagAt(start, end);
    if ((tag === 'script' || tag === 'style') && ++this.#scripts > scriptsMax)
      throw new TreeLimitError(`markup has more than ${scriptsMax} scripts and styles`);
    if (this.#skipped === '' && skippedTags.has(tag)) {
      this.#skipped = tag;
      // Scripts are on, so style sheets in noscript do not apply.
      this.#isOtherStyle = (this.#openTags.get('noscript') ?? 0) > 0;
    }
    if (this.#skipped === '') this.#enter(tag);
    else if (tag === this.#skipped) {
      this.#skippedDepth++;
      this.#isSkippedTag = true;
    }
  }

  attribute(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    if (this.#isSkippedTag && this.#skipped === 'style')
      this.#isOtherStyle ||= !isScreenStyle(
        this.#html.slice(nameStart, nameEnd),
        this.#html.slice(valueStart, valueEnd),
      );
    if (this.#isSkippedTag && this.#skipped === 'iframe') this.#keepFrame(nameStart, nameEnd, valueStart, valueEnd);
    if (this.#pending === null || this.#readCount >= attributesMax * 2) return;
    const written = this.#html.slice(nameStart, nameEnd);
    const shared = attributeNames.get(written);
    const name = shared ?? written.toLowerCase();
    if (shared === undefined && isUnread(name)) return;
    if (++this.#attributes > pageAttributesMax)
      throw new TreeLimitError(`markup has more than ${pageAttributesMax} attributes`);
    this.#read[this.#readCount++] = name;
    const value = this.#html.slice(valueStart, valueEnd);
    // Browsers ignore spaces around an address.
    this.#read[this.#readCount++] = name === 'href' ? value.trim() : value;
  }

  opened(isSelfClosing: boolean): void {
    // Only foreign elements close themselves; elsewhere the slash is ignored.
    if (isSelfClosing && this.#isSkippedTag && this.#skipped === 'svg' && --this.#skippedDepth === 0)
      this.#skipped = '';
    this.#isSkippedTag = false;
    this.#keepAttributes();
    if (this.#pending !== null && !voidTags.has(this.#pending.tag)) {
      const { tag } = this.#pending;
      this.#open = this.#pending;
      this.#firsts[this.#open.depth] = this.#count;
      this.#openTags.set(tag, (this.#openTags.get(tag) ?? 0) + 1);
    }
    this.#pending = null;
  }

  close(start: number, end: number): void {
    if (++this.#ends > endsMax) throw new TreeLimitError(`markup has more than ${endsMax} ends of elements`);
    const tag = this.#tagAt(start, end);
    if (this.#skipped === '') this.#close(tag);
    else if (tag === this.#skipped && --this.#skippedDepth === 0) this.#skipped = '';
  }

  text(start: number, end: number): void {
    if (this.#skipped === 'style' && !this.#isOtherStyle) this.#keepStyle(start, end);
    if (this.#skipped !== '') return;
    if (++this.#texts > textsMax) throw new TreeLimitError(`markup has more than ${textsMax} pieces of text`);
    this.#nodes[this.#count++] = this.#html.slice(start, end);
  }

  #keepFrame(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    if (this.#html.slice(nameStart, nameEnd).toLowerCase() !== 'src' || this.#frames.length >= framesMax) return;
    this.#frames.push(this.#html.slice(valueStart, valueEnd));
  }

  #keepStyle(start: number, end: number): void {
    this.#styleCharacters += end - start;
    if (this.#styleCharacters > stylesMax)
      throw new TreeLimitError(`markup has more than ${stylesMax} characters of style sheets`);
    this.#styles.push(this.#html.slice(start, end));
  }

  #tagAt(start: number, end: number): string {
    const name = this.#html.slice(start, end);
    return tagNames.get(name) ?? name.toLowerCase();
  }

  #keepAttributes(): void {
    if (this.#pending === null || this.#readCount === 0) return;
    this.#pending.attributes = this.#read.slice(0, this.#readCount);
    this.#readCount = 0;
  }

  #enter(tag: string): void {
    const ended = ends.get(tag);
    while (ended?.includes(this.#open.tag) === true) this.#leave();
    if (this.#open.depth >= depthMax) throw new TreeLimitError(`markup is nested deeper than ${depthMax} elements`);
    if (this.#elements.length > elementsMax) throw new TreeLimitError(`markup has more than ${elementsMax} elements`);
    if (tag === 'body') this.#bodies++;
    if (tag === 'a' && ++this.#links > linksMax) throw new TreeLimitError(`markup has more than ${linksMax} links`);
    this.#pending = new Element(tag, this.#open, this.#elements.length);
    this.#nodes[this.#count++] = this.#pending;
    this.#elements.push(this.#pending);
  }

  #leave(): void {
    this.#openTags.set(this.#open.tag, (this.#openTags.get(this.#open.tag) ?? 1) - 1);
    this.#open.last = this.#elements.length - 1;
    const first = this.#firsts[this.#open.depth] ?? 0;
    if (first < this.#count) this.#open.children = this.#nodes.slice(first, this.#count);
    this.#count = first;
    this.#open = this.#open.parent ?? this.#root;
  }

  /**
   * Closes the innermost open element of a name; a stray end tag inside a table does not close what surrounds the
   * table.
   */
  #close(tag: string): void {
    if ((this.#openTags.get(tag) ?? 0) === 0) return;
    for (let at: Element | null = this.#open; at !== null && at !== this.#root; at = at.parent) {
      if (at.tag === tag) {
        while (this.#open !== at) this.#leave();
        this.#leave();
        return;
      }
      if (at.tag === 'table' && tag !== 'body') return;
    }
  }
}
