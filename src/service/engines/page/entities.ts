// Decodes character references on demand: most attribute values and texts of a page are never read.
import { Tokenizer } from 'htmlparser2';

const ignore = (): void => {};

/**
 * Longest text that is decoded, in characters. The longest recorded attribute has 195,000; longer text is never read.
 */
const decodedMax = 250_000;

/** References in an attribute other than `&`: parameters of a URL (`&sa=`) are not references. */
const attributeReference = /&(?!amp;|[A-Za-z][A-Za-z0-9]*=)/;

/** Decodes a raw attribute value as a browser would (`&copy=` stays, `&amp;` does not). */
export function decodeAttribute(raw: string): string {
  if (!raw.includes('&') || raw.length > decodedMax) return raw;
  if (!attributeReference.test(raw)) return raw.replaceAll('&amp;', '&');
  const quote = raw.includes('"') ? "'" : '"';
  return decode(`<a b=${quote}${raw}${quote}>`);
}

/** Decodes a raw text. */
export function decodeText(raw: string): string {
  if (!raw.includes('&') || raw.length > decodedMax) return raw;
  return /&(?!amp;)/.test(raw) ? decode(raw) : raw.replaceAll('&amp;', '&');
}

/**
 * The input of the tokenizer, and its decoded text so far. One tokenizer is reused: creating one takes longer than most
 * references.
 */
let source = '';
let decoded = '';

const take = (start: number, end: number): void => {
  decoded += source.slice(start, end);
};
const takePoint = (point: number): void => {
  decoded += String.fromCodePoint(point);
};

const tokenizer = new Tokenizer(
  { decodeEntities: true },
  {
    onattribdata: take,
    onattribentity: takePoint,
    ontext: take,
    ontextentity: takePoint,
    onattribend: ignore,
    onattribname: ignore,
    oncdata: ignore,
    onclosetag: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onend: ignore,
    onopentagend: ignore,
    onopentagname: ignore,
    onprocessinginstruction: ignore,
    onselfclosingtag: ignore,
  },
);

function decode(markup: string): string {
  source = markup;
  decoded = '';
  tokenizer.reset();
  tokenizer.write(markup);
  tokenizer.end();
  return decoded;
}
