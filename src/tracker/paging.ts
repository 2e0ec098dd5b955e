// Which page of a search is read next, how deep a check goes and what it may cost in pages. Steps only: buying is the job's part.
import type { PagingStrategy, Project } from './project.ts';

/** A check on its way. */
export interface PagingState {
  readonly strategy: PagingStrategy;
  /** Pages asked. */
  readonly depth: number;
  /** One a target that the check follows (`followedTargets`): the page it was last ranked on; null where it was not found or never looked for. */
  readonly lastKnownPages: readonly (number | null)[];
  /** Pages that were read. */
  readonly read: readonly number[];
  /** Pages that failed for good. */
  readonly failed: readonly number[];
  /** The engine said that nothing follows this page; null where it did not say so. */
  readonly endsAfterPage: number | null;
  /** Every target that the check follows is on one of the pages read. False where there is none to find. */
  readonly allFound: boolean;
}

/** How deep a check goes, and whether that is the project's periodic deep check. */
export interface CheckDepth {
  /** Pages. */
  readonly depth: number;
  readonly isDeep: boolean;
}

const hourMs = 3_600_000;

/**
 * The next page to read, 1-based; null where the check has all it can get.
 *
 * - `until-found`, `until-all-found`: from page 1 until every target that it follows is found. A page that failed for good ends it, because no rank
 *   below it would be exact.
 * - `full`, `from-4`: every page, failed ones left out. Pages before the first of `from-4` are asked for like any other: they are read where they are
 *   at hand, and never bought (`firstPageBought`).
 * - `anchored`: page 1, the last known pages, then outward from them (nearest first, then the upper one) until every own target is
 *   found. What was not read stays unread: a result beyond a gap is `seen`, not ranked.
 */
export function nextPage(state: PagingState): number | null {
  const last = Math.min(state.depth, state.endsAfterPage ?? state.depth);
  if (mayStopEarly(state.strategy) && state.allFound) return null;
  if (isInOrderUntilFound(state.strategy) && state.failed.length > 0) return null;
  const done = new Set([...state.read, ...state.failed]);
  if (state.strategy === 'anchored') return nearestPage(last, knownPages(state.lastKnownPages), done);
  for (let page = 1; page <= last; page += 1) {
    if (!done.has(page)) return page;
  }
  return null;
}

/** The most pages a check may buy. Every strategy may have to go to its depth. */
export function worstCasePages(depth: number, strategy: PagingStrategy = 'full'): number {
  return Math.max(0, depth - firstPageBought(strategy) + 1);
}

/** Pages before this one are not bought. */
export function firstPageBought(strategy: PagingStrategy): number {
  return strategy.startsWith('from-') ? Number(strategy.slice('from-'.length)) : 1;
}

/** Whether a check may end before its depth because every target that it follows is found. */
export function mayStopEarly(strategy: PagingStrategy): boolean {
  return isInOrderUntilFound(strategy) || strategy === 'anchored';
}

/** How many of the targets a check follows, own ones being the first: those that must be found before it may end early. */
export function followedTargets(strategy: PagingStrategy, ownCount: number, count: number): number {
  return strategy === 'until-all-found' ? count : ownCount;
}

function isInOrderUntilFound(strategy: PagingStrategy): boolean {
  return strategy === 'until-found' || strategy === 'until-all-found';
}

/**
 * The pages a check takes where every target that it follows is on its last known page; a target that was not found, or never looked for, takes the whole
 * depth. `lastKnownPages` as in PagingState.
 */
export function expectedPages(
  strategy: PagingStrategy,
  depth: number,
  lastKnownPages: readonly (number | null)[],
): number {
  const known = knownPages(lastKnownPages);
  if (!mayStopEarly(strategy)) return worstCasePages(depth, strategy);
  if (known.length === 0 || known.length < lastKnownPages.length) return depth;
  if (known.some((page) => page > depth)) return depth;
  if (isInOrderUntilFound(strategy)) return Math.max(...known);
  if (known.every((page) => page === 1)) return 1;
  return new Set([1, ...known]).size;
}

/**
 * How deep a check goes: the keyword's own depth, or the deep one where that is deeper and due. `lastDeepAt` and `now` are UTC
 * milliseconds, best taken from slots; null: there was no deep check yet. The period may be short by a quarter, at most three hours: a run
 * that starts a little earlier in the day than the last one, or a clock change, must not put the deep check off by a whole slot.
 */
export function depthFor(
  keywordDepth: number,
  deep: Project['deep'],
  lastDeepAt: number | null,
  now: number,
): CheckDepth {
  if (deep === undefined || deep.depth <= keywordDepth) return { depth: keywordDepth, isDeep: false };
  const slackMs = Math.min(3 * hourMs, deep.everyMs / 4);
  const isDeep = lastDeepAt === null || now - lastDeepAt >= deep.everyMs - slackMs;
  return { depth: isDeep ? deep.depth : keywordDepth, isDeep };
}

function knownPages(lastKnownPages: readonly (number | null)[]): number[] {
  return lastKnownPages.filter((page) => page !== null);
}

/** Page 1 first, then the page nearest to an anchor, the upper one of two. */
function nearestPage(last: number, anchors: readonly number[], done: ReadonlySet<number>): number | null {
  if (!done.has(1)) return 1;
  const from = anchors.length === 0 ? [1] : anchors;
  let nearest: number | null = null;
  let nearestDistance = Number.POSITIVE_INFINITY;
  for (let page = 2; page <= last; page += 1) {
    if (done.has(page)) continue;
    const distance = Math.min(...from.map((anchor) => Math.abs(anchor - page)));
    if (distance < nearestDistance) {
      nearest = page;
      nearestDistance = distance;
    }
  }
  return nearest;
}
