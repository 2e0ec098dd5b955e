// The checks of a project when each of its searches is checked: how deep, in which order, and what they may cost.

import { batchesOf } from '../../db/connection/batches.ts';
import type { SearchPast } from '../../db/history/checks/checks.ts';
import type { Store } from '../../db/store.ts';
import {
  type CheckCredits,
  checkCredits,
  chooseDepth,
  expectedPages,
  firstPageBought,
  followedTargets,
  mayStopEarly,
  worstCasePages,
} from '../../src/tracker/paging.ts';
import {
  type Device,
  expandSearches,
  type Market,
  type PagingStrategy,
  type Priority,
  type Project,
  type Search,
  type TrackedKeyword,
} from '../../src/tracker/project.ts';
import { minuteMs } from '../../src/tracker/schedule/time-units.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import { freshSince } from '../check/check-pages.ts';
import { firstPageCredits, type JobContext, soldAtOnce } from '../context.ts';

/** A check as the plan sees it, before it has an id. */
export interface CheckPlan {
  readonly search: Search;
  /** Null: never stored. */
  readonly searchId: number | null;
  readonly projects: readonly string[];
  readonly depth: number;
  readonly deep: boolean;
  readonly paging: PagingStrategy;
  readonly freshForMs: number;
  /** Lower goes first. */
  readonly sequence: number;
  readonly pagesWorstCase: number;
  /** If every target is where it was; one that was never found: all. Pages at once are bought by it. */
  readonly pagesExpected: number;
  /** As many as it is expected to read: the same, but for first checks of an adaptive plan. */
  readonly pagesLikely: number;
  /** Pages that need not be bought. */
  readonly pagesReusable: number;
}

/** A check that a fixed plan would make. */
export interface PlannedCheck {
  readonly plan: CheckPlan;
  readonly priority: Priority;
  readonly tags: readonly string[];
}

/** Searches whose history is read at once: one statement for each costs 15 times as much as one for many. */
const searchesPerRead = 1000;
const priorityOrder: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };
/** Minutes since 1970 stay far below this; it separates priorities, and within one the deferred from the rest. */
const sequenceStep = 1e10;

interface TrackedSearch {
  readonly search: Search;
  readonly keyword: TrackedKeyword;
}

/** What the history says of a search. */
interface Known {
  readonly searchId: number | null;
  readonly depth: number;
  readonly isDeep: boolean;
  readonly past: SearchPast;
  readonly reusable: number;
  /** Of each followed target. */
  readonly lastPages: readonly (number | null)[];
}

const neverChecked: SearchPast = { lastCheckedAt: null, lastDeepAt: null, wasDeferred: false };

/** In the order of the project's keywords. Reads only; of a large project a part at a time. */
export function* planProject(store: Store, project: Project, moment: number): Generator<PlannedCheck> {
  const targetIds = followedTargets(project).map((target) => store.names.knownTargetId(targetKey(target)));
  const projects = [project.id];
  for (const batch of batchesOf(trackedSearches(project), searchesPerRead)) {
    const known = readKnown(store, project, targetIds, batch, moment);
    for (const [at, tracked] of batch.entries()) {
      const facts = known[at];
      if (facts !== undefined) yield plannedCheck(project, projects, tracked, facts);
    }
  }
}

/** Searches of one market that follow each other share its object: of a million, that is 64 MB. */
function* trackedSearches(project: Project): Generator<TrackedSearch> {
  const latest = new Map<Device, Market>();
  for (const keyword of project.keywords) {
    for (const { market } of expandSearches(project, keyword)) {
      const before = latest.get(market.device);
      const shared = before !== undefined && isSameMarket(before, market) ? before : market;
      latest.set(market.device, shared);
      yield { search: { keyword: keyword.keyword, market: shared }, keyword };
    }
  }
}

/** Of one service and device. */
function isSameMarket(a: Market, b: Market): boolean {
  return a.country === b.country && a.language === b.language && a.location === b.location;
}

/** In the order of the batch. */
function readKnown(
  store: Store,
  project: Project,
  targetIds: readonly (number | null)[],
  batch: readonly TrackedSearch[],
  moment: number,
): Known[] {
  const searchIds = store.names.knownSearchIds(batch.map(({ search }) => search));
  const stored = searchIds.filter((id) => id !== null);
  const places = new Map(stored.map((id, place) => [id, place]));
  const placeOf = (searchId: number | null): number => (searchId === null ? -1 : (places.get(searchId) ?? -1));

  const pasts = store.checks.pasts(stored, { withDeep: project.deep !== undefined });
  const depths = batch.map(({ keyword }, at) => {
    const searchId = searchIds[at] ?? null;
    const past = pasts[placeOf(searchId)] ?? neverChecked;
    return { searchId, past, ...chooseDepth(keyword.depth, project.deep, past.lastDeepAt, moment) };
  });
  const wanted = depths.flatMap(({ searchId, depth }) => (searchId === null ? [] : [{ searchId, depth }]));
  const reusable = store.pages.countReusable(wanted, moment, freshSince(project.freshForMs, moment));
  const lastPages = targetIds.map((id) => (id === null ? [] : store.rankings.lastKnownPages(id, stored)));
  return depths.map((known) => {
    const place = placeOf(known.searchId);
    return { ...known, reusable: reusable[place] ?? 0, lastPages: lastPages.map((pages) => pages[place] ?? null) };
  });
}

function plannedCheck(
  project: Project,
  projects: readonly string[],
  { search, keyword }: TrackedSearch,
  known: Known,
): PlannedCheck {
  const { searchId, depth, isDeep, past, reusable, lastPages } = known;
  // fresh pages may lie before those that are to be bought
  const pagesWorstCase = Math.max(0, Math.min(worstCasePages(depth, project.paging), depth - reusable));
  const pagesExpected = mayStopEarly(project.paging)
    ? Math.max(0, expectedPages(project.paging, depth, lastPages) - reusable)
    : pagesWorstCase;
  const plan = {
    search,
    searchId,
    projects,
    depth,
    deep: isDeep,
    paging: project.paging,
    freshForMs: project.freshForMs,
    sequence: computeSequence(keyword.priority, past),
    pagesWorstCase,
    pagesExpected,
    pagesLikely: pagesExpected,
    pagesReusable: reusable,
  };
  return { plan, priority: keyword.priority, tags: keyword.tags };
}

/** What a check costs: single pages, or all at once where that is expected to be cheaper. */
export function planCredits(context: Pick<JobContext, 'services'>, plan: CheckPlan): CheckCredits {
  const { search, depth, paging, pagesWorstCase, pagesExpected, pagesLikely, pagesReusable } = plan;
  const { service } = search.market;
  const isFirstBought = pagesWorstCase > 0 && firstPageBought(paging) === 1;
  const ofFirst = firstPageCredits(context, service);
  if (!isFirstBought || pagesReusable > 0)
    return { expected: pagesLikely, atMost: pagesWorstCase + (isFirstBought ? ofFirst - 1 : 0) };
  const need = { depth, expected: pagesExpected, creditsOf: (page: number) => (page === 1 ? ofFirst : 1) };
  return checkCredits(soldAtOnce(context, service, depth), need, pagesLikely);
}

/** Priority first; within it what was deferred last time, then what waits longest. */
function computeSequence(priority: Priority, past: SearchPast): number {
  const waiting = past.lastCheckedAt === null ? 0 : Math.floor(past.lastCheckedAt / minuteMs);
  return (priorityOrder[priority] * 2 + (past.wasDeferred ? 0 : 1)) * sequenceStep + waiting;
}
