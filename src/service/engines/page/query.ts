// Compares queries, ignoring differences of spelling that no engine distinguishes, and rejects a page of another one.
import { pageFailureMessages, ServiceError } from '../../model/errors.ts';
import { visibleText } from '../../model/results/invisible-marks.ts';

/** Longest query that is compared, in characters: what a page shows may be of any length. */
const queryMax = 4_000;

/** Case, width, composed letters, quotes, white space and invisible characters do not distinguish queries. */
export function normalise(query: string): string {
  const isPlain = query.length <= queryMax && /^[ -~]*$/.test(query);
  // Most queries have plain letters only, and then differ at most in case and spaces.
  if (isPlain) return query.toLowerCase().replace(/ {2,}/g, ' ').trim();
  return visibleText(query.slice(0, queryMax))
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Punctuation that ends or divides a sentence. A hyphen or colon after a space is an operator, like quotes and plus
 * signs.
 */
const punctuation = /[?!¿¡,;…。、？！'’`´·()[\]{}]|\.(?=\s|$)|(?<=\S)[-‐‑–—_/:]/gu;

/** Without the accents that people omit in writing. In other scripts, marks are vowels. */
export function withoutAccents(text: string): string {
  const decomposed = text.normalize('NFKD');
  return decomposed.replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1').normalize('NFC');
}

/**
 * Whether two queries differ only in case, accents, punctuation and white space. Characters with a meaning for the
 * search count ("C++", "-used").
 */
export function isSameQuery(one: string, other: string): boolean {
  const [first, second] = [normalise(one), normalise(other)];
  return first === second || bare(first) === bare(second);
}

/** Of a normalised query. */
function bare(query: string): string {
  const plain = /^[ -~]*$/.test(query) ? query : withoutAccents(query);
  const words = plain.replace(punctuation, '').replace(/\s+/g, '');
  // A query that consists of signs only is kept as it is.
  return words === '' ? plain : words;
}

interface QueryEvidence {
  /** The page as received. */
  readonly html?: string;
  /** How the message that quotes the other query begins. */
  readonly shownBy?: string;
}

/** Throws SERP_FAILED `wrong_query` if one of the queries that the page names differs from the requested one. */
export function rejectOtherQuery(
  asked: string,
  searched: readonly (string | undefined)[],
  { html, shownBy = 'It was searched for' }: QueryEvidence = {},
): void {
  const other = searched.find((query) => query !== undefined && !isSameQuery(query, asked));
  if (other === undefined) return;
  throw new ServiceError('SERP_FAILED', `${pageFailureMessages.wrong_query} ${shownBy} "${other.slice(0, 80)}".`, {
    reason: 'wrong_query',
    ...(html !== undefined && { body: { contentType: 'text/html', text: html } }),
  });
}
