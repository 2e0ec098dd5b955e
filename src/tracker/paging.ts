// Chooses the next page of a search, the depth of a check and its cost in pages. Pure.

import type { PageRange } from '../service/terms.ts';
import type { CheckStatus } from './observation.ts';
import type { NamedMarket, PagingStrategy, Project, Target } from './project.ts';
import { hourMs } from './schedule/time-units.ts';

/** The state of a running check. */
export interface PagingState {
  readonly strategy: PagingStrategy;
  /** Requested pages. */
  readonly depth: number;
  /** For each followed target (`followedTargets`), the page it last ranked on; null: not found, or never searched. */
  readonly lastKnownPages: readonly (number | null)[];
  readonly read: readonly number[];
  /** Pages that failed after all retries. */
  readonly failed: readonly number[];
  /** The last page, if the engine said that nothing follows it; else null. */
  readonly endsAfterPage: number | null;
  /** Every followed target is on one of the pages read. False if there are no targets. */
  readonly allFound: boolean;
}

/** Depth of a check, and whether it is the project's periodic deep check. */
interface CheckDepth {
  /** Pages. */
  readonly depth: number;
  readonly isDeep: boolean;
}

/**
 * The next page to read, 1-based; null: the check is complete.
 *
 * - `until-found`, `until-all-found`: from page 1 until every followed target is found. A failed page ends the check,
 *   because no rank below it would be exact.
 * - `full`, `from-4`: every page except failed ones. `from-4` reads pages before the 4th only if they are stored, and
 *   never buys them (`firstPageBought`).
 * - `anchored`: page 1, the last known pages, then outward from them (nearest first, lower number first) until every
 *   own target is found. A result beyond an unread page is `seen`, not ranked.
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

/** The most pages a check may buy. Every strategy may have to go to full depth. */
export function worstCasePages(depth: number, strategy: PagingStrategy = 'full'): number {
  return Math.max(0, depth - firstPageBought(strategy) + 1);
}

/** The most pages that second looks may cost after a run of so many pages. Part of a page is none. */
export function secondLookPagesMax({ confirm }: Pick<Project, 'confirm'>, pagesBought: number): number {
  // shares such as 0.1 + 0.2 must not lose a page to rounding
  return confirm === undefined ? 0 : Math.floor(confirm.share * pagesBought + 1e-9);
}

/** The first page that the strategy buys. */
export function firstPageBought(strategy: PagingStrategy): number {
  return strategy.startsWith('from-') ? Number(strategy.slice('from-'.length)) : 1;
}

/** Whether a check may end early, once every followed target is found. */
export function mayStopEarly(strategy: PagingStrategy): boolean {
  return isInOrderUntilFound(strategy) || strategy === 'anchored';
}

/**
 * The targets that a check follows: it ends early only when all of these are found. Page 1 decides about places, so
 * that no check follows them.
 */
export function followedTargets({
  paging,
  targets,
  competitors,
}: Pick<Project, 'paging' | 'targets' | 'competitors'>): Target[] {
  return (paging === 'until-all-found' ? [...targets, ...competitors] : targets).filter(
    ({ match }) => match !== 'place',
  );
}

function isInOrderUntilFound(strategy: PagingStrategy): boolean {
  return strategy === 'until-found' || strategy === 'until-all-found';
}

/**
 * The expected pages of a check: every followed target is assumed on its last known page, and a target that was not
 * found costs the whole depth. Without followed targets page 1 is enough. `lastKnownPages` as in PagingState.
 */
export function expectedPages(
  strategy: PagingStrategy,
  depth: number,
  lastKnownPages: readonly (number | null)[],
): number {
  const known = knownPages(lastKnownPages);
  if (!mayStopEarly(strategy)) return worstCasePages(depth, strategy);
  if (lastKnownPages.length === 0) return 1;
  if (known.length === 0 || known.length < lastKnownPages.length) return depth;
  if (known.some((page) => page > depth)) return depth;
  if (isInOrderUntilFound(strategy)) return Math.max(...known);
  if (known.every((page) => page === 1)) return 1;
  return new Set([1, ...known]).size;
}

/** Pages from the first one on, to `through`, in one purchase. */
export interface PagesAtOnce {
  readonly through: number;
  readonly credits: number;
}

/** Pages 1 to `depth`, as a service sells them at once; null: it sells single pages only. */
export function pagesAtOnce(range: PageRange | undefined, depth: number): PagesAtOnce | null {
  if (range === undefined || depth < 2) return null;
  const through = Math.min(depth, range.pagesMax);
  return { through, credits: range.credits(through) };
}

/** What decides how the pages of a check are bought. */
export interface PageNeed {
  readonly depth: number;
  /** As `expectedPages` has it. */
  readonly expected: number;
  /** Of a single page. */
  readonly creditsOf: (page: number) => number;
}

/**
 * Whether all pages at once cost less than the single pages that a check is expected to need from `page` on: those up
 * to where its targets were found before; beyond these, all down to its depth.
 */
export function isCheaperAtOnce(
  { through, credits }: PagesAtOnce,
  page: number,
  { depth, expected, creditsOf }: PageNeed,
): boolean {
  const last = page <= expected ? expected : depth;
  return page <= through && credits < sumOfCredits(page, Math.min(last, through), creditsOf);
}

/**
 * The most that a check may spend on its pages from `page` on, in the order of `isCheaperAtOnce`: single pages while
 * few are expected, then all at once, then what lies beyond. `atOnce` null: the service sells single pages only.
 */
export function creditsAtMost(atOnce: PagesAtOnce | null, page: number, need: PageNeed): number {
  const { depth, creditsOf } = need;
  let credits = 0;
  for (let next = page; next <= depth; next += 1) {
    if (atOnce !== null && isCheaperAtOnce(atOnce, next, need))
      return credits + atOnce.credits + sumOfCredits(atOnce.through + 1, depth, creditsOf);
    credits += creditsOf(next);
  }
  return credits;
}

/** Credits that a check is expected to cost, and the most that it may. */
export interface CheckCredits {
  readonly expected: number;
  readonly atMost: number;
}

/** Of a check that has no page yet. `pages`: as many as it is expected to read. */
export function checkCredits(atOnce: PagesAtOnce | null, need: PageNeed, pages = need.expected): CheckCredits {
  const atMost = creditsAtMost(atOnce, 1, need);
  if (atOnce !== null && isCheaperAtOnce(atOnce, 1, need))
    return { expected: atOnce.credits + Math.max(0, pages - atOnce.through), atMost };
  return { expected: Math.min(pages, atMost), atMost };
}

/** The most that a check may cost, wherever its targets ranked before. */
export function worstCaseCredits(range: PageRange | undefined, depth: number, strategy: PagingStrategy): number {
  const atOnce = pagesAtOnce(range, depth);
  const expected = mayStopEarly(strategy) ? Array.from({ length: depth }, (_, index) => index + 1) : [depth];
  return Math.max(
    ...expected.map((pages) => checkCredits(atOnce, { depth, expected: pages, creditsOf: () => 1 }).atMost),
  );
}

function sumOfCredits(first: number, last: number, creditsOf: (page: number) => number): number {
  let credits = 0;
  for (let page = first; page <= last; page += 1) credits += creditsOf(page);
  return credits;
}

/**
 * The depth of a check: the keyword's own, or the deep one if that is deeper and due. `lastDeepAt` and `now` are UTC
 * milliseconds, best taken from slots; null: no deep check yet. The period may be short by a quarter, at most three
 * hours. Otherwise an earlier start or a daylight saving change would delay the deep check by a whole slot.
 */
export function chooseDepth(
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

/** Page 1 first, then the page nearest to an anchor; on a tie the lower number. */
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

/** Checks of a run that are alike: as many as `count`, each with these numbers. */
export interface CheckCost extends NamedMarket {
  readonly count: number;
  readonly status: CheckStatus;
  /** Pages. */
  readonly depth: number;
  readonly pagesRead: number;
  /** Credits, as the ledger has them. */
  readonly spent: number;
  readonly unknown: number;
  /** Purchases that were paid and gave a page. */
  readonly pagesPaid: number;
  /** Those that wanted the check, in the order in which they were made. */
  readonly projects: readonly string[];
  /** Number of the check modulo the number of projects: who gets what cannot be split evenly. */
  readonly remainderOffset: number;
}
