// Matches targets against the pages that were read, and claims only what those pages prove.

import { addTo } from '../maps.ts';
import type { Target } from '../project.ts';
import {
  type CompiledTargets,
  classifyDestination,
  compileTargets,
  findPlace,
  type ListedPlace,
  type PlaceIdentity,
  placeUrl,
} from './target.ts';

/** The part of an organic result that ranking needs. */
interface RankedUrl {
  readonly url: string;
  /** Position among all elements of the pages read from page 1; null if it cannot be known. */
  readonly absoluteRank: number | null;
}

/** The part of a page that ranking needs. */
export interface RankedPage {
  /** 1-based. */
  readonly page: number;
  readonly organic: readonly RankedUrl[];
  /** Unpaid local results in order; absent: none. Null: the page lists places that the source does not pass on. */
  readonly places?: readonly ListedPlace[] | null;
}

/**
 * A target's ranking in one check. `ranked` and `notFound` are exact: `notFound` means absent from every page down to
 * the depth. `notFollowed`: absent from the pages read, which do not reach the depth. `seen`: found without an exact
 * rank, because earlier pages were not read. `unproven`: the pages that would decide are missing.
 */
export type TargetOutcome =
  | {
      readonly kind: 'ranked';
      readonly organicRank: number;
      readonly absoluteRank: number | null;
      readonly page: number;
      /** Empty for a place without a website and ids. */
      readonly url: string;
    }
  | { readonly kind: 'notFound'; readonly depth: number }
  | { readonly kind: 'notFollowed'; readonly pages: number }
  | { readonly kind: 'seen'; readonly page: number; readonly url: string }
  | { readonly kind: 'unproven' };

/** The pages of a check that were read. */
export interface PagesRead {
  /** In page order, without failed and unread pages. */
  readonly pages: readonly RankedPage[];
  /** The last page, if the engine said that nothing follows it; else null. */
  readonly endsAfterPage: number | null;
  /** Requested pages. */
  readonly depth: number;
}

/** The part of a SERP feature that ownership needs. */
interface LinkedFeature {
  readonly type: string;
  readonly links: readonly string[];
}

/** The `global_rank` numbers of one page. */
interface PageElements {
  /** 1-based; pages may be missing. */
  readonly page: number;
  /** `global_rank` of each organic result, in order; null where the page gave none. */
  readonly organic: readonly (number | null)[];
  /** Lowest and highest `global_rank` of any element of the page; null where it gave none. */
  readonly lowest: number | null;
  readonly highest: number | null;
}

/**
 * Finds the first result of each target in the pages read. Returns one outcome per target, in order.
 *
 * A rank is exact only if every page up to it was read, because the organic rank is the running count over pages.
 * `notFound` needs every page down to the depth, or down to the engine's last page. With fewer pages it is
 * `notFollowed`, counted from page 1 to the first missing one. A result beyond a gap is only `seen`. An absence is
 * `unproven` if some result hides its page. A result with only a known site ranks domains and hosts. It proves nothing
 * about a page on that site: a rank below it is only `seen`, an absence `unproven`.
 *
 * A place is ranked by its position in the local results of page 1, which alone decides.
 */
export function matchTargets(read: PagesRead, targets: CompiledTargets): TargetOutcome[] {
  const unbroken = pagesWithoutGap(read.pages);
  const outcomes = new Array<TargetOutcome | undefined>(targets.count);
  const uncertain = new Set<number>();
  let organicRank = 0;
  read.pages.forEach((page, index) => {
    for (const result of page.organic) {
      organicRank += 1;
      for (const target of targets.matchingIndexes(result.url)) {
        outcomes[target] ??=
          index < unbroken && !uncertain.has(target)
            ? { kind: 'ranked', organicRank, absoluteRank: result.absoluteRank, page: page.page, url: result.url }
            : { kind: 'seen', page: page.page, url: result.url };
      }
      for (const target of targets.possibleIndexes(result.url)) uncertain.add(target);
    }
  });
  const isHidden = read.pages.some(({ organic }) => organic.some(({ url }) => classifyDestination(url) === 'hidden'));
  const absence: TargetOutcome = isHidden ? { kind: 'unproven' } : classifyAbsence(read, unbroken);
  for (const { index, place } of targets.places) outcomes[index] = placeOutcome(read, place);
  return Array.from(outcomes, (outcome, target) => outcome ?? (uncertain.has(target) ? { kind: 'unproven' } : absence));
}

/** For each target the types of the features that link to it, in page order, without repetition. */
export function ownedFeatures(features: readonly LinkedFeature[], targets: readonly Target[]): string[][] {
  const compiled = compileTargets(targets);
  const owned = targets.map(() => new Set<string>());
  for (const feature of features) {
    for (const link of feature.links) {
      for (const target of compiled.matchingIndexes(link)) owned[target]?.add(feature.type);
    }
  }
  return owned.map((types) => [...types]);
}

/**
 * The types of features that the pages show without links, so that whom they show is unknown. `places`: unpaid local
 * results on the pages, which say whom their pack shows.
 */
export function unlinkedFeatures(features: readonly LinkedFeature[], places: number): string[] {
  const counts = new Map(places > 0 ? [['local_pack', places]] : []);
  for (const { type, links } of features) addTo(counts, type, links.length);
  return [...counts].flatMap(([type, count]) => (count === 0 ? [type] : []));
}

/**
 * Positions among all elements over the pages of one check. Sources number them per page (then the highest number of
 * each earlier page is added) or across pages (then they are used unchanged). They are across pages only if every page
 * begins above the page before it. Returns one list per page, in order, with null for unknown positions: a page without
 * numbers has none and, if numbers restart, neither do the pages after it.
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

function placeOutcome({ pages, depth }: PagesRead, place: PlaceIdentity): TargetOutcome {
  const first = pages[0];
  const list = first?.places === undefined ? [] : first.places;
  if (first?.page !== 1 || list === null) return { kind: 'unproven' };
  const found = findPlace(list, place);
  if (found === 'unknown') return { kind: 'unproven' };
  if (found === 'absent') return { kind: 'notFound', depth };
  const listed = list[found.index];
  const url = (listed === undefined ? null : placeUrl(listed)) ?? '';
  return { kind: 'ranked', organicRank: found.index + 1, absoluteRank: null, page: 1, url };
}

function pagesWithoutGap(pages: readonly RankedPage[]): number {
  let count = 0;
  while (pages[count]?.page === count + 1) count += 1;
  return count;
}

/** What the pages prove about a target that is on none of them. */
function classifyAbsence(read: PagesRead, unbroken: number): TargetOutcome {
  const sawTheEnd = read.endsAfterPage !== null && unbroken >= read.endsAfterPage;
  if (sawTheEnd && unbroken > 0) return { kind: 'notFound', depth: Math.max(unbroken, read.depth) };
  if (unbroken === 0) return { kind: 'unproven' };
  return unbroken >= read.depth ? { kind: 'notFound', depth: unbroken } : { kind: 'notFollowed', pages: unbroken };
}

function beginsAbove(page: PageElements, before: PageElements | undefined): boolean {
  if (before === undefined || page.lowest === null || before.highest === null) return false;
  return page.lowest > before.highest;
}
