// Looking for elements within an element: by class, by any test. What they mean is left to the engines.
import type { Element } from './element.ts';
import type { Tree } from './tree.ts';

/** Whether one of an element's classes is that one, or begins with it where it ends in a star: `df_alsoAsk`, `b_algo*`. */
export function hasClass(element: Element, name: string): boolean {
  const classes = element.raw('class');
  if (classes === undefined) return false;
  const isPrefix = name.endsWith('*');
  const wanted = isPrefix ? name.slice(0, -1) : name;
  // Looked for in every element of a page: the plain search goes first.
  if (!classes.includes(wanted)) return false;
  return classes.split(/\s+/).some((each) => (isPrefix ? each.startsWith(wanted) : each === wanted));
}

/** The descendants that pass, in document order. What stands in one that passed is not looked into. */
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

export function withClass(...names: readonly string[]): (element: Element) => boolean {
  return (element) => names.some((name) => hasClass(element, name));
}

export function withId(...ids: readonly string[]): (element: Element) => boolean {
  return (element) => ids.includes(element.raw('id') ?? '');
}

/** Whether an element around this one passes. */
export function standsIn(element: Element, test: (element: Element) => boolean): boolean {
  for (let at = element.parent; at !== null; at = at.parent) if (test(at)) return true;
  return false;
}
