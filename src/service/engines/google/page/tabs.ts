// Detects closed tab panels, whose content is hidden.
import type { Element } from '../../page/tree.ts';
import type { PageIndex } from './page-index.ts';
import { zone } from './regions.ts';

/** Most tab panels that are looked at; recorded pages have eight. */
const panelsMax = 100;

/**
 * Marks the contents of closed tabs: panels beside the one with the results, and panels whose tab says so. Panels of
 * questions open on a click and belong to the questions.
 */
export function markClosedTabs(pageIndex: PageIndex, results: readonly Element[]): void {
  const isPanel = (each: Element): boolean => each.get('role') === 'tabpanel' && (each.zones & zone.question) === 0;
  const panels = pageIndex.tree.elements.filter(isPanel).slice(0, panelsMax);
  if (panels.length < 2) return;
  const holders = panels.filter((panel) => results.some((heading) => panel.contains(heading)));
  const unselected = holders.length > 0 ? new Set<Element>() : panelsOfUnselected(pageIndex, panels);
  for (const panel of panels) {
    const isBesideResults = holders.some((holder) => !holder.contains(panel) && !panel.contains(holder));
    if (!holders.includes(panel) && (isBesideResults || unselected.has(panel))) markAll(pageIndex, panel);
  }
}

/** Panels of unselected tabs, if one of the tabs is selected. */
function panelsOfUnselected(pageIndex: PageIndex, panels: readonly Element[]): Set<Element> {
  const tabs = pageIndex.tree.elements.filter((each) => each.get('role') === 'tab' && each.has('aria-selected'));
  const panelOf = (tab: Element): Element | undefined => {
    const name = tab.get('aria-controls') ?? tab.get('data-ti') ?? '';
    return name === '' ? undefined : panels.find((panel) => panel.get('id')?.endsWith(name) === true);
  };
  const selected = tabs.filter((tab) => tab.get('aria-selected') === 'true').map(panelOf);
  if (selected.every((panel) => panel === undefined)) return new Set();
  const closed = tabs.filter((tab) => tab.get('aria-selected') === 'false').flatMap((tab) => panelOf(tab) ?? []);
  return new Set(closed.filter((panel) => !selected.includes(panel)));
}

function markAll(pageIndex: PageIndex, panel: Element): void {
  for (let order = panel.order; order <= panel.last; order++) {
    const element = pageIndex.tree.elements[order];
    if (element !== undefined) element.zones |= zone.closedTab;
  }
}
