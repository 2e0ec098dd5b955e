// Marks the regions of a page (ad, question, overview, panel, carousel) by ids, roles, data attributes and custom tags.
import type { Element, Tree } from '../page/tree.ts';
import { isRemoved } from '../page/visibility.ts';

/** The region of an element, as bits that its descendants inherit. */
export const zone = {
  /** An ad block, or the region of a page that holds ads only. */
  ad: 1,
  /** A people-also-ask question with its answer. */
  question: 2,
  /** The AI overview. */
  overview: 4,
  /** An attribute of a knowledge panel, or an answer box. */
  attribute: 8,
  /** A row that scrolls, an accordion, a dialog: many small things of one feature. */
  carousel: 16,
  /** A section with its own header (stories, posts). */
  section: 32,
  /** The column beside the results. */
  side: 64,
  /** The featured snippet. */
  snippet: 128,
  /** Page furniture: header, tabs, footer. */
  furniture: 256,
  /** `display:none`. Panels that fade in are invisible at first, so other ways to hide are no region. */
  hidden: 512,
  listItem: 1024,
  /** A closed tab of the page. Set once the results are known: see tabs.ts. */
  closedTab: 2048,
} as const;

/** Regions without organic results. */
export const neverResult =
  zone.ad |
  zone.question |
  zone.overview |
  zone.attribute |
  zone.carousel |
  zone.section |
  zone.side |
  zone.snippet |
  zone.furniture |
  zone.hidden;

const adIds = new Set(['tads', 'tadsb', 'tadsto', 'bottomads', 'atvcap']);
const sideIds = new Set(['rhs', 'rhs_block', 'rhscol']);
const furnitureIds = new Set(
  'hdtb hdtbSum hdtb-msb searchform hdr top_nav gb mngb gbar guser foot footcnt fbar fbarcnt sfcnt appbar cnsi cnso mn-nav leftnav st-card msc before-appbar lfoot sdb navd nav xfoot'.split(
    ' ',
  ),
);
const furnitureTags = new Set(['header', 'footer', 'form']);
const carouselTags = new Set([
  'g-scrolling-carousel',
  'g-inner-card',
  'g-accordion-expander',
  'g-dialog',
  'g-expandable-container',
]);

/** Sets `zones` of every element, in one pass in document order. */
export function markZones(tree: Tree): void {
  for (const element of tree.elements) {
    const own = ownZones(element) | (isRemoved(element) ? zone.hidden : 0);
    element.zones = own | (element.parent?.zones ?? 0);
  }
}

function ownZones(element: Element): number {
  const [id, classes, role] = [element.get('id'), element.get('class'), element.get('role')];
  let bits = tagZones(element.tag);
  if (id !== undefined) bits |= idZones(id);
  if (classes !== undefined) bits |= classZones(classes);
  if (role !== undefined) bits |= roleZones(role);
  // Both together mark a question; a query alone also occurs on panels and feedback forms.
  if (element.has('data-q') && element.has('data-lk')) bits |= zone.question;
  if (element.has('data-text-ad') || element.has('data-pla') || element.has('data-is-ad')) bits |= zone.ad;
  if (element.has('data-attrid')) bits |= zone.attribute;
  const isOverview = element.has('data-mcpr') || /^(?:mfc|aim)/.test(element.get('data-subtree') ?? '');
  return isOverview ? bits | zone.overview : bits;
}

function tagZones(tag: string): number {
  if (furnitureTags.has(tag)) return zone.furniture;
  if (!tag.includes('-')) return 0;
  if (carouselTags.has(tag)) return zone.carousel;
  if (tag === 'g-section-with-header') return zone.section;
  return tag === 'block-component' ? zone.snippet : 0;
}

function idZones(id: string): number {
  if (adIds.has(id)) return zone.ad;
  if (sideIds.has(id)) return zone.side;
  if (furnitureIds.has(id)) return zone.furniture;
  // Answers to questions, on pages of 2018.
  if (/^irq\d+$/.test(id)) return zone.question;
  return id === 'm-x-content' ? zone.overview : 0;
}

/** The few class names that kept their meaning from 2014 to 2026. */
function classZones(classes: string): number {
  if (classes.includes('related-question-pair')) return zone.question;
  if (classes.includes('xpdopen')) return zone.snippet;
  return classes.includes('ads-ad') || classes.includes('commercial-unit') ? zone.ad : 0;
}

function roleZones(role: string): number {
  if (role === 'complementary') return zone.side;
  if (role === 'listitem') return zone.listItem;
  return role === 'dialog' ? zone.carousel : 0;
}
