// Which styles and tags conceal an element from the readers of a page.
import type { Element } from '../element.ts';
import { plainStyle } from './declarations.ts';

/** Elements whose content shows only after a click, or where the browser cannot do without it. */
const closedTags = new Set('dialog object select audio canvas datalist meter progress video'.split(' '));

const hiding = /display\s*:\s*none|content-visibility\s*:\s*hidden/i;
const offScreen =
  /(?:left|top|right|bottom|start|end|block|inline|indent|inset|margin|translate)\s*:\s*(?:calc\((?:0(?:px)? ?)?)?- ?\d{3}(?:\d|vw|vh|r?em)/i;
/** Before the window, a percentage of less may be a way to centre; behind it, lists of pictures go on. */
const farOff =
  /(?:left|right|start|end|indent)\s*:\s*(?:9\d{3}|\d{5}|\d{3}vw)|(?:^|[;\s])(?:left|right|top|bottom)\s*:\s*-(?:[2-9]\d\d|\d{4})%/i;
const movedAway = /translate(?:x|y|3d)?\(\s*-?(?:\d{4}|\d{3}(?:vw|vh|r?em)|[2-9]\d\d%)|rotate[xy]\(\s*-?90deg/i;
const scaledAway =
  /scale(?:x|y|3d)?(?:\(|\s*:)\s*(?:0(?:\.0\d*)?|\.0\d*)\s*(?:[,);!]|$)|matrix\(\s*0[\s,]+0[\s,]+0[\s,]+0[\s,]/i;
const cutToNothing =
  /clip-path\s*:\s*(?:inset\(\s*(?:[5-9]|\d\d)\d%|(?:circle|ellipse)\(\s*0(?:px|%)?[\s)])|polygon\(\s*0[px%]*\s+0[px%]*,\s*0[px%]*\s+0[px%]*,\s*0/i;
const clipped = /(?:^|[;\s])clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)/i;
const fading =
  /visibility\s*:\s*(?:hidden|collapse)|(?:^|[;\s])opacity\s*:\s*(?:-[\d.]+|0?\.0\d*|0|[0-4](?:\.\d*)?%)%?\s*(?:[;!]|$)|opacity\(\s*(?:0?\.0\d*|0|[0-4](?:\.\d*)?%)\s*\)/i;
const noSize =
  /(?:^|[;\s])(?:(?:max-)?(?:width|height|(?:inline|block)-size)\s*:\s*(?:0(?:[a-z]{1,4}|%)?|1px|0?\.\d+px)|text-indent\s*:\s*[1-9]\d\d%)\s*(?:[;!]|$)/i;
const cutOff = /overflow(?:-[xy])?\s*:\s*(?:hidden|clip|auto|scroll)|contain\s*:\s*(?:strict|content|(?:size )?paint)/i;
const hidingStyles = [hiding, offScreen, farOff, movedAway, scaledAway, cutToNothing, clipped];
const noText = /(?:^|[;\s])font(?:-size)?\s*:\s*(?:0(?:[a-z]{1,4}|%)?|0?\.\d+px)\s*(?:[;!/]|$)/i;

/** In elements. Pages of 2024 fade in their whole list of results: larger elements do not stay hidden. */
const fadedMax = 500;
/** In elements: those of one result. In a list, `font-size:0` removes only the spaces between its items. */
const resultMax = 50;

/** Whether a part of the style may conceal an element, beside others. */
export function mayHide(style: string): boolean {
  const plain = plainStyle(style);
  return hidesAny(plain) || fading.test(plain) || noSize.test(plain) || noText.test(plain);
}

/** Whether a style conceals a small element without other styles. */
export function hidesAlone(style: string): boolean {
  const plain = plainStyle(style);
  return hidesAny(plain) || fading.test(plain) || noText.test(plain) || (noSize.test(plain) && cutOff.test(plain));
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
  return hidingStyles.some((each) => each.test(style));
}

/** Whether an element that readers cannot use is concealed too; a page behind a dialog is `inert` as a whole. */
export function hidesInert(element: Element): boolean {
  return element.has('inert') && element.last - element.order < fadedMax;
}

/** Whether the attribute `hidden` conceals an element: not if its own style shows it, as scripts do. */
export function isHiddenByAttribute(element: Element): boolean {
  if (!element.has('hidden')) return false;
  const display = /(?:^|[;\s])display\s*:\s*([a-z-]+)/i.exec(plainStyle(element.raw('style') ?? ''))?.[1];
  return display === undefined || display.toLowerCase() === 'none';
}

/** Whether an element is concealed by its tag, or is below the summary of closed details. */
export function hidesByTag(element: Element): boolean {
  const { tag, parent } = element;
  if (parent?.tag === 'details' && tag !== 'summary') return !parent.has('open');
  return closedTags.has(tag) && !(tag === 'dialog' && element.has('open'));
}
