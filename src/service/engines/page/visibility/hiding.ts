// Which styles and tags conceal an element from the readers of a page.
import type { Element } from '../element.ts';
import { plainStyle } from './declarations.ts';

/** Elements whose content shows only after a click, or where the browser cannot do without it. */
const closedTags = new Set(['dialog', 'details', 'object', 'select', 'noscript', 'template']);

const hiding =
  /display\s*:\s*none|(?:left|top|right|text-indent)\s*:\s*-\d{4}|content-visibility\s*:\s*hidden|clip-path\s*:\s*inset\(\s*(?:[5-9]|\d\d)\d%|(?:^|[;\s])clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)|transform\s*:\s*(?:scale\(\s*0(?:\.0*)?\s*\)|translate[xy]?\(\s*-\d{4})/i;
const fading = /visibility\s*:\s*(?:hidden|collapse)|(?:^|[;\s])opacity\s*:\s*0(?:\.0*)?%?\s*(?:[;!]|$)/i;
const noSize = /(?:^|[;\s])(?:max-)?(?:width|height)\s*:\s*(?:0(?:px|em|%)?|1px)\s*(?:[;!]|$)/i;
const cutOff = /overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/i;

/** In elements. Pages of 2024 fade in their whole list of results: larger elements do not stay hidden. */
const fadedMax = 500;

/** Whether a part of the style may conceal an element, beside others. */
export function mayHide(style: string): boolean {
  const plain = plainStyle(style);
  return hiding.test(plain) || fading.test(plain) || noSize.test(plain);
}

/** Whether a style conceals a small element without other styles. */
export function hidesAlone(style: string): boolean {
  const plain = plainStyle(style);
  return hiding.test(plain) || fading.test(plain) || (noSize.test(plain) && cutOff.test(plain));
}

/** Whether a plain style conceals its element. */
export function hidesByStyle(element: Element, style: string): boolean {
  if (style === '') return false;
  if (hiding.test(style) || (noSize.test(style) && cutOff.test(style))) return true;
  return element.last - element.order < fadedMax && fading.test(style);
}

/** Whether a tag conceals what it holds, unless it is open. */
export function hidesByTag(tag: string): boolean {
  return closedTags.has(tag);
}
