// Reads one organic result from its block: title, address line, source, description, video facts, extensions.
import type { Extension, OrganicResult } from '../../model/results/serp.ts';
import { withoutEmpty } from '../page/assemble.ts';
import { addressText, isAddress, isInline, isLinks, readLines, type TextLine, textOf, tidy } from '../page/text.ts';
import { closest, type Element, isLink, partsOf } from '../page/tree.ts';
import type { PageIndex } from './page-index.ts';
import type { Found } from './results.ts';
import { clean, hiddenDestination, imageAddress } from './urls.ts';

/** A result without its ranks, which depend on the whole page. */
type UnrankedOrganic = Omit<OrganicResult, 'rank' | 'global_rank'>;

const durationText = /^(?:(\d{1,2}):)?(\d{1,3}):(\d{2})$/;
/** Shorter texts are labels, longer ones never are, in characters. */
const shortestDescription = 20;
const sureDescription = 80;

type Destination = Pick<OrganicResult, 'link' | 'destination_state'>;

export function readOrganic(found: Found, pageIndex: PageIndex): UnrankedOrganic {
  const { block } = found;
  const lines = sortLines(found);
  const address = findAddress(found, lines, pageIndex);
  const source = findSource(lines, address);
  const description = findDescription(lines.body);
  const extensions = readExtensions({ found, lines, description, address, source, pageIndex });
  const text = description === undefined ? undefined : withoutLead(description.text, extensions.lead);
  return withoutEmpty({
    title: lines.title,
    description: text,
    ...findDestination(found, address, pageIndex),
    display_link: address,
    source,
    extensions: extensions.items,
    ...readVideo(block, lines, pageIndex),
  });
}

/**
 * The link's destination. If the engine hides it, the page may still name it beside the result ("About this result"
 * contains a URL), or show the site's address: its origin then replaces the page. Otherwise the redirect stays.
 */
function findDestination({ headed, block }: Found, address: string | undefined, pageIndex: PageIndex): Destination {
  const destination = headed.link.destination ?? '';
  if (!headed.link.isOpaque) return { link: destination };
  for (const element of partsOf(pageIndex.tree, block)) {
    const name =
      element
        .get('data-id')
        ?.split(/[\s"<>]/)
        .at(-1) ?? '';
    const [named] = /https?:\/\/.+$/s.exec(name) ?? [];
    if (named !== undefined && URL.canParse(named)) return { link: clean(named) };
  }
  return hiddenDestination(destination, address);
}

function sortLines(found: Found): ResultLines {
  const { anchor, heading } = found.headed;
  const title = textOf(heading);
  const header: TextLine[] = [];
  const body: TextLine[] = [];
  const known = new Set([title]);
  // Titles within the block belong to features: searches that open below the result.
  const isLeftOut = (each: Element): boolean => {
    const role = each.get('role');
    if (role === 'heading' && !each.contains(heading) && !heading.contains(each)) return true;
    return isApparatus(each, role);
  };
  for (const line of readLines(found.block, { without: isLeftOut })) {
    if (heading.contains(line.element)) continue;
    // Headings that only screen readers speak ("Web results").
    if (/^h[1-4]$/.test(line.element.tag)) continue;
    if (anchor.contains(line.element)) {
      header.push(line);
      known.add(line.text);
    } else if (!known.has(line.text)) body.push(line);
  }
  return { title, header, body };
}

/** Buttons, menus, pictures' labels and "Read more", which leads to the quoted text, within a result. */
function isApparatus(element: Element, role: string | undefined): boolean {
  return (
    element.get('href')?.includes('#:~:text=') === true ||
    role === 'button' ||
    role === 'menu' ||
    role === 'menuitem' ||
    element.get('class')?.includes('action-menu') === true
  );
}

/** The first long line below the header that is not an address, links or a rating; else the longest of them. */
function findDescription(body: readonly TextLine[]): TextLine | undefined {
  let longest: TextLine | undefined;
  for (const line of body) {
    if (line.text.length < shortestDescription || addressText.test(line.text) || isRated(line.text) || isLinks(line))
      continue;
    if (line.text.length >= sureDescription) return line;
    if (longest === undefined || line.text.length > longest.text.length) longest = line;
  }
  return longest;
}

/** The displayed address: a `cite` with the form of one, else such a line of the header. */
function findAddress(found: Found, lines: ResultLines, pageIndex: PageIndex): string | undefined {
  const cites = partsOf(pageIndex.tree, found.block).flatMap((each) => (each.tag === 'cite' ? textOf(each) : []));
  return cites.find(isAddress) ?? lines.header.find((line) => isAddress(line.text))?.text;
}

/** The site's name: the first line of the header that is not an address, or the text before the address's path. */
function findSource(lines: ResultLines, address: string | undefined): string | undefined {
  const named = lines.header.find(
    (line) =>
      line.text !== address && !line.text.includes('›') && !line.text.includes('://') && !durationText.test(line.text),
  );
  if (named !== undefined) return named.text;
  const [before, path] = address?.split('›') ?? [];
  return path === undefined || before === undefined || addressText.test(before.trim())
    ? undefined
    : before.trim() || undefined;
}

function withoutLead(description: string, lead: string | undefined): string {
  if (lead === undefined || !description.startsWith(lead)) return description;
  const rest = description.slice(lead.length).replace(leadSeparator, '');
  return rest === '' ? description : rest;
}

/** Length and thumbnail of a video result. */
function readVideo(
  block: Element,
  lines: ResultLines,
  pageIndex: PageIndex,
): Pick<UnrankedOrganic, 'image' | 'duration' | 'duration_sec'> {
  const line = [...lines.header, ...lines.body].find((each) => durationText.test(each.text));
  const [, hours, minutes, seconds] = durationText.exec(line?.text ?? '') ?? [];
  if (minutes === undefined || seconds === undefined) return {};
  const wholeMinutes = Number(hours ?? 0) * 60 + Number(minutes);
  return {
    image: firstPicture(block, pageIndex),
    duration: `${wholeMinutes}:${seconds}`,
    duration_sec: wholeMinutes * 60 + Number(seconds),
  };
}

/** Address of the first picture that is no site icon. */
function firstPicture(block: Element, pageIndex: PageIndex): string | undefined {
  const pictures = partsOf(pageIndex.tree, block).filter(({ tag }) => tag === 'img');
  const addresses = pictures.map((each) => imageAddress(each.get('data-src')) ?? imageAddress(each.get('src')));
  return addresses.find((address) => address !== undefined && !address.includes('favicon'));
}

/** The lines of a result, sorted by their meaning. */
interface ResultLines {
  readonly title: string;
  readonly header: readonly TextLine[];
  /** Lines below the header, in order, without a repeated header, buttons and menus. */
  readonly body: readonly TextLine[];
}

type Unranked = Omit<Extension, 'rank'>;

/** Separates a leading date from the text. The replacement character represents a dash in wrongly decoded pages. */
const leadSeparator = /^\s*(?:[—–·\u2026\ufffd-]|\.\.\.)+\s*/;
const separator = / [·•|\ufffd] | [-–—] (?=\S)/;
/** Maximum lengths of a lead and of a short text, in characters. */
const leadMax = 32;
/** Most elements within a lead. */
const leadElementsMax = 8;
const shortMax = 160;
const factText = /^[^:：·\ufffd]{2,40}[:：]\s\S/;
const currency = '(?:[$€£¥₹₽₺₩฿₫₴]|R\\$|zł|\\b(?:USD|EUR|GBP|CHF|PLN|SEK|NOK|DKK|BRL|CAD|AUD|INR|kr)\\b)';
const priceText = new RegExp(`${currency}\\s?\\d|\\d\\s?${currency}`);
/** "Rating: 4.5", "4,5/5", "92%": a number is a rating because of its label, scale or decimals. */
const ratingText = /^(?:\p{L}[\p{L}\s]{0,20}:\s*)?(?:\d(?:[.,]\d+)?(?:\s?\/\s?\d+)?|\d{1,3}\s?%)$/u;
/** "4.0(65,650)", "8.7/10 (1,713)", "Rating 4.2 (397)": a rating and its count side by side. */
const ratedCount =
  /^((?:\p{L}[\p{L}\ufffd\s]{0,20}[:：]?\s*)?\d{1,2}(?:[.,]\d{1,2}(?:\s?\/\s?\d{1,3})?|\s?\/\s?\d{1,3}))\s*\((\d[\d.,\s]*[KM]?)\)$/u;
const countText = /^\(?\d[\d.,\s\u00a0]*[KM]?\)?(?:\s+\p{L}[\p{L}\s]*)?$|^\p{L}+\s*\(\d[\d.,]*\)$/u;

interface ExtensionEvidence {
  readonly found: Found;
  readonly lines: ResultLines;
  readonly description: TextLine | undefined;
  readonly address: string | undefined;
  readonly source: string | undefined;
  readonly pageIndex: PageIndex;
}

interface ReadExtensions {
  readonly items: Extension[];
  /** Data that the page separates from the description: a date, a count. */
  readonly lead?: string;
}

function readExtensions(evidence: ExtensionEvidence): ReadExtensions {
  const { found, lines, description, address, source, pageIndex } = evidence;
  const items: Unranked[] = [];
  const lead = description === undefined ? undefined : findLead(description, pageIndex);
  if (lead !== undefined) items.push({ type: isDate(lead) ? 'date' : 'text', text: lead });
  for (const line of lines.header) {
    // Counts beside the site's name: comments, followers, answers.
    if (line.text !== address && line.text !== source && /\d/.test(line.text) && !isDuration(line.text)) {
      items.push({ type: 'text', text: line.text });
    }
  }
  // Sitelinks with a heading come last, each with its own text.
  const end = found.nested[0]?.heading.order ?? Number.POSITIVE_INFINITY;
  const rest = lines.body.filter(
    (line) => line !== description && line.text !== address && line.element.order < end && !isLinks(line),
  );
  const siteLinks = readSiteLinks(found, [...rest, ...(description === undefined ? [] : [description])], pageIndex);
  for (const line of joinLabels(rest)) {
    const read = readLine(line, pageIndex).filter((item) => item.text.length <= shortMax || item.type !== 'text');
    const isAfterLinks = siteLinks[0] !== undefined && line.element.order > siteLinks[0].order;
    items.push(...read.filter((item) => !isAfterLinks || item.type !== 'text'));
  }
  items.push(...siteLinks.map(({ text, link }): Unranked => ({ type: 'site_link', text, link })));
  return { items: items.map((item, index) => ({ ...item, rank: index + 1 })), lead };
}

/** A line that ends with a colon is the label of the next. */
function joinLabels(lines: readonly TextLine[]): TextLine[] {
  const joined: TextLine[] = [];
  for (const line of lines) {
    const before = joined.at(-1);
    if (before !== undefined && /[:：]$/.test(before.text))
      joined[joined.length - 1] = { ...line, text: `${before.text} ${line.text}` };
    else joined.push(line);
  }
  return joined;
}

/**
 * The first piece of a description, if the markup separates it and it contains a number: "28 ene. 2015", "114 items".
 */
function findLead({ element, text }: TextLine, pageIndex: PageIndex): string | undefined {
  for (const piece of partsOf(pageIndex.tree, element).slice(1)) {
    if (!isInline(piece) || piece.last - piece.order > leadElementsMax) continue;
    const lead = textOf(piece)
      .slice(0, leadMax * 2)
      .replace(/\s*(?:[—–·\u2026\ufffd-]|\.\.\.)+$/, '');
    if (lead === '' || lead.length > leadMax || !/\d/.test(lead) || !text.startsWith(lead)) continue;
    if (leadSeparator.test(text.slice(lead.length))) return lead;
  }
  return undefined;
}

/** A year, numbers separated as in a date, or one number among words of time ("3 days ago", "vor 5 Tagen"). */
function isDate(lead: string): boolean {
  if (/(?:^|\D)(?:19|20)\d\d(?:\D|$)|\d[./-]\d{1,2}[./-]\d/.test(lead)) return true;
  const numbers = lead.match(/\d+/g) ?? [];
  const words = lead.match(/\p{L}+/gu) ?? [];
  const isSpaceless = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}]/u.test(lead);
  return numbers.length === 1 && (words.length > 1 || isSpaceless);
}

function isDuration(text: string): boolean {
  return /^\d{1,3}:\d{2}(?::\d{2})?$/.test(text);
}

/** Whether a line holds a rating: "Rating: 4.3 · 25 votes · $180.00", "4.0(65,650)". */
function isRated(text: string): boolean {
  return /\d/.test(text) && splitText(text).some((piece) => piece.type === 'rating');
}

/** The facts of a line with several: separated by punctuation, or a rating with its count in parentheses. */
function splitText(text: string): Unranked[] {
  return text
    .split(separator)
    .map(tidy)
    .filter((piece) => piece !== '')
    .flatMap((piece, index, pieces): Unranked[] => {
      const [, rating, count] = (piece.length <= shortMax ? ratedCount.exec(piece) : null) ?? [];
      if (rating === undefined || count === undefined) return [readPiece(piece, pieces[index - 1])];
      return [
        { type: 'rating', text: rating },
        { type: 'reviews', text: count },
      ];
    });
}

function isRating(piece: string): boolean {
  return ratingText.test(piece) && /[:/%.,]/.test(piece);
}

function readLine(line: TextLine, pageIndex: PageIndex): Unranked[] {
  const { text } = line;
  if (isDuration(text)) return [];
  if (hasStruck(line.element, pageIndex)) return [{ type: 'missing', text }];
  if (/[?？]$/.test(text)) return [{ type: 'question', text }];
  if (isRated(text)) return splitText(text);
  if (factText.test(text)) return [{ type: 'fact', text }];
  if (priceText.test(text)) return splitText(text);
  const around = closest(line.element, (each) => /^(?:li|td|th|a)$/.test(each.tag) || each.has('id'));
  return [{ type: /^(?:li|td|th)$/.test(around?.tag ?? '') ? 'list' : 'text', text }];
}

/** Words of the query that the result lacks are struck through. */
function hasStruck(element: Element, pageIndex: PageIndex): boolean {
  return partsOf(pageIndex.tree, element).some(({ tag }) => tag === 's' || tag === 'strike' || tag === 'del');
}

function readPiece(text: string, before: string | undefined): Unranked {
  if (priceText.test(text)) return { type: 'price', text };
  if (isRating(text)) return { type: 'rating', text };
  if (before !== undefined && isRating(before) && text.length <= shortMax && countText.test(text))
    return { type: 'reviews', text };
  return { type: 'text', text };
}

/** Every other outside link of the block, except those within running text. */
function readSiteLinks(
  found: Found,
  texts: readonly TextLine[],
  pageIndex: PageIndex,
): { readonly text: string; readonly link: string; readonly order: number }[] {
  const links: { text: string; link: string; order: number }[] = [];
  const running = new Set(texts.map((line) => line.element));
  const seen = new Set<string>([found.headed.link.destination ?? '']);
  for (const anchor of partsOf(pageIndex.tree, found.block).filter(isLink)) {
    if (anchor === found.headed.anchor) continue;
    const link = pageIndex.linkOf(anchor).destination;
    if (link === undefined || seen.has(link) || running.has(findLine(anchor))) continue;
    const nested = found.nested.find((each) => each.anchor === anchor);
    const text = textOf(nested?.heading ?? anchor);
    if (text === '') continue;
    seen.add(link);
    links.push({ text, link, order: anchor.order });
  }
  return links;
}

/** The block whose line contains a link. */
function findLine(anchor: Element): Element {
  return closest(anchor, (each) => !isInline(each)) ?? anchor;
}
