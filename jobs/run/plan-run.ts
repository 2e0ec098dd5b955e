// Plans the checks of a run: each tracked search once, in the order of work.
import type { NewCheck } from '../../db/history/check-rows.ts';
import type { SearchPast } from '../../db/history/checks.ts';
import type { Store } from '../../db/store.ts';
import { chooseDepth, expectedPages, followedTargets, mayStopEarly, worstCasePages } from '../../src/tracker/paging.ts';
import {
  expandSearches,
  type PagingStrategy,
  type Priority,
  type Project,
  type Search,
} from '../../src/tracker/project.ts';
import { targetKey } from '../../src/tracker/target.ts';
import { freshSince } from '../check/check-pages.ts';
import type { JobContext } from '../context.ts';

/** A check as the plan sees it, before it has an id. */
export interface CheckPlan {
  readonly search: Search;
  /** Null: never met before. */
  readonly searchId: number | null;
  readonly projects: readonly string[];
  readonly depth: number;
  readonly deep: boolean;
  readonly paging: PagingStrategy;
  readonly freshForMs: number;
  /** Lower goes first. */
  readonly sequence: number;
  readonly pagesWorstCase: number;
  readonly pagesExpected: number;
  /** Pages that need not be bought. */
  readonly pagesReusable: number;
}

const checksPerTransaction = 2000;
const priorityOrder: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };
const pagingOrder: readonly PagingStrategy[] = ['anchored', 'until-found', 'until-all-found', 'full'];
const minuteMs = 60_000;
/** Minutes since 1970 stay far below this; it separates priorities, and within one the deferred from the rest. */
const sequenceStep = 1e10;

/**
 * Writes the checks of a run, in batches, and marks it planned. Planning again after a crash adds what is missing.
 * Returns their number.
 */
export function planRun(
  context: JobContext,
  runId: number,
  projects: readonly Project[],
  onPlanned: (count: number) => void,
): number {
  const { store } = context;
  const moment = store.runs.run(runId)?.moment ?? context.clock.now();
  let count = 0;
  let batch: CheckPlan[] = [];
  const write = (): void => {
    store.transaction(() => {
      store.runs.heartbeat(runId, context.clock.now());
      for (const plan of batch) store.checks.plan(runId, newCheck(store, plan));
    });
    count += batch.length;
    batch = [];
    onPlanned(count);
  };
  for (const plan of checkPlans(store, projects, moment)) {
    batch.push(plan);
    if (batch.length === checksPerTransaction) write();
  }
  write();
  store.transaction(() => store.runs.markPlanned(runId));
  return count;
}

/** The checks of a run for these projects at `moment`, each search once. Reads only. */
export function checkPlans(store: Store, projects: readonly Project[], moment: number): IteratorObject<CheckPlan> {
  const [only] = projects;
  // one project cannot share a search with another: a million keywords then pass through without being held
  if (only !== undefined && projects.length === 1) return planProject(store, only, moment);
  const merged = new Map<string, CheckPlan>();
  for (const project of projects) {
    for (const plan of planProject(store, project, moment)) {
      const { keyword, market } = plan.search;
      const key = `${keyword}\0${market.service}\0${market.country}\0${market.language}\0${market.device}`;
      const other = merged.get(key);
      merged.set(key, other === undefined ? plan : merge(other, plan));
    }
  }
  return merged.values();
}

function* planProject(store: Store, project: Project, moment: number): Generator<CheckPlan> {
  const all = [...project.targets, ...project.competitors];
  const followed = all.slice(0, followedTargets(project.paging, project.targets.length, all.length));
  const targetIds = followed.map((target) => store.names.knownTargetId(targetKey(target)));
  const projects = [project.id];
  for (const keyword of project.keywords) {
    for (const search of expandSearches(project, keyword)) {
      const searchId = store.names.knownSearchId(search);
      const past = searchId === null ? neverChecked : store.checks.past(searchId);
      const { depth, isDeep } = chooseDepth(keyword.depth, project.deep, past.lastDeepAt, moment);
      const reusable =
        searchId === null
          ? 0
          : store.pages.countReusable(searchId, moment, freshSince(project.freshForMs, moment), depth);
      const known = searchId === null ? targetIds.map(() => null) : lastKnownPages(store, targetIds, searchId);
      // fresh pages may lie before those that are to be bought
      const pagesWorstCase = Math.max(0, Math.min(worstCasePages(depth, project.paging), depth - reusable));
      yield {
        search,
        searchId,
        projects,
        depth,
        deep: isDeep,
        paging: project.paging,
        freshForMs: project.freshForMs,
        sequence: computeSequence(keyword.priority, past),
        pagesWorstCase,
        pagesExpected: mayStopEarly(project.paging)
          ? Math.max(0, expectedPages(project.paging, depth, known) - reusable)
          : pagesWorstCase,
        pagesReusable: reusable,
      };
    }
  }
}

const neverChecked: SearchPast = { lastCheckedAt: null, lastDeepAt: null, wasDeferred: false };

/** Priority first; within it what was deferred last time, then what waits longest. */
function computeSequence(priority: Priority, past: SearchPast): number {
  const waiting = past.lastCheckedAt === null ? 0 : Math.floor(past.lastCheckedAt / minuteMs);
  return (priorityOrder[priority] * 2 + (past.wasDeferred ? 0 : 1)) * sequenceStep + waiting;
}

function lastKnownPages(store: Store, targetIds: readonly (number | null)[], searchId: number): (number | null)[] {
  return targetIds.map((targetId) =>
    targetId === null ? null : (store.rankings.lastKnownPages([targetId], searchId)[0] ?? null),
  );
}

/** One search that two projects want: as deep, as thorough, as fresh and as early as either asks. */
function merge(a: CheckPlan, b: CheckPlan): CheckPlan {
  return {
    ...a,
    projects: [...a.projects, ...b.projects],
    depth: Math.max(a.depth, b.depth),
    deep: a.deep || b.deep,
    paging: pagingOrder[Math.max(pagingOrder.indexOf(a.paging), pagingOrder.indexOf(b.paging))] ?? a.paging,
    freshForMs: Math.min(a.freshForMs, b.freshForMs),
    sequence: Math.min(a.sequence, b.sequence),
    pagesWorstCase: Math.max(a.pagesWorstCase, b.pagesWorstCase),
    pagesExpected: Math.max(a.pagesExpected, b.pagesExpected),
    pagesReusable: Math.min(a.pagesReusable, b.pagesReusable),
  };
}

function newCheck(store: Store, plan: CheckPlan): NewCheck {
  return { ...plan, searchId: plan.searchId ?? store.names.searchId(plan.search) };
}
