// Whether an element is concealed: a decoy that no reader of the page sees is not a result.
import type { Element } from '../element.ts';
import { hidesByStyle, hidesByTag, hidesInert, isHiddenByAttribute } from './hiding.ts';
import type { StyleSheets } from './style-sheet.ts';

/** Whether the element or one around it is concealed, by tags, attributes, its own style or the rules of the page. */
export function isConcealed({ sheets }: { readonly sheets: StyleSheets }, element: Element): boolean {
  const open: Element[] = [];
  let isAbove = false;
  for (let at: Element | null = element; at !== null; at = at.parent) {
    if (at.isConcealed !== undefined) {
      isAbove = at.isConcealed;
      break;
    }
    open.push(at);
  }
  for (const each of open.reverse()) {
    isAbove ||= hidesItself(each) || hidesByStyle(each, sheets.styleOf(each));
    each.isConcealed = isAbove;
  }
  return isAbove;
}

function hidesItself(element: Element): boolean {
  return isHiddenByAttribute(element) || element.has('popover') || hidesInert(element) || hidesByTag(element);
}
