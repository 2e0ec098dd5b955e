// Parses HTML into a compact tree in one pass over the markup, without scripts and styles.
import { attributeName, attributeValue } from './attributes.ts';
import { Element } from './element.ts';
import { type MarkupReader, readMarkup } from './markup.ts';
import { type OpenTag, type Rule, TagTable } from './tags.ts';
import { StyleSheets } from './visibility.ts';

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
  readonly styles: StyleSheets;
  /** Addresses of inner frames. */
  readonly frames: readonly string[];
  /** Elements with a shadow root, which browsers show in place of what they hold. */
  readonly shadowHosts: readonly Element[];
  /** More than one for pages glued together. */
  readonly bodies: number;
  /** Whether the page ends in a tag, a script, or an element that needs an end tag. */
  readonly isCut: boolean;
}

/** Elements that HTML lets a page leave open: tools that save pages do. */
const leftOpen = new Set('html head body p li dt dd tr td th thead tbody tfoot colgroup option optgroup'.split(' '));

/**
 * Builds the tree of a page. Throws TreeLimitError for markup beyond the limits; other faults of the markup are
 * tolerated.
 */
export function parseTree(html: string): Tree {
  const builder = new Builder(html);
  readMarkup(html, builder);
  return builder.finish();
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
  #roots = 0;
  #attributes = 0;
  #texts = 0;
  #ends = 0;
  #scripts = 0;
  readonly #tags = new TagTable();
  readonly #table = this.#tags.tagOf('table');
  readonly #math = this.#tags.tagOf('math');
  #open = this.#root;
  /** The tags of the open elements, by depth. */
  readonly #openTags: OpenTag[] = [];
  /** The element whose tag is being read. */
  #pending: Element | null = null;
  #pendingTag = this.#table;
  /** The open skipped element, and how many elements of its name are nested. */
  #skipped = '';
  #skippedDepth = 0;
  #isSkippedTag = false;
  /** The innermost tag of a skipped `svg`: its style sheets apply to the page. */
  #pictureTag = '';
  readonly #styles: string[] = [];
  readonly #frames: string[] = [];
  readonly #shadowHosts: Element[] = [];
  #styleCharacters = 0;
  /** The open `style` applies under a condition: in print, or below some width. */
  #isOtherStyle = false;

  constructor(html: string) {
    this.#html = html;
  }

  get isForeign(): boolean {
    return this.#skipped === 'svg' || this.#math.open > 0;
  }

  /** Closes the elements that are still open. */
  finish(): Tree {
    this.#keepAttributes();
    let isCut = this.#pending !== null || this.#skipped !== '';
    for (; this.#open !== this.#root; this.#leave()) isCut ||= !leftOpen.has(this.#open.tag);
    this.#root.last = this.#elements.length - 1;
    this.#root.children = this.#nodes.slice(0, this.#count);
    return {
      root: this.#root,
      elements: this.#elements,
      styles: new StyleSheets(this.#styles),
      frames: this.#frames,
      shadowHosts: this.#shadowHosts,
      bodies: Math.max(this.#bodies, this.#roots),
      isCut,
    };
  }

  open(start: number, end: number): void {
    const tag = this.#tagAt(start, end);
    if (tag.isScript && ++this.#scripts > scriptsMax)
      throw new TreeLimitError(`markup has more than ${scriptsMax} scripts and styles`);
    if (this.#skipped === 'svg') {
      this.#pictureTag = tag.name;
      if (tag.endsPicture) {
        this.#skipped = '';
        this.#skippedDepth = 0;
      }
    }
    if (this.#skipped === '' && tag.isSkipped) {
      this.#skipped = tag.name;
      this.#isOtherStyle = false;
    }
    if (this.#skipped === '') this.#enter(tag);
    else if (tag.name === this.#skipped) {
      this.#skippedDepth++;
      this.#isSkippedTag = true;
    }
  }

  attribute(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    if (this.#isSkippedTag) this.#readSkipped(this.#html.slice(nameStart, nameEnd), valueStart, valueEnd);
    if (this.#pending === null || this.#readCount >= attributesMax * 2) return;
    const name = attributeName(this.#html, nameStart, nameEnd);
    if (name === '') return;
    // A repeated attribute is ignored.
    for (let i = 0; i < this.#readCount; i += 2) if (this.#read[i] === name) return;
    if (++this.#attributes > pageAttributesMax)
      throw new TreeLimitError(`markup has more than ${pageAttributesMax} attributes`);
    this.#read[this.#readCount++] = name;
    this.#read[this.#readCount++] = attributeValue(name, this.#html.slice(valueStart, valueEnd));
  }

  opened(isSelfClosing: boolean): void {
    // Only foreign elements close themselves; elsewhere the slash is ignored.
    if (isSelfClosing && this.#skipped === 'svg') {
      this.#pictureTag = '';
      if (this.#isSkippedTag && --this.#skippedDepth === 0) this.#skipped = '';
    }
    this.#isSkippedTag = false;
    this.#keepAttributes();
    if (this.#pending !== null && !this.#pendingTag.isVoid) {
      this.#open = this.#pending;
      this.#firsts[this.#open.depth] = this.#count;
      this.#openTags[this.#open.depth] = this.#pendingTag;
      this.#pendingTag.open++;
    }
    this.#pending = null;
  }

  close(start: number, end: number): void {
    if (++this.#ends > endsMax) throw new TreeLimitError(`markup has more than ${endsMax} ends of elements`);
    const tag = this.#tagAt(start, end);
    this.#pictureTag = '';
    if (this.#skipped === '') this.#close(tag);
    else if (tag.name === this.#skipped && --this.#skippedDepth === 0) this.#skipped = '';
  }

  text(start: number, end: number): void {
    const isStyle = this.#skipped === 'style' || (this.#skipped === 'svg' && this.#pictureTag === 'style');
    if (isStyle && !this.#isOtherStyle) this.#keepStyle(start, end);
    if (this.#skipped !== '') return;
    if (++this.#texts > textsMax) throw new TreeLimitError(`markup has more than ${textsMax} pieces of text`);
    this.#nodes[this.#count++] = this.#html.slice(start, end);
  }

  /** An attribute of an element whose contents are skipped. */
  #readSkipped(name: string, valueStart: number, valueEnd: number): void {
    const value = (): string => this.#html.slice(valueStart, valueEnd);
    if (this.#skipped === 'style') this.#isOtherStyle ||= name.toLowerCase() === 'media';
    if (this.#skipped === 'template' && name === 'shadowrootmode') this.#shadowHosts.push(this.#open);
    const isFrame = this.#skipped === 'iframe' && name.toLowerCase() === 'src';
    if (isFrame && this.#frames.length < framesMax) this.#frames.push(value());
  }

  #keepStyle(start: number, end: number): void {
    this.#styleCharacters += end - start;
    if (this.#styleCharacters > stylesMax)
      throw new TreeLimitError(`markup has more than ${stylesMax} characters of style sheets`);
    this.#styles.push(this.#html.slice(start, end));
  }

  #tagAt(start: number, end: number): OpenTag {
    return this.#tags.tagOf(this.#html.slice(start, end));
  }

  #keepAttributes(): void {
    if (this.#pending === null || this.#readCount === 0) return;
    this.#pending.attributes = this.#read.slice(0, this.#readCount);
    this.#readCount = 0;
  }

  #enter(tag: OpenTag): void {
    const { name, rule } = tag;
    if (rule !== undefined) {
      if (rule.isOfTable === true && this.#table.open === 0) return;
      this.#closeFor(rule);
    }
    if (this.#open.depth >= depthMax) throw new TreeLimitError(`markup is nested deeper than ${depthMax} elements`);
    if (this.#elements.length > elementsMax) throw new TreeLimitError(`markup has more than ${elementsMax} elements`);
    if (name === 'head' && this.#bodies > 0) return;
    if (name === 'body') this.#bodies++;
    if (name === 'html') this.#roots++;
    if (name === 'a' && ++this.#links > linksMax) throw new TreeLimitError(`markup has more than ${linksMax} links`);
    this.#pending = new Element(name, this.#open, this.#elements.length);
    this.#pendingTag = tag;
    this.#nodes[this.#count++] = this.#pending;
    this.#elements.push(this.#pending);
  }

  #leave(): void {
    const { depth } = this.#open;
    const tag = this.#openTags[depth];
    if (tag !== undefined) tag.open--;
    this.#open.last = this.#elements.length - 1;
    const first = this.#firsts[depth] ?? 0;
    if (first < this.#count) this.#open.children = this.#nodes.slice(first, this.#count);
    this.#count = first;
    this.#open = this.#open.parent ?? this.#root;
  }

  #closeFor({ closes, isPassed }: Rule): void {
    let last: Element | undefined;
    for (let at: Element | null = this.#open; at !== null && at !== this.#root; at = at.parent) {
      if (closes.includes(at.tag)) last = at;
      else if (!isPassed(at.tag)) break;
    }
    if (last === undefined) return;
    while (this.#open !== last) this.#leave();
    this.#leave();
  }

  /**
   * Closes the innermost open element of a name; a stray end tag inside a table does not close what surrounds the
   * table.
   */
  #close({ name, open }: OpenTag): void {
    if (open === 0) return;
    for (let at: Element | null = this.#open; at !== null && at !== this.#root; at = at.parent) {
      if (at.tag === name) {
        while (this.#open !== at) this.#leave();
        this.#leave();
        return;
      }
      if (at.tag === 'table' && name !== 'body') return;
    }
  }
}
