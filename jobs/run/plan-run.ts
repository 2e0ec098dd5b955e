// Plans the checks of a run: each tracked search once, in the order of work.
import type { NewCheck } from '../../db/history/checks/checks.ts';
import type { RunRow } from '../../db/history/runs/runs.ts';
import type { Store } from '../../db/store.ts';
import { AlikeCounts } from '../../src/tracker/causes/alike.ts';
import { secondLookPagesMax } from '../../src/tracker/paging.ts';
import type { PagingStrategy, Project } from '../../src/tracker/project.ts';
import { searchKey } from '../../src/tracker/searches.ts';
import { rateFactor, shareOf } from '../../src/tracker/signal/update-detector.ts';
import { SourceChoice } from '../check/source-choice.ts';
import type { JobContext } from '../context.ts';
import { reportRows } from '../read/rows/report-rows.ts';
import { type AdaptiveDecision, adaptiveBudget, decideAdaptively } from './adaptive-checks.ts';
import { type CheckPlan, planCredits, planProject } from './fixed-plan.ts';

const checksPerTransaction = 2000;
const pagingOrder: readonly PagingStrategy[] = ['anchored', 'until-found', 'until-all-found', 'full'];

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
  for (const plan of checkPlans(context, projects, moment)) {
    batch.push(plan);
    if (batch.length === checksPerTransaction) write();
  }
  write();
  store.transaction(() => {
    if (store.runs.run(runId)?.origin === 'schedule') new SourceChoice(context).planDoubles(runId);
    store.runs.markPlanned(runId);
  });
  return count;
}

/** The run, and its moment. */
type PlannedRun = Pick<RunRow, 'id' | 'moment'>;

/** Rates of today, and the searches that the run has checked already. */
interface Burst {
  readonly runId: number;
  readonly rateFactor: number;
  readonly without: ReadonlySet<number>;
}

/**
 * Plans more checks for a project whose keywords move more than usual: the same ones whenever it is called, also after
 * a kill. Call inside a transaction.
 */
function planBurst(
  context: JobContext,
  { id: runId, moment }: PlannedRun,
  project: Project,
  rateFactor: number,
): number {
  const { store } = context;
  const burst = { runId, rateFactor, without: new Set(store.sightings.searchesOf(runId)) };
  let count = 0;
  for (const plan of adaptivePlans(context, project, { moment, inRun: [project] }, undefined, burst)) {
    store.checks.plan(runId, newCheck(store, plan));
    count += 1;
  }
  return count;
}

/** The checks of a run for these projects at `moment`, each search once. Reads only. */
export function checkPlans(
  context: PlanContext,
  projects: readonly Project[],
  moment: number,
  onDecision?: (decision: AdaptiveDecision) => void,
): IteratorObject<CheckPlan> {
  const [only] = projects;
  const plansOf = (project: Project): Generator<CheckPlan> =>
    project.adaptive === undefined
      ? fixedPlans(context.store, project, moment)
      : adaptivePlans(context, project, { moment, inRun: projects }, onDecision);
  // projects share searches, but one project has each search once: with a single project, a million keywords pass
  // through without being kept
  if (only !== undefined && projects.length === 1) return plansOf(only);
  const merged = new Map<string | number, CheckPlan>();
  for (const project of projects) {
    for (const plan of plansOf(project)) {
      const key = plan.searchId ?? searchKey(plan.search);
      const other = merged.get(key);
      merged.set(key, other === undefined ? plan : merge(other, plan));
    }
  }
  return merged.values();
}

/** What planning needs: the budget's time zone, and all projects, because adaptive ones share the budget. */
type PlanContext = Pick<JobContext, 'store' | 'services' | 'projects' | 'timezone' | 'budgetEndsAt' | 'worth'>;

function* fixedPlans(store: Store, project: Project, moment: number): Generator<CheckPlan> {
  for (const { plan } of planProject(store, project, moment)) yield plan;
}

/** The checks that the adaptive plan takes; it sees all searches of the project at once. */
function* adaptivePlans(
  context: PlanContext,
  project: Project,
  { moment, inRun }: { readonly moment: number; readonly inRun: readonly Project[] },
  onDecision: ((decision: AdaptiveDecision) => void) | undefined,
  burst?: Burst,
): Generator<CheckPlan> {
  const { store, services, projects, timezone, budgetEndsAt, worth } = context;
  const checks = [...planProject(store, project, moment)].filter(
    ({ plan: { searchId } }) => burst === undefined || searchId === null || !burst.without.has(searchId),
  );
  const creditsOfRun = (fixed: Project): number => {
    let [credits, pages] = [0, 0];
    for (const { plan } of planProject(store, fixed, moment)) {
      credits += planCredits(context, plan).expected;
      pages += plan.pagesLikely;
    }
    return credits + secondLookPagesMax(fixed, pages);
  };
  const all = [...projects.values()];
  const runId = burst?.runId;
  const budget = adaptiveBudget({ store, projects: all, inRun, moment, runId, timezone, budgetEndsAt, creditsOfRun });
  const rules = worth?.rulesOf(project.id) ?? [];
  const settings = {
    moment,
    budget,
    projects: all,
    range: services.get(project.service)?.range,
    rules,
    ...(worth && { ctrCurve: worth.ctrCurve }),
    ...(burst && { burst: burst.rateFactor }),
  };
  for (const decision of decideAdaptively(store, project, checks, settings)) {
    onDecision?.(decision);
    if (decision.isChecked) yield decision.plan;
  }
}

/**
 * One search that two projects want: the greater depth, the more thorough paging, the fresher pages and the earlier
 * order of both.
 */
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
    pagesLikely: Math.max(a.pagesLikely, b.pagesLikely),
    pagesReusable: Math.min(a.pagesReusable, b.pagesReusable),
  };
}

function newCheck(store: Store, plan: CheckPlan): NewCheck {
  return { ...plan, searchId: plan.searchId ?? store.names.searchId(plan.search) };
}

/** Runs before that say how many keywords usually move. */
const pastRunsMax = 28;

/**
 * Adds checks to a run whose planned checks have ended, once. The rates of today are as many times as high as the share
 * of keywords outside their bands is above the usual one, if that is beyond chance. The further checks may cost as much
 * as the slot's even share of the month again. Returns their number.
 */
export function replanBurst(context: JobContext, runId: number, ctrCurve: string): number {
  const { store } = context;
  const run = store.runs.run(runId);
  if (run === null || run.origin !== 'schedule' || run.replanned) return 0;
  const slots = store.runs.slotsOf(runId).filter(({ project }) => context.projects.get(project)?.adaptive?.cadence);
  if (slots.length === 0) return 0;
  return store.transaction(() => {
    let count = 0;
    for (const slot of slots) {
      const project = context.projects.get(slot.project);
      if (project === undefined) continue;
      const counts = new AlikeCounts();
      const comparison = { kind: 'previous' } as const;
      for (const row of reportRows({ store, project, runs: [run], slot, comparison, ctrCurve })) counts.add(row);
      const past = store.movedShares.of(project.id).filter(({ scope }) => scope === 'project');
      const { compared, outside } = counts.project;
      const factor = rateFactor(outside, compared * shareOf(past.slice(-pastRunsMax)));
      if (factor > 1) count += planBurst(context, run, project, factor);
    }
    store.runs.markReplanned(runId);
    return count;
  });
}
