// Whether an element is concealed: a decoy that no reader of the page sees is not a result.
import type { Element } from './tree.ts';

/** In elements. Pages of 2024 fade in their whole list of results: a larger part does not stay invisible. */
const fadedMax = 500;

/** Whether an element is hidden as the page opens, by `hidden` or its own style. A style that shows it comes first. */
export function hidesItself(element: Element): boolean {
  const style = element.get('style') ?? '';
  if (/display\s*:\s*none/i.test(style)) return true;
  if (element.has('hidden') && !ownDisplay.test(style)) return true;
  return /visibility\s*:\s*hidden/i.test(style) && element.last - element.order < fadedMax;
}

const ownDisplay = /(?:^|[;\s])display\s*:/i;

/** Whether an element, or one around it, hides itself or is hidden by a rule of the page. */
export function isConcealed(tree: { readonly styles: StyleSheets }, element: Element): boolean {
  element.isConcealed ??=
    hidesItself(element) ||
    tree.styles.hides(element) ||
    (element.parent !== null && isConcealed(tree, element.parent));
  return element.isConcealed;
}

/** The plain rules of a page that hide: `.box{display:none}` for a class, an id or a tag, under no condition. */
export class StyleSheets {
  readonly #texts: readonly string[];
  #names: ReadonlySet<string> | undefined;
  /** Names that a rule of any form may show: whether it wins is not decided, so the element counts as seen. */
  readonly #shown = new Set<string>();

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  hides(element: Element): boolean {
    this.#names ??= this.#read();
    if (this.#names.size === 0) return false;
    const names = (element.get('class') ?? '').split(/\s+/).map((name) => `.${name}`);
    names.push(`#${element.get('id')}`);
    if (names.some((name) => this.#shown.has(name)) || ownDisplay.test(element.get('style') ?? '')) return false;
    return [...names, element.tag].some((name) => this.#names?.has(name));
  }

  #read(): ReadonlySet<string> {
    const names = new Set<string>();
    for (const text of this.#texts) {
      const plain = text.split('*/').map((part) => part.split('/*', 1)[0] ?? '');
      const parts = plain.join('').split(/([{}])/);
      let depth = 0;
      for (let at = 1; at < parts.length; at += 2) {
        if (parts[at] === '}') depth = Math.max(0, depth - 1);
        else if (parts[at + 2] === '}') this.#readRule(parts[at - 1] ?? '', parts[at + 1] ?? '', depth++ === 0, names);
        else depth++;
      }
    }
    return names;
  }

  #readRule(selectors: string, declarations: string, isPlain: boolean, names: Set<string>): void {
    const [, display] = /(?:^|[;\s])display\s*:\s*([\w-]+)/i.exec(declarations) ?? [];
    if (display === undefined) return;
    const isHiding = display.toLowerCase() === 'none';
    for (const selector of selectors.split(',')) {
      const own =
        selector
          .trim()
          .split(/[\s>+~]+/)
          .at(-1) ?? '';
      if (!isHiding) for (const [name] of own.matchAll(/[.#][\w-]+/g)) this.#shown.add(name);
      else if (isPlain && /^[.#]?[\w-]+$/.test(selector.trim())) names.add(own);
    }
  }
}
