// What a result shows beside its description: sitelinks, date, rating, reviews, price, facts, lists, questions, missing words.
import type { Extension } from '../../serp.ts';
import type { Found } from './column.ts';
import { isLinks, type ResultLines } from './organic.ts';
import type { Survey } from './survey.ts';
import { type Line, textOf, tidy } from './text.ts';
import type { Element } from './tree.ts';

type Unranked = Omit<Extension, 'rank'>;

const separator = /\s+[·•|]\s+|\s+[-–—]\s+(?=\S)/;
const dateMax = 32;
const factText = /^[^:·]{2,40}:\s\S/;
const priceText =
  /(?:[$€£¥₹₽₺₩฿₫₴]|\b(?:USD|EUR|GBP|CHF|PLN|SEK|NOK|DKK|BRL|CAD|AUD|INR)\b|R\$|zł|kr\b)\s?\d|\d[\d.,\s]*\s?(?:[€£¥₹₽₺₩฿₫₴$]|zł|kr\b|(?:USD|EUR|GBP|CHF|PLN|SEK|NOK|DKK)\b)/;
/** A labelled rating out of five, ten or a hundred: "Rating: 4.5", "4,5/5", "92%". */
const ratingText = /^(?:\p{L}[\p{L}\s]*:\s*)?\d(?:[.,]\d+)?(?:\s?\/\s?\d+)?$|^(?:\p{L}[\p{L}\s]*:\s*)?\d{1,3}\s?%$/u;
const countText = /^\(?\d[\d.,\s\u00a0]*\)?(?:\s+\p{L}[\p{L}\s]*)?$|^\p{L}+\s*\(\d[\d.,]*\)$/u;

export interface ReadExtensions {
  readonly items: Extension[];
  /** The date as the page shows it. */
  readonly date?: string;
}

export function readExtensions(
  found: Found,
  lines: ResultLines,
  description: Line | undefined,
  survey: Survey,
): ReadExtensions {
  const items: Unranked[] = [];
  const date = description === undefined ? undefined : leadingDate(description, survey);
  if (date !== undefined) items.push({ type: 'date', text: date });
  for (const line of lines.body) {
    if (line === description || isLinks(line) || line.element.tag === 'cite' || hasAddress(line, survey)) continue;
    items.push(...readLine(line, survey));
  }
  items.push(...readSiteLinks(found, survey));
  return { items: items.map((item, index) => ({ ...item, rank: index + 1 })), ...(date !== undefined && { date }) };
}

/** The first piece of a description, where the markup sets it apart and it holds a number: "28 ene. 2015", "3 days ago". */
function leadingDate(description: Line, survey: Survey): string | undefined {
  const { element, text } = description;
  for (let order = element.order + 1; order <= element.last; order++) {
    const piece = survey.tree.elements[order];
    if (piece === undefined || piece.tag !== 'span') continue;
    const lead = textOf(piece).replace(/\s*[—–·-]+$/, '');
    if (lead === '' || !text.startsWith(lead)) return undefined;
    if (lead.length <= dateMax && /\d/.test(lead) && /^\s*[—–·-]/.test(text.slice(lead.length))) return lead;
  }
  return undefined;
}

function hasAddress(line: Line, survey: Survey): boolean {
  for (let order = line.element.order; order <= line.element.last; order++)
    if (survey.tree.elements[order]?.tag === 'cite') return true;
  return false;
}

function readLine(line: Line, survey: Survey): Unranked[] {
  const { text } = line;
  if (/^\d{1,2}:\d{2}(?::\d{2})?$/.test(text)) return [];
  if (hasStruck(line.element, survey)) return [{ type: 'missing', text }];
  if (text.endsWith('?') || text.endsWith('？')) return [{ type: 'question', text }];
  const pieces = text
    .split(separator)
    .map(tidy)
    .filter((piece) => piece !== '');
  if (pieces.some((piece) => ratingText.test(piece) && /[:/%.,]/.test(piece)) || priceText.test(text))
    return pieces.map(readPiece);
  if (factText.test(text)) return [{ type: 'fact', text }];
  for (let at: Element | null = line.element; at !== null; at = at.parent) {
    if (at.tag === 'li' || at.tag === 'td' || at.tag === 'th') return [{ type: 'list', text }];
    if (at.tag === 'a' || at.raw('id') !== undefined) break;
  }
  return [{ type: 'text', text }];
}

/** Words of the query that the result lacks are struck through. */
function hasStruck(element: Element, survey: Survey): boolean {
  for (let order = element.order; order <= element.last; order++) {
    const tag = survey.tree.elements[order]?.tag;
    if (tag === 's' || tag === 'strike' || tag === 'del') return true;
  }
  return false;
}

function readPiece(text: string, index: number, pieces: readonly string[]): Unranked {
  if (priceText.test(text)) return { type: 'price', text };
  if (ratingText.test(text) && /[:/%.,]/.test(text)) return { type: 'rating', text };
  const before = pieces[index - 1];
  if (before !== undefined && ratingText.test(before) && countText.test(text)) return { type: 'reviews', text };
  return { type: 'text', text };
}

/** Every other link of the block that leads out of the engine: named ones and plain ones alike. */
function readSiteLinks(found: Found, survey: Survey): Unranked[] {
  const links: Unranked[] = [];
  const seen = new Set<string>([found.headed.link.destination ?? '']);
  for (let order = found.block.order; order <= found.block.last; order++) {
    const anchor = survey.tree.elements[order];
    if (anchor?.tag !== 'a' || anchor === found.headed.anchor || !anchor.has('href')) continue;
    const link = survey.linkOf(anchor).destination;
    if (link === undefined || seen.has(link)) continue;
    const nested = found.nested.find((each) => each.anchor === anchor);
    const text = textOf(nested?.heading ?? anchor);
    if (text === '') continue;
    seen.add(link);
    links.push({ type: 'site_link', text, link });
  }
  return links;
}
