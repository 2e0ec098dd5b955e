// Compares two queries regardless of how they are written.
import { visibleText } from '../../model/invisible-marks.ts';

/** Longest query that is compared, in characters: what a page shows may be of any length. */
const queryMax = 4_000;

/** Case, width, composed letters, quotes, white space and invisible characters do not make another query. */
export function normalise(query: string): string {
  const isPlain = query.length <= queryMax && /^[ -~]*$/.test(query);
  // Nothing but case and spaces differs among the plain letters of most queries.
  if (isPlain) return query.toLowerCase().replace(/ {2,}/g, ' ').trim();
  return visibleText(query.slice(0, queryMax))
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Letters whose marks are left out in writing; marks of other scripts are vowels. */
const accented = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
/**
 * Signs that end or part a sentence. A hyphen or colon that a space precedes is an operator, as quotes and plus signs
 * are.
 */
const punctuation = /[?!¿¡,;…。、？！'’`´·()[\]{}]|\.(?=\s|$)|(?<=\S)[-‐‑–—_/:]/gu;

export function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(accented, '$1').normalize('NFC');
}

/**
 * Whether two queries differ in case, accents, punctuation and white space only. Signs that search otherwise ("C++",
 * "-used") count.
 */
export function isSameQuery(one: string, other: string): boolean {
  const [first, second] = [normalise(one), normalise(other)];
  return first === second || bare(first) === bare(second);
}

/** Of a normalised query. */
function bare(query: string): string {
  const plain = /^[ -~]*$/.test(query) ? query : withoutAccents(query);
  const words = plain.replace(punctuation, '').replace(/\s+/g, '');
  // A query of signs alone is those signs.
  return words === '' ? plain : words;
}
