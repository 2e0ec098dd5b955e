// The pages of one check as an immutable value: at hand, read, lost, and which page comes next. Pure.
import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import { mayStopEarly, nextPage } from '../../src/tracker/paging.ts';
import type { TargetOutcome } from '../../src/tracker/targets/match.ts';
import { shareMostLinks } from '../../src/tracker/trust/link-key.ts';
import type { KeptPage, LostPage } from './check-end.ts';
import { endOfResults, proveOutcomes } from './evidence.ts';
import { doubtRemedy, linkKeys } from './page-judge.ts';
import type { CheckTargets } from './targets.ts';

export interface CheckPages {
  /** Pages that need not be bought, by number. */
  readonly atHand: ReadonlyMap<number, KeptPage>;
  /** In the order of reading. */
  readonly read: readonly KeptPage[];
  readonly lost: readonly LostPage[];
  /** How many of the pages read were not bought for this check. */
  readonly taken: number;
  /** One an own target; only `anchored` paging uses it. */
  readonly lastKnown: readonly (number | null)[];
}

export const noPages: CheckPages = { atHand: new Map(), read: [], lost: [], taken: 0, lastKnown: [] };

/** From when on a page is fresh enough to be at hand, UTC milliseconds; null where only the slot's own pages are. */
export function freshSince(freshForMs: number, now: number): number | null {
  return freshForMs === 0 ? null : now - freshForMs;
}

/** Reads a page that is at hand, or loses it if it repeats another one; null if it is not at hand. */
export function takePage(pages: CheckPages, page: number): CheckPages | null {
  const found = pages.atHand.get(page);
  if (found === undefined) return null;
  const links = linkKeys(found);
  for (const [before, others] of linksByPage(pages)) {
    if (links.length === 0 || !shareMostLinks(links, others)) continue;
    const lost = { page, reason: `it repeats page ${before}`, remedy: doubtRemedy('repeated_page') };
    return { ...pages, lost: [...pages.lost, lost] };
  }
  return { ...pages, read: [...pages.read, found], taken: pages.taken + 1 };
}

/** The page that the paging strategy reads next; null where the check has all it can get. */
export function findNextPage(check: PlannedCheck, targets: CheckTargets, pages: CheckPages): number | null {
  return nextPage({
    strategy: check.paging,
    depth: check.depth,
    lastKnownPages: pages.lastKnown,
    read: pages.read.map((page) => page.page),
    failed: pages.lost.map((lost) => lost.page),
    endsAfterPage: endOfResults(pages.read),
    allFound: isAllFound(check, targets, pages.read),
  });
}

/** The worst case: the credits of every page down to the depth that is neither at hand nor lost. */
export function creditsToBuyAtMost(
  { depth }: PlannedCheck,
  { read, lost, atHand }: CheckPages,
  creditsOf: (page: number) => number,
): number {
  const known = new Set([...read, ...lost].map(({ page }) => page));
  let credits = 0;
  for (let page = 1; page <= depth; page += 1) if (!known.has(page) && !atHand.has(page)) credits += creditsOf(page);
  return Math.max(1, credits);
}

/** The links of the pages that were read, in the form in which they are compared. */
export function linksByPage({ read }: CheckPages): ReadonlyMap<number, readonly string[]> {
  return new Map(read.map((page) => [page.page, linkKeys(page)] as const));
}

function isAllFound({ paging, depth }: PlannedCheck, targets: CheckTargets, read: readonly KeptPage[]): boolean {
  if (read.length === 0 || !mayStopEarly(paging)) return false;
  const { outcomes } = proveOutcomes(read, targets, depth, false);
  const followedCount = paging === 'until-all-found' ? outcomes.length : targets.ownCount;
  const isDecided = ({ kind }: TargetOutcome, index: number): boolean =>
    kind === 'ranked' || kind === 'seen' || targets.list[index]?.match === 'place';
  return outcomes.slice(0, followedCount).every(isDecided);
}
