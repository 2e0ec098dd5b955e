// Reads rows of named links (stories, videos, posts) and of pictures between the results.

import type { ImageResult } from '../../../model/results/serp.ts';
import { withoutEmpty } from '../../page/assemble.ts';
import { readFirstLine, readLines, textOf, tidy } from '../../page/text.ts';
import { closest, type Element, partsOf } from '../../page/tree.ts';
import { firstFrom, type Headed, isColumn, type PageIndex } from '../page-index.ts';
import { zone } from '../regions.ts';
import type { Found } from '../results.ts';
import { absolute, clean, imageAddress } from '../urls.ts';

type GroupKind = 'video' | 'discussions_and_forums' | 'perspectives' | 'top_stories' | 'twitter' | 'other';

export interface Group {
  readonly kind: GroupKind;
  readonly items: readonly Headed[];
}

const outside =
  zone.ad | zone.question | zone.overview | zone.side | zone.furniture | zone.hidden | zone.snippet | zone.attribute;
const forum =
  /(?:^|\.)(?:reddit|quora|stackexchange|stackoverflow|answers\.microsoft|gutefrage|avclub)\.|forum|community|\/threads?\/|\/comments\/|\/questions?\/|\/discussions?\/|\/groups\/|\/ShowTopic-/i;
const social =
  /(?:^|\.)(?:instagram|facebook|tiktok|x|twitter|youtube|linkedin|reddit|threads|quora|medium|pinterest|bsky)\.(?:com|net|app)$/i;
const tweets = /^(?:(?:mobile|m|www)\.)?(?:twitter|x)\.com$/i;
const duration = /^(?:\d{1,2}:)?\d{1,3}:\d{2}$/;

/**
 * Groups of at least two links (one, for the posts of a profile), in reading order. A title of level 2, an organic
 * result or a new list begins another group.
 */
export function findGroups(pageIndex: PageIndex, column: Element, organic: readonly Found[]): Group[] {
  const results = new Set<Headed>(organic.flatMap((each) => [each.headed, ...each.nested]));
  const borders = [
    ...pageIndex.titles.filter((title) => isGroupTitle(title)),
    ...organic.map((each) => each.headed.heading),
  ]
    .map((each) => each.order)
    .sort((a, b) => a - b);
  const byBorder = new Map<number, Headed[]>();
  for (const each of pageIndex.headed) {
    if (results.has(each) || (each.zones & outside) !== 0 || !column.contains(each.heading)) continue;
    if ((each.heading.zones & zone.closedTab) !== 0) continue;
    if (each.link.destination === undefined || each.link.isAd) continue;
    const border = firstFrom(borders, each.heading.order);
    byBorder.set(border, [...(byBorder.get(border) ?? []), each]);
  }
  const news = pageIndex.anchors.filter((each) => /[?&;]tbm=nws\b/.test(each.href)).slice(0, newsLinksMax);
  return [...byBorder.values()]
    .filter((items) => items.length > 1 || isTwitter(items))
    .map((items) => ({ kind: classifyGroup(items, news, pageIndex), items }));
}

function isGroupTitle(title: Element): boolean {
  // Dialogs and players that open later have their own titles.
  if ((title.zones & (zone.hidden | zone.carousel | zone.closedTab)) !== 0) return false;
  const level = title.get('aria-level');
  return (title.get('role') === 'heading' && level === '2') || title.tag === 'g-tray-header';
}

function isTwitter(items: readonly Headed[]): boolean {
  return items.every((each) => tweets.test(linkHost(each)));
}

function classifyGroup(items: readonly Headed[], news: readonly Element[], pageIndex: PageIndex): GroupKind {
  if (isTwitter(items)) return 'twitter';
  const hosts = items.map((each) => linkHost(each));
  const inSection = items.some((each) => (each.zones & zone.section) !== 0);
  const inList = most(items, (each) => (each.zones & zone.listItem) !== 0 || isInList(each.anchor));
  if (inSection && inList && most(hosts, (host) => social.test(host))) return 'perspectives';
  if (most(items, (each) => isVideo(each, items, pageIndex))) return 'video';
  if (!inSection && most(items, (each) => forum.test(each.link.destination ?? ''))) return 'discussions_and_forums';
  if ((inSection && !inList) || items.some((each) => isStory(each, news))) return 'top_stories';
  return 'other';
}

function most<T>(items: readonly T[], holds: (item: T) => boolean): boolean {
  return items.filter((item) => holds(item)).length * 2 >= items.length;
}

function linkHost({ link }: Headed): string {
  return URL.parse(link.destination ?? '')?.hostname ?? '';
}

function isInList(anchor: Element): boolean {
  return closest(anchor, (each) => each.get('role') === 'list') !== undefined;
}

/** A length within the item, or an address that only videos have. */
function isVideo({ anchor, heading, link }: Headed, items: readonly Headed[], pageIndex: PageIndex): boolean {
  if (/\/(?:watch\?|shorts\/|reel\/|videos?\/)|youtu\.be\/|vimeo\.com\/\d/.test(link.destination ?? '')) return true;
  let item = anchor;
  for (let climbed = 0; item.parent !== null && climbed < itemClimbMax; climbed++) {
    const wider = item.parent;
    if (isColumn(wider, pageIndex)) break;
    if (items.some((other) => other.heading !== heading && wider.contains(other.heading))) break;
    item = wider;
  }
  return readLines(item).some((line) => duration.test(line.text));
}

/** Stories have a link to the engine's news search in the same block, or are in a block with that name. */
function isStory({ anchor }: Headed, news: readonly Element[]): boolean {
  for (let at = anchor.parent, climbed = 0; at !== null && climbed < storyClimbMax; at = at.parent, climbed++) {
    const id = at.get('id');
    if (id?.startsWith('tscff') === true) return true;
    if (id === 'rso' || id === 'search' || id === 'center_col' || id === 'main') return false;
    const block = at;
    if (news.some((each) => block.contains(each))) return true;
  }
  return false;
}

/** How far above its link an item of a group may begin. */
const itemClimbMax = 6;
/** Links to the news search that are looked at; pages have three or four. */
const newsLinksMax = 20;
/** How far above a story its block may stand. */
const storyClimbMax = 20;

/** Title, author and site of a post. Its card shows the site's name as in the address, and the author before it. */
export function readPost(post: Headed): { title: string; author?: string; source?: string } {
  const title = textOf(post.heading);
  const lines = readLines(post.anchor)
    .filter((line) => line.element.order > post.heading.last && !isMetrics(line.element, line.text))
    .map((line) => line.text);
  const site = registrableSite(linkHost(post));
  for (const [index, line] of lines.entries()) {
    const parts = line.split(/ ?· ?/);
    const at = parts.findIndex(
      (part) =>
        site !== '' &&
        part
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]/gu, '')
          .startsWith(site),
    );
    const source = parts[at];
    if (source === undefined) continue;
    const author = at > 0 ? parts.slice(0, at).join(' · ') : lines[index - 1];
    return withoutEmpty({ title, author, source });
  }
  const [author, source] = lines.slice(-2);
  return withoutEmpty({ title, author, source });
}

/** "reddit" of www.reddit.com. */
function registrableSite(host: string): string {
  return host.split('.').at(-2) ?? '';
}

/** Counts and times: "90+ reactions · 1 month ago". */
function isMetrics(element: Element, text: string): boolean {
  return /^\d/.test(text) || element.children.some((child) => typeof child !== 'string' && child.has('data-ts'));
}

interface PlacedImage {
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
    if (!anchor.href.includes('/imgres?') || !isPlace(anchor)) continue;
    const parameters = new URL(absolute(anchor.href)).searchParams;
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
  placed.push({ order: element.order, image: withoutEmpty({ title, link, image }) });
}

/** The first picture in the element that is not an icon: icons have no alternative text. */
function findPicture(element: Element, pageIndex: PageIndex): Element | undefined {
  const pictures = partsOf(pageIndex.tree, element).filter(({ tag }) => tag === 'img');
  return pictures.find((picture) => picture.get('alt')) ?? pictures[0];
}
