// What a run would do now: the checks it would plan, their price, and what the budget would defer. Reads only.

import type { BudgetWindowRow } from '../../db/ledger/budget-windows.ts';
import type { Store } from '../../db/store.ts';
import { type AnswerEngine, keywordDataCostMicroUsd } from '../../src/service/terms.ts';
import { rounded, sumOf } from '../../src/tracker/figures.ts';
import { addTo, getOrInsert } from '../../src/tracker/maps.ts';
import { type CheckCredits, secondLookPagesMax } from '../../src/tracker/paging.ts';
import type { Market, Project } from '../../src/tracker/project.ts';
import { monthWindowKey } from '../../src/tracker/schedule/local-time.ts';
import { countSearches, type GridSearches, gridSearches, keywordsAtPoints } from '../../src/tracker/searches.ts';
import { type AnswerSeller, missingAnswers } from '../answers/refresh-answers.ts';
import type { JobContext } from '../context.ts';
import { shortBudget, windowKeysAt } from '../purchase/money.ts';
import type { AdaptiveDecision } from '../run/adaptive-checks.ts';
import { computeDueness, namedSlot, presentSlot, slotClaim } from '../run/due.ts';
import { type CheckPlan, planCredits } from '../run/fixed-plan.ts';
import { checkPlans } from '../run/plan-run.ts';
import { dated } from '../slot-day.ts';
import type { VolumeNeed } from '../volumes/metrics-request.ts';
import { missingVolumes } from '../volumes/refresh-volumes.ts';
import { type ProjectDueness, toUnfinished } from './status.ts';

export interface PlannedProject {
  readonly project: string;
  readonly slot: string;
  readonly due: boolean;
  readonly reason: string;
  readonly keywords: number;
  readonly searches: number;
  /** Its part of the plan: what projects share is split evenly. Absent: not due. */
  readonly run?: PlannedShare;
  /** Searches of its last slot that the run would try again, beside the plan; absent: none. */
  readonly triesAgain?: number;
  /** What its last slot left undone and the run would not try again; null: nothing. */
  readonly unfinished: ProjectDueness['unfinished'];
}

interface PlannedShare {
  readonly checks: number;
  readonly creditsExpected: number;
  readonly creditsWorstCase: number;
}

interface DeferredSample {
  readonly keyword: string;
  readonly market: Market;
  readonly reason: string;
}

/** What the adaptive plan does with one search. */
export interface PlannedDecision {
  readonly project: string;
  readonly keyword: string;
  readonly market: Market;
  readonly check: boolean;
  /** The search is at a point of the project's grid. */
  readonly gridPoint?: true;
  /** Pages at most. */
  readonly pages: number;
  readonly reason: string;
}

/** What checks and keyword data requests would cost, held against the budget. */
interface PlanPrice {
  /** Unique searches over all projects of the plan. */
  readonly searches: number;
  /** Searches wanted by more than one project, each bought once. */
  readonly sharedSearches: number;
  readonly deepChecks: number;
  /** Pages to read if every check goes to its depth, and if every target is on its last known page. */
  readonly pagesWorstCase: number;
  readonly pagesExpected: number;
  /** Of these, pages that are fresh enough to be reused. */
  readonly pagesFresh: number;
  readonly creditsWorstCase: number;
  readonly creditsExpected: number;
  /** What second looks at changes may cost later the same day; absent where no project asks for them. */
  readonly creditsOfSecondLooks?: number;
  /** Keywords without metrics this month, and what asking for each would cost at most. */
  readonly keywordRequests: number;
  readonly microUsdWorstCase: number;
  /** Samples of AI answers that the period lacks, and what they would cost at most; absent: no project has prompts. */
  readonly answers?: { readonly samples: number; readonly microUsdWorstCase: number };
  /** The part of these numbers that belongs to grids; absent: none is planned. */
  readonly grids?: readonly PlannedGrid[];
  readonly budget: readonly BudgetWindowRow[];
  /** Every decision of the adaptive plan; absent where no project has one. */
  readonly adaptive?: readonly PlannedDecision[];
  /** What the budget would defer if every check cost its worst case; the first of them as a sample. */
  readonly deferred: {
    readonly checks: number;
    readonly reason: string | null;
    readonly sample: readonly DeferredSample[];
  };
}

export interface PlanReport extends PlanPrice {
  readonly projects: readonly PlannedProject[];
}

export type PlanRequest =
  | { readonly kind: 'due' }
  | { readonly kind: 'now'; readonly projects: readonly Project[] }
  | { readonly kind: 'slot'; readonly projects: readonly Project[]; readonly at: number };

const sampleMax = 10;

/**
 * What a run would do now: the very checks it would plan, priced and held against the budget. `sellers`: of AI answers,
 * by service.
 */
export function planReport(
  context: JobContext,
  request: PlanRequest,
  sellers: ReadonlyMap<string, AnswerSeller> = new Map(),
): PlanReport {
  const { clock, timezone } = context;
  const now = request.kind === 'slot' ? request.at : clock.now();
  const planned = plannedProjects(context, request, now);
  const moments = new Map(planned.filter(({ due }) => due).map(({ project, moment }) => [project, moment]));
  const taking = [...moments.keys()].flatMap((id) => context.projects.get(id) ?? []);
  const needs = missingVolumes(context, taking, () => monthWindowKey(now, timezone));
  const shares = new Map<string, { checks: number; creditsExpected: number; creditsWorstCase: number }>();
  for (const { id } of taking) shares.set(id, { checks: 0, creditsExpected: 0, creditsWorstCase: 0 });
  const price = estimatePrice(
    context,
    taking,
    needs,
    ({ id }) => moments.get(id) ?? now,
    ({ projects }, creditsExpected, creditsWorstCase) => {
      for (const id of projects) {
        const share = shares.get(id);
        if (share === undefined) continue;
        share.checks += 1 / projects.length;
        share.creditsExpected += creditsExpected / projects.length;
        share.creditsWorstCase += creditsWorstCase / projects.length;
      }
    },
  );
  const projects = planned.map(({ moment: _, ...entry }) => {
    const share = shares.get(entry.project);
    if (share === undefined) return entry;
    const { checks, creditsExpected, creditsWorstCase } = share;
    const run = {
      checks: rounded(checks, 2),
      creditsExpected: rounded(creditsExpected, 2),
      creditsWorstCase: rounded(creditsWorstCase, 2),
    };
    return { ...entry, run };
  });
  const answers = taking.some(({ prompts }) => prompts !== undefined)
    ? { answers: priceAnswers(context, taking, now, sellers) }
    : {};
  return { projects, ...price, ...answers };
}

function priceAnswers(
  context: JobContext,
  projects: readonly Project[],
  now: number,
  sellers: ReadonlyMap<string, AnswerSeller>,
): NonNullable<PlanPrice['answers']> {
  const needs = missingAnswers(context, projects, now, (service) => sellers.get(service));
  const microUsdWorstCase = needs.reduce((sum, { search: { service, engine } }) => {
    // missingAnswers takes engines from the config's schema
    return sum + (sellers.get(service)?.priceMicroUsd(engine as AnswerEngine) ?? 0);
  }, 0);
  return { samples: needs.length, microUsdWorstCase };
}

/**
 * What it would cost to check every keyword of these projects, and to ask for these metrics. Projects whose runs have
 * the same moment share their searches. `onPlan` gets each check with its credits.
 */
export function estimatePrice(
  context: JobContext,
  projects: readonly Project[],
  needs: readonly VolumeNeed[],
  momentOf: (project: Project) => number,
  onPlan?: (plan: CheckPlan, creditsExpected: number, creditsWorstCase: number) => void,
): PlanPrice {
  const { store, clock, timezone } = context;
  const budget = store.ledger.windows('', windowKeysAt(clock.now(), timezone));
  const totals = {
    searches: 0,
    sharedSearches: 0,
    deepChecks: 0,
    creditsWorstCase: 0,
    creditsExpected: 0,
    pagesFresh: 0,
  };
  /** Less than 0: pages that are bought at once cost less than alone. */
  let [creditsBeyondPages, creditsBeyondExpected] = [0, 0];
  const looks = new Map<string, number>();
  const grids = new GridSums(projects);
  const order: { sequence: number; pages: number; plan: DeferredSample }[] = [];
  const capped = budget.some((window) => window.currency === 'serp_credit' && window.cap !== null);
  const decisions: PlannedDecision[] = [];
  const onDecision = (decision: AdaptiveDecision) => void decisions.push(toPlanned(decision, grids));
  for (const [moment, ofRun] of Map.groupBy(projects, momentOf)) {
    const costs = new SharedCosts(store);
    for (const plan of checkPlans(context, ofRun, moment, onDecision)) {
      totals.searches += 1;
      totals.sharedSearches += plan.projects.length > 1 ? 1 : 0;
      totals.deepChecks += plan.deep ? 1 : 0;
      const { atMost, expected, pagesWorstCase, pagesLikely } = costs.add(plan, planCredits(context, plan));
      grids.add(plan, expected, atMost);
      creditsBeyondPages += atMost - pagesWorstCase;
      creditsBeyondExpected += expected - pagesLikely;
      totals.creditsWorstCase += atMost;
      totals.creditsExpected += expected;
      onPlan?.(plan, expected, atMost);
      for (const id of plan.projects) addTo(looks, id, plan.pagesWorstCase / plan.projects.length);
      totals.pagesFresh += Math.min(plan.depth, plan.pagesReusable);
      if (capped)
        order.push({
          sequence: plan.sequence,
          pages: atMost,
          plan: { ...plan.search, reason: '' },
        });
    }
  }
  return {
    ...totals,
    ...(projects.some(({ confirm }) => confirm !== undefined)
      ? { creditsOfSecondLooks: sumOf(projects, (one) => secondLookPagesMax(one, looks.get(one.id) ?? 0)) }
      : {}),
    ...grids.found(),
    ...(decisions.length === 0 ? {} : { adaptive: decisions }),
    pagesWorstCase: totals.creditsWorstCase - creditsBeyondPages + totals.pagesFresh,
    creditsExpected: Math.round(totals.creditsExpected),
    pagesExpected: Math.round(totals.creditsExpected - creditsBeyondExpected) + totals.pagesFresh,
    keywordRequests: sumOf(needs, (need) => need.keywords.length),
    microUsdWorstCase: sumOf(needs, (need) => need.keywords.length * keywordDataCostMicroUsd(need.limit)),
    budget,
    deferred: listDeferred(order, budget),
  };
}

type SearchCost = CheckCredits & Pick<CheckPlan, 'pagesWorstCase' | 'pagesLikely'>;

/**
 * What each check of a run adds to the price: the spellings of a search that older versions bought apart have a check
 * each, and their pages are bought once, as deep as the deepest needs.
 */
class SharedCosts {
  readonly #store: Store;
  readonly #counted = new Map<number, SearchCost>();

  constructor(store: Store) {
    this.#store = store;
  }

  add({ searchId, pagesWorstCase, pagesLikely }: CheckPlan, credits: CheckCredits): SearchCost {
    const cost = { ...credits, pagesWorstCase, pagesLikely };
    const [first, ...others] = searchId === null ? [] : this.#store.names.searchesAlike(searchId);
    if (first === undefined || others.length === 0) return cost;
    const before = this.#counted.get(first) ?? { atMost: 0, expected: 0, pagesWorstCase: 0, pagesLikely: 0 };
    const both = {
      atMost: Math.max(before.atMost, cost.atMost),
      expected: Math.max(before.expected, cost.expected),
      pagesWorstCase: Math.max(before.pagesWorstCase, cost.pagesWorstCase),
      pagesLikely: Math.max(before.pagesLikely, cost.pagesLikely),
    };
    this.#counted.set(first, both);
    return {
      atMost: both.atMost - before.atMost,
      expected: both.expected - before.expected,
      pagesWorstCase: both.pagesWorstCase - before.pagesWorstCase,
      pagesLikely: both.pagesLikely - before.pagesLikely,
    };
  }
}

function toPlanned({ project, plan, isChecked, reason }: AdaptiveDecision, grids: GridSums): PlannedDecision {
  const { keyword, market } = plan.search;
  const point = grids.has(project, market) ? { gridPoint: true as const } : {};
  return { project, keyword, market, check: isChecked, ...point, pages: plan.depth, reason };
}

/** `moment`: of the run that would be. */
function plannedProjects(
  context: JobContext,
  request: PlanRequest,
  now: number,
): (PlannedProject & { readonly moment: number })[] {
  const asked = request.kind === 'due' ? [...context.projects.values()] : request.projects;
  return computeDueness(context, asked, now, { isAtOnce: request.kind === 'due' })
    .filter((entry) => entry.kind === 'ranks')
    .map(({ project, slots, unfinished }) => {
      const isRetried = request.kind === 'due' && unfinished?.isRetryDue === true;
      const isLeft = request.kind === 'due' && unfinished !== null && !isRetried && slots.due.length === 0;
      const dueSlot = slots.due.at(-1);
      const claim =
        request.kind === 'slot'
          ? namedSlot(project, request.at)
          : dueSlot === undefined
            ? presentSlot(project, now)
            : slotClaim(project, dueSlot);
      const done =
        request.kind === 'slot' && context.store.runs.slot(project.id, 'ranks', claim.slot)?.state === 'claimed';
      return {
        project: project.id,
        slot: claim.slot,
        due: request.kind === 'due' ? slots.due.length > 0 : !done,
        ...(isRetried ? { triesAgain: unfinished.failed + unfinished.deferred } : {}),
        unfinished: isLeft ? toUnfinished(unfinished, project) : null,
        reason: request.kind === 'due' ? slots.reason : done ? 'this slot has already run' : 'asked for',
        keywords: project.keywords.length,
        searches: countSearches(project.keywords),
        // a slot that is yet to come is planned as if it were now
        moment: now > context.clock.now() ? now : dated(context, project, claim).moment,
      };
    });
}

/** One sample stands for all points of a grid. */
function isSameButPlace(a: DeferredSample, b: DeferredSample): boolean {
  const isPoint = [a, b].every(({ market }) => market.location?.startsWith('@'));
  return (
    isPoint && a.keyword === b.keyword && a.market.device === b.market.device && a.market.country === b.market.country
  );
}

/** Takes checks in order of work until a window is full, as the worker does in its worst case. */
function listDeferred(
  order: { sequence: number; pages: number; plan: DeferredSample }[],
  budget: readonly BudgetWindowRow[],
): PlanReport['deferred'] {
  const windows = budget.filter((window) => window.currency === 'serp_credit' && window.cap !== null);
  const sample: DeferredSample[] = [];
  let checks = 0;
  let taken = 0;
  for (const { pages, plan } of order.sort((a, b) => a.sequence - b.sequence)) {
    const short = windows.find((window) => window.reserved + window.spent + taken + pages > (window.cap ?? 0));
    if (short === undefined) {
      taken += pages;
      continue;
    }
    checks += 1;
    if (sample.length < sampleMax && !sample.some((other) => isSameButPlace(other, plan)))
      sample.push({ ...plan, reason: shortBudget({ ...short, spent: short.spent + taken }, pages) });
  }
  return { checks, reason: sample[0]?.reason ?? null, sample };
}

/** The grid of a project in a plan. A search that projects share counts for each. */
interface PlannedGrid extends GridSearches {
  readonly project: string;
  /** Of its searches: those that the plan checks. */
  readonly checks: number;
  readonly creditsExpected: number;
  readonly creditsWorstCase: number;
}

class GridSums {
  readonly #projects: readonly Project[];
  readonly #points: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #sums = new Map<string, { -readonly [Part in keyof PlannedShare]: number }>();

  constructor(projects: readonly Project[]) {
    this.#projects = projects.filter(({ grid }) => grid !== undefined);
    this.#points = new Map(this.#projects.map(({ id, grid }) => [id, new Set(grid?.points)]));
  }

  /** Whether a search is made at a point of the project's grid. */
  has(project: string, { location }: Market): boolean {
    return location !== undefined && this.#points.get(project)?.has(location) === true;
  }

  add({ projects, search }: CheckPlan, creditsExpected: number, creditsWorstCase: number): void {
    for (const project of projects) {
      if (!this.has(project, search.market)) continue;
      const sum = getOrInsert(this.#sums, project, () => ({ checks: 0, creditsExpected: 0, creditsWorstCase: 0 }));
      sum.checks += 1;
      sum.creditsExpected += creditsExpected;
      sum.creditsWorstCase += creditsWorstCase;
    }
  }

  found(): { readonly grids?: readonly PlannedGrid[] } {
    const grids = this.#projects.flatMap(({ id, grid, keywords }): PlannedGrid[] => {
      const points = this.#points.get(id);
      if (grid === undefined || points === undefined) return [];
      const sum = this.#sums.get(id) ?? { checks: 0, creditsExpected: 0, creditsWorstCase: 0 };
      const creditsExpected = Math.round(sum.creditsExpected);
      return [{ project: id, ...gridSearches(grid, keywordsAtPoints(keywords, points)), ...sum, creditsExpected }];
    });
    return grids.length === 0 ? {} : { grids };
  }
}
