// The query that a page answers, and whether two queries are the same. What follows from that is left to guards.ts.
import { decodeText } from './entities.ts';
import type { Survey } from './survey.ts';
import { textOf, tidy } from './text.ts';

/** Longest title that is looked into, in characters. */
const titleMax = 600;

/** The query that the page says it answers: the search box's value, else the title before the engine's name. */
export function shownQuery(survey: Survey): string | undefined {
  for (const element of survey.tree.elements) {
    if ((element.tag !== 'input' && element.tag !== 'textarea') || element.raw('name') !== 'q') continue;
    if (element.raw('type') === 'hidden') continue;
    const value = element.get('value') ?? textOf(element);
    if (value.trim() !== '') return value;
  }
  const title = survey.tree.elements.find((element) => element.tag === 'title');
  const text = tidy(
    decodeText((title?.children.filter((child) => typeof child === 'string').join('') ?? '').slice(0, titleMax)),
  );
  const [, query] = /^(.+) [-–—] [^-–—]*Google[^-–—]*$/u.exec(text) ?? [];
  return query;
}

/** Case, width, composed letters, quotes and white space do not make another query. */
export function normalise(query: string): string {
  return query
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Letters whose marks are left out in writing; marks of other scripts are vowels. */
const accented = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
/** Signs that end or part a sentence. A hyphen or colon that a space precedes is an operator, as quotes and plus signs are. */
const punctuation = /[?!¿¡,;…。、？！'’`´·()[\]{}]|\.(?=\s|$)|(?<=\S)[-‐‑–—_/:]/gu;

/** Whether two queries differ in case, accents, punctuation and white space only. Signs that search otherwise ("C++", "-used") count. */
export function isSameQuery(one: string, other: string): boolean {
  return normalise(one) === normalise(other) || bare(one) === bare(other);
}

function bare(query: string): string {
  const plain = normalise(query).normalize('NFKD').replace(accented, '$1').normalize('NFC');
  const words = plain.replace(punctuation, '').replace(/\s+/g, '');
  // A query of signs alone is those signs.
  return words === '' ? plain : words;
}
