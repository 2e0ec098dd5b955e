// Character references decoded on demand: most attribute values and texts of a page are never read. Knows nothing of elements.
import { Tokenizer } from 'htmlparser2';

const ignore = (): void => {};

/** Longest text that is decoded, in characters; the longest recorded attribute has 195,000. What is longer is nothing that anybody reads. */
const decodedMax = 250_000;

/** Decodes a raw attribute value as a browser would (`&copy=` stays, `&amp;` does not). */
export function decodeAttribute(raw: string): string {
  if (!raw.includes('&') || raw.length > decodedMax) return raw;
  const quote = raw.includes('"') ? "'" : '"';
  return decode(`<a b=${quote}${raw}${quote}>`, raw);
}

/** Decodes a raw text. */
export function decodeText(raw: string): string {
  return raw.includes('&') && raw.length <= decodedMax ? decode(raw, raw) : raw;
}

function decode(markup: string, raw: string): string {
  const simple = raw.replaceAll('&amp;', '');
  if (!simple.includes('&')) return raw.replaceAll('&amp;', '&');
  let decoded = '';
  const take = (start: number, end: number): void => {
    decoded += markup.slice(start, end);
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
  tokenizer.write(markup);
  tokenizer.end();
  return decoded;
}
