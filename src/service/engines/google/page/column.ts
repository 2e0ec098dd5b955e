// Finds the column that holds the results, by its id.
import type { Element } from '../../page/tree.ts';
import type { PageIndex } from './page-index.ts';

/** Elements that hold lists of results. A result's block lies within. */
const columnIds = ['rso', 'res', 'search', 'center_col', 'main', 'botstuff', 'bres', 'extrares'];

/** The widest element that contains results, by its id; the whole page if none is known. */
export function findColumn(pageIndex: PageIndex): Element {
  for (const id of ['center_col', 'main', 'res', 'search', 'rso']) {
    const element = pageIndex.ids.get(id);
    if (element !== undefined) return element;
  }
  return pageIndex.tree.root;
}

/** Whether an element contains lists of results, rather than a single one. */
export function isColumn(element: Element, pageIndex: PageIndex): boolean {
  const id = element.get('id');
  if (id !== undefined && columnIds.includes(id)) return true;
  return element.tag === 'body' || element === pageIndex.tree.root || element.get('role') === 'tabpanel';
}
