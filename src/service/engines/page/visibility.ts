// Whether an element is concealed: a decoy that no reader of the page sees is not a result.
import type { Element, PlainRules, Tree } from './tree.ts';

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
export function isConcealed(tree: Tree, element: Element): boolean {
  element.isConcealed ??=
    hidesItself(element) ||
    isHiddenByRule(tree, element) ||
    (element.parent !== null && isConcealed(tree, element.parent));
  return element.isConcealed;
}

function isHiddenByRule(tree: Tree, element: Element): boolean {
  tree.rules ??= readRules(tree.styles);
  const { hidden, shown } = tree.rules;
  if (hidden.size === 0 || ownDisplay.test(element.get('style') ?? '')) return false;
  const names = (element.get('class') ?? '').split(/\s+/).map((name) => `.${name}`);
  names.push(`#${element.get('id')}`);
  return !names.some((name) => shown.has(name)) && [...names, element.tag].some((name) => hidden.has(name));
}

/** Reads the rules that hide in plain form, `.box{display:none}` for a class, an id or a tag, under no condition. */
function readRules(styles: readonly string[]): PlainRules {
  const [hidden, shown] = [new Set<string>(), new Set<string>()];
  for (const style of styles) {
    const uncommented = style.split('*/').map((part) => part.split('/*', 1)[0] ?? '');
    const parts = uncommented.join('').split(/([{}])/);
    let depth = 0;
    for (let at = 1; at < parts.length; at += 2) {
      const [selectors = '', declarations = ''] = [parts[at - 1], parts[at + 1]];
      const isRule = parts[at] === '{' && parts[at + 2] === '}';
      if (isRule && declarations.includes('display')) readRule(selectors, declarations, depth === 0);
      depth = Math.max(0, depth + (parts[at] === '{' ? 1 : -1));
    }
  }
  return { hidden, shown };

  function readRule(selectors: string, declarations: string, isPlain: boolean): void {
    const [, display] = /(?:^|[;\s])display\s*:\s*([\w-]+)/i.exec(declarations) ?? [];
    if (display === undefined) return;
    for (const selector of selectors.split(',')) {
      const own =
        selector
          .trim()
          .split(/[\s>+~]+/)
          .at(-1) ?? '';
      if (display.toLowerCase() !== 'none') for (const [name] of own.matchAll(/[.#][\w-]+/g)) shown.add(name);
      else if (isPlain && /^[.#]?[\w-]+$/.test(selector.trim())) hidden.add(own);
    }
  }
}
