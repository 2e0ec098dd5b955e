// Finds elements within an element, by class or by a test.
import { type Element, isAmong } from './element.ts';
import { type Tree, TreeLimitError } from './tree.ts';

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

/** The list of results. Throws if there are two: which of them is the engine's is unknown. */
export function findList(tree: Tree, id: string): Element | undefined {
  const [list, other] = findAll(tree, tree.root, (element) => element.raw('id') === id);
  if (other !== undefined) throw new TreeLimitError('markup has more than one list of results');
  return list;
}

export function withClass(...names: readonly string[]): (element: Element) => boolean {
  return (element) => {
    const classes = element.raw('class');
    return classes !== undefined && names.some((name) => isAmong(classes, name));
  };
}

export function withId(...ids: readonly string[]): (element: Element) => boolean {
  return (element) => ids.includes(element.raw('id') ?? '');
}

/** Tests whether an ancestor of an element passes. Each element is tested once, however many queries come. */
export function isInsideAny(tree: Tree, test: (element: Element) => boolean): (element: Element) => boolean {
  const [outside, border, inside] = [0, 1, 2];
  const places = new Uint8Array(tree.elements.length);
  for (const element of tree.elements) {
    const isWithin = element.parent !== null && places[element.parent.order] !== outside;
    places[element.order] = isWithin ? inside : test(element) ? border : outside;
  }
  return (element) => places[element.order] === inside;
}
