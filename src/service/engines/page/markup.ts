// Reads the tags, attributes and texts of HTML in one pass, and decodes character references.
import { Parser } from 'htmlparser2';

/** Receives what `readMarkup` finds; positions are indexes into the page, ends exclusive. */
export interface MarkupReader {
  /** The name of an opening tag; its attributes follow, then `opened`. */
  open(start: number, end: number): void;
  /** Without quotes; without a value, both of its positions are equal. */
  attribute(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void;
  opened(isSelfClosing: boolean): void;
  /** The name of a closing tag. */
  close(start: number, end: number): void;
  /** Never empty. One text may arrive in pieces. */
  text(start: number, end: number): void;
  /** Whether the markup is of a picture or a formula, with rules of XML: `<title/>` and `<![CDATA[`. */
  readonly isForeign: boolean;
}

/** Their contents are text up to their closing tag, because scripts are on; `plaintext` never ends. */
const textTags = new Set('iframe noembed noframes noscript plaintext script style textarea title xmp'.split(' '));
const textTagLengthMax = 9;

const space = 0x20;
const quote = 0x22;
const apostrophe = 0x27;
const slash = 0x2f;
const equals = 0x3d;
const greater = 0x3e;

/**
 * Reads markup as the HTML standard delimits it. A tag that is not closed at the end of the page is not `opened`.
 * A search that fails ends the reading, so the time grows with the size of the page only.
 */
export function readMarkup(html: string, reader: MarkupReader): void {
  let textFrom = 0;
  let searchFrom = 0;
  for (;;) {
    const at = html.indexOf('<', searchFrom);
    const textEnd = at < 0 ? html.length : at;
    if (textFrom < textEnd) reader.text(textFrom, textEnd);
    if (at < 0) return;
    const next = html.charCodeAt(at + 1);
    let end: number;
    if (isLetter(next)) end = readOpening(html, at + 1, reader);
    else if (next === slash) end = readClosing(html, at + 2, reader);
    else if (next === 0x21) end = endOfDeclaration(html, at + 2, reader);
    else if (next === 0x3f) end = after(html, '>', at + 2);
    else {
      // not markup: the text goes on
      textFrom = at;
      searchFrom = at + 1;
      continue;
    }
    if (end < 0) return;
    textFrom = end;
    searchFrom = end;
  }
}

/** Where the text behind a tag begins; -1 where the page ends in it. */
function readOpening(html: string, nameStart: number, reader: MarkupReader): number {
  const nameEnd = endOfName(html, nameStart);
  if (nameEnd === html.length) return -1;
  reader.open(nameStart, nameEnd);
  const end = readAttributes(html, nameEnd, reader);
  if (end < 0 || nameEnd - nameStart > textTagLengthMax) return end;
  const first = html.charCodeAt(nameStart) | 0x20;
  // i, n, p, s, t, x
  if (first !== 0x69 && first !== 0x6e && first !== 0x70 && first !== 0x73 && first !== 0x74 && first !== 0x78)
    return end;
  const name = html.slice(nameStart, nameEnd).toLowerCase();
  return textTags.has(name) && !reader.isForeign ? readContents(html, name, end, reader) : end;
}

/** From the end of the tag's name. */
function readAttributes(html: string, from: number, reader: MarkupReader): number {
  let at = from;
  for (;;) {
    at = pastSpace(html, at);
    const code = html.charCodeAt(at);
    if (code === greater) {
      reader.opened(false);
      return at + 1;
    }
    if (code === slash) {
      at = pastSpace(html, at + 1);
      if (html.charCodeAt(at) !== greater) continue;
      reader.opened(true);
      return at + 1;
    }
    if (at >= html.length) return -1;
    const nameStart = at;
    const nameEnd = endOfAttributeName(html, at + 1);
    at = pastSpace(html, nameEnd);
    if (at >= html.length) return -1;
    if (html.charCodeAt(at) !== equals) {
      reader.attribute(nameStart, nameEnd, nameEnd, nameEnd);
      continue;
    }
    at = pastSpace(html, at + 1);
    const opening = html.charCodeAt(at);
    const isQuoted = opening === quote || opening === apostrophe;
    const valueStart = isQuoted ? at + 1 : at;
    const valueEnd = isQuoted ? html.indexOf(opening === quote ? '"' : "'", valueStart) : endOfBareValue(html, at);
    if (valueEnd < 0 || valueEnd === html.length) return -1;
    reader.attribute(nameStart, nameEnd, valueStart, valueEnd);
    at = isQuoted ? valueEnd + 1 : valueEnd;
  }
}

/** The text in an element of `textTags`, and its closing tag. */
function readContents(html: string, name: string, from: number, reader: MarkupReader): number {
  let at = name === 'plaintext' ? -1 : html.indexOf('</', from);
  for (; at >= 0; at = html.indexOf('</', at + 2)) {
    const end = at + 2 + name.length;
    if (!isBoundary(html.charCodeAt(end)) || html.slice(at + 2, end).toLowerCase() !== name) continue;
    if (from < at) reader.text(from, at);
    return readClosing(html, at + 2, reader);
  }
  if (from < html.length) reader.text(from, html.length);
  return -1;
}

function readClosing(html: string, nameStart: number, reader: MarkupReader): number {
  if (isLetter(html.charCodeAt(nameStart))) {
    const nameEnd = endOfName(html, nameStart);
    if (nameEnd === html.length) return -1;
    reader.close(nameStart, nameEnd);
    return after(html, '>', nameEnd);
  }
  return after(html, '>', nameStart);
}

/** Behind `<!`: a comment, a section of character data, or anything else up to the next `>`. */
function endOfDeclaration(html: string, from: number, reader: MarkupReader): number {
  if (reader.isForeign && html.startsWith('[CDATA[', from)) return after(html, ']]>', from + 7);
  if (!html.startsWith('--', from)) return after(html, '>', from);
  const start = from + 2;
  if (html.startsWith('>', start)) return start + 1;
  if (html.startsWith('->', start)) return start + 2;
  const ends = /--!?>/g;
  ends.lastIndex = start;
  return ends.test(html) ? ends.lastIndex : -1;
}

function after(html: string, what: string, from: number): number {
  const at = html.indexOf(what, from);
  return at < 0 ? -1 : at + what.length;
}

function endOfName(html: string, from: number): number {
  let at = from;
  while (at < html.length && !isBoundary(html.charCodeAt(at))) at++;
  return at;
}

function endOfAttributeName(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === equals || isBoundary(code)) return at;
  }
  return html.length;
}

function endOfBareValue(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === greater || isSpace(code)) return at;
  }
  return html.length;
}

function pastSpace(html: string, from: number): number {
  let at = from;
  while (isSpace(html.charCodeAt(at))) at++;
  return at;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** What ends a name in a tag. */
function isBoundary(code: number): boolean {
  return code === greater || code === slash || isSpace(code);
}

function isSpace(code: number): boolean {
  return code === space || (code <= 0x0d && code >= 0x09 && code !== 0x0b);
}

let decoded = '';
const decoder = new Parser({
  ontext: (text) => {
    decoded += text;
  },
  onattribute: (_, value) => {
    decoded = value;
  },
});

function decode(markup: string): string {
  decoded = '';
  decoder.parseComplete(markup);
  return decoded;
}

/** References in an attribute other than `&amp;`: parameters of a URL (`&sa=`) are not references. */
const attributeReference = /&(?!amp;|[A-Za-z][A-Za-z0-9]*=)/;

/** Decodes a raw attribute value as a browser would (`&copy=` stays, `&amp;` does not). */
export function decodeAttribute(raw: string): string {
  if (!raw.includes('&')) return raw;
  if (!attributeReference.test(raw)) return raw.replaceAll('&amp;', '&');
  const quote = raw.includes('"') ? "'" : '"';
  return decode(`<a b=${quote}${raw}${quote}>`);
}

/** Decodes a raw text. */
export function decodeText(raw: string): string {
  if (!raw.includes('&')) return raw;
  return /&(?!amp;)/.test(raw) ? decode(raw.replaceAll('<', '&lt;')) : raw.replaceAll('&amp;', '&');
}
