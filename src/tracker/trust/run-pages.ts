// Detects the same results under unrelated keywords, by keeping the newest pages of a run.
import { sharedLinks } from './link-key.ts';
import { resultsMin } from './page-trust.ts';

/** How many pages are kept. A provider that serves one page to all does so within a short time. */
export const runPagesMax = 200;

/** Synonyms and related keywords share results. This many keywords with the same results are no coincidence. */
const twinsMin = 10;

interface RunPage {
  readonly keyword: string;
  readonly page: number;
  readonly links: readonly string[];
  /** Split when they are first compared: few pages are like another. */
  words?: readonly string[];
}

export class RunPages {
  /** By keyword and page number, oldest first. */
  readonly #pages = new Map<string, RunPage>();
  /** The pages that list a link. */
  readonly #byLink = new Map<string, Set<string>>();

  add(keyword: string, page: number, links: readonly string[]): void {
    if (links.length < resultsMin) return;
    const key = `${page} ${keyword}`;
    this.#drop(key);
    this.#pages.set(key, { keyword, page, links });
    for (const link of links) {
      const pages = this.#byLink.get(link);
      if (pages === undefined) this.#byLink.set(link, new Set([key]));
      else pages.add(key);
    }
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > runPagesMax && oldest !== undefined) this.#drop(oldest);
  }

  /**
   * Other keywords with the same results on this page number, if they are too many to be plausible: unrelated keywords
   * with at least nine of ten links, or any with the identical list. Otherwise empty.
   */
  twinsOf(keyword: string, page: number, links: readonly string[]): string[] {
    if (links.length < resultsMin) return [];
    const alike = this.#alike(page, links).filter((other) => other.keyword !== keyword);
    if (alike.length < twinsMin) return [];
    const words = splitWords(keyword);
    const twins = alike.filter(
      (other) => !areRelated(words, wordsOf(other)) || other.links.every((link, index) => link === links[index]),
    );
    return twins.length >= twinsMin ? twins.map((other) => other.keyword) : [];
  }

  #alike(page: number, links: readonly string[]): RunPage[] {
    const counts = new Map<string, number>();
    for (const link of new Set(links)) {
      for (const key of this.#byLink.get(link) ?? []) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts].flatMap(([key, count]) => {
      const other = this.#pages.get(key);
      if (other === undefined || other.page !== page || count * 2 < links.length) return [];
      return sharedLinks(links, other.links) * 10 >= Math.max(links.length, other.links.length) * 9 ? [other] : [];
    });
  }

  #drop(key: string): void {
    const page = this.#pages.get(key);
    if (page === undefined) return;
    this.#pages.delete(key);
    for (const link of page.links) {
      const pages = this.#byLink.get(link);
      pages?.delete(key);
      if (pages?.size === 0) this.#byLink.delete(link);
    }
  }
}

/** Two words with this many initial letters in common count as forms of one word. */
const stemCharsMin = 4;

function wordsOf(page: RunPage): readonly string[] {
  page.words ??= splitWords(page.keyword);
  return page.words;
}

function splitWords(keyword: string): string[] {
  const plain = keyword.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return [...new Intl.Segmenter('und', { granularity: 'word' }).segment(plain)]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment }) => segment);
}

/** Whether two keywords share a word or a form of it, or differ only in spaces. */
function areRelated(words: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [words.join(''), others.join('')];
  if (one.includes(other) || other.includes(one)) return true;
  return words.some((word) =>
    others.some(
      (each) => each === word || (word.length >= stemCharsMin && each.startsWith(word.slice(0, stemCharsMin))),
    ),
  );
}
