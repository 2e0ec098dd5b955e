// Reads the extensions of a result: sitelinks, date, rating, reviews, price, facts, lists, questions, missing words.
import type { Extension } from '../../../model/results/serp.ts';
import { isInline, isLinks, type TextLine, textOf, tidy } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import type { PageIndex } from '../page/page-index.ts';
import type { Found } from './results.ts';

/** The lines of a result, sorted by their meaning. */
export interface ResultLines {
  readonly title: string;
  readonly header: readonly TextLine[];
  /** Lines below the header, in order, without a repeated header, buttons and menus. */
  readonly body: readonly TextLine[];
}

type Unranked = Omit<Extension, 'rank'>;

/** Separates a leading date from the text. The replacement character represents a dash in wrongly decoded pages. */
export const leadSeparator = /^\s*(?:[—–·\u2026\ufffd-]|\.\.\.)+\s*/;
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

export interface ExtensionEvidence {
  readonly found: Found;
  readonly lines: ResultLines;
  readonly description: TextLine | undefined;
  readonly address: string | undefined;
  readonly source: string | undefined;
  readonly pageIndex: PageIndex;
}

export interface ReadExtensions {
  readonly items: Extension[];
  /** Data that the page separates from the description: a date, a count. */
  readonly lead?: string;
}

export function readExtensions(evidence: ExtensionEvidence): ReadExtensions {
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
  return { items: items.map((item, index) => ({ ...item, rank: index + 1 })), ...(lead !== undefined && { lead }) };
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
  for (let order = element.order + 1; order <= element.last; order++) {
    const piece = pageIndex.tree.elements[order];
    if (piece === undefined || !isInline(piece)) continue;
    if (piece.last - piece.order > leadElementsMax) continue;
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
export function isRated(text: string): boolean {
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
  for (let at: Element | null = line.element; at !== null; at = at.parent) {
    if (at.tag === 'li' || at.tag === 'td' || at.tag === 'th') return [{ type: 'list', text }];
    if (at.tag === 'a' || at.get('id') !== undefined) break;
  }
  return [{ type: 'text', text }];
}

/** Words of the query that the result lacks are struck through. */
function hasStruck(element: Element, pageIndex: PageIndex): boolean {
  for (let order = element.order; order <= element.last; order++) {
    const tag = pageIndex.tree.elements[order]?.tag;
    if (tag === 's' || tag === 'strike' || tag === 'del') return true;
  }
  return false;
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
  for (let order = found.block.order; order <= found.block.last; order++) {
    const anchor = pageIndex.tree.elements[order];
    if (anchor?.tag !== 'a' || anchor === found.headed.anchor || !anchor.has('href')) continue;
    const link = pageIndex.linkOf(anchor).destination;
    if (link === undefined || seen.has(link) || running.has(findLine(anchor))) continue;
    const nested = found.nested.find((each) => each.anchor === anchor);
    const text = textOf(nested?.heading ?? anchor);
    if (text === '') continue;
    seen.add(link);
    links.push({ text, link, order });
  }
  return links;
}

/** The block whose line contains a link. */
function findLine(anchor: Element): Element {
  let at = anchor;
  while (at.parent !== null && isInline(at)) at = at.parent;
  return at;
}
