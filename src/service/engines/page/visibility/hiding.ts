// Which styles and tags conceal an element from the readers of a page.
import type { Element } from '../element.ts';
import { plainStyle } from './declarations.ts';

/** Elements whose content shows only after a click, or where the browser cannot do without it. */
const closedTags = new Set(
  'dialog details object select noscript template audio canvas datalist meter progress video'.split(' '),
);

const hiding = /display\s*:\s*none|content-visibility\s*:\s*hidden/i;
const offScreen =
  /(?:left|top|right|bottom|indent|inset|margin|translate)\s*:\s*-\d{3}(?:\d|vw|vh|r?em)|translate(?:x|y|3d)?\(\s*-\d{4}/i;
const cutToNothing =
  /clip-path\s*:\s*(?:inset\(\s*(?:[5-9]|\d\d)\d%|circle\(\s*0(?:px|%)?[\s)])|(?:^|[;\s])clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)|scale(?:x|y|3d)?(?:\(|\s*:)\s*0(?:\.0+)?\s*(?:[,);!]|$)/i;
const fading = /visibility\s*:\s*(?:hidden|collapse)|(?:^|[;\s])opacity\s*:\s*0(?:\.0*)?%?\s*(?:[;!]|$)/i;
const noSize =
  /(?:^|[;\s])(?:max-)?(?:width|height|(?:inline|block)-size)\s*:\s*(?:0(?:[a-z]{1,4}|%)?|1px)\s*(?:[;!]|$)/i;
const cutOff = /overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/i;
const noText = /(?:^|[;\s])font(?:-size)?\s*:\s*0(?:[a-z]{1,4}|%)?\s*(?:[;!/]|$)/i;

/** In elements. Pages of 2024 fade in their whole list of results: larger elements do not stay hidden. */
const fadedMax = 500;
/** In elements: those of one result. In a list, `font-size:0` removes only the spaces between its items. */
const resultMax = 50;

/** Whether a part of the style may conceal an element, beside others. */
export function mayHide(style: string): boolean {
  const plain = plainStyle(style);
  return hidesAny(plain) || fading.test(plain) || noSize.test(plain);
}

/** Whether a style conceals a small element without other styles. */
export function hidesAlone(style: string): boolean {
  const plain = plainStyle(style);
  return hidesAny(plain) || fading.test(plain) || (noSize.test(plain) && cutOff.test(plain));
}

/** Whether a plain style conceals its element. */
export function hidesByStyle(element: Element, style: string): boolean {
  if (style === '') return false;
  if (hidesAny(style) || (noSize.test(style) && cutOff.test(style))) return true;
  const size = element.last - element.order;
  return (size < fadedMax && fading.test(style)) || (size < resultMax && noText.test(style));
}

/** Whether a style conceals an element of any size. */
function hidesAny(style: string): boolean {
  return hiding.test(style) || offScreen.test(style) || cutToNothing.test(style);
}

/** Whether an element that readers cannot use is concealed too; a page behind a dialog is `inert` as a whole. */
export function hidesInert(element: Element): boolean {
  return element.has('inert') && element.last - element.order < fadedMax;
}

/** Whether a tag conceals what it holds, unless it is open. */
export function hidesByTag(tag: string): boolean {
  return closedTags.has(tag);
}
