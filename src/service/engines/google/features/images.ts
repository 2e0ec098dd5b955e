// Reads rows of pictures between the results: title, page and picture of each.
import type { ImageResult } from '../../../model/results/serp.ts';
import { readFirstLine, readLines, tidy } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import type { PageIndex } from '../page/page-index.ts';
import { zone } from '../page/regions.ts';
import { absolute, clean, imageAddress } from '../results/urls.ts';

export interface PlacedImage {
  readonly order: number;
  readonly image: Omit<ImageResult, 'rank'>;
}

const notImages = zone.furniture | zone.ad | zone.side | zone.question | zone.overview | zone.snippet | zone.closedTab;

/**
 * Whether an element is in a position of picture rows: in the results column, or in a block of full width above or
 * below it.
 */
function placeTest(pageIndex: PageIndex, column: Element): (element: Element) => boolean {
  const page = pageIndex.ids.get('rcnt');
  const isWide = (element: Element): boolean =>
    page?.contains(element) === true && page.contains(column) && (element.zones & (zone.attribute | zone.hidden)) === 0;
  return (element) => (element.zones & notImages) === 0 && (column.contains(element) || isWide(element));
}

/** Pictures in reading order: elements that name their page, and links to the picture viewer. */
export function findImages(pageIndex: PageIndex, column: Element): PlacedImage[] {
  const placed: PlacedImage[] = [];
  const isPlace = placeTest(pageIndex, column);
  for (const element of pageIndex.byData('data-lpage')) {
    if (!isPlace(element)) continue;
    const link = element.get('data-lpage') ?? '';
    if (/^https?:/.test(link)) place(placed, element, clean(link), findPicture(element, pageIndex));
  }
  for (const card of [...pageIndex.byData('data-docid'), ...pageIndex.byData('data-sv-cpt')])
    if (isPlace(card)) placeCard(placed, card, pageIndex);
  for (const anchor of pageIndex.anchors) {
    if (anchor.get('href')?.includes('/imgres?') !== true || !isPlace(anchor)) continue;
    const parameters = new URL(absolute(anchor.get('href') ?? '')).searchParams;
    const link = parameters.get('imgrefurl');
    if (link !== null && /^https?:/.test(link))
      place(placed, anchor, clean(link), findPicture(anchor, pageIndex), parameters.get('imgurl'));
  }
  return placed.sort((a, b) => a.order - b.order);
}

/** A card since 2025: a link without text that covers it, to the page of the one picture in it. */
function placeCard(placed: PlacedImage[], card: Element, pageIndex: PageIndex): void {
  if (card.last - card.order > cardElementsMax || placed.some((each) => each.order === card.order)) return;
  const anchors = pageIndex.anchors.filter((anchor) => card.contains(anchor));
  const [anchor] = anchors;
  const link = anchor === undefined ? undefined : pageIndex.linkOf(anchor).destination;
  const picture = findPicture(card, pageIndex);
  if (anchor === undefined || anchors.length > 1 || link === undefined || (picture?.get('alt') ?? '') === '') return;
  if (anchor.last === anchor.order && readLines(anchor).length === 0) place(placed, card, link, picture);
}

/** Most elements of a card; recorded ones have 30. */
const cardElementsMax = 80;

function place(
  placed: PlacedImage[],
  element: Element,
  link: string,
  picture: Element | undefined,
  original?: string | null,
): void {
  const title = tidy(picture?.get('alt') ?? '') || readFirstLine(element) || tidy(element.get('aria-label') ?? '');
  const image =
    imageAddress(original ?? undefined) ?? imageAddress(picture?.get('data-src')) ?? imageAddress(picture?.get('src'));
  if (title === '') return;
  placed.push({ order: element.order, image: { title, link, ...(image !== undefined && { image }) } });
}

/** The first picture in the element that is not an icon: icons have no alternative text. */
function findPicture(element: Element, pageIndex: PageIndex): Element | undefined {
  let first: Element | undefined;
  for (let order = element.order; order <= element.last; order++) {
    const picture = pageIndex.tree.elements[order];
    if (picture?.tag !== 'img') continue;
    if ((picture.get('alt') ?? '') !== '') return picture;
    first ??= picture;
  }
  return first;
}
