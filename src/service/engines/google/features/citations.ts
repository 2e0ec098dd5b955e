// Finds which pages each part of an AI overview cites: marks carry ids that scripts of the page resolve.
import type { Element } from '../../page/tree.ts';
import { readLink } from '../results/urls.ts';

/** URLs by the id of a mark, as far as the page contains them. */
export type Citations = ReadonlyMap<string, readonly string[]>;

/** Limits of comments and marks per page, and of lists of all pages; the recorded maxima are 253, 105 and 1. */
const commentsMax = 5_000;
const marksMax = 500;
const ordersMax = 20;
/** Longest comment, in characters, and most pages of a list; the most that were recorded are 4,000 and 13. */
const commentCharactersMax = 20_000;
const listMax = 200;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/**
 * Since November 2025: one comment for each page that a mark cites. Since the middle of 2026, bars precede the list.
 */
const cited = /^\w{1,20}\|{0,5}\[\[(?:"|&quot;)[0-9a-f]{8}-/;
/** In early 2025: scripts number the pages that a mark cites, and all cited pages in the order of their cards. */
const numbered = /\["([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",\[(\d+(?:,\d+)*)\]\]/g;
const order = /"\w+":\[\[(\d+(?:,\d+)*)\],\[\]\]/g;

/**
 * Reads the data of the page about its marks. `cards`: URLs of the overview's cards, in order; `references`: those of
 * all pages that it cites.
 */
export function readCitations(
  html: string,
  cards: readonly string[],
  references: readonly string[] = cards,
): Citations {
  const citations = new Map<string, string[]>();
  const known = new Set(references);
  const add = (id: string, address: string | undefined) => {
    if (address === undefined || citations.get(id)?.includes(address) === true) return;
    citations.set(id, [...(citations.get(id) ?? []), address]);
  };
  for (const comment of citationComments(html)) {
    const [id, addresses = []] = commented(comment.slice(comment.indexOf('[')), known);
    if (id !== undefined) for (const address of addresses) add(id, address);
  }
  const numberedMarks = found(html, numbered, marksMax);
  const lists = numberedMarks.length === 0 ? [] : found(html, order, ordersMax);
  const orders = lists.map(([, numbers = '']) => numbers.split(',', listMax));
  for (const [, id = '', numbers = ''] of numberedMarks) {
    const all = numbers.split(',', listMax);
    const list = orders.find((each) => all.every((number) => each.includes(number)));
    for (const number of all) add(id, cards[list?.indexOf(number) ?? -1]);
  }
  return citations;
}

/** The id of the mark that this element is; undefined for any other element. */
export function citationId(element: Element): string | undefined {
  const id = element.get('data-icl-uuid') ?? element.get('data-cid');
  return id !== undefined && uuid.test(id) ? id : undefined;
}

function found(html: string, pattern: RegExp, most: number): RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  for (const match of html.matchAll(pattern)) {
    if (matches.length === most) break;
    matches.push(match);
  }
  return matches;
}

/** The data of scripts about marks and the order of all cited pages, unparsed. */
export function citationNumbers(html: string): string[] {
  return [...found(html, numbered, marksMax), ...found(html, order, ordersMax)].map(([all]) => all);
}

/** Comments that describe marks. */
export function citationComments(html: string): string[] {
  const comments: string[] = [];
  let at = html.indexOf('<!--');
  for (let count = 0; at >= 0 && count < commentsMax; count++) {
    const end = html.indexOf('-->', at);
    if (end < 0) break;
    const isShort = end - at < commentCharactersMax;
    const comment = isShort ? html.slice(at + '<!--'.length, end) : '';
    if (cited.test(comment)) comments.push(comment);
    at = html.indexOf('<!--', end);
  }
  return comments;
}

/**
 * A mark and the pages that it cites: a page as a card (`[title, excerpt, icon, site, [name], address, ...]`), or its
 * number and its URL; in any other form, the URLs in it that belong to cited pages.
 */
function commented(comment: string, known: ReadonlySet<string>): readonly [id?: string, addresses?: readonly string[]] {
  try {
    const lists = JSON.parse(decoded(comment)) as unknown[][];
    const [[id, page, , address] = []] = lists;
    if (typeof id !== 'string' || !uuid.test(id)) return [];
    const cited = Array.isArray(page) ? page[5] : address;
    const destination = typeof cited === 'string' ? readLink(cited).destination : undefined;
    return [id, destination === undefined ? addressesIn(lists).filter((each) => known.has(each)) : [destination]];
  } catch {
    return [];
  }
}

/** Most values of a comment that are looked at. */
const valuesMax = 500;

function addressesIn(value: unknown): string[] {
  const addresses: string[] = [];
  const rest: unknown[] = [value];
  for (let count = 0; rest.length > 0 && count < valuesMax; count++) {
    const each = rest.pop();
    if (Array.isArray(each)) rest.push(...each.slice(0, valuesMax).reverse());
    else if (typeof each === 'string' && /^https?:\/\//.test(each)) addresses.push(readLink(each).destination ?? each);
  }
  return addresses;
}

/** Comments of saved pages hold their signs as references. */
export function decoded(comment: string): string {
  return comment
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
