// Matches targets against the pages that were read, and says only what those pages prove.
import { destinationOf } from './destination.ts';
import type { Target } from './project.ts';
import { type CompiledTargets, compileTargets } from './target.ts';

/** One organic result as ranks need it. */
export interface RankedUrl {
  readonly url: string;
  /** Place among all elements over the pages read from page 1; null where it cannot be known. */
  readonly absoluteRank: number | null;
}

/** One page of a check as far as ranks are concerned. */
export interface PageOfRanks {
  /** 1-based. */
  readonly page: number;
  readonly organic: readonly RankedUrl[];
}

/**
 * A target's place in one check. `ranked` and `notFound` are exact: an absence is one from every page down to the depth. `notFollowed`
 * says that the target is on none of the pages read, and that these do not reach the depth. `seen` is a sighting without an exact rank:
 * pages before it were not read. `unproven` says that the pages which would decide are missing.
 */
export type TargetOutcome =
  | {
      readonly kind: 'ranked';
      readonly organicRank: number;
      readonly absoluteRank: number | null;
      readonly page: number;
      readonly url: string;
    }
  | { readonly kind: 'notFound'; readonly depth: number }
  | { readonly kind: 'notFollowed'; readonly pages: number }
  | { readonly kind: 'seen'; readonly page: number; readonly url: string }
  | { readonly kind: 'unproven' };

/** What was read of a check. */
export interface PagesRead {
  /** In page order; failed and unread pages are missing. */
  readonly pages: readonly PageOfRanks[];
  /** The engine said that nothing follows this page; null where it did not say so. */
  readonly endsAfterPage: number | null;
  /** Pages asked. */
  readonly depth: number;
}

/** The part of a SERP feature that ownership needs; the service's `PageFeature` is one. */
export interface LinkedFeature {
  readonly type: string;
  readonly links: readonly string[];
}

/** The ranked elements of one page: what its `global_rank` numbers say. */
export interface PageElements {
  /** 1-based; pages may be missing. */
  readonly page: number;
  /** `global_rank` of each organic result, in order; null where the page gave none. */
  readonly organic: readonly (number | null)[];
  /** Lowest and highest `global_rank` of any element of the page; null where it gave none. */
  readonly lowest: number | null;
  readonly highest: number | null;
}

/**
 * Finds each target in the pages read; its first result counts. One outcome a target, in their order.
 *
 * A rank is exact only where every page up to it was read: the organic rank is the running count over pages. `notFound` needs every page
 * down to the depth, or down to the one after which the engine said that nothing follows; fewer pages make it `notFollowed`, which counts the
 * pages from page 1 to the first that is missing. Beyond a gap a result is only `seen`. An absence is `unproven` where a result hides whose page it is. A result of which only the site is known ranks domains
 * and hosts; of a page on that site it proves nothing: its rank below is only `seen`, its absence `unproven`.
 */
export function matchTargets(read: PagesRead, targets: readonly Target[]): TargetOutcome[] {
  return matchCompiled(read, compileTargets(targets));
}

/** `matchTargets` for targets that were compiled once for many checks. */
export function matchCompiled(read: PagesRead, targets: CompiledTargets): TargetOutcome[] {
  const unbroken = pagesWithoutGap(read.pages);
  const outcomes = new Array<TargetOutcome | undefined>(targets.count);
  const uncertain = new Set<number>();
  let organicRank = 0;
  read.pages.forEach((page, index) => {
    for (const result of page.organic) {
      organicRank += 1;
      for (const target of targets.indexesOf(result.url)) {
        outcomes[target] ??=
          index < unbroken && !uncertain.has(target)
            ? { kind: 'ranked', organicRank, absoluteRank: result.absoluteRank, page: page.page, url: result.url }
            : { kind: 'seen', page: page.page, url: result.url };
      }
      for (const target of targets.possibleIndexesOf(result.url)) uncertain.add(target);
    }
  });
  const isHidden = read.pages.some(({ organic }) => organic.some(({ url }) => destinationOf(url) === 'hidden'));
  const absence: TargetOutcome = isHidden ? { kind: 'unproven' } : absenceIn(read, unbroken);
  return Array.from(outcomes, (outcome, target) => outcome ?? (uncertain.has(target) ? { kind: 'unproven' } : absence));
}

/** For each target the types of the features that link to it, in page order, each type once. */
export function ownedFeatures(features: readonly LinkedFeature[], targets: readonly Target[]): string[][] {
  const compiled = compileTargets(targets);
  const owned = targets.map(() => new Set<string>());
  for (const feature of features) {
    for (const link of feature.links) {
      for (const target of compiled.indexesOf(link)) owned[target]?.add(feature.type);
    }
  }
  return owned.map((types) => [...types]);
}

/**
 * Places among all elements over the pages of one check, from numbers that either restart on each page (then the highest of each earlier page
 * is added) or run on (then they are taken as they are). Which of both is decided for the whole check: they run on only
 * where every page begins above the page before it. One list a page, in order; null where a number cannot be known: a page without numbers
 * makes its own unknown and, where they restart, all that follow.
 */
export function absoluteRanks(pages: readonly PageElements[]): (number | null)[][] {
  const runsOn = pages.length > 1 && pages.every((page, index) => index === 0 || beginsAbove(page, pages[index - 1]));
  let offset: number | null = 0;
  let expectedPage = 1;
  return pages.map((page) => {
    if (page.page !== expectedPage) offset = null;
    const start = runsOn ? 0 : offset;
    const ranks = page.organic.map((rank) => (rank === null || start === null ? null : start + rank));
    offset = offset === null || page.highest === null ? null : offset + page.highest;
    expectedPage = page.page + 1;
    return ranks;
  });
}

/** How many pages were read without a gap from page 1. */
function pagesWithoutGap(pages: readonly PageOfRanks[]): number {
  let count = 0;
  while (pages[count]?.page === count + 1) count += 1;
  return count;
}

/** What the pages prove about a target that is on none of them. */
function absenceIn(read: PagesRead, unbroken: number): TargetOutcome {
  const sawTheEnd = read.endsAfterPage !== null && unbroken >= read.endsAfterPage;
  if (sawTheEnd && unbroken > 0) return { kind: 'notFound', depth: Math.max(unbroken, read.depth) };
  if (unbroken === 0) return { kind: 'unproven' };
  return unbroken >= read.depth ? { kind: 'notFound', depth: unbroken } : { kind: 'notFollowed', pages: unbroken };
}

function beginsAbove(page: PageElements, before: PageElements | undefined): boolean {
  if (before === undefined || page.lowest === null || before.highest === null) return false;
  return page.lowest > before.highest;
}
