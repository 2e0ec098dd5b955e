// Whether to trust a received page, by comparing it with the same search, check and run. Pure.

import type { PageDoubt } from '../../service/index.ts';
import { plural } from '../figures.ts';
import { addTo } from '../maps.ts';
import { isTracking } from '../tracking.ts';

/** One key for all links to a page. A text that is not a URL is its own key. */
export function linkKey(link: string): string {
  const fragment = link.indexOf('#:~:');
  const whole = (fragment === -1 ? link : link.slice(0, fragment)).replace(/^https?:\/\//i, '');
  const question = whole.indexOf('?');
  const path = (question === -1 ? whole : whole.slice(0, question)).replace(/\/$/, '');
  if (question === -1) return path;
  const kept = whole
    .slice(question + 1)
    .split('&')
    .filter((parameter) => parameter !== '' && !isTracking(parameter));
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

/** How many links the two lists share. */
function sharedLinks(links: readonly string[], others: readonly string[]): number {
  const known = new Set(others);
  return new Set(links.filter((link) => known.has(link))).size;
}

/** Whether the lists share more than half of the longer one. */
export function shareMostLinks(links: readonly string[], others: readonly string[]): boolean {
  return sharedLinks(links, others) * 2 > Math.max(links.length, others.length);
}

/**
 * Why a page is doubted. `results_lost`: it lists far fewer results than the last complete check. `results_replaced`:
 * it has none of those results. `repeated_page`: it repeats another page of its check. `shared_results`: it shows the
 * results of unrelated keywords.
 */
export type DoubtReason = PageDoubt | 'results_lost' | 'results_replaced' | 'repeated_page' | 'shared_results';

export interface Doubt {
  readonly reason: DoubtReason;
  readonly message: string;
}

/** A received page; its organic links are `linkKey` keys. */
export interface ReceivedPage {
  readonly page: number;
  readonly links: readonly string[];
  /** Doubts of the parser. */
  readonly doubts: readonly PageDoubt[];
}

/** The pages that a page is compared with. */
export interface KnownPages {
  /** The last complete check of the same search and source, by page number; null: none. */
  readonly before: ReadonlyMap<number, readonly string[]> | null;
  /** The same check, by page number. */
  readonly ofCheck: ReadonlyMap<number, readonly string[]>;
  /** Other keywords of this run with the same results, if they are too many to be plausible. */
  readonly twins: readonly string[];
  /** Plain words of which no complete check is known: engines tell suspected robots that nothing was found. */
  readonly isNew?: boolean;
}

/** Signs of operators: quotes, excluded words, fields (`site:`). Many such searches find nothing. */
const operator = /["“”„«»*]|(?:^|\s)[-+]\S|\S:\S|\s(?:OR|AND)\s/u;

/** Whether a keyword consists of words, without an operator. */
export function isPlainWords(keyword: string): boolean {
  return !operator.test(keyword);
}

/** Fewer results are too few for a comparison. */
const resultsMin = 5;

/** Why the page is doubted; null: it is trusted. */
export function findDoubt(received: ReceivedPage, known: KnownPages): Doubt | null {
  for (const [page, links] of known.ofCheck) {
    if (page !== received.page && links.length > 0 && shareMostLinks(received.links, links)) {
      return { reason: 'repeated_page', message: `it repeats page ${page}` };
    }
  }
  return received.links.length === 0 ? findDoubtOfEmpty(received, known) : doubtOfResults(received, known);
}

/** An empty page needs proof if there were results before, if nothing is known, or if the engine does not say so. */
function findDoubtOfEmpty({ page, doubts }: ReceivedPage, { before, isNew = false }: KnownPages): Doubt | null {
  const earlier = before?.get(page);
  if (earlier?.length === 0) return null;
  const expected = page === 1 ? flatten(before).length : (earlier?.length ?? 0);
  if (expected >= resultsMin) {
    const message = `nothing is listed where the last complete check found ${expected} results`;
    return { reason: 'empty_unproven', message };
  }
  if (isNew && page === 1)
    return { reason: 'empty_unproven', message: 'nothing is listed for plain words, and no earlier check confirms it' };
  if (!doubts.includes('empty_unproven')) return null;
  return {
    reason: 'empty_unproven',
    message: 'nothing is listed, and the answer does not say that nothing was found',
  };
}

function doubtOfResults({ page, links, doubts }: ReceivedPage, { before, twins }: KnownPages): Doubt | null {
  const all = flatten(before);
  const shared = sharedLinks(links, all);
  const isFamiliar = shared * 2 >= links.length;
  if (doubts.includes('decoy_page') && !isFamiliar) {
    return { reason: 'decoy_page', message: 'its results have too little to do with the keyword' };
  }
  const earlier = before?.get(page)?.length ?? 0;
  if (earlier >= resultsMin && links.length * 2 < earlier) {
    const message = `${links.length} ${plural(links.length, 'result is', 'results are')} listed where the last complete check found ${earlier}`;
    return { reason: 'results_lost', message };
  }
  if (isFamiliar) return null;
  const [twin] = twins;
  if (twin !== undefined) {
    const message = `it shows the results of "${twin}" and ${twins.length - 1} more keywords`;
    return { reason: 'shared_results', message };
  }
  if (page === 1 && shared === 0 && links.length >= resultsMin && all.length >= resultsMin) {
    return { reason: 'results_replaced', message: 'none of its results was there at the last complete check' };
  }
  return null;
}

function flatten(pages: KnownPages['before']): readonly string[] {
  return pages === null ? [] : [...pages.values()].flat();
}

/** The results of buying one page several times. */
interface PageProof {
  /** How many purchases in a row agree, including the newest. */
  readonly agreeing: number;
  /** Share of the service's pages whose doubt of this kind was not confirmed, 0 to 1. */
  readonly errorRate: number;
}

/** The limits of proof by repetition. */
const proofLimits = Object.freeze({
  /** Every service is assumed to err in at least one page of 2,000. */
  errorRateMin: 1 / 2000,
  /** The accepted probability that all purchases were wrong. */
  errorChanceMax: 1e-6,
  /**
   * This many agreeing purchases prove a change however often the service errs: engines do change all pages of a market
   * at once.
   */
  agreeingEnough: 6,
});

/**
 * Whether agreeing purchases prove what one alone does not. If a service shows a wrong page with probability q, then k
 * wrong pages in a row have the probability q^k (purchases are treated as independent). At the least q, two are enough;
 * at 3 % it takes 4, at 10 % 6, at 30 % 12, over several slots. A decoy page, a repeated page and results of other
 * keywords are never proven: the same client gets them again.
 */
export function isProven(reason: DoubtReason, { agreeing, errorRate }: PageProof): boolean {
  if (agreeing < 2) return false;
  const limits = proofLimits;
  const isUnlikelyWrong = Math.max(errorRate, limits.errorRateMin) ** agreeing < limits.errorChanceMax;
  switch (reason) {
    case 'empty_unproven':
      return isUnlikelyWrong;
    case 'results_lost':
    case 'results_replaced':
      return isUnlikelyWrong || agreeing >= limits.agreeingEnough;
    case 'decoy_page':
    case 'repeated_page':
    case 'shared_results':
      return false;
  }
}

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
      for (const key of this.#byLink.get(link) ?? []) addTo(counts, key);
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
