// Whether an element is concealed: a decoy that no reader of the page sees is not a result.
import type { Element } from './element.ts';

/** Elements whose content shows only after a click, or where the browser cannot do without it. */
const closedTags = new Set(['dialog', 'details', 'object', 'select', 'noscript', 'template']);

const hiding = /display\s*:\s*none|(?:left|top|right|text-indent)\s*:\s*-\d{4}/i;
const fading = /visibility\s*:\s*(?:hidden|collapse)|(?:^|[;\s])opacity\s*:\s*0(?:\.0*)?\s*(?:[;!]|$)/i;
const noSize = /(?:^|[;\s])(?:max-)?(?:width|height)\s*:\s*0(?:px)?\s*(?:[;!]|$)/i;
const cutOff = /overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/i;

/** In elements. Pages of 2024 fade in their whole list of results: larger elements do not stay hidden. */
const fadedMax = 500;

/** Whether the `style` of an element conceals it. Rules of style sheets are not read. */
export function hidesByStyle(element: Element, style: string): boolean {
  if (hiding.test(style) || (noSize.test(style) && cutOff.test(style))) return true;
  return element.last - element.order < fadedMax && fading.test(style);
}

/** Whether a tag conceals what it holds, unless it is open. */
export function hidesByTag(tag: string): boolean {
  return closedTags.has(tag);
}

/** Whether the element or one around it is concealed. */
export function isConcealed(element: Element): boolean {
  for (let at: Element | null = element; at !== null; at = at.parent) {
    if (at.has('hidden') || (hidesByTag(at.tag) && !at.has('open')) || hidesByStyle(at, at.get('style') ?? ''))
      return true;
  }
  return false;
}
