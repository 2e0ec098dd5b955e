// Whether a results page that was received is believed, judged by what the same search, the same check and other keywords showed. Pure.
import type { PageDoubt } from '../service/index.ts';
import { areMostlyTheSame, sharedLinks } from './link-key.ts';

/**
 * Why a page is not believed at first sight. `results_lost`: it lists far fewer results than the last complete check. `results_replaced`: none of its
 * results was there. `repeated_page`: it repeats another page of its check. `shared_results`: it shows the results of keywords that have nothing to do
 * with its own.
 */
export type DoubtReason = PageDoubt | 'results_lost' | 'results_replaced' | 'repeated_page' | 'shared_results';

export interface Doubt {
  readonly reason: DoubtReason;
  readonly message: string;
}

/** A page that was received, its organic links as `linkKey` writes them. */
export interface ReceivedPage {
  readonly page: number;
  readonly links: readonly string[];
  /** Of its reader. */
  readonly doubts: readonly PageDoubt[];
}

/** What else is known when a page is judged. */
export interface KnownPages {
  /** Of the last complete check of the same search and source, by page number; null where there is none. */
  readonly before: ReadonlyMap<number, readonly string[]> | null;
  /** Of the same check, by page number. */
  readonly ofCheck: ReadonlyMap<number, readonly string[]>;
  /** Other keywords of this run whose page shows the same results, where they are too many to be true. */
  readonly twins: readonly string[];
}

/** Fewer results than these say too little for a comparison. */
export const resultsMin = 5;

/** Why the page is not believed; null where it is. */
export function doubtOf(received: ReceivedPage, known: KnownPages): Doubt | null {
  for (const [page, links] of known.ofCheck) {
    if (page !== received.page && links.length > 0 && areMostlyTheSame(received.links, links)) {
      return { reason: 'repeated_page', message: `it repeats page ${page}` };
    }
  }
  return received.links.length === 0 ? doubtOfEmpty(received, known) : doubtOfResults(received, known);
}

/** An empty page needs proof where there were results before, and where its answer does not say that nothing was found. */
function doubtOfEmpty({ page, doubts }: ReceivedPage, { before }: KnownPages): Doubt | null {
  const earlier = before?.get(page);
  if (earlier?.length === 0) return null;
  const expected = page === 1 ? allOf(before).length : (earlier?.length ?? 0);
  if (expected >= resultsMin) {
    const message = `nothing is listed where the last complete check found ${expected} results`;
    return { reason: 'empty_unproven', message };
  }
  if (!doubts.includes('empty_unproven')) return null;
  return {
    reason: 'empty_unproven',
    message: 'nothing is listed, and the answer does not say that nothing was found',
  };
}

function doubtOfResults({ page, links, doubts }: ReceivedPage, { before, twins }: KnownPages): Doubt | null {
  const all = allOf(before);
  const shared = sharedLinks(links, all);
  const isFamiliar = shared * 2 >= links.length;
  if (doubts.includes('decoy_page') && !isFamiliar) {
    return { reason: 'decoy_page', message: 'no result has anything to do with the keyword' };
  }
  const earlier = before?.get(page)?.length ?? 0;
  if (earlier >= resultsMin && links.length * 2 < earlier) {
    const message = `${links.length} results are listed where the last complete check found ${earlier}`;
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

function allOf(pages: KnownPages['before']): readonly string[] {
  return pages === null ? [] : [...pages.values()].flat();
}

/** What looks at one page showed that were bought one after the other. */
export interface Looks {
  /** How many in a row say the same, the newest included. */
  readonly agreeing: number;
  /** Share of the service's pages whose doubt of this kind was not confirmed, 0 to 1. */
  readonly errorRate: number;
}

/** The limits of proof by repetition. */
export const proofLimits = Object.freeze({
  /** No service is taken to lie less often than in one page of 2,000. */
  errorRateMin: 1 / 2000,
  /** What is left of the chance that all looks were wrong. */
  errorChanceMax: 1e-6,
  /** Looks that prove fewer or other results however often the service errs: engines do change all pages of a market at once. */
  agreeingEnough: 6,
});

/**
 * Whether looks that agree prove what each of them alone does not. Where a service shows a wrong page with chance q, k wrong pages in a row have the
 * chance q^k (looks are bought apart, and taken as independent). At the least q, two looks are enough; at 3 % it takes 4, at 10 % 6, at 30 % 12, which
 * come over several slots. A decoy, a repeated page and results of other keywords are never proven: they are shown again to the same asker.
 */
export function isProven(reason: DoubtReason, { agreeing, errorRate }: Looks): boolean {
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
